// The parts that only some calls need, in a script of their own: it is loaded by the first call that needs one of them.

export { whole, schemaOf } from "./building-models.js";
export { BuildVectors } from "./building-vectors.js";
export { documentsOf } from "./documents.js";
export { EmbeddedWrite } from "./embedded-writes.js";
export { QueryEmbedder } from "./embedding.js";
export { RagIndexing } from "./rag-index.js";
export { TierCalls } from "./tier.js";
