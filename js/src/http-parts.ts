// Reads parts of one version of a file over HTTP. A file that was replaced is an error, never a mixture of both.

import { reasonOf, refusal, SnapseekError } from "./errors.js";
import type { PartSource, ReadOptions } from "./part-source.js";
import type { TransferCounts } from "./transfer.js";

/** A request that fails is sent this many times in all. */
const TRIES = 3;
/** The mean wait before the second try, in milliseconds. It doubles for each further try. */
const WAIT = 200;

/** The first response to a range request, and the bytes of it. */
export interface FirstPart {
  readonly response: Response;
  readonly bytes: Uint8Array;
}

/** Tells why a response to a range request cannot be used; `undefined` if it can. */
export function flawOf(response: Response, start: number, end: number): string | undefined {
  const encoding = response.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") return `the server compresses parts of the file (content-encoding: ${encoding})`;
  const range = response.headers.get("content-range");
  // Another origin may hide the header. The length and the checksums are checked in any case.
  if (range === null) return undefined;
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? [];
  const expectedEnd = total === undefined || total === "*" ? end : Math.min(end, Number(total));
  const isRight = Number(first) === start && Number(last) === expectedEnd - 1;
  return isRight ? undefined : `the server answered "${range}" for bytes ${start} to ${end - 1}`;
}

/** Returns the length of the file that a response gives; `undefined` if it gives none. */
export function totalOf(response: Response): number | undefined {
  const [, total] = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
  return total === undefined ? undefined : Number(total);
}

/** Makes the error for a file that is not the one that was opened. */
export function changed(found: string, cause?: unknown): SnapseekError {
  return new SnapseekError("snapshot/changed", `${found}: the snapshot was replaced since it was opened; open it again`, { cause });
}

/**
 * Asks a server, and again after a wait if that fails. A `SnapseekError` means that another try would not help.
 *
 * @internal
 */
export async function retried<T>(location: string | URL, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SnapseekError || tried === TRIES) throw failed(location, error);
      await passed(WAIT * 2 ** (tried - 1) * (0.5 + Math.random()), signal);
    }
  }
}

/** Makes the error of a response that is not the expected one: a `SnapseekError`, unless another try may help. */
export function lastingRefusal(response: Response): Error {
  const { status, url } = response;
  const mayPass = status === 408 || status === 429 || status >= 500;
  return mayPass ? refusal(response) : failed(url, refusal(response));
}

/** Returns the option of `fetch` for a cache mode. Runtimes without caches, such as workerd, reject the option. */
export function withCache(cache: "no-cache" | "reload"): { cache?: RequestCache } {
  return "cache" in Request.prototype ? { cache } : {};
}

/**
 * A file on a server.
 *
 * @internal
 */
export class HttpParts implements PartSource {
  readonly #location: string | URL;
  readonly #counts: TransferCounts;
  /** The strong validator of the version that was opened; `undefined` if the server sends none. */
  readonly #etag: string | undefined;
  readonly #modified: string | undefined;
  readonly #total: number | undefined;
  /** Whether requests may carry `If-Range`. For another origin it would need a preflight request, which few servers answer. */
  readonly #isSameOrigin: boolean;

  constructor(location: string | URL, first: Response, counts: TransferCounts) {
    this.#location = location;
    this.#counts = counts;
    this.#etag = strongTagOf(first);
    this.#modified = this.#etag ? undefined : (first.headers.get("last-modified") ?? undefined);
    this.#total = totalOf(first);
    this.#isSameOrigin = first.type !== "cors";
  }

  read(start: number, end: number, options: ReadOptions): Promise<Uint8Array> {
    return retried(this.#location, options.signal, () => this.#ask(start, end, options));
  }

  /** Sends one request. Throws a `SnapseekError` if another try would not help. */
  async #ask(start: number, end: number, { signal, reload }: ReadOptions): Promise<Uint8Array> {
    const validator = this.#isSameOrigin ? (this.#etag ?? this.#modified) : undefined;
    const headers = { range: `bytes=${start}-${end - 1}`, ...(validator && { "if-range": validator }) };
    this.#counts.requests++;
    const response = await fetch(this.#location, { headers, signal: signal ?? null, ...(reload && withCache("reload")) });
    if (response.status !== 206) {
      await response.body?.cancel();
      throw this.#refusalOf(response);
    }
    const isOther = this.#isOther(response);
    const flaw = isOther ? undefined : flawOf(response, start, end);
    if (isOther || flaw) await response.body?.cancel();
    if (isOther) throw changed(`${this.#location} has another version`);
    if (flaw) throw new SnapseekError("source/failed", `the snapshot could not be read: ${flaw}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    this.#counts.bytes += bytes.length;
    if (bytes.length !== end - start) throw new Error(`${bytes.length} bytes arrived where ${end - start} were asked for`);
    return bytes;
  }

  #refusalOf(response: Response): Error {
    const { status } = response;
    // With `If-Range`, a server sends all of a file that was replaced.
    if (status === 200 || status === 416) return changed(`${this.#location} answered ${status} to a range request`);
    return lastingRefusal(response);
  }

  #isOther(response: Response): boolean {
    const [total, tag, modified] = [totalOf(response), strongTagOf(response), response.headers.get("last-modified")];
    const differs = (known: unknown, found: unknown): boolean => known !== undefined && (found ?? known) !== known;
    return differs(this.#total, total) || differs(this.#etag, tag) || differs(this.#modified, modified);
  }
}

/** Returns the ETag if it is strong. A weak one may be the same for other bytes. */
function strongTagOf(response: Response): string | undefined {
  const tag = response.headers.get("etag");
  return tag === null || tag.startsWith("W/") ? undefined : tag;
}

function failed(location: string | URL, cause: unknown): SnapseekError {
  if (cause instanceof SnapseekError) return cause;
  return new SnapseekError("source/failed", `a part of ${location} could not be read: ${reasonOf(cause)}`, { cause });
}

/** Waits for some milliseconds, or until the signal aborts. */
function passed(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
