//! Writes `src/embed/normal/later.rs`: the code points that hosts may disagree about.
//!
//! Run by `scripts/gen-normal`, from the root of the repository, which pipes in the ranges of code points that the oldest
//! Unicode that a host may have knows, one a line in hexadecimal.

use std::error::Error;
use std::io::Read;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

const LATER: &str = "src/embed/normal/later.rs";

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut known = Vec::new();
    for line in text.lines() {
        let (first, last) = line.split_once(' ').ok_or("a line is a first and a last code point")?;
        known.push(u32::from_str_radix(first, 16)?..=u32::from_str_radix(last, 16)?);
    }
    let is_later = |c: char| !known.iter().any(|range| range.contains(&u32::from(c)));
    // What changes, what changes its place, and what either is made of.
    let mut later = Vec::new();
    for c in ('\0'..=char::MAX).filter(|c| is_later(*c)) {
        let parts = c.nfkd().collect::<Vec<_>>();
        if parts != [c] || canonical_combining_class(c) != 0 {
            later.push(c);
            later.extend(parts.into_iter().filter(|part| is_later(*part)));
        }
    }
    later.sort_unstable();
    later.dedup();
    let mut out = String::from(
        "//! Which code points do only some hosts normalise? Those that Unicode added in version 14 or later.\n\
         //!\n\
         //! Written by `scripts/gen-normal`; ranges are inclusive and ascending.\n\n\
         pub(super) static LATER: &[(char, char)] = &[\n",
    );
    for range in later.chunk_by(|a, b| u32::from(*a) + 1 == u32::from(*b)) {
        let (first, last) = (range[0].escape_unicode(), range[range.len() - 1].escape_unicode());
        out += &format!("    ('{first}', '{last}'),\n");
    }
    out += "];\n";
    std::fs::write(LATER, out)?;
    Ok(())
}
