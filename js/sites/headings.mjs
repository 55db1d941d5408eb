// What a browser sees of a page. Each function runs in the page, so it uses nothing of this file but itself.

/**
 * Returns the headings within `content`: their text, the text of the heading above, and the places that lead to each. A place
 * is an anchor and the heading that the anchor shows.
 */
export function headingsOf(content) {
  const text = (element) => {
    const copy = element.cloneNode(true);
    for (const sign of copy.querySelectorAll(".headerlink, .header-anchor, a[title^=Permalink]")) sign.remove();
    return copy.textContent.replaceAll("\u200b", "").replaceAll(/\s+/g, " ").trim();
  };
  const levelOf = ({ tagName }) => (tagName === "DT" ? 7 : Number(tagName[1]));
  const root = document.querySelector(content);
  if (!root) return [];
  // The title of a table of contents or of an admonition is no heading of the page.
  const isHeading = (element) => !element.closest("nav, aside, .toctree-wrapper, .sphinxsidebar") && element.checkVisibility();
  const elements = [...root.querySelectorAll("h1, h2, h3, h4, h5, h6, dt[id]")].filter(isHeading);
  const placesOf = (element) => {
    const section = element.closest("section, div.section");
    const isFirst = section && section.querySelector("h1, h2, h3, h4, h5, h6") === element;
    const around = element.id ? "" : element.closest("[id]")?.id;
    const anchors = [element.id, isFirst ? section.id : "", around ?? ""].filter((id) => id !== "");
    return anchors.map((anchor) => ({ anchor, shows: text(element) }));
  };
  const textBetween = (from, to) => {
    const range = document.createRange();
    range.setStartAfter(from);
    range.setEndBefore(to);
    return range.toString().trim();
  };
  return elements.map((element, place) => {
    const above = elements.slice(0, place).findLast((other) => levelOf(other) < levelOf(element));
    const places = placesOf(element);
    // A heading without text of its own is a part of the path of the sections below it, and a hit leads to one of these.
    const [next, ...later] = elements.slice(place + 1);
    if (next && levelOf(next) > levelOf(element) && textBetween(element, next) === "") {
      const end = later.findIndex((other) => levelOf(other) <= levelOf(element));
      places.push(...[next, ...later.slice(0, end < 0 ? later.length : end)].flatMap(placesOf));
    }
    return { text: text(element), above: above ? text(above) : "", places };
  });
}

/** Returns the ids and names that a fragment can lead to. */
export function idsOf() {
  return [...document.querySelectorAll("[id], a[name]")].map((element) => element.id || element.getAttribute("name"));
}

/** Returns what is wrong with the place that the browser shows after following a link to a heading; "" if it is right. */
export async function shownAt({ anchor, shows: heading }) {
  const target = document.getElementById(anchor);
  if (!target) return `there is no element with the id ${anchor}`;
  const bare = (element) =>
    element.textContent
      .replaceAll(/[\u200b¶#]/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
  const wanted = heading.replaceAll(/[\u200b¶#]/g, "");
  const isWanted = (element) => bare(element).startsWith(wanted);
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6, dt")].filter(isWanted);
  const isAt = (element) => element === target || target.contains(element) || element.contains(target);
  // Scripts of the page may scroll after the load event.
  for (let attempt = 0; ; attempt += 1) {
    const { top, bottom } = target.getBoundingClientRect();
    const isVisible = top < innerHeight && bottom > 0;
    const found = headings.find(isAt);
    const place = found?.getBoundingClientRect();
    // Browsers scroll to whole pixels.
    if (isVisible && place && place.top > -1 && place.bottom <= innerHeight) return "";
    if (attempt === 20) {
      if (!found) return `the element ${anchor} is not the heading “${heading}” but “${bare(target).slice(0, 60)}”`;
      return `the heading is not in the viewport: ${Math.round(place.top)} to ${Math.round(place.bottom)} of ${innerHeight}`;
    }
    if (attempt === 10) {
      // On a busy machine, styles may arrive after the browser has scrolled, and move the heading away. Follow the link again.
      location.hash = "";
      location.hash = anchor;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
