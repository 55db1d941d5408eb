// Like edge.ts, with the search-only module.
import { fetching } from "./fetching.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";
import wasm from "./snapseek-search.wasm?module";

const here = /* @__PURE__ */ connectToSearch(raw, {
  // The module may come from another realm, whose `WebAssembly.Module` is another class.
  wasm: [async () => Object.setPrototypeOf(wasm, WebAssembly.Module.prototype) as WebAssembly.Module],
  ...fetching,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
