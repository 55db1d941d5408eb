"""Which vector does each token get? Those whose sum points where the transformer's vector of the passage points.

1. The transformer's vectors are projected onto their first principal axes.
2. Each token starts with the transformer's vector of the token alone, the shorter the more frequent it is.
3. Adam turns the tokens so that the direction of their sum agrees with the passage's (cosine), and that sums of
   different passages are as similar as the transformer finds them; some tokens of a passage are left out at random, and
   every token is drawn a little towards its start, where those stay that no passage has.
4. Rows become int8 with one scale each, which holds the unit and the weight of the token.

The folder that is written has model2vec's layout: tokenizer.json, model.safetensors, config.json.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from scipy.sparse import csr_matrix

from teacher import Teacher

LATIN_GREEK_SYMBOLS = [(0, 0x24F), (0x370, 0x3FF), (0x1E00, 0x1EFF), (0x2000, 0x2BFF)]


def passages(folders):
    """Token counts as a sparse matrix, and the vectors."""
    ids, counts, vectors = [], [], []
    for shard in sorted(path for folder in folders for path in (folder / "shards").glob("[0-9]*[0-9].npz")):
        with np.load(shard) as arrays:
            ids.append(arrays["ids"])
            counts.append(arrays["counts"])
            vectors.append(arrays["vectors"].astype(np.float32))
    ids, counts, vectors = map(np.concatenate, (ids, counts, vectors))
    ends = np.concatenate([[0], np.cumsum(counts.astype(np.int64))])
    matrix = csr_matrix((np.ones(len(ids), np.float32), ids.astype(np.int32), ends), shape=(len(counts), 30522))
    kept = counts > 0
    return matrix[kept], vectors[kept]


def is_kept(token):
    """Whether a token goes into the model: special and reserved ones do not, nor scripts that the teacher cannot read."""
    if token == "[UNK]":
        return True
    if token.startswith("[") and token.endswith("]") and len(token) > 2:
        return False
    return all(any(first <= ord(c) <= last for first, last in LATIN_GREEK_SYMBOLS) for c in token.removeprefix("##"))


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class Adam:
    def __init__(self, shape):
        self.first, self.second, self.steps = np.zeros(shape, np.float32), np.zeros(shape, np.float32), 0

    def step(self, parameters, gradient, rate):
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient * gradient - self.second)
        rate *= np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        parameters -= rate * self.first / (np.sqrt(self.second) + 1e-8)


def learned(matrix, targets, start, options):
    """The token vectors after training; the last passages are kept back to see how well it goes."""
    chance = np.random.default_rng(5)
    tokens, adam = start.copy(), Adam(start.shape)
    held = min(6000, matrix.shape[0] // 20)
    train = matrix.shape[0] - held
    steps = options.epochs * (train // options.batch)
    done, began = 0, time.time()
    for epoch in range(options.epochs):
        order = chance.permutation(train)
        loss = 0.0
        for at in range(0, train - options.batch + 1, options.batch):
            rows = order[at:at + options.batch]
            batch = matrix[rows]
            batch.data = batch.data * (chance.random(len(batch.data), dtype=np.float32) > options.dropout)
            sums = batch @ tokens
            lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
            said, meant = sums / lengths, targets[rows]
            gradient = -meant
            loss += 1 - float((said * meant).sum()) / len(rows)
            if options.pairs:
                # Errors of similarities, of the passages with each other.
                error = said @ said.T - meant @ meant.T
                np.fill_diagonal(error, 0)
                gradient += options.pairs * (error @ said) / np.sqrt(len(rows))
            if options.contrast:
                # Which of the batch's passages is this? Softmax over the similarities with their vectors.
                logits = (said @ meant.T) * options.sharpness
                logits -= logits.max(axis=1, keepdims=True)
                share = np.exp(logits)
                share /= share.sum(axis=1, keepdims=True)
                share[np.arange(len(rows)), np.arange(len(rows))] -= 1
                gradient += options.contrast * (share @ meant)
            gradient = (gradient - (gradient * said).sum(axis=1, keepdims=True) * said) / lengths
            gradient = batch.T @ gradient / np.float32(len(rows)) + options.pull * (tokens - start)
            rate = options.rate * min(1, done / 100) * (1 - done / steps)
            adam.step(tokens, gradient.astype(np.float32), np.float32(rate))
            done += 1
        agreement = float((unit(matrix[train:] @ tokens) * unit(targets[train:])).sum(axis=1).mean())
        print(f"epoch {epoch}: loss {loss / (train // options.batch):.4f}, held back cosine {agreement:.4f}, "
              f"{time.time() - began:.0f} s", flush=True)
    return tokens


def starting_vectors(teacher, frequencies, cache):
    """The transformer's vector of each token alone, weighted as smooth inverse frequency does."""
    if not cache.exists():
        ids = [[101, token, 102] for token in range(30522)]
        np.save(cache, teacher.vectors(ids))
    return np.load(cache) * (1e-3 / (1e-3 + frequencies))[:, None]


def write(folder, teacher, tokens, name):
    vocabulary = teacher.tokenizer.get_vocab()
    kept = sorted((token for token in vocabulary if is_kept(token)), key=vocabulary.get)
    rows = tokens[[vocabulary[token] for token in kept]]
    rows[kept.index("[UNK]")] = 0
    units = np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": np.rint(rows / units[:, None]).astype(np.int8), "weights": units.astype(np.float32)},
              folder / "model.safetensors")
    source = json.loads(teacher.tokenizer.to_str())
    source["model"]["vocab"] = {token: number for number, token in enumerate(kept)}
    reduced = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
               "normalizer": source["normalizer"], "pre_tokenizer": source["pre_tokenizer"], "post_processor": None,
               "decoder": source["decoder"], "model": source["model"]}
    (folder / "tokenizer.json").write_text(json.dumps(reduced, ensure_ascii=False, separators=(",", ":")) + "\n")
    config = {"name": name, "model_type": "model2vec", "normalize": True, "hidden_dim": int(rows.shape[1])}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    print(f"{len(kept)} tokens of {rows.shape[1]} numbers")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("work", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--dropout", type=float, default=0.15)
    parser.add_argument("--pull", type=float, default=1e-6)
    parser.add_argument("--pairs", type=float, default=0)
    parser.add_argument("--contrast", type=float, default=0)
    parser.add_argument("--sharpness", type=float, default=20)
    options = parser.parse_args()
    teacher = Teacher(options.model, 128)
    matrix, vectors = passages(options.work)
    print(f"{matrix.shape[0]} passages, {int(matrix.sum())} tokens", flush=True)
    _, axes = np.linalg.eigh(vectors.T @ vectors / len(vectors))
    axes = axes[:, ::-1][:, :options.width]
    frequencies = np.asarray(matrix.sum(axis=0)).ravel() / matrix.sum()
    start = starting_vectors(teacher, frequencies, options.work[0] / "tokens.npy") @ axes
    tokens = learned(matrix, vectors @ axes, start.astype(np.float32), options)
    write(options.output, teacher, tokens, options.output.name)


if __name__ == "__main__":
    main()
