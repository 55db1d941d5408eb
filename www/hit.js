// One hit: its title, its text, the values of its attributes, and why it has its score.

import { dateOf, linkOf, placeOf, titleOf, valuesOf, words } from "./schema.js";

/** A hit shows at most this many values that can be chosen. */
const MAX_VALUES = 10;

export const number = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const languages = new Intl.DisplayNames("en", { type: "language" });

export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Makes an element of the engine's HTML, in which the text of the records is escaped and only the marks are not. */
function marked(tag, html, properties = {}) {
  return make(tag, { ...properties, innerHTML: html });
}

/** Returns the English name of a language; other values, such as odd ones from the URL, stay as they are. */
export function labelOf(attribute, value) {
  if (!/^lang(uage)?$/i.test(attribute)) return value;
  try {
    return languages.of(value) ?? value;
  } catch {
    return value;
  }
}

/** Makes the item of a hit. `view` says how the snapshot is shown, `choose` sets a filter, `whole` finds the full text. */
export function hitItem(hit, { view, isChosen, choose, whole }) {
  const { snippet, score, record, explain } = hit;
  const text = marked("p", snippet ?? "", { className: "snippet" });
  const { html, text: plain } = titleOf(hit, view);
  const link = linkOf(record, view.pages);
  const properties = html === undefined ? { textContent: plain } : { innerHTML: html };
  const heading = link ? make("a", { href: link, ...properties }) : make("button", { type: "button", ...properties });
  const opener = link ? make("button", { type: "button", className: "tag", textContent: "Whole text" }) : heading;
  const body = make("div", {}, text);
  // A title that is the only text of the record needs no snippet of itself.
  text.hidden = html !== undefined && view.others.length === 1 && view.others[0] === view.title;
  opener.setAttribute("aria-expanded", "false");
  opener.onclick = async () => {
    const isOpen = opener.getAttribute("aria-expanded") === "true";
    opener.setAttribute("aria-expanded", String(!isOpen));
    body.replaceChildren(...(isOpen ? [text] : wholeText(await whole(hit), hit, view)));
  };
  const article = make(
    "article",
    {},
    make("p", { className: "path", textContent: placeOf(record, view) }),
    make("h2", {}, heading),
    body,
    ...otherSections(hit, view),
    about(record, { view, isChosen, choose }, link ? [opener] : []),
  );
  const [language] = valuesOf(record.language ?? record.lang);
  article.lang = language ?? "";
  if (explain) article.append(explanation(score, explain));
  return make("li", {}, article);
}

/** Lists the next best sections of the same page, where the snapshot groups its records by page. */
function otherSections({ children = [] }, view) {
  const section = ({ id, record }) => {
    const link = linkOf(record, view.pages);
    const textContent = placeOf(record, view) || id;
    return make("li", {}, link ? make("a", { href: link, textContent }) : make("span", { textContent }));
  };
  return children.length > 0 ? [make("ul", { className: "sections" }, ...children.map(section))] : [];
}

/** Shows the text fields of a record, with their matches marked where words were found. */
function wholeText(highlights, { record }, { others }) {
  const filled = others.filter((name) => valuesOf(record[name]).length > 0);
  const paragraphs = filled.flatMap((name) => {
    const html = highlights?.[name];
    const properties = { className: "snippet whole" };
    const text = valuesOf(record[name]).join(", ");
    const paragraph = html === undefined ? make("p", { ...properties, textContent: text }) : marked("p", html, properties);
    return filled.length > 1 ? [make("h3", { textContent: words(name) }), paragraph] : [paragraph];
  });
  return paragraphs.length > 0 ? paragraphs : [make("p", { className: "snippet", textContent: "This record has no further text." })];
}

function about(record, { view, isChosen, choose }, buttons) {
  const parts = [...buttons];
  const found = dateOf(record, view);
  if (found) {
    const { name, date } = found;
    parts.push(make("time", { dateTime: date.toISOString(), title: words(name), textContent: day.format(date) }));
  }
  for (const { attribute, type, name } of view.facets.filter(({ type }) => type !== "bool")) {
    for (const value of valuesOf(record[attribute])) {
      const button = make("button", { type: "button", className: "tag", title: name, textContent: labelOf(attribute, value) });
      button.onclick = () => choose(attribute, value);
      button.setAttribute("aria-pressed", String(isChosen(attribute, value)));
      button.dataset.type = type;
      parts.push(button);
    }
  }
  const line = make("p", { className: "about" }, ...parts.slice(0, MAX_VALUES));
  line.lang = "en";
  return line;
}

function explanation(score, { keyword, vector, parts: given = [] }) {
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
  const caption = `Words ${(-bm25).toFixed(3)}: this record has ${length} words, the average is ${averageLength.toFixed(0)}.`;
  const head = make("thead", {}, cells("th", ["Word", "Records with it", "Rarity", "Weight here", "Adds"]));
  return make("table", {}, make("caption", { textContent: caption }), head, make("tbody", {}, ...phrases.map(row)));
}
