// The page of `snapseek serve`: the URL holds the search, the engine runs it in this tab, and the page shows the hits.
// schema.js decides how the records of a snapshot are shown, hit.js shows them.

import { open } from "../pkg/web.js";
import { hitItem, labelOf, make, number } from "./hit.js";
import { condition, describe, titleOf } from "./schema.js";

const SNAPSHOT = "demo.snap";
const PAGE = 10;
/** A search returns at most this many hits. */
const MAX_HITS = 1000;
/** A facet shows this many values until a visitor asks for more, and never more than the second number. */
const FEW_VALUES = 8;
const MAX_VALUES = 100;
/** Examples come from a query that finds every record, which takes long in a larger snapshot. */
const MAX_RECORDS_FOR_EXAMPLES = 50_000;
/** A watched snapshot is asked for this often, in milliseconds. */
const WATCH_INTERVAL = 1000;
const MODES = ["hybrid", "keyword", "vector"];

/** @returns {any} An element of the page; index.html says of which kind. */
const element = (id) => document.getElementById(id);

/** @returns {HTMLElement | null} */
const focusedElement = () => /** @type {HTMLElement | null} */ (document.activeElement);
const query = element("query");
const explain = element("explain");
const mode = element("mode");
const results = element("results");

let engine;
/** How the snapshot is shown, as `describe` says; `use` fills it in. */
let view;
let state;
let limit = PAGE;
/** The facets that show all of their values. */
const unfolded = new Set();
/** Counts the searches, so that only the answer of the newest is shown. */
let newest = 0;

// The state of the page and its URL.

function stateOf({ search }) {
  const parameters = new URLSearchParams(search);
  const filter = Object.fromEntries(view.facets.map(({ attribute, parameter }) => [attribute, new Set(parameters.getAll(parameter))]));
  const [mode] = MODES.filter((mode) => mode === parameters.get("mode")).concat(MODES);
  return { query: parameters.get("q") ?? "", filter, mode, explain: parameters.has("explain") };
}

function urlOf({ query, filter, mode, explain }) {
  const parameters = new URLSearchParams();
  if (query) parameters.set("q", query);
  for (const { attribute, parameter } of view.facets) {
    for (const value of filter[attribute]) parameters.append(parameter, value);
  }
  if (mode !== MODES[0]) parameters.set("mode", mode);
  if (explain) parameters.set("explain", "");
  const text = parameters.toString();
  return text ? `?${text}` : location.pathname;
}

// The calls of the engine.

/** Returns the facets in which values are chosen. */
function chosenFacets({ filter }) {
  return view.facets.filter(({ attribute }) => filter[attribute].size > 0);
}

/** Makes a filter of the chosen values, except those of one attribute. */
function filterFor(state, without) {
  const chosen = chosenFacets(state).filter(({ attribute }) => attribute !== without);
  return Object.fromEntries(chosen.map(({ attribute, type }) => [attribute, condition(type, state.filter[attribute])]));
}

