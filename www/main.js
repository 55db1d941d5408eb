// The page: what is asked stands in the URL, the engine answers it in this tab, and what it found is shown.

import { open } from "../pkg/web.js";

const FACETS = [
  { attribute: "topic", name: "Topic", shown: 12 },
  { attribute: "level", name: "Level", shown: 3 },
  { attribute: "tags", name: "Tags", shown: 8 },
  { attribute: "language", name: "Language", shown: 5 },
];
const PAGE = 10;
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
let hasVectors = false;
let state = stateOf(location);
let limit = PAGE;

// What is asked, and the URL that says it.

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

// What the engine is asked.

/** The chosen values as a filter, without those of one attribute. */
function filterFor({ filter }, without) {
  const chosen = Object.entries(filter).filter(([attribute, values]) => attribute !== without && values.size > 0);
  return Object.fromEntries(chosen.map(([attribute, values]) => [attribute, { any: [...values] }]));
}

function ask(state) {
  const options = {
    limit,
    mode: hasVectors ? state.mode : "keyword",
    filter: filterFor(state),
    facets: FACETS.map(({ attribute }) => attribute),
    asYouType: true,
    typos: 1,
    count: true,
    highlight: ["title"],
    snippet: { field: "body", tokens: 36 },
    records: true,
    explain: state.explain,
  };
  let response = engine.searchSync(state.query, options);
  if (response.total === 0) {
    // The last word is not the beginning of any: then it may be misspelt.
    options.asYouType = false;
    response = engine.searchSync(state.query, options);
  }
  const counts = new Map(response.facets.map(({ attribute, values }) => [attribute, values]));
  for (const [attribute, values] of Object.entries(state.filter)) {
    if (values.size === 0) continue;
    // Values of one attribute are alternatives, so each shows what choosing it would add.
    const { facets } = engine.searchSync(state.query, {
      ...options,
      limit: 1,
      filter: filterFor(state, attribute),
      facets: [attribute],
      highlight: [],
      snippet: { tokens: 0 },
      records: false,
    });
    counts.set(attribute, facets[0].values);
  }
  return { response, counts, asYouType: options.asYouType };
}

/** An answer and the time it took. Browsers round their clock to 0.1 ms, so what is shorter is repeated. */
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

/** The whole text of a note, its matches marked. */
function fullText(id, asYouType) {
  const options = { mode: "keyword", limit: 1, filter: { id }, asYouType, typos: 1, highlight: ["body"], snippet: { tokens: 0 } };
  const [hit] = engine.searchSync(state.query, options).hits;
  // What only meaning found has nothing to mark.
  return hit?.highlights.body ?? null;
}

// What is shown.

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** HTML of the engine: the text of the notes is escaped in it, and only its marks are not. */
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
  element("more").hidden = response.hits.length < limit || response.hits.length >= engine.length;
  const nothing = element("nothing");
  nothing.hidden = response.hits.length > 0;
  if (response.hits.length > 0) return;
  const isFiltered = Object.values(state.filter).some((values) => values.size > 0);
  const advice = isFiltered ? "Perhaps without the filters?" : "Perhaps with fewer or other words?";
  nothing.replaceChildren(make("p", { textContent: `Nothing found for “${state.query}”. ${advice}` }));
}

/** What was found, in words: meaning has no end, so only words are counted. */
function counted({ mode, total }) {
  const notes = `${number.format(total)} ${total === 1 ? "note" : "notes"}`;
  return { keyword: notes, hybrid: `${notes} with these words, and what is near`, vector: `${notes} by nearness` }[mode];
}

function showCorrections(corrected) {
  const parts = corrected.flatMap(({ word, instead }, place) => [
    place === 0 ? "Nobody wrote " : ", nor ",
    make("em", { textContent: word }),
    "; showing ",
    make("strong", { textContent: instead.join(", ") }),
  ]);
  element("corrected").hidden = parts.length === 0;
  element("corrected").replaceChildren(...parts);
}

function showFacets(counts) {
  const chosen = Object.values(state.filter).reduce((sum, values) => sum + values.size, 0);
  element("chosen").textContent = chosen ? `(${chosen})` : "";
  element("reset").hidden = chosen === 0;
  const focused = focusedElement()?.dataset?.facet;
  element("facets").replaceChildren(...FACETS.map((facet) => facetGroup(facet, counts.get(facet.attribute) ?? [])));
  // What was focused was replaced by its like.
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
    const label = attribute === "language" ? languages.of(value) : value;
    return make("label", {}, box, make("span", { textContent: label }), make("small", { textContent: number.format(count) }));
  });
  const group = make("fieldset", {}, make("legend", { textContent: name }), ...choices);
  // One value that every match has is no choice.
  group.hidden = choices.length < 2 && chosen.size === 0;
  return group;
}

function hitItem({ id, highlights, snippet, score, record, explain }, asYouType) {
  const body = marked("p", snippet, { className: "snippet" });
  const heading = marked("button", highlights.title, { type: "button" });
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
  article.lang = record.language;
  if (explain) article.append(explanation(score, explain));
  return make("li", {}, article);
}

function about({ level, createdAt, tags }) {
  const buttons = tags.map((tag) => {
    const button = make("button", { type: "button", className: "tag", textContent: tag, onclick: () => choose("tags", tag) });
    button.setAttribute("aria-pressed", String(state.filter.tags.has(tag)));
    return button;
  });
  const time = make("time", { dateTime: createdAt, textContent: day.format(new Date(createdAt)) });
  const line = make("p", { className: "about" }, make("span", { textContent: level }), time, ...buttons);
  line.lang = "en";
  return line;
}

function explanation(score, { keyword, vector, parts: given }) {
  const parts = [];
  if (vector) parts.push(`Nearness ${vector.similarity.toFixed(3)}${vector.place === undefined ? "" : `, number ${vector.place + 1}`}.`);
  const names = { keyword: "Words give", vector: "meaning" };
  if (given.length > 1) parts.push(`${given.map(({ name, product }) => `${names[name]} ${product.toFixed(3)}`).join(", ")}.`);
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
  const words = `Words ${(-bm25).toFixed(3)}: ${length} words in this note, ${averageLength.toFixed(0)} in an average one.`;
  const head = make("thead", {}, cells("th", ["Looked for", "Notes with it", "Rarity", "Weight here", "Adds"]));
  return make("table", {}, make("caption", { textContent: words }), head, make("tbody", {}, ...phrases.map(row)));
}

// What the visitor does.

/** Takes a change of what is asked, and answers it. */
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

/** Walks from the box through the results and back. */
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
  // What a key did here, the browser does not do again.
  if (keys[event.key]?.() !== false && event.key in keys) event.preventDefault();
}

function more() {
  const before = results.children.length;
  limit += PAGE;
  showAnswer();
  /** @type {HTMLElement | null | undefined} */ (results.children[before]?.querySelector("h2 button"))?.focus();
}

function enter() {
  // The keyboard of a phone gives way to the results.
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
  hasVectors = Object.keys(engine.schema().vectors ?? {}).length > 0;
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
  // Functions are compiled when they are first called, which is part of loading and not of a search.
  ask({ ...state, query: "warm" });
  query.focus();
  show();
}

await start();
