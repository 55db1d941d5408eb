import { openInWorker } from "snapseek";

const query = document.getElementById("query");
const list = document.getElementById("hits");

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const engine = await openInWorker(worker, "/notes.snap");
query.disabled = false;

// Each keystroke cancels the search before it.
let last = new AbortController();
query.addEventListener("input", async () => {
  last.abort();
  last = new AbortController();
  try {
    const { hits } = await engine.search(query.value, { asYouType: true, records: true, signal: last.signal });
    list.replaceChildren(...hits.map(({ record }) => Object.assign(document.createElement("li"), { textContent: record.title })));
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
});
