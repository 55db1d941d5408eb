// flexsearch over the three fields joined, in the two settings that its manual recommends: whole words, and all prefixes of
// all words. It has no BM25, no stemming and no phrases; it takes part for its speed.

import { now } from "../measure.mjs";
import { LIMIT, records } from "../records.mjs";

let Index;
let heapBefore = 0;

async function start() {
  heapBefore = process.memoryUsage().heapUsed;
  ({ Index } = await import("flexsearch"));
}

function engine(tokenize) {
  const options = { tokenize };
  return {
    start,

    async build(lines) {
      const started = now();
      const index = new Index(options);
      let row = 0;
      for (const { title, description, section } of records(lines)) {
        index.add(row++, `${title} ${description} ${section}`);
      }
      const buildSeconds = now() - started;
      const files = new Map();
      await index.export((name, json) => void files.set(name, new TextEncoder().encode(json)));
      return { files, buildSeconds, compactSeconds: 0 };
    },

    open(files) {
      const index = new Index(options);
      for (const [name, bytes] of files) index.import(name, new TextDecoder().decode(bytes));
      return {
        // `suggest` is flexsearch's OR: documents with some of the words, those with most of them first.
        search: (query) => index.search(query.words.join(" "), { limit: LIMIT, suggest: query.kind === "or" }),
        hits: (rows) => rows.map((row) => [row, null]),
        supports: (kind) => kind !== "phrase" && (kind !== "prefix" || tokenize === "forward"),
        ownBytes: () => process.memoryUsage().heapUsed - heapBefore,
      };
    },
  };
}

export const wholeWords = engine("strict");
export const forward = engine("forward");
