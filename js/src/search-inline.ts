// As inline.ts, with the module that can only search.
import { fetching } from "./fetching.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";

const here = /* @__PURE__ */ connectToSearch(raw, {
  wasm: [async () => (await import("./snapseek-search-inline.js")).bytes()],
  ...fetching,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
