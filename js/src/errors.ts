/**
 * The code of an error. Codes are stable and safe to compare; messages may be reworded.
 *
 * The word before the slash names the area:
 *
 * - `query/…`: the expression of `match` is faulty. The error has a `span` and a `remedy`.
 * - `filter/…`: a filter is faulty.
 * - `option/…`: an option is faulty. `option/limit` is about the option `limit`, and so on for every option, including the
 *   query (`option/query`); `option/unknown` means that an option does not exist, `option/invalid` that the options are not
 *   an object. If several options are faulty, the code names the first and the message lists all.
 * - `record/…`, `schema/…`: a record, a key or a schema is faulty. A failed write changes nothing.
 * - `snapshot/…`, `changes/…`: the bytes of a snapshot or of changes cannot be used.
 * - `source/…`: the snapshot could not be fetched or read.
 * - `documents/…`: stored documents in other files are missing, or cannot be fetched.
 * - `persist/…`: a store of `snapseek/persist` failed.
 * - `embed/…`: the query or the records have no usable vector.
 * - `wasm/…`, `engine/…`, `worker/…`, `call/…`: the module could not be loaded, or the engine or its worker cannot answer.
 *
 * When a signal aborts a call, the promise rejects with `signal.reason`, as `fetch` does, and not with a `SnapseekError`.
 */
export type ErrorCode =
  /** The expression does not follow FTS5's grammar. */
  | "query/syntax"
  /** A string has no closing quote. */
  | "query/unterminated-string"
  /** The expression names a field that the schema lacks. */
  | "query/no-such-column"
  /** `NEAR` has something else where a number belongs. */
  | "query/expected-integer"
  /** The expression tree is deeper than 256 levels. */
  | "query/too-deep"
  /** The expression has too many open brackets for FTS5's parser. */
  | "query/stack-overflow"
  /** The expression starts with `*`, which FTS5 reserves for special queries. */
  | "query/unknown-special-query"
  /** A filter names an attribute that the schema lacks. */
  | "filter/unknown-attribute"
  /** A filter uses an operator that does not exist. */
  | "filter/unknown-operator"
  /** A filter compares an attribute with a value of another type. */
  | "filter/wrong-type"
  /** A filter is nested deeper than 32 levels. */
  | "filter/too-deep"
  /** An option is faulty; the second word is its name, `unknown` or `invalid`. */
  | `option/${string}`
  /** The records are neither iterable nor a text of JSON lines. */
  | "record/not-an-array"
  /** A record cannot be written as JSON, or a line is not JSON. */
  | "record/not-json"
  /** A record is not an object. */
  | "record/not-an-object"
  /** A record has no id. */
  | "record/missing-id"
  /** An id, a kind or an attribute has the wrong type. */
  | "record/wrong-type"
  /** An id or a kind is empty or longer than 1,024 bytes. */
  | "record/bad-length"
  /** A record is larger than 16 MiB. */
  | "record/too-long"
  /** A text field holds something else than text. */
  | "record/not-text"
  /** A vector has the wrong width, a number that is not finite, or no model. */
  | "record/bad-vector"
  /** The records have more than 255 kinds. */
  | "record/too-many-kinds"
  /** A line with a `$` is of a type that does not exist, or that this call does not take. */
  | "record/unknown-line"
  /** A line with a `$`, such as a link or a session, has faulty content. */
  | "record/invalid-line"
  /** A call needs a record that the engine does not have. */
  | "record/not-found"
  /** The schema is not an object, or one of its entries is faulty. */
  | "schema/invalid"
  /** No preset has this name. */
  | "schema/unknown-preset"
  /** The schema has no text field. */
  | "schema/no-fields"
  /** The schema has too many text fields. */
  | "schema/too-many-fields"
  /** The schema has more than 256 attributes. */
  | "schema/too-many-attributes"
  /** A name is empty, used twice, or reserved: no attribute may be called `id` or `kind`. */
  | "schema/bad-name"
  /** A weight is not a finite number. */
  | "schema/bad-weight"
  /** The schema has more than 16 models. */
  | "schema/too-many-models"
  /** The settings of a model are faulty. */
  | "schema/bad-model"
  /** FTS5 has a tokenizer of this name that snapseek lacks, or none at all. */
  | "schema/unknown-tokenizer"
  /** The arguments of the tokenizer are faulty. */
  | "schema/bad-tokenizer"
  /** The bytes are not a snapshot. */
  | "snapshot/not-a-snapshot"
  /** The snapshot is cut short or has extra bytes. */
  | "snapshot/wrong-length"
  /** A later version of snapseek wrote the snapshot. */
  | "snapshot/unsupported-version"
  /** A checksum does not fit: the snapshot is damaged. */
  | "snapshot/checksum"
  /** The bytes are changes, which belong to `apply`. */
  | "snapshot/is-changes"
  /** The snapshot lacks a section. */
  | "snapshot/missing-section"
  /** A section of the snapshot contradicts itself. */
  | "snapshot/malformed"
  /** The snapshot does not fit into the module's memory. */
  | "snapshot/too-large"
  /** The snapshot was replaced since it was opened, or a part of it is damaged: open it again. */
  | "snapshot/changed"
  /** A synchronous call needs a piece of the snapshot that is not in memory: use `search`, or `withDocuments`. */
  | "snapshot/not-loaded"
  /** The server cannot send parts of the snapshot, and `load: "ranges"` asks for them. */
  | "snapshot/no-ranges"
  /** The snapshot has a format that can only be read whole. */
  | "snapshot/no-pieces"
  /** The changes were made on a snapshot with another schema. */
  | "changes/other-schema"
  /** A synchronous call needs documents that are not in memory: use `search`, or `withDocuments`. */
  | "documents/missing"
  /** The documents are in other files, and `open` does not know where: pass `docs`. */
  | "documents/no-source"
  /** The server does not answer range requests. */
  | "documents/no-ranges"
  /** The files of documents belong to another snapshot, or are damaged. */
  | "documents/foreign"
  /** The value is not something that a snapshot can be read from. */
  | "source/unknown"
  /** The snapshot or its documents could not be fetched or read. */
  | "source/failed"
  /** There is no room left to store the changes. */
  | "persist/quota"
  /** The store could not be read or written. */
  | "persist/failed"
  /** This environment has no storage of that kind. */
  | "persist/unavailable"
  /** The engine was opened by another store. */
  | "persist/other-engine"
  /** `strict: true` or `mode: "vector"` requires a vector, and the query or a record has no usable one. */
  | "embed/failed"
  /** The WebAssembly module could not be loaded. */
  | "wasm/failed"
  /** The engine was used after `free()`. */
  | "engine/freed"
  /** The module ran out of memory or has a bug. Reload the page or restart the process. */
  | "engine/crashed"
  /** The worker died, or sent a message that cannot be read. */
  | "worker/failed"
  /** The module does not know this call: the script and the module are of different versions. */
  | "call/unknown";

