// The renderer, a page on file://. It has its own engine, so that searching while the user types needs no other process.
import { open } from "../node_modules/snapseek/web.js";

const query = document.getElementById("query");
const list = document.getElementById("hits");

const engine = await open(new URL("../notes.snap", import.meta.url), { load: "whole" });
query.disabled = false;
query.addEventListener("input", () => {
  const { hits } = engine.searchSync(query.value, { asYouType: true, records: true });
  list.replaceChildren(...hits.map(({ record }) => Object.assign(document.createElement("li"), { textContent: record.title })));
});
