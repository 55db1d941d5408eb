// Measures the quality of each recipe on records that have only texts and vectors.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [snapseek, data, ...named] = process.argv.slice(2);
const isFolder = (name) => statSync(join(data, name)).isDirectory();
const collections = named.length > 0 ? named : readdirSync(data).filter(isFolder).sort();

/** Maps a record of a collection to the fields of each preset, and names the option for a query's group. */
const shapes = {
  hybrid: { record: ({ id, title, text, group }) => ({ id, title, body: text, group }) },
  memory: {
    record: ({ id, title, text, group }) => ({ id, kind: "memory", content: title ? `${title}\n${text}` : text, projectId: group }),
    group: "projectId",
    options: { track: false },
  },
  rag: {
    record: ({ id, title, text, group }) => ({
      id,
      kind: "chunk",
      title,
      text,
      sourceType: "context",
      sourceId: id,
      chunkIndex: 0,
      charOffset: 0,
      sessionId: group,
    }),
    group: "sessionId",
    options: { includeGraph: false },
  },
  unified: {
    record: ({ id, title, text, group }) => ({ id, kind: "observation", title, content: text, project: group }),
    group: "project",
  },
  vault: {
    record: ({ id, title, text, group }) => ({ id, kind: "entry", title, description: text, type: group }),
    filter: "type",
    options: { mode: "scan" },
  },
};

const run = (args) => execFileSync(snapseek, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 30 });
const lines = (path) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const folder = mkdtempSync(join(tmpdir(), "snapseek-recipes-"));
const plain = join(folder, "schema.json");
writeFileSync(plain, JSON.stringify({ fields: { title: {}, body: {} }, attributes: { group: "keyword" } }));
try {
  console.log(["collection".padEnd(12), ...Object.keys(shapes).map((name) => name.padStart(8))].join(" "));
  for (const collection of collections) {
    const from = (file) => join(data, collection, file);
    const records = lines(from("docs.jsonl"));
    const queries = lines(from("queries.jsonl"));
    const isGrouped = queries[0].group !== undefined;
    const figures = Object.entries(shapes).map(([name, { record, group, filter, options = {} }]) => {
      const [input, snapshot, asked] = ["jsonl", "snap", "q.jsonl"].map((end) => join(folder, `${name}.${end}`));
      writeFileSync(input, records.map((each) => `${JSON.stringify(record(each))}\n`).join(""));
      const schema = name === "hybrid" ? ["--schema", plain] : ["--preset", name];
      run(["build", input, "-o", snapshot, ...schema, "--vectors", `minilm=${from("docs.minilm.f32")}`, "--force"]);
      // The group of a query restricts the search, as an option of the recipe or as a filter.
      const key = group ?? filter ?? "group";
      writeFileSync(
        asked,
        queries
          .map((query) => {
            const own = filter ? { filter: { [filter]: query.group } } : { [key]: query.group };
            return `${JSON.stringify(isGrouped ? { id: query.id, text: query.text, ...own } : { id: query.id, text: query.text })}\n`;
          })
          .join(""),
      );
      const same = isGrouped ? ["--same", filter ? "filter" : key] : [];
      const answer = run([
        "eval",
        snapshot,
        "--queries",
        asked,
        "--qrels",
        from("qrels.tsv"),
        "--json",
        "--recipe",
        name,
        "--query-vectors",
        `minilm=${from("queries.minilm.f32")}`,
        ...same,
        "--options",
        JSON.stringify(name === "hybrid" ? {} : { now: 0, ...options }),
      ]);
      return JSON.parse(answer)["ndcg@10"];
    });
    console.log([collection.padEnd(12), ...figures.map((figure) => figure.toFixed(4).padStart(8))].join(" "));
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${collections.length} passed, 0 failed`);
