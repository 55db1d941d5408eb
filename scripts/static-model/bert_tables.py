"""Prints src/embed/bert_tables.rs: the reference tokenizer is asked about each code point."""

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

HEADER = """\
//! How does the BERT tokenizer classify code points? Ranges are inclusive and ascending.
//!
//! Written by `scripts/gen-bert-tables` from the behaviour of the reference tokenizer for each code point.
#![cfg_attr(rustfmt, rustfmt_skip)]
"""

OFF = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
CLEANING = BertNormalizer(**OFF | {"clean_text": True})
STRIPPING = BertNormalizer(**OFF | {"strip_accents": True})
SPLITTING = BertPreTokenizer()


def table(name, meaning, is_member):
    ranges = []
    for c in filter(lambda c: not 0xD800 <= c < 0xE000 and is_member(chr(c)), range(0x110000)):
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    lines, line = [], "   "
    for first, last in ranges:
        item = f" (0x{first:X}, 0x{last:X}),"
        if len(line) + len(item) > 107:
            lines.append(line)
            line = "   "
        line += item
    lines.append(line)
    return f"\n/// {meaning}\npub(super) static {name}: &[(u32, u32)] = &[\n" + "\n".join(lines) + "\n];"


print(HEADER, end="")
print(table("REMOVED", "Characters that cleaning removes: control, format and private-use characters, and U+FFFD.",
            lambda c: CLEANING.normalize_str(c) == ""))
print(table("MARKS", "Nonspacing marks, which are removed with the accents.", lambda c: STRIPPING.normalize_str(c) == ""))
print(table("PUNCTUATION", "Punctuation characters, each of which is a separate word.",
            lambda c: len(SPLITTING.pre_tokenize_str(f"a{c}a")) == 3))
