"""Which vector does each token get? Those whose sum points where the transformer's vector of the passage points.

1. The transformer's vectors are projected onto their first principal axes.
2. Each token starts with the transformer's vector of the token alone, the shorter the more frequent it is.
3. Least squares: each passage's sum, divided by its present length, is to be the transformer's vector. A token is held
   to its start as if it had been seen there a few times, so that rare ones do not learn noise. Solved by conjugate
   gradients; repeated, because the lengths change.
4. From the tokens that were seen often, a linear map is learned from what the transformer has for a token (its input
   embedding, its vector alone) to the vector found; what it says of a token is the better start, and 3 is done again.
   So a token learns from its kin, although few passages have it.
5. The tokens that are missed least are dropped: rare ones, and ones whose vector is near the sum of the pieces that
   replace them, such as "tariffs" beside "tariff" and "##s". Steps 2 to 4 are done again with the other tokens.
6. Frequent tokens count for less, once more.
7. The principal axes come a little nearer to each other in size, so that no few of them decide what is alike.
8. A rotation spreads each row evenly over its values, and each value becomes -3, -1, 1 or 3 times the scale of the row.

Adam on the cosine, with dropout and with a contrastive term, was tried: .845 on passages held back where this has
.856, and more than ten times as slow. Adding words that the vocabulary lacks gave no gain in search. Nor did quantising
token by token, each making up for the errors of those before it.

The folder that is written has model2vec's layout, but for the packed rows: tokenizer.json, config.json, and
model.safetensors with `embeddings.2bit` (four values per byte, the first in the lowest bits, as 0 to 3) and `weights`.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

from teacher import Teacher
from texts import read_passages, shards

LATIN_GREEK_SYMBOLS = [(0, 0x24F), (0x370, 0x3FF), (0x1E00, 0x1EFF), (0x2000, 0x2BFF)]
MOST_TOKENS = 128


def is_kept(token):
    """Whether a token goes into the model: special and reserved ones do not, nor scripts that the teacher cannot read."""
    if token == "[UNK]":
        return True
    if token.startswith("[") and token.endswith("]") and len(token) > 2:
        return False
    return all(any(first <= ord(c) <= last for first, last in LATIN_GREEK_SYMBOLS) for c in token.removeprefix("##"))


def with_vocabulary(tokenizer, tokens):
    """The teacher's tokenizer with these tokens alone."""
    source = json.loads(tokenizer.to_str())
    source["model"]["vocab"] = {token: number for number, token in enumerate(tokens)}
    reduced = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
               "normalizer": source["normalizer"], "pre_tokenizer": source["pre_tokenizer"], "post_processor": None,
               "decoder": source["decoder"], "model": source["model"]}
    return Tokenizer.from_str(json.dumps(reduced))


