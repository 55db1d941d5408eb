// The engine of the main process, which runs in Node.
const { join } = require("node:path");
const { open } = require("snapseek");

let opening;

/** Returns the titles of the hits. */
exports.search = async (query) => {
  const engine = await (opening ??= open(join(__dirname, "notes.snap")));
  const { hits } = await engine.search(query, { records: true });
  return hits.map(({ record }) => record.title);
};
