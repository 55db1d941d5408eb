import type { Engine } from "./engine.js";
import { SnapseekError } from "./errors.js";
import type { Open, OpenOptions } from "./index.js";
import { failure, type Place } from "./persist-place.js";
import type { StoredRecord } from "./types.js";

/** The source of the first snapshot: bytes, anything that has bytes, or an engine, which is freed. */
export type FirstSource = Response | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | Engine<object>;

/** How a stored snapshot is opened. */
export interface StoreOpenOptions extends OpenOptions {
  /**
   * Asks `source` for the snapshot even if one is stored, and applies all stored writes to the new one. Defaults to
   * `false`.
   */
  readonly renew?: boolean;
}

/** A file of the store. */
interface Kept {
  readonly name: string;
  readonly bytes: number;
}

/**
 * The files that make up one state of the store: a snapshot, and the changes since that snapshot.
 *
 * The store keeps two heads and overwrites the older one, so that one of them is always whole. It removes a file once
 * neither head names it.
 *
 * A compacted snapshot holds the stamps of all writes, those of removed records included. An engine that is still open
 * on an older snapshot moves to the newest one before it saves. Its older writes lose there against the stamps, and its
 * later writes get later stamps. The stamps stay until `clear()`: a renewal needs them to know what was written here.
 * They take about 20 bytes per record that was written, and 20 bytes and the id per record that was removed.
 */
interface Head {
  readonly generation: number;
  /** A random text per head: generations repeat after `clear()`. */
  readonly token: string;
  readonly snapshot: Kept & { readonly id: string };
  readonly changes: readonly Kept[];
}

/** The state of the store that an engine has seen: the snapshot that it is on, and the head that it was synchronised with. */
interface Origin {
  snapshot: string;
  token: string;
}

const HEADS = ["head-0", "head-1"];

/** A snapshot and its changes in storage. Made by `persist`. */
export class Store {
  readonly #place: Place;
  readonly #open: Open;
  readonly #origins = new WeakMap<Engine<object>, Origin>();

  /** @internal */
  constructor(place: Place, open: Open) {
    this.#place = place;
    this.#open = open;
  }

