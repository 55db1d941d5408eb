// The claims that must hold wherever the package is installed. The suite uses only the language itself, so that it runs in
// every runtime and passes through every bundler.

const equal = (found, wanted) => {
  const [a, b] = [found, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${a} is not ${b}`);
};
const same = (found, wanted) => {
  if (found.length !== wanted.length || found.some((byte, i) => byte !== wanted[i])) {
    throw new Error(`${found.length} bytes are not the ${wanted.length} expected ones`);
  }
};
const truth = (value, claim) => {
  if (!value) throw new Error(claim);
};
/** Returns the error that a promise rejects with. */
const failure = (promise) =>
  promise.then(
    () => truth(false, "nothing was thrown"),
    (error) => error,
  );
/** Returns a response without its duration, which differs from call to call. */
const untimed = ({ elapsed, ...response }) => response;
const ids = ({ hits }) => hits.map(({ id }) => id);

const NOTES = [
  { id: 1, title: "The quick brown fox", tags: ["animals"] },
  { id: 2, title: "A lazy dog & <b>a fox</b>", tags: ["animals", "slow"] },
  { id: 3, title: "Rotating encryption keys", tags: ["security"] },
];

const MEMORIES = {
  fields: { content: {}, summary: {} },
  attributes: { projectId: "keyword", createdAt: "time", isDeleted: "bool" },
};

/** Every code point that Unicode normalisation changes, and most others. Ideographs and unassigned code points do not change. */
const CODE_POINTS = [
  [0x20, 0x3400],
  [0xa000, 0xd800],
  [0xf900, 0x17000],
  [0x1ae00, 0x20000],
  [0x2f800, 0x2fa20],
];

/** Makes records with all of these code points, between letters and combining marks. */
const codePointRecords = () => {
  const all = CODE_POINTS.flatMap(([first, end]) => Array.from({ length: end - first }, (_, i) => String.fromCodePoint(first + i)));
  return Array.from({ length: Math.ceil(all.length / 64) }, (_, i) => {
    const some = all.slice(64 * i, 64 * i + 64).map((c) => `e${c}\u0301 ${c} `);
    return { id: i, title: some.join("") };
  });
};

/** Returns the FNV-1a hash of bytes. */
const hashed = (bytes) => bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);

/**
 * @param snapseek What `import "snapseek"` gives.
 * @param fixture The golden records, their schema, and the snapshot that the native build makes of them.
 * @param {object} [place] What this place has.
 * @param {string} [place.url] Where the golden snapshot can be fetched, in places with a server.
 * @param {string} [place.split] Where the same can be had with its documents in a file beside it: a URL, in Node a path.
 * @param {any} [place.slim] What `import "snapseek/search"` gives.
 * @param {any} [place.persist] What `import "snapseek/persist"` gives, and the `places` to try it in.
 */
export const suite = (snapseek, { records, schema, snapshot }, { url, split, slim, persist } = {}) => ({
  "builds the bytes of the native build": async () => {
    const engine = await snapseek.build(records, schema);
    same(engine.snapshot(), snapshot);
    engine.free();
  },
  "opens bytes, buffers, blobs, responses and streams": async () => {
    const sources = [snapshot, snapshot.slice().buffer, new Blob([snapshot]), new Response(snapshot), new Blob([snapshot]).stream()];
    for (const source of [...sources, ...(url ? [url, new URL(url), fetch(url)] : [])]) {
      const engine = await snapseek.open(source);
      equal(engine.length, 11);
      engine.free();
    }
  },
  "reports the progress of a download": async () => {
    for (const source of [new Blob([snapshot]), url ?? snapshot]) {
      const told = [];
      const engine = await snapseek.open(source, { onProgress: (progress) => told.push(progress) });
      // A fetch from file:// does not report the length.
      const { loaded, total = source === url && url.startsWith("file:") ? loaded : undefined } = told.at(-1);
      equal([loaded, total], [snapshot.length, snapshot.length]);
      engine.verify();
      engine.free();
    }
  },
  "searches, marks and escapes": async () => {
    const engine = await snapseek.build(NOTES);
    const response = await engine.search("fox", { facets: ["tags"], records: true, count: true });
    equal(ids(response).sort(), ["1", "2"]);
    equal(response.total, 2);
    const hit = response.hits.find(({ id }) => id === "2");
    equal(hit.snippet, "A lazy dog &amp; &lt;b&gt;a <mark>fox</mark>&lt;/b&gt;");
    equal(hit.record, NOTES[1]);
    equal(response.facets, [
      {
        attribute: "tags",
        values: [
          { value: "animals", count: 2 },
          { value: "slow", count: 1 },
        ],
      },
    ]);
    equal(
      engine.match('"quick brown"').map(({ id }) => id),
      ["1"],
    );
    equal(ids(engine.searchSync("fox", { filter: { tags: "slow" } })), ["2"]);
    engine.free();
  },
  "searches by vectors with the bits of every other place": async () => {
    const engine = await snapseek.build(NOTES, { fields: { title: {} }, vectors: { own: { embedder: "hash" } } });
    const { hits } = await engine.search("key rotation", { mode: "vector" });
    equal(hits[0].id, "3");
    equal(hits[0].score, 0.22295153141021729);
    engine.free();
  },
  "embeds every code point like every other place": async () => {
    const schema = { fields: { title: {} }, vectors: { own: { embedder: "hash", width: 16 } } };
    const engine = await snapseek.build(codePointRecords(), schema);
    equal(hashed(engine.snapshot()), 1934625565);
    engine.free();
  },
  "writes, and applies changes": async () => {
    const [engine, other] = [await snapseek.open(snapshot), await snapseek.open(snapshot)];
    equal(engine.add([{ id: "new", title: "A new fox" }]), { added: 1, replaced: 0, warnings: [] });
    equal(engine.remove(["first"]), { removed: 1, warnings: [] });
    other.apply(engine.changes());
    same(other.snapshot(), engine.snapshot());
    equal(ids(other.searchSync("fox")).sort(), ["new", "repeats"]);
    engine.free();
    other.free();
  },
  "throws errors with a class and a code": async () => {
    const engine = await snapseek.open(snapshot);
    const wrong = await failure((async () => engine.match("nix : a"))());
    truth(wrong instanceof snapseek.SnapseekError && wrong instanceof Error, "it is no SnapseekError");
    equal([wrong.code, wrong.span], ["query/no-such-column", [0, 3]]);
    equal((await failure(snapseek.open(new Uint8Array(99)))).code, "snapshot/not-a-snapshot");
    engine.free();
    equal((await failure(engine.search("fox"))).code, "engine/freed");
  },
  "stops when a signal aborts": async () => {
    const reason = new Error("enough");
    const aborted = AbortSignal.abort(reason);
    truth((await failure(snapseek.open(snapshot, { signal: aborted }))) === reason, "open went on");
    truth((await failure(snapseek.build(NOTES, undefined, { signal: aborted }))) === reason, "build went on");
    const engine = await snapseek.open(snapshot);
    const controller = new AbortController();
    const searching = engine.search("fox", { embed: () => new Promise(() => {}), signal: controller.signal });
    controller.abort(reason);
    truth((await failure(searching)) === reason, "search went on");
    engine.free();
  },
  "treats __proto__ in records as an ordinary key": async () => {
    const text = '{"id": "a", "title": "fox", "__proto__": {"polluted": 1}, "constructor": "c", "toString": "t"}';
    const engine = await snapseek.build(text);
    const record = engine.record("a");
    truth(Object.hasOwn(record, "__proto__") && record.constructor === "c", "a key was lost");
    const [hit] = engine.searchSync("fox", { records: true }).hits;
    truth(Object.getPrototypeOf(hit.record) === Object.prototype, "the prototype of a record was changed");
    truth({}.polluted === undefined, "every object was changed");
    engine.free();
  },
  "stores and finds a memory": async () => {
    const engine = await snapseek.build([], MEMORIES);
    const { id } = await engine.memory.create({ content: "Deploy by make release" }, "p");
    const { results } = await engine.memory.search({ query: "release", projectId: "p" });
    equal(
      results.map(({ memory }) => memory.id),
      [id],
    );
    engine.free();
  },
  "reads documents that are in other files": async () => {
    const whole = await snapseek.open(snapshot);
    const parts = whole.splitSnapshot();
    const sources = [[parts.snapshot, { docs: new Blob(parts.docs) }], ...(split ? [[split, {}]] : [])];
    for (const [source, options] of sources) {
      const engine = await snapseek.open(source, options);
      const missing = await failure((async () => engine.searchSync("fox", { records: true }))());
      equal(missing.code, "documents/missing");
      equal(untimed(await engine.search("fox", { records: true })), untimed(whole.searchSync("fox", { records: true })));
      engine.free();
    }
    whole.free();
  },
  ...Object.fromEntries(
    (persist?.places ?? []).map((place) => [
      `persists writes${place.in ? `, in ${place.in}` : ""}`,
      async () => {
        const opened = () => persist.persist("suite", { open: snapseek.open, ...place });
        const store = await opened();
        await store.clear();
        const engine = await store.open(() => snapshot);
        engine.add([{ id: "kept", title: "A zebra" }]);
        await store.save(engine);
        engine.free();
        const again = await (await opened()).open(() => truth(false, "the source was asked again"));
        equal(ids(again.searchSync("zebra")), ["kept"]);
        again.free();
        await store.clear();
      },
    ]),
  ),
  ...(slim && {
    "searches with the search-only module, which cannot write": async () => {
      equal(["build" in slim, slim.SnapseekError === snapseek.SnapseekError], [false, true]);
      const [searcher, engine] = [await slim.open(snapshot), await snapseek.open(snapshot)];
      const options = { explain: true };
      equal(untimed(await searcher.search("fox", options)), untimed(await engine.search("fox", options)));
      for (const name of ["add", "remove", "apply", "changes", "snapshot"]) truth(!(name in searcher), `it has ${name}`);
      searcher.free();
      engine.free();
    },
  }),
});

/** The claims for an engine in a worker. `worker` has called `expose`. */
export const workerSuite = ({ connect, openInWorker, SnapseekError }, worker, { snapshot, records, schema }) => ({
  "answers from a worker": async () => {
    const told = [];
    const engine = await openInWorker(worker, new Blob([snapshot]), { onProgress: (progress) => told.push(progress) });
    equal(await engine.length, 11);
    equal(told.at(-1), { loaded: snapshot.length, total: snapshot.length });
    equal(ids(await engine.search("fox")), ["repeats", "first"]);
    equal(
      (await engine.match("lazy")).map(({ id }) => id),
      ["first"],
    );
    same(await engine.snapshot(), snapshot);
    await engine.free();
    equal((await failure(engine.search("fox"))).code, "engine/freed");
  },
  "stores and finds a memory in a worker": async () => {
    const engine = await connect(worker).build([], MEMORIES);
    const { id } = await engine.memory.create({ content: "Deploy by make release" }, "p");
    const { results } = await engine.memory.search({ query: "release", projectId: "p" });
    equal(
      results.map(({ memory }) => memory.id),
      [id],
    );
    await engine.free();
  },
  "transfers bytes to a worker": async () => {
    const bytes = snapshot.slice();
    const engine = await connect(worker).open(bytes);
    equal([bytes.length, await engine.length], [0, 11]);
    await engine.free();
  },
  "builds in a worker": async () => {
    const engine = await connect(worker).build(records, schema);
    same(await engine.snapshot(), snapshot);
    equal(await engine.add([{ id: "new", title: "A new fox" }]), { added: 1, replaced: 0, warnings: [] });
    await engine.free();
  },
  "calls embed on the page, and stops when a signal aborts": async () => {
    const { build } = connect(worker);
    const engine = await build(
      [
        { id: 1, title: "fox", v: [1, 0] },
        { id: 2, title: "dog", v: [0, 1] },
      ],
      {
        fields: { title: {} },
        vectors: { v: { field: "v" } },
      },
    );
    const asked = [];
    const embed = async (texts) => (asked.push(...texts), [[0, 1]]);
    equal(ids(await engine.search("anything", { mode: "vector", embed })), ["2", "1"]);
    equal(asked, ["anything"]);
    const reason = new Error("enough");
    const controller = new AbortController();
    const searching = engine.search("fox", { embed: () => new Promise(() => {}), signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    truth((await failure(searching)) === reason, "search went on");
    equal(ids(await engine.search("fox", { mode: "keyword" })), ["1"]);
    await engine.free();
  },
  "keeps the class and code of errors": async () => {
    const engine = await openInWorker(worker, new Response(snapshot));
    const wrong = await failure(engine.match("nix : a"));
    truth(wrong instanceof SnapseekError, "it is no SnapseekError");
    equal([wrong.code, wrong.span], ["query/no-such-column", [0, 3]]);
    equal((await failure(openInWorker(worker, new Uint8Array(99)))).code, "snapshot/not-a-snapshot");
    truth(await failure(engine.constructor("return 1")), "the constructor can be called");
    await engine.free();
  },
});

/** Checks claims one after the other; returns the number that hold, and a message for each other. */
export async function run(claims) {
  const outcome = { passed: 0, failed: [] };
  for (const [claim, check] of Object.entries(claims)) {
    try {
      await check();
      outcome.passed += 1;
    } catch (error) {
      outcome.failed.push(`${claim}: ${error?.message ?? error}${error?.code ? ` (${error.code})` : ""}`);
    }
  }
  return outcome;
}