/** Every error that this package throws on purpose. */
export class SnapseekError extends Error {
  override readonly name = "SnapseekError";

  /** The stable code, such as `"option/limit"`. */
  declare readonly code: ErrorCode;

  /** With `query/…`: the faulty part of the expression in UTF-16 code units, for `expression.slice(...span)`. */
  declare readonly span?: readonly [start: number, end: number];

  /** With `query/…`: a sentence that tells the author of the expression what to do. */
  declare readonly remedy?: string;

  /** @internal With `documents/missing`: the blocks to fetch before the call is repeated. */
  declare readonly blocks?: Uint32Array;

  /** @internal With `snapshot/not-loaded`: the pieces to fetch before the call is repeated. */
  declare readonly pieces?: Float64Array;

  /** @internal */
  constructor(code: ErrorCode, message: string, details: Details & { cause?: unknown } = {}) {
    super(message, details);
    // `Error` has already set `cause`, as a property that is not enumerable; `Object.assign` keeps it that way.
    Object.assign(this, details, { code });
  }
}

/** Properties that only some errors have. */
interface Details {
  span?: readonly [number, number];
  remedy?: string;
  blocks?: Uint32Array;
  pieces?: Float64Array;
}

/** An error that the wasm module throws on purpose. */
interface RawError extends Error, Details {
  code: ErrorCode;
}

/** Returns whether the wasm module threw this on purpose. */
export function isRaw(thrown: unknown): thrown is RawError {
  return thrown instanceof Error && typeof (thrown as RawError).code === "string";
}

/** Makes the public error of an error that the wasm module threw. */
export function fromRaw({ code, message, ...more }: RawError): SnapseekError {
  const said = more.blocks ? `${message}; use search(), or withDocuments(() => …)` : message;
  return new SnapseekError(code, said, more);
}

/** Makes a handler that throws `source/failed` for an error while reading `what`. */
export const unread = (what: string) => (cause: unknown): never => {
  if (cause instanceof SnapseekError) throw cause;
  throw new SnapseekError("source/failed", `the ${what} could not be read: ${reasonOf(cause)}`, { cause });
};

/** Makes an error of a response that is not the expected one. */
export function refusal({ url, status, headers }: Response): Error {
  return new Error(`${url} answered ${status} ${headers.get("content-type") ?? ""}`.trimEnd());
}

/** Returns the message of an error, or the text of any other thrown value. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
