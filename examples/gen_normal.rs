//! Writes `src/embed/normal/table.bin` from what the crate unicode-normalization does to each code point.
//!
//! Run by `scripts/gen-normal`, from the root of the repository. What the bytes mean stands in
//! `src/embed/normal/table.rs`, which reads them.

use std::error::Error;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, compose};

const TABLE: &str = "src/embed/normal/table.bin";
/// What a decomposition is: kept by compatibility only, canonical, or canonical and never composed again.
const COMPATIBLE: u8 = 0;
const CANONICAL: u8 = 1;
const NEVER_COMPOSED: u8 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = Vec::new();
    put_decompositions(&mut out);
    put_classes(&mut out);
    std::fs::write(TABLE, out)?;
    Ok(())
}

/// Every code point but the Hangul syllables, which are decomposed by rule.
fn code_points() -> impl Iterator<Item = char> {
    ('\0'..=char::MAX).filter(|c| !('\u{ac00}'..='\u{d7a3}').contains(c))
}

fn put_decompositions(out: &mut Vec<u8>) {
    let (mut gaps, mut kinds, mut chars) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = 0;
    let mut last_parts = Vec::new();
    for c in code_points() {
        let canonical = c.nfd().collect::<Vec<_>>();
        let compatible = c.nfkd().collect::<Vec<_>>();
        let (kind, parts) = match () {
            _ if canonical != [c] && is_composed(c, &canonical) => (CANONICAL, canonical),
            _ if canonical != [c] => (NEVER_COMPOSED, canonical),
            _ if compatible != [c] => (COMPATIBLE, compatible),
            _ => continue,
        };
        put_varint(&mut gaps, u32::from(c) - last);
        last = u32::from(c);
        kinds.push(u8::try_from(parts.len()).expect("a decomposition is short") << 2 | kind);
        for (at, part) in parts.iter().enumerate() {
            // Neighbours have like decompositions: most differences are 0 or 1.
            let like = last_parts.get(at).or(last_parts.last()).map_or(0, |&like: &char| u32::from(like));
            put_varint(&mut chars, zigzag(u32::from(*part) as i32 - like as i32));
        }
        last_parts = parts;
    }
    put_varint(out, u32::try_from(kinds.len()).expect("there are fewer code points"));
    out.extend(gaps.into_iter().chain(kinds).chain(chars));
}

/// Whether the parts of a canonical decomposition, put together again, give the code point.
fn is_composed(c: char, parts: &[char]) -> bool {
    parts.len() > 1 && parts[1..].iter().try_fold(parts[0], |whole, &part| compose(whole, part)) == Some(c)
}

/// Runs of code points of one combining class other than 0.
fn put_classes(out: &mut Vec<u8>) {
    let mut runs: Vec<(u32, u32, u8)> = Vec::new();
    for c in code_points() {
        let class = canonical_combining_class(c);
        match runs.last_mut() {
            _ if class == 0 => {}
            Some((first, count, same)) if *first + *count == u32::from(c) && *same == class => *count += 1,
            _ => runs.push((u32::from(c), 1, class)),
        }
    }
    put_varint(out, u32::try_from(runs.len()).expect("there are fewer code points"));
    let mut end = 0;
    for &(first, count, _) in &runs {
        put_varint(out, first - end);
        put_varint(out, count);
        end = first + count;
    }
    out.extend(runs.iter().map(|run| run.2));
}

fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
