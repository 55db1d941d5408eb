/**
 * What an error is about, as a word that stays: messages may be reworded, codes are not.
 *
 * - `query/…`: the expression of `match`; the error has a `span`.
 * - `filter/…`, `option/…`: an option. `option/limit` is the option `limit`; `option/unknown` one that there is not.
 * - `record/…`, `schema/…`: what was to be built or added.
 * - `snapshot/…`, `changes/…`: bytes that are none, of another version, or damaged.
 * - `source/…`: the snapshot could not be fetched or read.
 * - `documents/…`: stored documents that are in other files are not loaded, or cannot be had from there.
 * - `persist/…`: a store of `snapseek/persist` is full, cannot be used, or there is none here.
 * - `embed/…`: the function that embeds queries failed.
 * - `wasm/…`, `engine/…`, `worker/…`: the module could not be loaded, an engine was used after `free()`, it failed, or
 *   the worker that it is in did.
 *
 * What a signal aborted is no error of ours: it is rejected with the signal's reason, as `fetch` does it.
 */
export type ErrorCode =
  | "query/syntax"
  | "query/unterminated-string"
  | "query/no-such-column"
  | "query/expected-integer"
  | "query/too-deep"
  | "query/stack-overflow"
  | "query/unknown-special-query"
  | "filter/unknown-attribute"
  | "filter/unknown-operator"
  | "filter/wrong-type"
  | "filter/too-deep"
  | `option/${string}`
  | "record/not-an-array"
  | "record/not-json"
  | "record/not-an-object"
  | "record/missing-id"
  | "record/wrong-type"
  | "record/bad-length"
  | "record/too-long"
  | "record/not-text"
  | "record/bad-vector"
  | "record/too-many-kinds"
  | "record/unknown-line"
  | "schema/invalid"
  | "schema/unknown-preset"
  | "schema/no-fields"
  | "schema/too-many-fields"
  | "schema/too-many-attributes"
  | "schema/bad-name"
  | "schema/bad-weight"
  | "schema/too-many-models"
  | "schema/bad-model"
  | "schema/unknown-tokenizer"
  | "schema/bad-tokenizer"
  | "snapshot/not-a-snapshot"
  | "snapshot/wrong-length"
  | "snapshot/unsupported-version"
  | "snapshot/checksum"
  | "snapshot/is-changes"
  | "snapshot/missing-section"
  | "snapshot/malformed"
  | "snapshot/too-large"
  | "changes/other-schema"
  | "documents/missing"
  | "documents/no-source"
  | "documents/no-ranges"
  | "documents/foreign"
  | "source/unknown"
  | "source/failed"
  | "persist/quota"
  | "persist/failed"
  | "persist/unavailable"
  | "persist/other-engine"
  | "embed/failed"
  | "wasm/failed"
  | "engine/freed"
  | "engine/crashed"
  | "worker/failed";

/** Every error that this package throws on purpose. */
export class SnapseekError extends Error {
  override readonly name = "SnapseekError";

  /** What the error is about. */
  declare readonly code: ErrorCode;

  /** For `query/…`: where in the expression, in UTF-16 code units, so that `expression.slice(...span)` is at fault. */
  declare readonly span?: readonly [start: number, end: number];

  /** For `query/…`: what the author of the expression can do about it. */
  declare readonly remedy?: string;

  /** @internal For `documents/missing`: what has to be fetched first. */
  declare readonly blocks?: Uint32Array;

  /** @internal */
  constructor(code: ErrorCode, message: string, details: Details & { cause?: unknown } = {}) {
    super(message, details);
    // A cause is there already, and stays hidden from those who go through its properties.
    Object.assign(this, details, { code });
  }
}

/** What an error may have besides; what it has not is not there at all. */
interface Details {
  span?: readonly [number, number];
  remedy?: string;
  blocks?: Uint32Array;
}

/** What the wasm module throws. */
interface RawError extends Error, Details {
  code: ErrorCode;
}

/** Whether the wasm module threw this on purpose. */
export function isRaw(thrown: unknown): thrown is RawError {
  return thrown instanceof Error && typeof (thrown as RawError).code === "string";
}

/** The error that users see for one that the wasm module threw. */
export function fromRaw({ code, message, ...more }: RawError): SnapseekError {
  const said = more.blocks ? `${message}; use search(), or withDocuments(() => …)` : message;
  return new SnapseekError(code, said, more);
}

/** For what goes wrong where something is read. */
export const unread = (what: string) => (cause: unknown): never => {
  if (cause instanceof SnapseekError) throw cause;
  throw new SnapseekError("source/failed", `the ${what} could not be read: ${reasonOf(cause)}`, { cause });
};

/** What a server answered that did not give what was asked for. */
export function refusal({ url, status, headers }: Response): Error {
  return new Error(`${url} answered ${status} ${headers.get("content-type") ?? ""}`.trimEnd());
}

/** What someone else's error says. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
