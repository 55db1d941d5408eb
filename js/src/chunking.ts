// What cuts texts into chunks stands alone: bundlers leave it out where nobody does.

import { call } from "./engine.js";
import { chunkText } from "./glue.js";
import type { ChunkText, Package } from "./index.js";
import type { Chunk } from "./types.js";

/** The chunks of a text; the module is loaded first. */
export async function chunks({ load }: Pick<Package, "load">, ...text: Parameters<ChunkText>): Promise<Chunk[]> {
  await load();
  return JSON.parse(call(() => chunkText(...text))) as Chunk[];
}
