// The demo page: the URL holds the search, the engine runs it in this tab, and the page shows the hits.

import { open } from "../pkg/web.js";

const FACETS = [
  { attribute: "topic", name: "Topic", shown: 12 },
  { attribute: "level", name: "Level", shown: 3 },
  { attribute: "tags", name: "Tags", shown: 8 },
  { attribute: "language", name: "Language", shown: 5 },
];
const PAGE = 10;
/** A search returns at most this many hits. */
const MAX_HITS = 1000;
const EXAMPLES = ["rollback", "flaky test", "jwt valida", "keybord", "how long are logs kept", "检索", "東京"];

/** @returns {any} An element of the page; index.html says of which kind. */
const element = (id) => document.getElementById(id);

/** @returns {HTMLElement | null} */
const focusedElement = () => /** @type {HTMLElement | null} */ (document.activeElement);
const query = element("query");
const explain = element("explain");
const mode = element("mode");
const MODES = ["hybrid", "keyword", "vector"];
const results = element("results");
const number = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const languages = new Intl.DisplayNames("en", { type: "language" });

let engine;
/** The facets, fields and vectors that the snapshot has. `start` fills them in. */
let facets = FACETS;
let hasTitle = true;
let hasBody = true;
let hasVectors = false;
let state = stateOf(location);
let limit = PAGE;

// The state of the page and its URL.

function stateOf({ search }) {
  const parameters = new URLSearchParams(search);
  const filter = Object.fromEntries(FACETS.map(({ attribute }) => [attribute, new Set(parameters.getAll(attribute))]));
  const [mode] = MODES.filter((mode) => mode === parameters.get("mode")).concat(MODES);
  return { query: parameters.get("q") ?? "", filter, mode, explain: parameters.has("explain") };
}

function urlOf({ query, filter, mode, explain }) {
  const parameters = new URLSearchParams();
  if (query) parameters.set("q", query);
  for (const [attribute, values] of Object.entries(filter)) {
    for (const value of values) parameters.append(attribute, value);
  }
  if (mode !== MODES[0]) parameters.set("mode", mode);
  if (explain) parameters.set("explain", "");
  const text = parameters.toString();
  return text ? `?${text}` : location.pathname;
}

// The calls of the engine.

/** Returns the chosen values of each facet that the snapshot has. */
function chosenValues({ filter }) {
  return facets.map(({ attribute }) => [attribute, filter[attribute]]).filter(([, values]) => values.size > 0);
}

/** Makes a filter of the chosen values, except those of one attribute. */
function filterFor(state, without) {
  const chosen = chosenValues(state).filter(([attribute]) => attribute !== without);
  return Object.fromEntries(chosen.map(([attribute, values]) => [attribute, { any: [...values] }]));
}

function ask(state) {
  const options = {
    limit,
    mode: hasVectors ? state.mode : "keyword",
    filter: filterFor(state),
    facets: facets.map(({ attribute }) => attribute),
    asYouType: true,
    typos: 1,
    count: true,
    highlight: hasTitle ? ["title"] : [],
    snippet: hasBody ? { field: "body", tokens: 36 } : { tokens: 36 },
    records: true,
    explain: state.explain,
  };
  let response = engine.searchSync(state.query, options);
  if (response.total === 0) {
    // No word starts with the last word, so it may be misspelt.
    options.asYouType = false;
    response = engine.searchSync(state.query, options);
  }
  const counts = new Map(response.facets?.map(({ attribute, values }) => [attribute, values]));
  for (const [attribute] of chosenValues(state)) {
    // Values of one attribute are alternatives, so each shows how many notes choosing it would add.
    const { facets: counted } = engine.searchSync(state.query, {
      ...options,
      limit: 1,
      filter: filterFor(state, attribute),
      facets: [attribute],
      highlight: [],
      snippet: { tokens: 0 },
      records: false,
    });
    counts.set(attribute, counted[0].values);
  }
  return { response, counts, asYouType: options.asYouType };
}

