"""Fits the default fusion to recorded signals, with each collection left out in turn. docs/fusion.md describes the rule.

    fit.py FOLDER

FOLDER holds NAME.MODEL.jsonl, one line per judged query of collection NAME with the signals of both legs:

    {"mean": .1, "dev": .08, "live": 1400, "hits": [12, 0], "gains": {"7": 1},
     "rows": [[id, row, bm25 or null, place, cosine or null, place, "10"], ...]}

`mean` and `dev` describe the cosines of all eligible records, `live` is the number of records, `hits` the number of
records with each word, `gains` the judgments by record, and the last entry of a row says which words it contains. MODEL
is `minilm`, or the name of a static table. Prints the regret of each collection: the best of keyword, vector, rrf and
three sums, less the rule fitted to the other collections, without the bar.
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

GRID = np.linspace(math.log(0.008), math.log(3), 60)
DISCOUNT = 1 / np.log2(np.arange(10) + 2)
# A fit starts without any statistic: the logarithms of both trusts (transformer, static table), and three exponents.
START = np.array([math.log(0.07), math.log(0.04), 0.0, 0.0, 0.0])
STEPS = np.array([0.4, 0.4, 3.0, -0.1, -0.5])
SHIPPED = np.array([math.log(0.19), math.log(0.11), 5.0, -0.14, -0.9])


def ndcg(scores, rows, gains, ideal):
    best = np.lexsort((rows, -scores))[:10]
    return float((gains[best] * DISCOUNT[: len(best)]).sum() / ideal)


def signals(line):
    """Returns the nDCG@10 of the simple rules, that of each weight of GRID, and the statistics of the weight."""
    query = json.loads(line)
    found = query["rows"]
    rows = np.array([one[1] for one in found])
    words = np.array([one[2] or 0.0 for one in found])
    ranks = [np.array([math.inf if one[at] is None else one[at] for one in found]) for at in (3, 5)]
    cosine = np.array([math.nan if one[4] is None else one[4] for one in found])
    gains = np.array([query["gains"].get(str(one[0]), 0.0) for one in found])
    ideals = sorted(query["gains"].values(), reverse=True)[:10]
    ideal = sum(gain * discount for gain, discount in zip(ideals, DISCOUNT))
    judge = lambda scores: ndcg(scores, rows, gains, ideal)

    share = words / max(words.max(initial=0), 1e-12)
    low, high = np.nanmin(cosine), np.nanmax(cosine)
    near = np.nan_to_num((cosine - low) / max(high - low, 1e-12))
    by_words = words > 0
    simple = [ndcg(words[by_words], rows[by_words], gains[by_words], ideal) if by_words.any() else 0.0]
    simple += [judge(np.nan_to_num(cosine, nan=-9)), judge(1 / (61 + ranks[0]) + 1 / (61 + ranks[1]))]
    simple += [judge((1 - a) * share + a * near) for a in (0.3, 0.5, 0.7)]

    z = np.nan_to_num((cosine - query["mean"]) / max(query["dev"], 1e-9))
    lift = z * abs(z)
    table = [judge(share + math.exp(weight) * lift) for weight in GRID] if by_words.any() else [judge(lift)] * len(GRID)

    weights = np.log(1 + query["live"] / (np.array(query["hits"], float) + 0.5))
    unknown = weights[np.array(query["hits"]) == 0].sum() / max(weights.sum(), 1e-300)
    size = min(1, math.log(max(query["live"], 200) / 200) / math.log(10))
    top_words = {one for one in np.lexsort((rows, -words))[:10] if words[one] > 0}
    overlap = len(top_words & set(np.lexsort((rows, -np.nan_to_num(cosine, nan=-9)))[:10])) / 10
    return simple, table, [(1 - size) * unknown, weights.max(initial=0), overlap]


def regret(collection, model, theta):
    simple, table, statistics = collection
    weight = theta[0 if model == "minilm" else 1] + statistics @ theta[2:]
    place = np.clip((weight - GRID[0]) / (GRID[1] - GRID[0]), 0, len(GRID) - 1.001)
    left, part = place.astype(int), place % 1
    each = np.arange(len(left))
    fused = table[each, left] * (1 - part) + table[each, left + 1] * part
    return simple.mean(0).max() - fused.mean()


def fitted(collections):
    """Returns the numbers with the least regret: the worst ones count most."""

    def cost(theta):
        regrets = np.array([regret(one, model, theta) for (_, model), one in collections.items()])
        return (np.maximum(regrets + 0.005, 0) ** 4).mean() ** 0.25 + 0.5 * regrets.mean()

    simplex = np.vstack([START, START + np.diag(STEPS)])
    options = {"initial_simplex": simplex, "maxfev": 700, "xatol": 0.01, "fatol": 1e-5}
    return minimize(cost, START, method="Nelder-Mead", options=options).x


def main(folder):
    collections = {}
    for file in sorted(Path(folder).glob("*.jsonl")):
        name, model, _ = file.name.rsplit(".", 2)
        parts = zip(*(signals(line) for line in file.open()))
        collections[name, model] = [np.array(part) for part in parts]
    models = sorted({model for _, model in collections})
    worst = defaultdict(float)
    print("".ljust(14), *(model.rjust(20) for model in models), "  (left out, shipped)")
    for left in sorted({name for name, _ in collections}):
        theta = fitted({key: one for key, one in collections.items() if key[0] != left})
        cells = []
        for model in models:
            pair = [regret(collections[left, model], model, numbers) for numbers in (theta, SHIPPED)]
            worst[model] = max(worst[model], pair[0])
            cells.append(f"{pair[0]:10.4f}{pair[1]:10.4f}")
        print(left.ljust(14), *cells, np.round(theta, 2), flush=True)
    print("worst left out", {model: round(float(number), 4) for model, number in worst.items()})
    theta = fitted(collections)
    print("fitted to all: trust", np.round(np.exp(theta[:2]), 3), "exponents", np.round(theta[2:], 2))


if __name__ == "__main__":
    main(sys.argv[1])
