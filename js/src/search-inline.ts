// As inline.ts, with what can only search; the full module does its work, since the package has one as a script.
import { fetching } from "./fetching.js";
import { connectToSearch, type OpenToSearch } from "./index.js";
import { raw } from "./raw-search.js";

const here = /* @__PURE__ */ connectToSearch(raw, {
  wasm: [async () => (await import("./snapseek-inline.js")).bytes()],
  ...fetching,
});

export const open: OpenToSearch = here.open;
export * from "./exports.js";
