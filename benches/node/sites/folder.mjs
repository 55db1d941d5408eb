// Where the pages of a documentation are.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const ROOT = new URL("../../../", import.meta.url);
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Returns the folder of a site's pages: unpacked from a Debian package by scripts/bench-site, or made of records. */
export function folderOf(name, { package: packageName, folder, records }, work) {
  if (!records) {
    if (!existsSync(`${work}debian/${packageName}/${folder}`))
      throw new Error(`${name}: there is no ${work}debian/${packageName}/${folder}`);
    return `${work}debian/${packageName}/${folder}`;
  }
  for (const line of readFileSync(new URL(records, ROOT), "utf8").trim().split("\n")) {
    const { path, title, body, language } = JSON.parse(line);
    const file = `${work}${name}${path}.html`;
    const id = path.split("/").at(-1);
    mkdirSync(dirname(file), { recursive: true });
    const main = `<main><h1 id="${id}">${escaped(title)}</h1><p>${escaped(body)}</p></main>`;
    writeFileSync(file, `<!doctype html><html lang="${language}"><title>${escaped(title)}</title><body>${main}</body></html>\n`);
  }
  return `${work}${name}`;
}
