//! Folds case and removes diacritics, as FTS5 does.
//!
//! A code point folds to one code point or to nothing: first its case, then, depending on the option, its diacritics. A
//! table built once holds the results for code points of one or two bytes. All others are found by binary search, on
//! the few pages of 256 code points that contain anything to fold.

use super::tables::{BASES, CASE_RUNS, FOLDING_PAGES};

/// Which diacritics to remove: the values 0, 1 and 2 of the option `remove_diacritics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RemoveDiacritics {
    /// Removes none and only folds case.
    None,
    /// Removes the diacritic of code points that have one. This is FTS5's original behaviour and its default.
    #[default]
    Simple,
    /// Removes all diacritics, also from code points that have several.
    Complex,
}

/// A run of code points whose lower case is the same distance away: `count` of them, `step` apart.
pub(super) struct CaseRun {
    first: u32,
    distance: i32,
    count: u8,
    step: u8,
}

/// Creates an entry of the generated table.
pub(super) const fn case(first: u32, count: u8, step: u8, distance: i32) -> CaseRun {
    CaseRun { first, distance, count, step }
}

/// Consecutive lower-case code points that are the same letter with different diacritics.
pub(super) struct Base {
    first: u16,
    count: u8,
    /// The ASCII letter; 0 when the code point is dropped.
    letter: u8,
    /// Whether the code points have several diacritics, which only `Complex` removes.
    has_several: bool,
}

/// Creates an entry of the generated table.
pub(super) const fn base(first: u16, count: u8, letter: u8, has_several: bool) -> Base {
    Base { first, count, letter, has_several }
}

/// Folds the text of tokens.
#[derive(Clone)]
pub(super) struct Folding {
    remove_diacritics: RemoveDiacritics,
    /// The folded form of each code point of one or two bytes; 0 when it is dropped.
    low: Box<[u16; Folding::LOW]>,
}

impl Folding {
    const LOW: usize = 0x800;

    /// Builds the table for the given option.
    pub fn new(remove_diacritics: RemoveDiacritics) -> Folding {
        let fold = |c| {
            let folded = folded(c as u32, remove_diacritics);
            u16::try_from(folded).expect("a code point of two bytes folds to one of at most three")
        };
        Folding { remove_diacritics, low: Box::new(std::array::from_fn(fold)) }
    }

    /// Appends the folded form of `surface` to `out`.
    pub fn fold(&self, surface: &str, out: &mut Vec<u8>) {
        if surface.is_ascii() {
            out.extend(surface.bytes().map(|byte| byte.to_ascii_lowercase()));
            return;
        }
        for c in surface.chars() {
            self.fold_char(c, out);
        }
    }

    fn fold_char(&self, c: char, out: &mut Vec<u8>) {
        let folded = match self.low.get(c as usize) {
            Some(&folded) => u32::from(folded),
            None => folded(u32::from(c), self.remove_diacritics),
        };
        match u8::try_from(folded) {
            Ok(0) => {}
            Ok(ascii) if ascii.is_ascii() => out.push(ascii),
            _ => {
                let folded = char::from_u32(folded).expect("a code point folds to a code point");
                out.extend_from_slice(folded.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

fn folded(c: u32, remove_diacritics: RemoveDiacritics) -> u32 {
    if !is_on_folding_page(c) {
        return c;
    }
    let lower = lower_case(c);
    match remove_diacritics {
        RemoveDiacritics::None => lower,
        RemoveDiacritics::Simple => base_letter(lower).filter(|base| !base.has_several).map_or(lower, letter),
        RemoveDiacritics::Complex => base_letter(lower).map_or(lower, letter),
    }
}

fn letter(base: &Base) -> u32 {
    u32::from(base.letter)
}

fn is_on_folding_page(c: u32) -> bool {
    let page = c / 256;
    FOLDING_PAGES.get((page / u64::BITS) as usize).is_some_and(|pages| pages >> (page % u64::BITS) & 1 == 1)
}

fn lower_case(c: u32) -> u32 {
    let after = CASE_RUNS.partition_point(|run| run.first <= c);
    let Some(run) = CASE_RUNS[..after].last() else { return c };
    let (past, step) = (c - run.first, u32::from(run.step));
    let is_member = past < u32::from(run.count) * step && past.is_multiple_of(step);
    if is_member { c.wrapping_add_signed(run.distance) } else { c }
}

fn base_letter(lower: u32) -> Option<&'static Base> {
    let after = BASES.partition_point(|base| u32::from(base.first) <= lower);
    let base = BASES[..after].last()?;
    (lower < u32::from(base.first) + u32::from(base.count)).then_some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(surface: &str, remove_diacritics: RemoveDiacritics) -> String {
        let mut out = Vec::new();
        Folding::new(remove_diacritics).fold(surface, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_mode_removes_more_than_the_one_before() {
        // U+1EA4 has two diacritics, so only the last mode removes them.
        let surface = "É\u{1EA4}e\u{301}ΩЖ";
        assert_eq!(form(surface, RemoveDiacritics::None), "é\u{1EA5}e\u{301}ωж");
        assert_eq!(form(surface, RemoveDiacritics::Simple), "e\u{1EA5}eωж");
        assert_eq!(form(surface, RemoveDiacritics::Complex), "eaeωж");
    }

    #[test]
    fn the_table_and_the_search_agree() {
        for mode in [RemoveDiacritics::None, RemoveDiacritics::Simple, RemoveDiacritics::Complex] {
            let folding = Folding::new(mode);
            for (c, &low) in folding.low.iter().enumerate() {
                assert_eq!(u32::from(low), folded(c as u32, mode), "U+{c:04X} {mode:?}");
            }
        }
    }

    #[test]
    fn a_page_without_folds_holds_none() {
        for c in (0..=0x10FFFF).filter(|&c| !is_on_folding_page(c)) {
            assert_eq!((lower_case(c), base_letter(c).is_some()), (c, false), "U+{c:04X}");
        }
    }
}
