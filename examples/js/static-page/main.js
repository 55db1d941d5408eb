// Without a bundler a page imports files by path: copy the package beside the page, or serve node_modules.
import { open } from "./snapseek/search-web.js";

const [query, status, list] = ["query", "status", "hits"].map((id) => document.getElementById(id));

try {
  const engine = await open("notes.snap", {
    onProgress: ({ loaded, total }) => (status.textContent = `${loaded} of ${total ?? "?"} bytes`),
  });
  status.textContent = `${engine.length} notes`;
  query.disabled = false;
  let typing = new AbortController();
  query.addEventListener("input", async () => {
    // A large snapshot is read in pieces: a search that is not needed any more must not fetch them.
    typing.abort();
    typing = new AbortController();
    const { signal } = typing;
    const options = { asYouType: true, records: true, snippet: { field: "body" }, signal };
    const response = await engine.search(query.value, options).catch((error) => {
      if (!signal.aborted) status.textContent = error.message;
    });
    if (response) list.replaceChildren(...response.hits.map(item));
  });
} catch (error) {
  status.textContent = error.message;
}

function item({ record, snippet }) {
  const li = document.createElement("li");
  const title = document.createElement("strong");
  title.textContent = record.title;
  const text = document.createElement("p");
  // A snippet is HTML: its text is escaped, and only the marks are tags.
  text.innerHTML = snippet;
  li.append(title, text);
  return li;
}