async function ask(state) {
  let options = {
    limit,
    mode: view.hasVectors ? state.mode : "keyword",
    filter: filterFor(state),
    facets: view.facets.map(({ attribute }) => attribute),
    asYouType: view.hasForms,
    typos: 1,
    count: true,
    highlight: [view.title],
    snippet: view.body === undefined ? { tokens: 36 } : { field: view.body, tokens: 36 },
    records: true,
    explain: state.explain,
  };
  let response = await engine.search(state.query, options);
  if (response.total === 0 || !view.hasForms) {
    // With forms, no word starts with the last word, so it may be misspelt. With stems alone, a beginning finds stems, and
    // a whole word may be longer than its stem: take the reading that finds more.
    const other = { ...options, asYouType: !options.asYouType };
    const otherResponse = await engine.search(state.query, other);
    if (view.hasForms || otherResponse.total > response.total) [response, options] = [otherResponse, other];
  }
  const counts = new Map(response.facets?.map(({ attribute, values }) => [attribute, values]));
  for (const { attribute } of chosenFacets(state)) {
    // Values of one attribute are alternatives, so each shows how many records choosing it would add.
    const { facets: counted } = await engine.search(state.query, {
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
async function timed(work) {
  const started = performance.now();
  const answer = await work();
  let runs = 1;
  let took = performance.now() - started;
  for (; took < 1; took = performance.now() - started) {
    await work();
    runs += 1;
  }
  return { answer, microseconds: (took / runs) * 1000 };
}

/** Returns the text fields of a record with their matches marked, or `undefined` if only its vector was found. */
async function wholeText({ id, kind }, asYouType) {
  const options = { mode: "keyword", limit: 1, filter: { id, kind }, asYouType, typos: 1, highlight: view.others, snippet: { tokens: 0 } };
  const { hits } = await engine.search(state.query, options);
  return hits[0]?.highlights;
}

/** Returns the titles of a few records, to start from. */
async function examples() {
  if (engine.length > MAX_RECORDS_FOR_EXAMPLES) return [];
  const letters = [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => `${letter}*`);
  const hits = await engine.withDocuments(() => {
    const found = engine.match(letters.join(" OR "), { limit: 12 });
    return found.map(({ id, kind }) => ({ id, record: engine.record(id, kind) }));
  });
  const texts = hits.map((hit) => titleOf(hit, view).text);
  return [...new Set(texts)].filter((text) => text.length <= 60).slice(0, 6);
}

// The view.

const records = (count) => `${number.format(count)} ${count === 1 ? "record" : "records"}`;

async function show() {
  const isAsking = state.query.trim() !== "";
  document.title = isAsking ? `${state.query} · snapseek` : `snapseek: ${element("name").textContent}`;
  element("filters").hidden = !isAsking || view.facets.length === 0;
  newest += 1;
  await (isAsking ? showAnswer(newest) : showWelcome(newest));
}

async function showWelcome(search) {
  const titles = await examples();
  if (search !== newest) return;
  element("status").textContent = "";
  element("corrected").hidden = true;
  element("more").hidden = true;
  results.replaceChildren();
  const searched = new Intl.ListFormat("en").format(view.fields);
  const nothing = element("nothing");
  nothing.hidden = false;
  nothing.replaceChildren(make("p", { textContent: `Type to search ${searched}.` }));
  if (titles.length > 0) nothing.append(make("p", { textContent: "Or try one of these:" }), queryButtons(titles));
}

/** Makes a button per query that searches for it. */
function queryButtons(queries) {
  const button = (text) => make("button", { type: "button", textContent: text, onclick: () => look({ query: text }) });
  return make("div", { className: "examples" }, ...queries.map(button));
}

async function showAnswer(search) {
  const { answer, microseconds } = await timed(() => ask(state));
  if (search !== newest) return;
  const { response, counts, asYouType } = answer;
  element("status").replaceChildren(
    make("strong", { textContent: counted(response) }),
    ` in ${number.format(Math.max(1, Math.round(microseconds)))} µs`,
  );
  showCorrections(response.corrected ?? []);
  showFacets(counts);
  const isChosen = (attribute, value) => state.filter[attribute].has(value);
  const context = { view, isChosen, choose, whole: (hit) => wholeText(hit, asYouType) };
  results.replaceChildren(...response.hits.map((hit) => hitItem(hit, context)));
  element("more").hidden = response.hits.length < limit || response.hits.length >= Math.min(engine.length, MAX_HITS);
  const nothing = element("nothing");
  nothing.hidden = response.hits.length > 0;
  if (response.hits.length > 0) return;
  const advice = chosenFacets(state).length > 0 ? "Try it without the filters." : "Try fewer or different words.";
  nothing.replaceChildren(make("p", { textContent: `Nothing found for “${state.query}”. ${advice}` }));
  if (response.suggestions) nothing.append(make("p", { textContent: "Did you mean:" }), queryButtons(response.suggestions));
}

/** Describes the number of matches. Every record has some similarity, so a hybrid search counts those with the words. */
function counted({ mode, total }) {
  const found = records(total);
  return { keyword: found, hybrid: `${found} with these words, and similar records`, vector: `${found} by similarity` }[mode];
}

function showCorrections(corrected) {
  const parts = corrected.flatMap(({ word, instead }, place) => [
    place === 0 ? "No record contains " : ", nor ",
    make("em", { textContent: word }),
    "; showing ",
    make("strong", { textContent: instead.join(", ") }),
  ]);
  element("corrected").hidden = parts.length === 0;
  element("corrected").replaceChildren(...parts);
}

function showFacets(counts) {
  const chosen = chosenFacets(state).reduce((sum, { attribute }) => sum + state.filter[attribute].size, 0);
  element("chosen").textContent = chosen ? `(${chosen})` : "";
  element("reset").hidden = chosen === 0;
  const focused = focusedElement()?.dataset?.facet;
  const groups = view.facets.map((facet) => facetGroup(facet, counts.get(facet.attribute) ?? [], counts));
  element("facets").replaceChildren(...groups);
  element("filters").hidden = groups.every((group) => group.hidden);
  // The checkboxes are new elements, so restore the focus.
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-facet="${CSS.escape(focused)}"]`))?.focus();
}

function facetGroup({ attribute, name }, values, counts) {
  const chosen = state.filter[attribute];
  const missing = [...chosen].filter((value) => !values.some((other) => other.value === value));
  const all = [...values, ...missing.map((value) => ({ value, count: 0 }))];
  const shown = unfolded.has(attribute) ? MAX_VALUES : FEW_VALUES;
  const visible = all.filter(({ value }, place) => place < shown || chosen.has(value));
  const choices = visible.map(({ value, count }) => {
    const box = make("input", { type: "checkbox", checked: chosen.has(value), onchange: () => choose(attribute, value) });
    box.dataset.facet = `${attribute}:${value}`;
    const label = labelOf(attribute, value);
    return make("label", { title: label }, box, make("span", { textContent: label }), make("small", { textContent: number.format(count) }));
  });
  const group = make("fieldset", {}, make("legend", { textContent: name }), ...choices);
  const rest = Math.min(all.length, MAX_VALUES) - visible.length;
  if (rest > 0 || unfolded.has(attribute)) {
    const text = rest > 0 ? `Show ${number.format(rest)} more` : "Show fewer";
    const fold = make("button", { type: "button", className: "fold", textContent: text });
    fold.dataset.facet = `${attribute} fold`;
    fold.onclick = () => {
      if (!unfolded.delete(attribute)) unfolded.add(attribute);
      showFacets(counts);
    };
    group.append(fold);
  }
  // A single value is no choice, and neither are values that name one record each.
  const isChoice = all.length > 1 && (all.length <= FEW_VALUES || values.some(({ count }) => count > 1));
  group.hidden = !isChoice && chosen.size === 0;
  return group;
}

// Input.

/** Changes the state, and shows the new results. */
function look(change) {
  state = { ...state, ...change };
  limit = PAGE;
  history.replaceState(null, "", urlOf(state));
  showControls();
  return show();
}

function showControls() {
  // A box that says the same already keeps its cursor.
  if (query.value !== state.query) query.value = state.query;
  explain.checked = state.explain;
  mode.value = state.mode;
}

function choose(attribute, value) {
  const values = new Set(state.filter[attribute]);
  if (!values.delete(value)) values.add(value);
  look({ filter: { ...state.filter, [attribute]: values } });
}

/** Moves the focus from the search box through the results and back. */
function walk(step) {
  const stops = [query, ...results.querySelectorAll("h2 > *")];
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
    Escape: () => void (isTyping ? look({ query: "" }) : query.focus()),
  };
  // A key that did something here must not also have its usual effect.
  if (keys[event.key]?.() !== false && event.key in keys) event.preventDefault();
}

async function more() {
  const before = results.children.length;
  limit = Math.min(limit + PAGE, MAX_HITS);
  newest += 1;
  await showAnswer(newest);
  /** @type {HTMLElement | null | undefined} */ (results.children[before]?.querySelector("h2 > *"))?.focus();
}

function enter() {
  // Hide the keyboard of a phone, which covers the results.
  if (matchMedia("(pointer: coarse)").matches) query.blur();
}

// The snapshot.

/** Returns the name of a snapshot's file, as its server says it. */
function nameOf(response) {
  const [, name] = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return name === undefined ? "this snapshot" : decodeURIComponent(name);
}

/** Opens the snapshot of a response, and shows it in place of the one before. */
async function use(response) {
  const opened = await open(response);
  engine?.free();
  engine = opened;
  view = { ...describe(engine.schema()), pages: response.headers.get("snapseek-pages") ?? undefined };
  element("name").textContent = nameOf(response);
  element("about").removeAttribute("role");
  element("about").textContent = `${records(engine.length)}, searched in this tab`;
  element("modes").hidden = !view.hasVectors;
  state = stateOf(location);
  showControls();
}

function complain(error) {
  element("about").setAttribute("role", "alert");
  element("about").textContent = `The snapshot cannot be opened: ${error.message}`;
}

/** Asks for the version of the snapshot now and then, and shows a new one. */
async function watch(version) {
  let shown = version;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, WATCH_INTERVAL));
    try {
      const head = await fetch(SNAPSHOT, { method: "HEAD", cache: "no-store" });
      const tag = head.headers.get("etag");
      if (!head.ok || tag === shown) continue;
      shown = tag;
      await use(await fetch(SNAPSHOT, { cache: "no-store" }));
      await show();
    } catch {
      // The server has ended, or a build is being replaced: the page keeps what it has, and asks again.
    }
  }
}

async function start() {
  if (matchMedia("(max-width: 48rem)").matches) element("drawer").open = false;
  let response;
  try {
    response = await fetch(SNAPSHOT);
    await use(response);
  } catch (error) {
    complain(error);
    return;
  }
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
  await ask({ ...state, query: state.query || "warm" });
  await show();
  query.disabled = false;
  query.focus();
  if (response.headers.has("snapseek-watch")) watch(response.headers.get("etag"));
}

await start();
