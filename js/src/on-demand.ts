// The parts that only some calls need, in a script of their own: it is loaded by the first call that needs one of them.

export { built } from "./building.js";
export { whole } from "./building-models.js";
export { documentsOf } from "./documents.js";
export { EmbeddedWrite } from "./embedded-writes.js";
export { QueryEmbedder } from "./embedding.js";
export { RagIndexing } from "./rag-index.js";
export { TierCalls } from "./tier.js";
export { UnifiedSearches } from "./unified-searches.js";
