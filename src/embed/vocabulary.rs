//! Which number has this piece of text? Sorted strings, searched as they stand in the file.
//!
//! ```text
//! count × u32 end of the string · the strings, one after another
//! ```

use crate::wire::{Malformed, len32, u32_at};

/// Collects strings in ascending order; [`VocabularyView`] reads them.
#[derive(Debug, Default)]
pub(super) struct VocabularyWriter {
    /// Where each string ends.
    pub ends: Vec<u8>,
    /// The strings.
    pub strings: Vec<u8>,
}

impl VocabularyWriter {
    /// Appends a string, which must come after all others in the order of bytes.
    pub fn push(&mut self, string: &str) {
        self.strings.extend_from_slice(string.as_bytes());
        self.ends.extend_from_slice(&len32(self.strings.len()).to_le_bytes());
    }
}

/// Strings by number, numbers by string; [`VocabularyWriter`] writes it.
///
/// A forged one finds the wrong strings or none: every access is checked, [`VocabularyView::verify`] tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct VocabularyView<'a> {
    count: u32,
    ends: &'a [u8],
    strings: &'a [u8],
}

impl<'a> VocabularyView<'a> {
    /// The view of `ends`, four bytes a string, and the strings.
    pub fn new(ends: &'a [u8], strings: &'a [u8]) -> VocabularyView<'a> {
        VocabularyView { count: len32(ends.len() / 4), ends, strings }
    }

    /// How many strings there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The bytes of the string with this number; none past the end.
    pub fn string(&self, number: u32) -> Option<&'a [u8]> {
        let index = usize::try_from(number).ok()?;
        let start = index.checked_sub(1).map_or(Some(0), |before| u32_at(self.ends, before))?;
        let end = u32_at(self.ends, index)?;
        self.strings.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// The number of exactly this string.
    pub fn find(&self, string: &[u8]) -> Option<u32> {
        self.longest_prefix(string).filter(|found| found.1 == string.len()).map(|found| found.0)
    }

    /// The longest string that `text` starts with, and its length; never the empty one.
    ///
    /// Byte by byte, the range of strings that still agree is narrowed by two searches; the string that ends here, if
    /// there is one, is the first of the range.
    pub fn longest_prefix(&self, text: &[u8]) -> Option<(u32, usize)> {
        let (mut low, mut high) = (0, self.count);
        let mut longest = None;
        for (depth, &byte) in text.iter().enumerate() {
            low = first(low, high, |number| self.byte(number, depth) < Some(byte));
            high = first(low, high, |number| self.byte(number, depth) == Some(byte));
            if low == high {
                break;
            }
            if self.string(low).is_some_and(|string| string.len() == depth + 1) {
                longest = Some((low, depth + 1));
            }
        }
        longest
    }

    /// Nothing where the string is too short, which is less than every byte.
    fn byte(&self, number: u32, depth: usize) -> Option<u8> {
        self.string(number)?.get(depth).copied()
    }

    /// Checks that the strings are UTF-8, not empty, distinct, in order, and all there is.
    pub fn verify(&self, what: &'static str) -> Result<(), Malformed> {
        let mut before: &[u8] = &[];
        for number in 0..self.count {
            let string = self.string(number).ok_or(Malformed(what))?;
            if string <= before || std::str::from_utf8(string).is_err() {
                return Err(Malformed(what));
            }
            before = string;
        }
        let used = self.ends.last_chunk().map_or(0, |end| u32::from_le_bytes(*end));
        if usize::try_from(used) == Ok(self.strings.len()) { Ok(()) } else { Err(Malformed(what)) }
    }
}

/// The first number of `low..high` for which `is_before` does not hold, or `high`.
fn first(mut low: u32, mut high: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(strings: &[&str]) -> VocabularyWriter {
        let mut writer = VocabularyWriter::default();
        strings.iter().for_each(|string| writer.push(string));
        writer
    }

    #[test]
    fn every_string_has_its_number_and_every_number_its_string() {
        let strings = ["a", "ab", "abc", "abd", "b", "ba", "é", "日", "日本"];
        let writer = written(&strings);
        let view = VocabularyView::new(&writer.ends, &writer.strings);
        assert_eq!(view.verify("x"), Ok(()));
        for (number, string) in (0..).zip(strings) {
            assert_eq!(view.find(string.as_bytes()), Some(number));
            assert_eq!(view.string(number), Some(string.as_bytes()));
        }
        for absent in ["", "c", "abcd", "日本語", "ac", "\0"] {
            assert_eq!(view.find(absent.as_bytes()), None, "{absent}");
        }
        assert_eq!(view.string(9), None);
    }

    #[test]
    fn the_longest_prefix_is_the_one_that_a_walk_over_all_strings_finds() {
        let strings = ["a", "abc", "abcdef", "b", "bcd", "é", "été"];
        let writer = written(&strings);
        let view = VocabularyView::new(&writer.ends, &writer.strings);
        for text in ["abcde", "abcdefg", "ab", "bc", "bcd", "x", "", "étét", "éta", "è"] {
            let naive = (0..).zip(strings).filter(|(_, string)| text.starts_with(string));
            let naive =
                naive.max_by_key(|(_, string)| string.len()).map(|(number, string)| (number, string.len()));
            assert_eq!(view.longest_prefix(text.as_bytes()), naive, "{text}");
        }
    }

    #[test]
    fn what_is_out_of_order_doubled_empty_or_left_over_is_malformed() {
        let forged = [&["b", "a"][..], &["a", "a"], &["", "a"]];
        for strings in forged {
            let writer = written(strings);
            let view = VocabularyView::new(&writer.ends, &writer.strings);
            assert!(view.verify("x").is_err(), "{strings:?}");
        }
        let writer = written(&["a", "b"]);
        assert!(VocabularyView::new(&writer.ends, b"abc").verify("x").is_err());
        assert!(VocabularyView::new(&writer.ends, b"a").verify("x").is_err());
        assert!(VocabularyView::new(&writer.ends, &[b'a', 0xff]).verify("x").is_err());
    }

    #[test]
    fn forged_ends_find_nothing_and_never_panic() {
        let ends = [9u32, 2, u32::MAX, 1].map(u32::to_le_bytes).concat();
        let view = VocabularyView::new(&ends, b"abc");
        for text in [&b"abc"[..], b"", b"\xff"] {
            view.longest_prefix(text);
        }
        assert_eq!(view.string(1), None);
        assert!(view.verify("x").is_err());
    }
}
