// A file of its own, so that bundlers can leave it out.

import { call } from "./engine.js";
import { chunkText } from "./glue.js";
import type { ChunkText, Package } from "./index.js";
import type { Chunk } from "./types.js";

/** Loads the module if needed, and cuts a text into chunks. */
export async function chunks({ load }: Pick<Package, "load">, ...text: Parameters<ChunkText>): Promise<Chunk[]> {
  await load();
  return JSON.parse(call(() => chunkText(...text))) as Chunk[];
}