def counted(tokenizer, texts):
    """How often each token occurs in each text, as a sparse matrix; unknown words do not count."""
    tokenizer.enable_truncation(MOST_TOKENS - 2)
    unknown, ids, ends = tokenizer.token_to_id("[UNK]"), [], [0]
    for first in range(0, len(texts), 4096):
        for encoding in tokenizer.encode_batch(texts[first:first + 4096], add_special_tokens=False):
            known = np.array([token for token in encoding.ids if token != unknown], np.int32)
            ids.append(known)
            ends.append(ends[-1] + len(known))
    tokenizer.no_truncation()
    ids = np.concatenate(ids)
    shape = (len(texts), tokenizer.get_vocab_size())
    matrix = csr_matrix((np.ones(len(ids), np.float32), ids, np.array(ends)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def solved(matrix, targets, tokens, prior, hold, rounds=10):
    """The token vectors after one step of least squares, drawn to `prior` with the strength `hold`."""
    lengths = np.maximum(np.linalg.norm(matrix @ tokens, axis=1), 1e-3).astype(np.float32)
    scaled = matrix.copy()
    scaled.data = scaled.data / np.repeat(lengths, np.diff(scaled.indptr))
    turned = scaled.T.tocsr()
    diagonal = (np.asarray(scaled.multiply(scaled).sum(axis=0)).ravel() + hold).astype(np.float32)[:, None]
    change = np.zeros_like(tokens)
    rest = turned @ (targets - scaled @ tokens) + hold * (prior - tokens)
    direction = rest / diagonal
    size = (rest * direction).sum(axis=0)
    for _ in range(rounds):
        image = turned @ (scaled @ direction) + hold * direction
        step = size / np.maximum((direction * image).sum(axis=0), 1e-20)
        change += step * direction
        rest -= step * image
        eased = rest / diagonal
        before, size = size, (rest * eased).sum(axis=0)
        direction = eased + size / np.maximum(before, 1e-20) * direction
    return tokens + change


def kin(tokens, features, seen):
    """What a linear map of the features says of each token, learned from those that were seen often."""
    trust = (seen / (seen + 10) * (seen < 20_000)).astype(np.float32)[:, None]
    square = features.T @ (features * trust) + 30 * np.eye(features.shape[1], dtype=np.float32)
    return features @ np.linalg.solve(square, (features * trust).T @ tokens)


def features_of(inputs, alone, tokens):
    """Input embedding and vector alone of each token, the latter apart for tokens that continue a word."""
    continues = np.array([[is_continuing(token)] for token in tokens], np.float32)
    standard = [(part - part.mean(axis=0)) / (part.std(axis=0) + 1e-6) for part in (inputs, alone)]
    return np.concatenate([*standard, continues * standard[1], np.ones_like(continues), continues], axis=1)


def learned(matrix, targets, start, features):
    """The token vectors after training; some passages are kept back to see how well it goes."""
    order = np.random.default_rng(5).permutation(matrix.shape[0])
    held, train = order[:3000], order[3000:]
    kept_back, kept_back_targets = matrix[held], unit(targets[held])
    matrix, targets = matrix[train], targets[train]
    seen = np.asarray((matrix > 0).sum(axis=0)).ravel()
    tokens = prior = start
    for hold in (0.5, 0.5, 1.0):
        if hold == 1.0:
            prior = kin(tokens, features, seen).astype(np.float32)
        tokens = solved(matrix, targets, tokens, prior, hold)
        agreement = float((unit(kept_back @ tokens) * kept_back_targets).sum(axis=1).mean())
        print(f"cosine on passages held back: {agreement:.4f}", flush=True)
    return tokens


def rarity(frequencies, middle):
    """Smooth inverse frequency: one for rare tokens, a half at the frequency `middle`."""
    return (middle / (middle + frequencies)).astype(np.float32)[:, None]


class Pupil:
    """The model in training: its tokens, and what the transformer has for each."""

    def __init__(self, teacher, tokens, inputs, alone):
        self.tokens, self.inputs, self.alone = tokens, inputs, alone
        self.tokenizer = with_vocabulary(teacher.tokenizer, tokens)

    def only(self, teacher, places):
        """The same with the tokens at these places alone."""
        return Pupil(teacher, [self.tokens[place] for place in places], self.inputs[places], self.alone[places])

    def vectors(self, texts, targets, axes):
        """The vector of each token, and how often each occurs."""
        matrix = counted(self.tokenizer, texts)
        counts = np.asarray(matrix.sum(axis=0)).ravel()
        print(f"{matrix.shape[0]} passages, {int(counts.sum())} of {len(self.tokens)} tokens", flush=True)
        frequencies = counts / counts.sum()
        start = (self.alone @ axes * rarity(frequencies, 1e-3)).astype(np.float32)
        rows = learned(matrix, targets, start, features_of(self.inputs, self.alone, self.tokens))
        return rows * rarity(frequencies, 1e-2), counts


def is_continuing(token):
    return token.startswith("##") and len(token) > 2


def pieces(token, vocabulary):
    """The tokens that WordPiece puts in the place of a token that the vocabulary lacks, or none."""
    word, found, start = token.removeprefix("##") if is_continuing(token) else token, [], 0
    while start < len(word):
        prefix = "##" if start > 0 or is_continuing(token) else ""
        ends = range(len(word), start, -1)
        candidates = (prefix + word[start:end] for end in ends)
        piece = next((c for c in candidates if c != token and c in vocabulary), None)
        if piece is None:
            return []
        found.append(piece)
        start += len(piece) - len(prefix)
    return found


def most_useful(tokens, rows, counts, count):
    """The places of the tokens to keep: those whose pieces would replace them badly, weighted by how often they occur.

    The passages do not say how rare a rare token is. BERT's tokens come in the order of their frequency in books and
    encyclopedias, so a frequency by Zipf's law counts half as much as the passages.
    """
    place = {token: number for number, token in enumerate(tokens)}
    by_rank = counts.sum() * 0.08 / (np.arange(len(tokens)) + 51)
    loss = np.full(len(tokens), np.inf)
    for number, token in enumerate(tokens):
        replacements = [place[piece] for piece in pieces(token, place)] if token != "[UNK]" else []
        if replacements:
            error = rows[number] - rows[replacements].sum(axis=0)
            loss[number] = (counts[number] + by_rank[number] / 2) * float(error @ error)
    return np.sort(np.argsort(-loss, kind="stable")[:count])


def evened(rows):
    """The rows with each axis divided by the fourth root of its standard deviation."""
    return rows / np.sqrt((rows ** 2).mean(axis=0)) ** 0.25


def two_bits(rows):
    """Values of -3, -1, 1 and 3 and a scale per row, so that their products are near the rotated rows."""
    noise = np.random.default_rng(0).standard_normal((rows.shape[1], rows.shape[1]))
    rotated = rows @ np.linalg.qr(noise)[0].astype(np.float32)
    scales = np.maximum(np.sqrt((rotated ** 2).mean(axis=1, keepdims=True)) / 2, 1e-12)
    for _ in range(10):
        values = 2 * np.clip(np.floor(rotated / (2 * scales)), -2, 1) + 1
        scales = np.maximum((values * rotated).sum(axis=1, keepdims=True) / (values ** 2).sum(axis=1, keepdims=True), 1e-12)
    return values.astype(np.int8), scales[:, 0].astype(np.float32)


def write(folder, pupil, rows, name):
    values, weights = two_bits(evened(rows))
    weights[pupil.tokens.index("[UNK]")] = 0
    codes = ((values + 3) // 2).astype(np.uint8).reshape(len(values), -1, 4)
    packed = (codes << np.array([0, 2, 4, 6], np.uint8)).sum(axis=2, dtype=np.uint8)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings.2bit": packed, "weights": weights}, folder / "model.safetensors")
    tokenizer = json.loads(pupil.tokenizer.to_str())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n")
    config = {"name": name, "normalize": True, "hidden_dim": int(rows.shape[1])}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    print(f"{len(pupil.tokens)} tokens of {rows.shape[1]} numbers")


def vectors_alone(teacher, cache):
    """The transformer's vector of each token alone."""
    if not cache.exists():
        np.save(cache, teacher.vectors([[101, token, 102] for token in range(30522)]))
    return np.load(cache)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=25_000)
    options = parser.parse_args()
    teacher = Teacher(options.model, MOST_TOKENS)
    vectors = np.concatenate([np.load(shard)["vectors"].astype(np.float32) for shard in shards(options.work)])
    texts = [passage["text"] for passage in read_passages(options.work)]
    _, axes = np.linalg.eigh(vectors.T @ vectors / len(vectors))
    axes = axes[:, ::-1][:, :options.width]
    targets = (vectors @ axes).astype(np.float32)
    vocabulary = teacher.tokenizer.get_vocab()
    tokens = sorted((token for token in vocabulary if is_kept(token)), key=vocabulary.get)
    places = [vocabulary[token] for token in tokens]
    weights = load_file(options.model / "model.safetensors")
    inputs = next(v for k, v in weights.items() if k.endswith("word_embeddings.weight")).astype(np.float32)
    pupil = Pupil(teacher, tokens, inputs[places], vectors_alone(teacher, options.work / "tokens.npy")[places])
    rows, counts = pupil.vectors(texts, targets, axes)
    pupil = pupil.only(teacher, most_useful(pupil.tokens, rows, counts, options.tokens))
    rows, _ = pupil.vectors(texts, targets, axes)
    write(options.output, pupil, rows, options.output.name)


if __name__ == "__main__":
    main()
