// Compares the types that wasm-bindgen generates with the types written by hand.

import type { Engine as Raw, Receiver } from "../../../target/js/glue.js";
import type { Engine } from "../../../pkg/node.js";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** Calls of the module that the package uses itself: for documents, pieces, vectors, joined searches and stores. */
type Within =
  | ("documentFiles" | "setDocumentCache" | "ranges" | "supply" | "trim" | "modelWidth" | "writes")
  | ("takeMissing" | "supplyPiece" | "setPieceBudget" | "partLayout" | "bytesInMemory")
  | ("compactedSnapshot" | "allChanges" | "rebase");

/** Every other call of the module has a method of `Engine` with its name. The recipes use `call`. */
export const isFaced: Same<Exclude<keyof Raw, keyof Engine | Within | "call" | symbol>, never> = true;

/** Methods that only pass on the call have the same types on both sides. */
type Unchanged = "length" | "embed" | "apply" | "free" | "changes";
export const isUnchanged = (raw: Raw): Pick<Engine, Exclude<Unchanged, "changes">> & { changes(): Uint8Array } => raw;

/** The arguments of both sides have common values. */
export const passesOn = (engine: Engine, raw: Raw): void => {
  const texts: Parameters<Engine["match"]>[0] & Parameters<Raw["match"]>[0] = "a";
  const limit: Exclude<Parameters<Engine["suggest"]>[1], undefined> & Parameters<Raw["suggest"]>[1] = 8;
  const id: Same<Parameters<Raw["record"]>[0], string> = true;
  void [engine, raw, texts, limit, id];
};

/** A receiver takes pieces of a snapshot and returns the engine. */
export const receives = (receiver: Receiver): Raw => {
  receiver.write(new Uint8Array());
  return receiver.finish();
};
