"""How good is a model folder? nDCG@10 of its vectors alone on folders of docs.jsonl, queries.jsonl, qrels.tsv."""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer


class Static:
    def __init__(self, folder: Path):
        arrays = load_file(folder / "model.safetensors")
        packed = arrays["embeddings.2bit"]
        codes = packed[:, :, None] >> np.array([0, 2, 4, 6], np.uint8) & 3
        values = 2.0 * codes.reshape(len(packed), -1) - 3
        self.rows = values * arrays["weights"].astype(np.float64)[:, None]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.unknown = self.tokenizer.token_to_id("[UNK]")

    def vectors(self, texts):
        out = np.zeros((len(texts), self.rows.shape[1]))
        for place, encoding in enumerate(self.tokenizer.encode_batch(texts, add_special_tokens=False)):
            out[place] = self.rows[[token for token in encoding.ids if token != self.unknown]].sum(axis=0)
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        return np.divide(out, lengths, out=np.zeros_like(out), where=lengths > 0).astype(np.float32)


def collection(folder):
    docs = [json.loads(line) for line in (folder / "docs.jsonl").open()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    gains = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, gain = line.split("\t")
        gains.setdefault(query, {})[doc] = float(gain)
    return docs, queries, gains


def text_of(doc):
    return f"{doc.get('title') or ''} {doc['text']}".strip()


def ndcg(docs, queries, gains, doc_vectors, query_vectors):
    ids = np.array([doc["id"] for doc in docs])
    groups = np.array([str(doc.get("group")) for doc in docs])
    discounts = 1 / np.log2(np.arange(2, 12))
    scores = []
    for query, vector in zip(queries, query_vectors):
        wanted = gains.get(query["id"])
        if not wanted:
            continue
        similarity = doc_vectors @ vector
        if "group" in query:
            similarity = np.where(groups == str(query["group"]), similarity, -9)
        best = ids[np.argsort(-similarity, kind="stable")[:10]]
        found = sum(wanted.get(doc, 0) * d for doc, d in zip(best, discounts))
        ideal = sum(gain * d for gain, d in zip(sorted(wanted.values(), reverse=True), discounts))
        scores.append(found / ideal if ideal else 0)
    return float(np.mean(scores))


def main(model, collections):
    static = Static(Path(model))
    for folder in map(Path, collections):
        docs, queries, gains = collection(folder)
        value = ndcg(docs, queries, gains, static.vectors([text_of(d) for d in docs]),
                     static.vectors([q["text"] for q in queries]))
        print(f"{folder.name}: {value:.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
