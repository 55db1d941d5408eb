// How a question is judged.

/** Words that say nothing about a page. */
const COMMON = new Set(
  "the and for with from that this what when where which how why not all are was has have its into than then out does use via one two another other".split(
    " ",
  ),
);
/** Words that start with the same letters, this many, count as the same word: sort and sorting do, too, by being short. */
const STEM = 4;

const stems = (text) => (text.toLowerCase().match(/\w{3,}/g) ?? []).filter((word) => !COMMON.has(word)).map((word) => word.slice(0, STEM));

/** Returns the title of a page, without the name of its site. */
export function titleOf(html) {
  const [, title = ""] = /<title>(.*?)<\/title>/s.exec(html) ?? [];
  const plain = title.replaceAll("&#8212;", "—").replaceAll(/&[#\w]+;/g, " ");
  return plain.replace(/— Python [\d.]+ documentation$/, "");
}

/** Whether a question uses a word of the title. */
export function sharesTitle(question, title) {
  const inTitle = new Set(stems(title));
  return stems(question).some((stem) => inTitle.has(stem));
}

/** Returns the place of the first page that answers a question, from 1; `Infinity` if none of the pages does. */
export function placeOfAnswer(pages, { page, also = [] }) {
  const place = pages.findIndex((found) => found === page || also.includes(found));
  return place < 0 ? Number.POSITIVE_INFINITY : place + 1;
}
