//! How are texts that look the same, or mean the same, brought to the same code points? Unicode's forms NFD and NFKC.
//!
//! Both give what the crate unicode-normalization gives; tests compare them on every code point. Its tables are three
//! times the size of all the rest of this folder in a browser, and quicker than an embedding needs.

mod table;

use crate::order::sort_by_key;
use table::{Kind, Table};

/// The Hangul syllables, which are composed of their letters by rule.
const SYLLABLES: u32 = 0xac00;
const LEADS: u32 = 0x1100;
const VOWELS: u32 = 0x1161;
/// One before the first trailing letter: a syllable may have none.
const TRAILS: u32 = 0x11a7;
const LEAD_COUNT: u32 = 19;
const VOWEL_COUNT: u32 = 21;
const TRAIL_COUNT: u32 = 28;

/// The text in NFD: every letter and its accents apart.
pub(super) fn nfd(text: &str) -> String {
    let parts = decomposed(text, Table::get(), &|kind| kind != Kind::Compatible);
    parts.into_iter().map(|(_, c)| c).collect()
}

/// The text in NFKC: compatibility forms replaced, letters and accents together where one code point has both.
pub(super) fn nfkc(text: &str) -> String {
    let table = Table::get();
    composed(decomposed(text, table, &|_| true), table)
}

/// Code points with their combining classes, those that combine with the same letter in the order of their classes.
fn decomposed(text: &str, table: &Table, takes: &dyn Fn(Kind) -> bool) -> Vec<(u8, char)> {
    let mut out = Vec::with_capacity(text.len());
    text.chars().for_each(|c| decompose(c, table, takes, &mut out));
    for marks in out.split_mut(|part: &(u8, char)| part.0 == 0).filter(|marks| marks.len() > 1) {
        sort_by_key(marks, |mark| mark.0);
    }
    out
}

fn decompose(c: char, table: &Table, takes: &dyn Fn(Kind) -> bool, out: &mut Vec<(u8, char)>) {
    if c < '\u{a0}' {
        return out.push((0, c));
    }
    let syllable = u32::from(c).wrapping_sub(SYLLABLES);
    if syllable < LEAD_COUNT * VOWEL_COUNT * TRAIL_COUNT {
        let (vowel, trail) = (syllable / TRAIL_COUNT % VOWEL_COUNT, syllable % TRAIL_COUNT);
        let letters = [LEADS + syllable / TRAIL_COUNT / VOWEL_COUNT, VOWELS + vowel, TRAILS + trail];
        let letters = &letters[..if trail == 0 { 2 } else { 3 }];
        return out.extend(letters.iter().filter_map(|&letter| Some((0, char::from_u32(letter)?))));
    }
    match table.decomposition(c) {
        // What a canonical decomposition gives may have a compatible one.
        Some((Kind::Compatible, parts)) if takes(Kind::Compatible) => {
            out.extend(parts.iter().map(|&part| (table.class(part), part)));
        }
        Some((kind, parts)) if kind != Kind::Compatible => {
            for &part in parts {
                match table.decomposition(part) {
                    Some(_) => decompose(part, table, takes, out),
                    None => out.push((table.class(part), part)),
                }
            }
        }
        _ => out.push((table.class(c), c)),
    }
}

/// The code points, each joined to the letter before it where the two have a code point of their own.
fn composed(parts: Vec<(u8, char)>, table: &Table) -> String {
    let mut out: Vec<char> = Vec::with_capacity(parts.len());
    // Where the last letter is, and the class of what stands between it and here.
    let mut letter = None;
    let mut between = None;
    for (class, part) in parts {
        // A mark is cut off from its letter by a mark of its class; a letter by any mark.
        let is_near = between.is_none_or(|between| between < class);
        if let Some(at) = letter.filter(|_| is_near)
            && let Some(whole) = compose(out[at], part, table)
        {
            out[at] = whole;
            continue;
        }
        if class == 0 {
            letter = Some(out.len());
            between = None;
        } else {
            between = Some(class);
        }
        out.push(part);
    }
    out.into_iter().collect()
}

fn compose(first: char, second: char, table: &Table) -> Option<char> {
    let lead = u32::from(first).wrapping_sub(LEADS);
    let vowel = u32::from(second).wrapping_sub(VOWELS);
    if lead < LEAD_COUNT && vowel < VOWEL_COUNT {
        return char::from_u32(SYLLABLES + (lead * VOWEL_COUNT + vowel) * TRAIL_COUNT);
    }
    let syllable = u32::from(first).wrapping_sub(SYLLABLES);
    let trail = u32::from(second).wrapping_sub(TRAILS);
    let is_open = syllable < LEAD_COUNT * VOWEL_COUNT * TRAIL_COUNT && syllable.is_multiple_of(TRAIL_COUNT);
    if is_open && (1..TRAIL_COUNT).contains(&trail) {
        return char::from_u32(u32::from(first) + trail);
    }
    table.composition(first, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    fn check(text: &str) {
        assert_eq!(nfd(text), text.nfd().collect::<String>(), "{text:?} {}", text.escape_unicode());
        assert_eq!(nfkc(text), text.nfkc().collect::<String>(), "{text:?} {}", text.escape_unicode());
    }

    #[test]
    fn every_code_point_is_as_the_reference_has_it() {
        ('\0'..=char::MAX).for_each(|c| check(&c.to_string()));
    }

    #[test]
    fn every_decomposition_is_as_the_reference_has_it_between_letters_and_marks() {
        for c in ('\0'..=char::MAX).filter(|c| c.nfkd().ne([*c])) {
            check(&format!("a\u{315}{c}\u{300}\u{5ae}{c}\u{94d}"));
            check(&c.nfkd().collect::<String>());
            check(&c.nfd().collect::<Vec<_>>().iter().rev().collect::<String>());
        }
    }

    #[test]
    fn random_texts_are_as_the_reference_has_them() {
        let changing = ('\0'..=char::MAX).filter(|c| c.nfkd().ne([*c]) || table::Table::get().class(*c) != 0);
        let changing = changing.chain("aeo가각각\u{11a7}".chars()).collect::<Vec<_>>();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..200_000 {
            let len = 1 + random(8);
            check(&(0..len).map(|_| changing[random(changing.len())]).collect::<String>());
        }
    }
}
