// node search.mjs notes.snap rolling back
import { SnapseekError, open } from "snapseek";

const [file, ...words] = process.argv.slice(2);
try {
  const engine = await open(file);
  const { hits } = await engine.search(words.join(" "), { typos: 1, records: true, snippet: { raw: true, open: "[", close: "]" } });
  for (const { score, record, snippet } of hits) console.log(`${score.toFixed(2)}  ${record.title}: ${snippet}`);
  engine.free();
} catch (error) {
  if (!(error instanceof SnapseekError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
