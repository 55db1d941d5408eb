// The renderer: a page on file://. It searches as someone types, so it has an engine of its own, and asks nobody.
import { open } from "../node_modules/snapseek/web.js";

const query = document.getElementById("query");
const list = document.getElementById("hits");

const engine = await open(new URL("../notes.snap", import.meta.url));
query.disabled = false;
query.addEventListener("input", () => {
  const { hits } = engine.searchSync(query.value, { asYouType: true, records: true });
  list.replaceChildren(...hits.map(({ record }) => Object.assign(document.createElement("li"), { textContent: record.title })));
});
