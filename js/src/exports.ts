// The exports that every entry has besides `open` and `build`.

export { SnapseekError, type ErrorCode } from "./errors.js";
export type { BuildProgress } from "./building.js";
export type { DocumentSource } from "./documents.js";
export type { Engine, Searcher } from "./engine.js";
export type { Build, BuildOptions, LoadOptions, Open, OpenOptions, OpenToSearch } from "./index.js";
export type { WasmSource } from "./load.js";
export type { MissingRanges } from "./ranges.js";
export type { DownloadProgress, SnapshotReader, Source } from "./source.js";
export type { Load, Transfer } from "./transfer.js";
export type { MemoryRecipe } from "./memory.js";
export type * from "./memory.types.js";
export type { Rag } from "./rag.js";
export type * from "./rag.types.js";
export type * from "./recipe.types.js";
export type * from "./types.js";
export type { Unified } from "./unified.js";
export type * from "./unified.types.js";
export type { Vault } from "./vault.js";
export type * from "./vault.types.js";
