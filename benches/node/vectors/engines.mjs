// The vector search engines for Node. Each is built from rows, and answers a query with the numbers of the nearest rows.
//
// `most` limits the size (rows × width) of an engine that would take minutes to build.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { readingModule } from "./read-limit.mjs";

const require = createRequire(import.meta.url);
const TOP = 10;

/** snapseek; without SIMD it uses the plain module. */
function snapseek(encoding, hasSimd) {
  return {
    async make({ folder }) {
      if (!hasSimd) WebAssembly.validate = () => false;
      const { open } = await import("../../../pkg/node.js");
      const engine = await open(`${folder}/${encoding}.snap`);
      const options = { mode: "vector", limit: TOP, snippet: { tokens: 0 } };
      return (vector) => engine.searchSync("", { ...options, vector }).hits.map((hit) => Number(hit.id));
    },
  };
}

/** Reads as many bytes as the rows of an encoding have, in wasm: the lower bound of any scan. */
function reading(bytesPerNumber) {
  return {
    isLimit: true,
    async make({ rows, width }) {
      const read = await readingModule(rows * width * bytesPerNumber);
      return () => [read()].slice(1);
    },
  };
}

function loop() {
  return {
    async make({ vectors, rows, width }) {
      const lengths = Float64Array.from({ length: rows }, (_, row) => Math.hypot(...vectors.subarray(row * width, (row + 1) * width)));
      return (query) => {
        const best = [];
        for (let row = 0; row < rows; row++) {
          let sum = 0;
          for (let i = 0, at = row * width; i < width; i++) sum += query[i] * vectors[at + i];
          const score = sum / lengths[row];
          if (best.length === TOP && score <= best[TOP - 1][0]) continue;
          let place = best.length;
          while (place > 0 && best[place - 1][0] < score) place--;
          best.splice(place, 0, [score, row]);
          if (best.length > TOP) best.pop();
        }
        return best.map(([, row]) => row);
      };
    },
  };
}

const orama = {
  most: 40e6,
  async make({ vectors, rows, width }) {
    const { create, insertMultiple, searchVector } = await import("@orama/orama");
    const database = create({ schema: { vector: `vector[${width}]` } });
    const documents = Array.from({ length: rows }, (_, row) => ({
      id: String(row),
      vector: Array.from(vectors.subarray(row * width, (row + 1) * width)),
    }));
    await insertMultiple(database, documents, 5000);
    return (query) =>
      searchVector(database, {
        vector: { value: Array.from(query), property: "vector" },
        similarity: -1,
        limit: TOP,
      }).hits.map((hit) => Number(hit.id));
  },
};

const voy = {
  most: 4e6,
  async make({ vectors, rows, width }) {
    // The package is made for bundlers: it imports its wasm file, which Node cannot do.
    const glue = await import("voy-search/voy_search_bg.js");
    const bytes = await readFile(require.resolve("voy-search/voy_search_bg.wasm"));
    const { instance } = await WebAssembly.instantiate(bytes, { "./voy_search_bg.js": glue });
    glue.__wbg_set_wasm(instance.exports);
    const embeddings = Array.from({ length: rows }, (_, row) => ({
      id: String(row),
      title: "",
      url: "",
      embeddings: Array.from(vectors.subarray(row * width, (row + 1) * width)),
    }));
    const index = new glue.Voy({ embeddings });
    return (query) => index.search(query, TOP).neighbors.map((neighbor) => Number(neighbor.id));
  },
};

const edgevec = {
  most: 4e6,
  async make({ vectors, rows, width }) {
    const { default: init, EdgeVec, EdgeVecConfig } = await import("edgevec/edgevec.js");
    await init({ module_or_path: readFileSync(require.resolve("edgevec/edgevec_bg.wasm")) });
    const config = new EdgeVecConfig(width);
    config.metric = "cosine";
    const index = new EdgeVec(config);
    const ids = new Map();
    for (let row = 0; row < rows; row++) ids.set(index.insert(vectors.slice(row * width, (row + 1) * width)), row);
    return (query) => index.search(query, TOP).map((found) => ids.get(found.id));
  },
};

function hnswlib(kind) {
  return {
    most: kind === "HierarchicalNSW" ? 4e6 : 40e6,
    async make({ vectors, rows, width }) {
      // Its loader inspects the page that it runs in.
      globalThis.window ??= globalThis;
      globalThis.document ??= { currentScript: { src: import.meta.url } };
      const { loadHnswlib } = await import("hnswlib-wasm/dist/hnswlib.js");
      const library = await loadHnswlib();
      const index =
        kind === "HierarchicalNSW" ? new library.HierarchicalNSW("cosine", width, "") : new library.BruteforceSearch("cosine", width);
      if (kind === "HierarchicalNSW") index.initIndex(rows, 16, 200, 100);
      else index.initIndex(rows);
      for (let row = 0; row < rows; row++) index.addPoint(vectors.slice(row * width, (row + 1) * width), row, false);
      return (query) => index.searchKnn(query, TOP, undefined).neighbors;
    },
  };
}

export const engines = {
  "snapseek f32": snapseek("f32", true),
  "snapseek i8": snapseek("i8", true),
  "snapseek i1": snapseek("i1", true),
  "snapseek f32, plain": snapseek("f32", false),
  "snapseek i8, plain": snapseek("i8", false),
  "snapseek i1, plain": snapseek("i1", false),
  "reading f32": reading(4),
  "reading i8": reading(1),
  "a loop in JavaScript": loop(),
  orama,
  voy,
  edgevec,
  "hnswlib-wasm, all": hnswlib("BruteforceSearch"),
  "hnswlib-wasm, graph": hnswlib("HierarchicalNSW"),
};
