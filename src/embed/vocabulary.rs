//! Which number does a token have? The strings are sorted and searched directly in the file's bytes.
//!
//! ```text
//! count × u32 end of the string · the strings, one after another
//! ```

use crate::wire::{Malformed, len32, u32_at};

/// Collects strings in ascending order; [`VocabularyView`] reads them.
#[derive(Debug, Default)]
pub(super) struct VocabularyWriter {
    /// The end offset of each string, as u32.
    pub ends: Vec<u8>,
    /// The concatenated strings.
    pub strings: Vec<u8>,
}

impl VocabularyWriter {
    /// Appends a string, which must be greater than all earlier strings in byte order.
    pub fn push(&mut self, string: &str) {
        self.strings.extend_from_slice(string.as_bytes());
        self.ends.extend_from_slice(&len32(self.strings.len()).to_le_bytes());
    }
}

/// Maps numbers to strings and strings to numbers; [`VocabularyWriter`] writes it.
///
/// Every access is checked, so a forged vocabulary finds wrong strings or none. [`VocabularyView::verify`] detects it.
#[derive(Clone, Copy, Debug)]
pub(super) struct VocabularyView<'a> {
    count: u32,
    ends: &'a [u8],
    strings: &'a [u8],
}

impl<'a> VocabularyView<'a> {
    /// Creates a view of `ends`, 4 bytes per string, and of the concatenated strings.
    pub fn new(ends: &'a [u8], strings: &'a [u8]) -> VocabularyView<'a> {
        VocabularyView { count: len32(ends.len() / 4), ends, strings }
    }

    /// Returns the number of strings.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the bytes of a string, or `None` if the number is out of range.
    pub fn string(&self, number: u32) -> Option<&'a [u8]> {
        let index = usize::try_from(number).ok()?;
        let start = index.checked_sub(1).map_or(Some(0), |before| u32_at(self.ends, before))?;
        let end = u32_at(self.ends, index)?;
        self.strings.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// Returns the number of the string that equals `string`.
    pub fn find(&self, string: &[u8]) -> Option<u32> {
        self.longest_prefix(string).filter(|found| found.1 == string.len()).map(|found| found.0)
    }

    /// Finds the longest non-empty string that `text` starts with, and returns its number and length.
    ///
    /// For each byte of `text`, two binary searches narrow the range of strings that share the prefix so far. A string
    /// that equals the prefix is the first of its range.
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

    /// Returns byte `depth` of a string. A shorter string gives `None`, which sorts before every byte.
    fn byte(&self, number: u32, depth: usize) -> Option<u8> {
        self.string(number)?.get(depth).copied()
    }

    /// Checks that the strings are non-empty UTF-8, distinct and sorted, and that no bytes remain.
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

/// Returns the first number in `low..high` for which `is_before` is false, or `high`.
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
