import type { Engine } from "./engine.js";
import { SnapseekError } from "./errors.js";
import type { Open, OpenOptions } from "./index.js";
import { failure, type Place } from "./persist-place.js";
import type { StoredRecord } from "./types.js";

/** Where a snapshot comes from the first time: bytes, what has bytes, or an engine, which is freed. */
export type FirstSource = Response | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | Engine<object>;

/** How a stored snapshot is opened. */
export interface StoreOpenOptions extends OpenOptions {
  /**
   * Asks for the snapshot again, though one is stored, and brings the stored changes to the new one. Defaults to `false`.
   */
  readonly renew?: boolean;
}

/** A file of the store. */
interface Kept {
  readonly name: string;
  readonly bytes: number;
}

/**
 * What belongs together. Two are kept, in turns: while one is written, the other one holds; and a file that the newest
 * two name is not removed.
 */
interface Head {
  readonly generation: number;
  readonly snapshot: Kept & { readonly id: string };
  readonly changes: readonly Kept[];
}

/** What an engine of this store started from. */
interface Origin {
  snapshot: string;
  generation: number;
  /** Its changes, where they stand beside those of others. */
  beside?: string;
}

const HEADS = ["head-0", "head-1"];

/** A snapshot and its changes, kept. Made by `persist`. */
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
   * Opens what is stored, with all changes; the first time, and where what is stored is damaged, `source` is asked for
   * the snapshot, which is then stored.
   *
   * @typeParam R What records are like. It is taken at its word: nothing is checked.
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
        if (engine) return this.#from(engine, head);
      }
      return this.#first<R>(await bytesOf(await source()), heads, rest);
    });
  }

  /**
   * Stores what was written to an engine since it was opened here. What other tabs or processes stored meanwhile is kept,
   * and brought to this engine.
   */
  async save(engine: Engine<object>): Promise<void> {
    await this.#alone("the changes cannot be stored", async () => {
      const [head] = await this.#heads();
      const origin = this.#originOf(engine);
      if (!head) throw new SnapseekError("persist/failed", "the store was cleared; open it again, or call snapshot()");
      const isSame = head.snapshot.id === origin.snapshot;
      if (isSame && head.generation !== origin.generation) await this.#merge(engine, head);
      const name = `changes-${head.generation + 1}`;
      // Where another tab has compacted, its snapshot holds more than this engine: then changes stand side by side.
      const others = isSame ? [] : head.changes.filter((kept) => kept.name !== origin.beside);
      const own = await this.#keep(name, engine.changes());
      const next = { ...head, generation: head.generation + 1, changes: [...others, own] };
      await this.#switchTo(next, head);
      origin.generation = next.generation;
      if (!isSame) origin.beside = name;
    });
  }

  /**
   * Makes one new snapshot of the stored one and all changes, those of `engine` included, and stores it. Gives a new
   * engine, and frees the old one.
   */
  async compact<R extends object>(engine: Engine<R>, options: OpenOptions = {}): Promise<Engine<R>> {
    await this.save(engine);
    return this.#alone("the snapshot cannot be stored", async () => {
      const [head] = await this.#heads();
      const whole = head && (await this.#restored(head, options));
      if (!whole) throw new SnapseekError("persist/failed", "what is stored is damaged; call open() again");
      const bytes = await whole.withDocuments(() => whole.snapshot());
      whole.free();
      const compacted = await this.#replace<R>(bytes, [], head, options);
      engine.free();
      return compacted;
    });
  }

  /** Removes everything that is stored. Engines that are open stay so. */
  async clear(): Promise<void> {
    await this.#alone("the store cannot be cleared", async () => {
      const names = await this.#place.names();
      // Heads first: what they name is nothing without them.
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

  /** The heads that can be read, newest first. */
  async #heads(): Promise<Head[]> {
    const texts = await Promise.all(HEADS.map((name) => this.#place.read(name)));
    const heads = texts.flatMap((bytes) => (bytes && parseHead(bytes)) ?? []);
    return heads.sort((a, b) => b.generation - a.generation);
  }

  /** The engine of a head; nothing where something of it is missing or damaged. */
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

  /** Stores a snapshot that was fetched, with the changes that can be saved of what was stored before. */
  async #first<R extends object>(
    bytes: Uint8Array<ArrayBuffer>,
    heads: readonly Head[],
    options: OpenOptions,
  ): Promise<Engine<R>> {
    for (const head of heads) {
      const changes = await Promise.all(head.changes.map((kept) => this.#kept(kept)));
      if (changes.some((found) => found === undefined)) continue;
      try {
        return await this.#replace<R>(bytes, head.changes, heads[0], options);
      } catch (error) {
        // Damaged changes are lost. Those of another schema are not: who made them has to say what becomes of them.
        if (!(error instanceof SnapseekError) || !error.code.startsWith("snapshot/")) throw error;
      }
    }
    return this.#replace<R>(bytes, [], heads[0], options);
  }

  /** Stores a snapshot in place of the one there was, and opens it with these stored changes. */
  async #replace<R extends object>(
    bytes: Uint8Array<ArrayBuffer>,
    changes: readonly Kept[],
    before: Head | undefined,
    options: OpenOptions,
  ): Promise<Engine<R>> {
    const engine = await this.#open<R>(bytes, options);
    try {
      for (const kept of changes) engine.apply((await this.#kept(kept))!);
      const generation = (before?.generation ?? 0) + 1;
      const snapshot = { ...(await this.#keep(`snapshot-${generation}`, bytes)), id: idOf(bytes) };
      const head = { generation, snapshot, changes };
      await this.#switchTo(head, before);
      return this.#from(engine, head);
    } catch (error) {
      engine.free();
      throw error;
    }
  }

  /** Brings what others stored to an engine. Of two versions of a record, the one that was written later stays. */
  async #merge(engine: Engine<object>, head: Head): Promise<void> {
    for (const kept of head.changes) {
      const bytes = await this.#kept(kept);
      if (!bytes) throw new SnapseekError("persist/failed", "stored changes are damaged; call open() again");
      engine.apply(bytes);
    }
  }

  async #keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Kept> {
    try {
      await this.#place.write(name, bytes);
    } catch (error) {
      // Half a file helps nobody, and there may be no room for it.
      await this.#place.remove(name).catch(() => {});
      throw error;
    }
    return { name, bytes: bytes.length };
  }

  /** From here on the next head holds; then what neither it nor the one before it names is removed. */
  async #switchTo(next: Head, before: Head | undefined): Promise<void> {
    await this.#place.write(HEADS[next.generation % 2]!, encodeHead(next));
    const used = [next, ...(before ? [before] : [])].flatMap((head) => [head.snapshot, ...head.changes]);
    const names = new Set([...HEADS, ...used.map((kept) => kept.name)]);
    try {
      for (const name of await this.#place.names()) if (!names.has(name)) await this.#place.remove(name);
    } catch {
      // What is left over is removed the next time.
    }
  }

  #from<R extends object>(engine: Engine<R>, head: Head): Engine<R> {
    this.#origins.set(engine, { snapshot: head.snapshot.id, generation: head.generation });
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

/** What tells one snapshot from another: its header, whose checksums stand for all that follows. */
function idOf(snapshot: Uint8Array): string {
  return Array.from(snapshot.subarray(16, 48), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function encodeHead(head: Head): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(head);
  return new TextEncoder().encode(`${checksum(text)} ${text}`);
}

/** A head; nothing where it was not written to its end. */
function parseHead(bytes: Uint8Array): Head | undefined {
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf(" ");
  const json = text.slice(end + 1);
  return text.slice(0, end) === checksum(json) ? (JSON.parse(json) as Head) : undefined;
}

/** FNV-1a: it finds torn writes, and keeps out nobody. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(16);
}
