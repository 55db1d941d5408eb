// Vectors that the caller's own function makes.

import { unlessAborted } from "./abort.js";
import { SnapseekError, reasonOf } from "./errors.js";
import type { Embed } from "./types.js";

/**
 * The vectors of texts, checked: as many, of one length.
 *
 * @param what What the texts are, for the message where it fails.
 * @param width How long vectors are, where others came before.
 */
export async function vectorsOf(texts: readonly string[], embed: Embed, what: string, width?: number): Promise<Float32Array[]> {
  try {
    const vectors = await embed(texts);
    const made = Array.from(vectors ?? [], (vector) => Float32Array.from(vector ?? []));
    const expected = width || made[0]?.length;
    if (made.length === texts.length && expected && made.every(({ length }) => length === expected)) return made;
    throw new Error(`${texts.length} vectors of one length are wanted, one for each text; it made ${made.length}`);
  } catch (cause) {
    throw new SnapseekError("embed/failed", `embed: ${what} could not be embedded: ${reasonOf(cause)}`, { cause });
  }
}

/** The vector of a query, or why there is none; neither where nothing embeds it. */
export async function vectorOf(
  query: string,
  embed: Embed | undefined,
  signal?: AbortSignal,
): Promise<{ readonly vector?: Float32Array; readonly failure?: SnapseekError }> {
  if (!embed) return {};
  try {
    const [vector] = await unlessAborted(vectorsOf([query], embed, "the query"), signal);
    return { vector: vector! };
  } catch (failure) {
    if (failure instanceof SnapseekError) return { failure };
    throw failure;
  }
}