/** Measures a call. Browsers round their clock to 0.1 ms, so a short call is repeated. */
function timed(work) {
  const started = performance.now();
  const answer = work();
  let runs = 1;
  let took = performance.now() - started;
  for (; took < 1; took = performance.now() - started) {
    work();
    runs += 1;
  }
  return { answer, microseconds: (took / runs) * 1000 };
}

/** Returns the whole text of a note with its matches marked, or `null`. */
function fullText(id, asYouType) {
  if (!hasBody) return null;
  const options = { mode: "keyword", limit: 1, filter: { id }, asYouType, typos: 1, highlight: ["body"], snippet: { tokens: 0 } };
  const [hit] = engine.searchSync(state.query, options).hits;
  // A note that only its vector found has no words to mark.
  return hit?.highlights.body ?? null;
}

// The view.

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Makes an element of the engine's HTML, in which the text of the notes is escaped and only the marks are not. */
function marked(tag, html, properties = {}) {
  return make(tag, { ...properties, innerHTML: html });
}

function show() {
  const isAsking = state.query.trim() !== "";
  document.title = isAsking ? `${state.query} · snapseek` : "snapseek: a handbook, searched in this tab";
  element("filters").hidden = !isAsking;
  if (isAsking) {
    showAnswer();
  } else {
    showWelcome();
  }
}

function showWelcome() {
  element("status").textContent = "";
  element("corrected").hidden = true;
  element("more").hidden = true;
  results.replaceChildren();
  const examples = EXAMPLES.map((text) => make("button", { type: "button", textContent: text, onclick: () => look({ query: text }) }));
  element("nothing").hidden = false;
  element("nothing").replaceChildren(make("p", { textContent: "Try one of these:" }), make("div", { className: "examples" }, ...examples));
}

function showAnswer() {
  const { answer, microseconds } = timed(() => ask(state));
  const { response, counts, asYouType } = answer;
  element("status").replaceChildren(
    make("strong", { textContent: counted(response) }),
    ` in ${number.format(Math.max(1, Math.round(microseconds)))} µs`,
  );
  showCorrections(response.corrected ?? []);
  showFacets(counts);
  results.replaceChildren(...response.hits.map((hit) => hitItem(hit, asYouType)));
  element("more").hidden = response.hits.length < limit || response.hits.length >= Math.min(engine.length, MAX_HITS);
  const nothing = element("nothing");
  nothing.hidden = response.hits.length > 0;
  if (response.hits.length > 0) return;
  const advice = chosenValues(state).length > 0 ? "Try it without the filters." : "Try fewer or different words.";
  nothing.replaceChildren(make("p", { textContent: `Nothing found for “${state.query}”. ${advice}` }));
}

/** Describes the number of matches. Every note has some similarity, so a hybrid search counts only notes with the words. */
function counted({ mode, total }) {
  const notes = `${number.format(total)} ${total === 1 ? "note" : "notes"}`;
  return { keyword: notes, hybrid: `${notes} with these words, and similar notes`, vector: `${notes} by similarity` }[mode];
}

function showCorrections(corrected) {
  const parts = corrected.flatMap(({ word, instead }, place) => [
    place === 0 ? "No note contains " : ", nor ",
    make("em", { textContent: word }),
    "; showing ",
    make("strong", { textContent: instead.join(", ") }),
  ]);
  element("corrected").hidden = parts.length === 0;
  element("corrected").replaceChildren(...parts);
}

