// Packs a WebAssembly module into an ES module, for runtimes that can import scripts but cannot read files.
//
// The script holds the module compressed with DEFLATE, in base64. It unpacks the module with fflate rather than with
// `DecompressionStream`, because Bun before 1.3.3 and jsdom have no such class, and Node 20 before 20.12 has none for
// raw DEFLATE. fflate runs everywhere, and unpacking stays synchronous.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const FFLATE_LICENCE = new URL("node_modules/fflate/LICENSE", import.meta.url);

/**
 * Returns the text of a script whose only export, `bytes()`, returns the bytes of `module`.
 *
 * @param {Uint8Array} module the bytes to pack
 * @param {import("esbuild").BuildOptions} options how esbuild minifies the script
 * @returns {Promise<string>}
 */
export async function inlineScript(module, options) {
  const base64 = deflateRawSync(module, { level: 9, memLevel: 9 }).toString("base64");
  const contents = `import { inflateSync } from "fflate";
const base64 = "${base64}";
export function bytes() {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return inflateSync(packed, { out: new Uint8Array(${module.length}) });
}
`;
  // The MIT licence of fflate asks that copies carry its text.
  const licence = (await readFile(FFLATE_LICENCE, "utf8")).trim();
  const { outputFiles } = await build({
    ...options,
    stdin: { contents, resolveDir: HERE },
    bundle: true,
    format: "esm",
    write: false,
    banner: { js: `/*! This script contains fflate:\n\n${licence}\n*/` },
  });
  return outputFiles[0].text;
}
