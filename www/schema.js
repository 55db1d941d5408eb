// How does the page show records that it knows nothing about? By the schema, and by names that many schemas share.

/** The fields that name a record, best first. */
const TITLES = ["title", "name", "heading", "question", "summary", "subject"];
/** The fields that hold most of the text, best first. */
const BODIES = ["body", "text", "content", "description"];
/** Attributes that say where a record is. No two records share their values. */
const PLACES = new Set(["id", "url", "anchor", "path", "image"]);
const FACET_TYPES = new Set(["keyword", "keywords", "bool"]);

/** The address has other uses for these names. */
const TAKEN = new Set(["q", "mode", "explain"]);

/** Returns the first of some names that an object has. */
const firstOf = (names, object) => names.find((name) => Object.hasOwn(object, name));

/** Makes words of a name: `createdAt` and `created_at` become "Created at". */
export function words(name) {
  const text = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns what the page needs to know of a schema: the fields and the one that is the title, the field of the snippet,
 * the attributes that can be chosen, those that are dates, whether words are stored as written, and whether this tab can
 * search by meaning.
 */
export function describe({ fields, attributes = {}, vectors = {}, forms = false }) {
  const names = Object.keys(fields);
  const title = firstOf(TITLES, fields) ?? names[0];
  const types = Object.entries(attributes).map(([name, type]) => [name, typeof type === "string" ? type : type.type]);
  const facets = types
    .filter(([name, type]) => FACET_TYPES.has(type) && !PLACES.has(name))
    .map(([attribute, type]) => ({
      attribute,
      type,
      parameter: TAKEN.has(attribute) ? `.${attribute}` : attribute,
      name: words(attribute),
    }));
  // The values of facets are shown with every hit.
  const others = names.filter((name) => name !== title && !facets.some(({ attribute }) => attribute === name));
  return {
    fields: names,
    title,
    // The other fields are shown when a record is opened. If the title is the only field, that is the title.
    others: others.length > 0 ? others : names,
    // Without a field for it, the engine picks the best one for each hit.
    body: firstOf(BODIES, fields) ?? (others.length === 1 ? others[0] : undefined),
    facets,
    dates: types.filter(([, type]) => type === "time").map(([name]) => name),
    hasForms: forms,
    hasVectors: Object.values(vectors).some(({ embedder }) => embedder !== undefined),
  };
}

const isText = (value) => typeof value === "string" && value.trim() !== "";

/** Returns the title of a hit: `html` with its matches marked, or `text`. A long text is cut. */
export function titleOf({ id, highlights, record }, { title }) {
  const stored = TITLES.find((name) => isText(record[name]));
  if (stored && stored !== title) return { text: short(record[stored]) };
  if (!isText(record[title])) return { text: id };
  const text = short(record[title]);
  return text === record[title] && highlights?.[title] ? { html: highlights[title] } : { text };
}

function short(text, length = 120) {
  const line = text.trim();
  if (line.length <= length) return text;
  return `${line.slice(0, length - 30).replace(/\s+\S*$/, "")}…`;
}

/** Returns the place of a record, in words: its heading below the title, its path, or its address. */
export function placeOf(record, { title }) {
  const [place] = ["heading", "path", "url"].filter((name) => name !== title && isText(record[name]));
  return place === undefined ? "" : record[place];
}

/**
 * Returns the address that a record's `url` and `anchor` name, or `undefined`. Only pages can be linked. A `url` without a
 * host belongs to a file, which is at `path` below the address `pages`; without that address it would lead nowhere.
 */
export function linkOf({ url, path, anchor }, pages) {
  if (!isText(url)) return undefined;
  const hasHost = URL.canParse(url);
  if (!hasHost && !pages) return undefined;
  const place = !hasHost && isText(path) ? path.split("/").map(encodeURIComponent).join("/") : url;
  if (!URL.canParse(place, pages)) return undefined;
  const link = new URL(place, pages);
  if (isText(anchor) && link.hash === "") link.hash = anchor;
  return ["http:", "https:"].includes(link.protocol) ? link.href : undefined;
}

/** Returns the first date of a record, with the name of its attribute, or `undefined`. */
export function dateOf(record, { dates }) {
  for (const name of dates) {
    const date = new Date(record[name] ?? Number.NaN);
    if (!Number.isNaN(date.getTime())) return { name, date };
  }
  return undefined;
}

/** Returns the texts in a value of a record: a string, a list of strings, or a yes and no. */
export function valuesOf(value) {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((value) => isText(value) || typeof value === "boolean").map(String);
}

/** Returns the condition that one of these values holds, which are texts. */
export function condition(type, values) {
  if (type !== "bool") return { any: [...values] };
  const chosen = [...values].filter((value) => ["true", "false"].includes(value));
  // A value that is neither has no records.
  if (chosen.length === 0) return { exists: false };
  return chosen.length === 2 ? { exists: true } : { eq: chosen[0] === "true" };
}
