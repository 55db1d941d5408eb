// Reads the static models of a schema for a build.

import { unlessAborted } from "./abort.js";
import { unread } from "./errors.js";
import { isPlace } from "./place.js";
import { contentOf, type ModelSource, type Pieces, type Read } from "./source.js";
import type { Schema, VectorModel } from "./types.js";

/** Takes the tables out of a schema. Returns the schema without them, and the name and the bytes of each, in turns. */
export async function schemaOf(
  schema: Schema,
  read: Read,
  signal: AbortSignal | undefined,
): Promise<[schema: Schema, models: unknown[]]> {
  const vectors: Record<string, VectorModel> = {};
  const models: unknown[] = [];
  for (const [name, { model, ...settings }] of Object.entries(schema.vectors!)) {
    vectors[name] = settings;
    if (model === undefined) continue;
    const reading = contentAt(await model, read, signal).then(whole).catch(unread("static model"));
    models.push(name, await unlessAborted(reading, signal));
  }
  return [{ ...schema, vectors }, models];
}

async function contentAt(source: ModelSource, read: Read, signal: AbortSignal | undefined): Promise<Uint8Array | Pieces> {
  // Without a range, a file is read in pieces and not as an open file.
  return contentOf(isPlace(source) ? ((await read(source, signal)) as Response | Pieces) : source);
}

/** Reads content to its end. */
export async function whole(content: Uint8Array | Pieces): Promise<Uint8Array> {
  if (!("stop" in content)) return content;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  try {
    // A piece is valid only until the next one is read.
    for (let piece; (piece = await content.next()); ) pieces.push(piece.slice());
  } finally {
    await content.stop();
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
