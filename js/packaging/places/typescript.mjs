// Compiles a typical TypeScript program with the resolution of Node and of bundlers, and checks every declaration file.

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

const USE = `import { SnapseekError, build, open, openInWorker, type Engine } from "snapseek";
import { open as openToSearch, type Searcher } from "snapseek/search";
import { build as buildInline } from "snapseek/inline";
import { persist, type Store } from "snapseek/persist";
import { connect, expose, type RemoteEngine } from "snapseek/worker";

interface Note {
  id: string;
  title: string;
}

export async function use(worker: Worker, port: MessagePort): Promise<string[]> {
  const engine: Engine<Note> = await open<Note>("/notes.snap", { onProgress: ({ loaded }) => console.log(loaded) });
  const searcher: Searcher<Note> = await openToSearch<Note>(new Uint8Array());
  const remote: RemoteEngine<Note> = await openInWorker<Note>(worker, new Blob());
  const inline: Engine<Note> = await buildInline<Note>([{ id: "a", title: "b" }]);
  (await build("")).free();
  (await connect(worker).open("/notes.snap")).free();
  expose(port);
  const store: Store = await persist("notes", { open });
  (await store.open(() => fetch("/notes.snap"))).free();
  const { hits } = await remote.search("a", { signal: AbortSignal.timeout(9) });
  const more = searcher.searchSync("a", { records: true }).hits;
  const error: unknown = undefined;
  if (error instanceof SnapseekError) console.log(error.code, error.cause);
  return [...hits, ...more, ...engine.searchSync("a").hits, ...inline.searchSync("a").hits].flatMap(({ record }) => record?.title ?? []);
}
`;

const wayOf =
  (file, options) =>
  async ({ project }) => {
    const folder = join(project, "typescript", file);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, file), USE);
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "dom"],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
      ...options,
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const compiled = promisify(execFile)(process.execPath, [TSC, "--project", folder]);
    return compiled.then(
      () => ({ passed: 1, failed: [] }),
      ({ stdout }) => ({ passed: 0, failed: [stdout] }),
    );
  };

export const places = {
  "TypeScript, ES modules": wayOf("use.mts", { module: "nodenext" }),
  "TypeScript, CommonJS": wayOf("use.cts", { module: "nodenext" }),
  "TypeScript, for a bundler": wayOf("use.ts", { module: "esnext", moduleResolution: "bundler", customConditions: ["browser"] }),
};