  /**
   * Opens the stored snapshot with all changes. The first time, and when the stored files are damaged, it asks `source`
   * for the snapshot and stores it.
   *
   * @typeParam R The type of the records. Nothing checks it.
   */
  async open<R extends object = StoredRecord>(
    source: () => FirstSource | Promise<FirstSource>,
    options: StoreOpenOptions = {},
  ): Promise<Engine<R>> {
    const { renew = false, ...rest } = options;
    return this.#alone("the store cannot be opened", async () => {
      const heads = await this.#heads();
      for (const head of renew ? [] : heads) {
        const engine = await this.#restored<R>(head, rest);
        if (engine) return this.#from(engine, await this.#newest(head, heads[0]!));
      }
      return this.#first<R>(await bytesOf(await source()), heads, rest);
    });
  }

  /**
   * Stores the writes of an engine that was opened here. It first applies the writes that other tabs or processes have
   * stored meanwhile to this engine. Of two writes of a record, its removal included, the later one stays.
   */
  async save(engine: Engine<object>): Promise<void> {
    await this.#alone("the changes cannot be stored", async () => {
      const [head] = await this.#heads();
      const origin = this.#originOf(engine);
      if (!head) throw new SnapseekError("persist/failed", "the store was cleared; open it again, or call snapshot()");
      if (head.token !== origin.token) await this.#merge(engine, origin, head);
      const generation = head.generation + 1;
      const changes = [await this.#keep(`changes-${generation}`, engine.changes())];
      const next = { generation, token: newToken(), snapshot: head.snapshot, changes };
      await this.#switchTo(next, head);
      origin.token = next.token;
    });
  }

  /**
   * Replaces the stored snapshot and all changes, those of `engine` included, with one new snapshot. Returns a new
   * engine, and frees the old one. Writes to the old engine during the call are in the new one, and not saved yet.
   */
  async compact<R extends object>(engine: Engine<R>, options: OpenOptions = {}): Promise<Engine<R>> {
    await this.save(engine);
    return this.#alone("the snapshot cannot be stored", async () => {
      const [head] = await this.#heads();
      const whole = head && (await this.#restored(head, options));
      if (!whole) throw new SnapseekError("persist/failed", "the stored files are damaged; call open() again");
      const bytes = await whole.withDocuments(() => whole.compactedSnapshot());
      whole.free();
      const compacted = await this.#replace<R>(bytes, [], head, options);
      compacted.apply(engine.changes());
      engine.free();
      return compacted;
    });
  }

  /** Removes all stored files. Open engines stay open. */
  async clear(): Promise<void> {
    await this.#alone("the store cannot be cleared", async () => {
      const names = await this.#place.names();
      // Heads first: without them the other files mean nothing.
      for (const name of names.sort((a, b) => Number(HEADS.includes(b)) - Number(HEADS.includes(a)))) {
        await this.#place.remove(name);
      }
      await this.#place.removeAll();
    });
  }

  async #alone<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#place.alone(work);
    } catch (cause) {
      throw failure(what, cause);
    }
  }

  /** Returns the heads that are whole, newest first. */
  async #heads(): Promise<Head[]> {
    const texts = await Promise.all(HEADS.map((name) => this.#place.read(name)));
    const heads = texts.flatMap((bytes) => (bytes && parseHead(bytes)) ?? []);
    return heads.sort((a, b) => b.generation - a.generation);
  }

  /** Opens the files of a head. Returns `undefined` when one of them is missing or damaged. */
  async #restored<R extends object>(head: Head, options: OpenOptions): Promise<Engine<R> | undefined> {
    const snapshot = await this.#kept(head.snapshot);
    const changes = await Promise.all(head.changes.map((kept) => this.#kept(kept)));
    if (!snapshot || !changes.every((bytes) => bytes !== undefined)) return undefined;
    let engine: Engine<R> | undefined;
    try {
      engine = await this.#open<R>(snapshot, options);
      engine.verify({ checksumsOnly: true });
      for (const bytes of changes) engine.apply(bytes);
      return engine;
    } catch (error) {
      engine?.free();
      if (error instanceof SnapseekError && /^(snapshot|changes)\//.test(error.code)) return undefined;
      throw error;
    }
  }

  async #kept({ name, bytes }: Kept): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const found = await this.#place.read(name);
    return found?.length === bytes ? found : undefined;
  }

  /**
   * Makes a head that was opened the newest one. Where the newest head names damaged files, the next save would find
   * them and fail.
   */
  async #newest(head: Head, newest: Head): Promise<Head> {
    if (head === newest) return head;
    // In the place of the damaged head: the other one has to hold until this one is written.
    const next = { ...head, generation: newest.generation + 2, token: newToken() };
    try {
      await this.#switchTo(next, head);
    } catch {
      // A head that is half written does not count, so the one that was opened is the newest now.
      return head;
    }
    return next;
  }

  /** Stores a snapshot that was fetched, and applies all writes that can be recovered from the stored files. */
  async #first<R extends object>(
    bytes: Uint8Array<ArrayBuffer>,
    heads: readonly Head[],
    options: OpenOptions,
  ): Promise<Engine<R>> {
    for (const head of heads) {
      const changes = await this.#written(head);
      if (!changes) continue;
      try {
        return await this.#replace<R>(bytes, changes, heads[0], options);
      } catch (error) {
        // Damaged changes are lost. Changes of another schema are not: the application has to decide about them.
        if (!(error instanceof SnapseekError) || !error.code.startsWith("snapshot/")) throw error;
      }
    }
    return this.#replace<R>(bytes, [], heads[0], options);
  }

  /** Returns all writes of a head as changes. Without its snapshot, these are the writes since the last compaction. */
  async #written(head: Head): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
    const engine = await this.#restored(head, {});
    if (engine) {
      try {
        const changes = await engine.withDocuments(() => engine.allChanges());
        return changes ? [changes] : [];
      } finally {
        engine.free();
      }
    }
    const changes = await Promise.all(head.changes.map((kept) => this.#kept(kept)));
    return changes.every((bytes) => bytes !== undefined) ? changes : undefined;
  }

  /** Replaces the stored snapshot, and opens the new one with these changes. */
  async #replace<R extends object>(
    bytes: Uint8Array<ArrayBuffer>,
    changes: readonly Uint8Array<ArrayBuffer>[],
    before: Head | undefined,
    options: OpenOptions,
  ): Promise<Engine<R>> {
    const engine = await this.#open<R>(bytes, options);
    try {
      for (const each of changes) engine.apply(each);
      const generation = (before?.generation ?? 0) + 1;
      const snapshot = { ...(await this.#keep(`snapshot-${generation}`, bytes)), id: idOf(bytes) };
      const kept = changes.length === 0 ? [] : [await this.#keep(`changes-${generation}`, engine.changes())];
      const head = { generation, token: newToken(), snapshot, changes: kept };
      await this.#switchTo(head, before);
      return this.#from(engine, head);
    } catch (error) {
      engine.free();
      throw error;
    }
  }

  /** Brings an engine up to the head: moves it to the head's snapshot if that is another one, and applies the changes. */
  async #merge(engine: Engine<object>, origin: Origin, head: Head): Promise<void> {
    const damaged = () => new SnapseekError("persist/failed", "the stored files are damaged; call open() again");
    if (head.snapshot.id !== origin.snapshot) {
      const snapshot = await this.#kept(head.snapshot);
      if (!snapshot) throw damaged();
      engine.rebase(snapshot);
      origin.snapshot = head.snapshot.id;
    }
    for (const kept of head.changes) {
      const bytes = await this.#kept(kept);
      if (!bytes) throw damaged();
      engine.apply(bytes);
    }
    origin.token = head.token;
  }

  async #keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Kept> {
    try {
      await this.#place.write(name, bytes);
    } catch (error) {
      // Half a file is of no use, and takes up room.
      await this.#place.remove(name).catch(() => {});
      throw error;
    }
    return { name, bytes: bytes.length };
  }

  /** Writes the next head, which makes its files the stored ones. Then removes all files that neither head names. */
  async #switchTo(next: Head, before: Head | undefined): Promise<void> {
    await this.#place.write(HEADS[next.generation % 2]!, encodeHead(next));
    const used = [next, ...(before ? [before] : [])].flatMap((head) => [head.snapshot, ...head.changes]);
    const names = new Set([...HEADS, ...used.map((kept) => kept.name)]);
    try {
      for (const name of await this.#place.names()) if (!names.has(name)) await this.#place.remove(name);
    } catch {
      // The next call removes the rest.
    }
  }

  #from<R extends object>(engine: Engine<R>, head: Head): Engine<R> {
    this.#origins.set(engine, { snapshot: head.snapshot.id, token: head.token });
    return engine;
  }

  #originOf(engine: Engine<object>): Origin {
    const origin = this.#origins.get(engine);
    if (origin) return origin;
    throw new SnapseekError("persist/other-engine", "this engine was not opened by this store; use the one that open() gave");
  }
}

