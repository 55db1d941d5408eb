"""Prints cli/src/provider/static_model/reference.json: what the reference tokenizer makes of texts.

Arguments: the model folder, the folder of the collections, and wordllama's package folder. Of our own texts the tokens
are recorded, of the collections only how many there are, and a hash.
"""

import json
import sys
from pathlib import Path

import xxhash
from tokenizers import Tokenizer

from evaluate import collection, text_of

OWN = [
    "",
    " \t\n",
    "Hybrid search you can ship as a file.",
    "It's the user's file-system: C:\\temp\\x.txt (v2.0)!",
    "naïve café, Ünïcödé, Ångström, ﬁne №5",
    "E\u0301te\u0301 and zero\u200bwidth\u00adhyphen\ufeff\ufffd",
    "東京都の天気 and 한글, ไทย, العربية, עברית",
    "ΑΒΓ Ὀδυσσεύς τέλος İstanbul STRASSE ß",
    "emoji 🎉👩‍💻 and symbols → ≤ ∑ € ™ “quotes” — dash…",
    "tab\tnew\nline\r\nno\u00a0break\u2003em\u3000wide",
    "[CLS] is text, and so are [MASK], </s> and <unk>",
    "antidisestablishmentarianism kubernetes tokenizers 3.14159 0xdeadbeef",
    "x" * 100 + " " + "x" * 101,
    "def f(a, b):\n    return a[b] ** 2  # comment",
    "a\u0300\u0301\u0302b \u0327c \U0001d49c\U00020000\U0002b740",
]


def recorded(tokenizer, collections):
    out = {"own": [{"text": text, "tokens": tokenizer.encode(text, add_special_tokens=False).tokens} for text in OWN]}
    out["collections"] = {}
    for folder in sorted(path for path in collections.iterdir() if path.is_dir()):
        docs, queries, _ = collection(folder)
        texts = [text_of(doc) for doc in docs] + [query["text"] for query in queries]
        hashed, count = xxhash.xxh3_64(), 0
        for start in range(0, len(texts), 500):
            for encoding in tokenizer.encode_batch(texts[start:start + 500], add_special_tokens=False):
                count += len(encoding.tokens)
                for token in encoding.tokens:
                    hashed.update(token.encode() + b"\x1f")
                hashed.update(b"\x1e")
        out["collections"][folder.name] = {"texts": len(texts), "tokens": count, "hash": hashed.hexdigest()}
    return out


def main(model, collections, wordllama):
    ours = Tokenizer.from_file(str(model / "tokenizer.json"))
    [path] = (wordllama / "tokenizers").glob("*.json")
    theirs = json.loads(path.read_text())
    # What is spelt like a special token is text here.
    theirs["added_tokens"], theirs["post_processor"] = [], None
    theirs = Tokenizer.from_str(json.dumps(theirs))
    out = {"wordpiece": recorded(ours, collections), "bpe": recorded(theirs, collections)}
    print(json.dumps(out, ensure_ascii=True, indent=1))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
