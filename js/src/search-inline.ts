// Like inline.ts, for searching only. It uses the full module, because the package has only that one as a script.
import { fetching } from "./fetching.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";

const here = /* @__PURE__ */ connectToSearch(raw, {
  wasm: [async () => (await import("./snapseek-inline.js")).bytes()],
  ...fetching,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
