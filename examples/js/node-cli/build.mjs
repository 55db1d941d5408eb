// node build.mjs notes.jsonl notes.snap
import { readFile, writeFile } from "node:fs/promises";
import { build } from "snapseek";

const [input, output] = process.argv.slice(2);
const schema = { forms: true, fields: { title: { weight: 4 }, body: {} }, attributes: { topic: "keyword" } };
const engine = await build(await readFile(input, "utf8"), schema);
await writeFile(output, engine.snapshot());
console.log(`${output}: ${engine.length} notes`);
engine.free();