async function bytesOf(source: FirstSource): Promise<Uint8Array<ArrayBuffer>> {
  if ("changes" in source) {
    const bytes = await source.withDocuments(() => source.snapshot());
    source.free();
    return bytes;
  }
  if ("ok" in source && !source.ok) {
    const message = `the snapshot could not be fetched: ${source.url} answered ${source.status}`;
    throw new SnapseekError("source/failed", message);
  }
  const response = "arrayBuffer" in source ? source : new Response(source as BodyInit);
  return new Uint8Array(await response.arrayBuffer());
}

/** Identifies a snapshot by its header, which holds the checksums of all sections. */
function idOf(snapshot: Uint8Array): string {
  return Array.from(snapshot.subarray(16, 48), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function encodeHead(head: Head): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(head);
  return new TextEncoder().encode(`${checksum(text)} ${text}`);
}

/** Reads a head. Returns `undefined` when it was not written to its end. */
function parseHead(bytes: Uint8Array): Head | undefined {
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf(" ");
  const json = text.slice(end + 1);
  if (text.slice(0, end) !== checksum(json)) return undefined;
  const head = JSON.parse(json) as Head;
  // The heads of older versions have no token.
  return { ...head, token: head.token ?? String(head.generation) };
}

function newToken(): string {
  return Math.random().toString(36).slice(2);
}

/** The FNV-1a hash, which detects torn writes. It does not protect against forgery. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(16);
}