function showFacets(counts) {
  const chosen = chosenValues(state).reduce((sum, [, values]) => sum + values.size, 0);
  element("chosen").textContent = chosen ? `(${chosen})` : "";
  element("reset").hidden = chosen === 0;
  const focused = focusedElement()?.dataset?.facet;
  element("facets").replaceChildren(...facets.map((facet) => facetGroup(facet, counts.get(facet.attribute) ?? [])));
  // The checkboxes are new elements, so restore the focus.
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-facet="${CSS.escape(focused)}"]`))?.focus();
}

function facetGroup({ attribute, name, shown }, values) {
  const chosen = state.filter[attribute];
  const missing = [...chosen].filter((value) => !values.some((other) => other.value === value));
  const all = [...values, ...missing.map((value) => ({ value, count: 0 }))];
  const visible = all.filter(({ value }, place) => place < shown || chosen.has(value));
  const choices = visible.map(({ value, count }) => {
    const box = make("input", { type: "checkbox", checked: chosen.has(value), onchange: () => choose(attribute, value) });
    box.dataset.facet = `${attribute}:${value}`;
    const label = attribute === "language" ? languageName(value) : value;
    return make("label", {}, box, make("span", { textContent: label }), make("small", { textContent: number.format(count) }));
  });
  const group = make("fieldset", {}, make("legend", { textContent: name }), ...choices);
  // A single value is no choice.
  group.hidden = choices.length < 2 && chosen.size === 0;
  return group;
}

/** Returns the English name of a language; other values, such as odd ones from the URL, stay as they are. */
function languageName(code) {
  try {
    return languages.of(code);
  } catch {
    return code;
  }
}

function hitItem({ id, highlights, snippet, score, record, explain }, asYouType) {
  const body = marked("p", snippet, { className: "snippet" });
  const heading = highlights?.title
    ? marked("button", highlights.title, { type: "button" })
    : make("button", { type: "button", textContent: id });
  heading.setAttribute("aria-expanded", "false");
  heading.onclick = () => {
    const isOpen = heading.getAttribute("aria-expanded") === "true";
    heading.setAttribute("aria-expanded", String(!isOpen));
    body.innerHTML = isOpen ? snippet : (fullText(id, asYouType) ?? snippet);
  };
  const article = make(
    "article",
    {},
    make("p", { className: "path", textContent: record.path }),
    make("h2", {}, heading),
    body,
    about(record),
  );
  article.lang = record.language ?? "";
  if (explain) article.append(explanation(score, explain));
  return make("li", {}, article);
}

function about({ level, createdAt, tags }) {
  const buttons = (Array.isArray(tags) ? tags : []).map((tag) => {
    const button = make("button", { type: "button", className: "tag", textContent: tag, onclick: () => choose("tags", tag) });
    button.setAttribute("aria-pressed", String(state.filter.tags.has(tag)));
    return button;
  });
  const parts = level === undefined ? [] : [make("span", { textContent: level })];
  const created = new Date(createdAt);
  if (!Number.isNaN(created.getTime())) parts.push(make("time", { dateTime: created.toISOString(), textContent: day.format(created) }));
  const line = make("p", { className: "about" }, ...parts, ...buttons);
  line.lang = "en";
  return line;
}

function explanation(score, { keyword, vector, parts: given }) {
  const parts = [];
  if (vector) parts.push(`Similarity ${vector.similarity.toFixed(3)}${vector.place === undefined ? "" : `, rank ${vector.place + 1}`}.`);
  const names = { keyword: "Words add", vector: "meaning adds" };
  if (given.length > 1) parts.push(`${given.map(({ name, product }) => `${names[name] ?? name} ${product.toFixed(3)}`).join(", ")}.`);
  const line = make("p", { textContent: `Score ${score.toFixed(3)}. ${parts.join(" ")}` });
  const scroller = make("div", { className: "explanation" }, line);
  if (keyword) scroller.append(explainedWords(keyword));
  scroller.lang = "en";
  return scroller;
}

function explainedWords({ bm25, length, averageLength, phrases }) {
  const cells = (tag, texts) => make("tr", {}, ...texts.map((text) => make(tag, { textContent: text })));
  const row = ({ phrase, hits, idf, frequency, part }) =>
    cells("td", [phrase.replaceAll("|", ", "), number.format(hits), idf.toFixed(2), frequency.toFixed(0), part.toFixed(3)]);
  const words = `Words ${(-bm25).toFixed(3)}: this note has ${length} words, the average is ${averageLength.toFixed(0)}.`;
  const head = make("thead", {}, cells("th", ["Word", "Notes with it", "Rarity", "Weight here", "Adds"]));
  return make("table", {}, make("caption", { textContent: words }), head, make("tbody", {}, ...phrases.map(row)));
}

// Input.

/** Changes the state, and shows the new results. */
function look(change) {
  state = { ...state, ...change };
  limit = PAGE;
  query.value = state.query;
  explain.checked = state.explain;
  mode.value = state.mode;
  history.replaceState(null, "", urlOf(state));
  show();
}

function choose(attribute, value) {
  const values = new Set(state.filter[attribute]);
  if (!values.delete(value)) values.add(value);
  look({ filter: { ...state.filter, [attribute]: values } });
}

/** Moves the focus from the search box through the results and back. */
function walk(step) {
  const stops = [query, ...results.querySelectorAll("h2 button")];
  const here = stops.findIndex((stop) => stop.closest("li, form") === document.activeElement.closest("li, form"));
  stops[Math.min(Math.max(here + step, 0), stops.length - 1)].focus();
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const isTyping = document.activeElement === query;
  const isInResults = results.contains(document.activeElement);
  const keys = {
    "/": () => !isTyping && (query.focus(), query.select()),
    ArrowDown: () => (isTyping || isInResults) && walk(1),
    ArrowUp: () => (isTyping || isInResults) && walk(-1),
    Escape: () => (isTyping ? look({ query: "" }) : query.focus()),
  };
  // A key that did something here must not also have its usual effect.
  if (keys[event.key]?.() !== false && event.key in keys) event.preventDefault();
}

function more() {
  const before = results.children.length;
  limit = Math.min(limit + PAGE, MAX_HITS);
  showAnswer();
  /** @type {HTMLElement | null | undefined} */ (results.children[before]?.querySelector("h2 button"))?.focus();
}

function enter() {
  // Hide the keyboard of a phone, which covers the results.
  if (matchMedia("(pointer: coarse)").matches) query.blur();
}

async function start() {
  query.value = state.query;
  explain.checked = state.explain;
  mode.value = state.mode;
  if (matchMedia("(max-width: 48rem)").matches) element("drawer").open = false;
  try {
    engine = await open(fetch("demo.snap"));
  } catch (error) {
    element("about").setAttribute("role", "alert");
    element("about").textContent = `The handbook cannot be opened: ${error.message}`;
    return;
  }
  element("about").textContent = `A team's handbook, ${number.format(engine.length)} notes, searched in this tab`;
  const { fields, attributes = {}, vectors = {} } = engine.schema();
  facets = FACETS.filter(({ attribute }) => Object.hasOwn(attributes, attribute));
  hasTitle = Object.hasOwn(fields, "title");
  hasBody = Object.hasOwn(fields, "body");
  hasVectors = Object.keys(vectors).length > 0;
  element("modes").hidden = !hasVectors;
  query.disabled = false;
  query.addEventListener("input", () => look({ query: query.value }));
  explain.addEventListener("change", () => look({ explain: explain.checked }));
  mode.addEventListener("change", () => look({ mode: mode.value }));
  element("form").addEventListener("submit", (event) => {
    event.preventDefault();
    enter();
  });
  element("reset").addEventListener("click", () => look({ filter: stateOf({ search: "" }).filter }));
  element("more").addEventListener("click", more);
  document.addEventListener("keydown", onKey);
  addEventListener("popstate", () => look(stateOf(location)));
  // WebAssembly compiles functions at their first call. Do that now, so that it does not count as search time.
  ask({ ...state, query: "warm" });
  query.focus();
  show();
}

await start();
