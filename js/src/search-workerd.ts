// Like workerd.ts, with the search-only module.
import { fetching } from "./fetching.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";
import wasm from "./snapseek-search.wasm";

const here = /* @__PURE__ */ connectToSearch(raw, {
  wasm: [async () => wasm],
  ...fetching,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
