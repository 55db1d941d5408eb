//! Which documents have an attribute value that passes a filter?
//!
//! A column stores one small code per document, bit-packed at a fixed width. When there are few distinct codes, the
//! filter is evaluated once per code, and a lookup table then tests several packed codes at a time. When there are
//! many, the filter is evaluated per document, and runs of zeros (documents without a value) are skipped 64 at a time.

use crate::bitmap::Bitmap;
use crate::bits;
use crate::wire::len32;
use std::ops::Range;

/// The maximum number of bits per table lookup. A table of 2^12 results is small compared with a column.
const MAX_TABLE_BITS: u32 = 12;

/// A bit-packed column of codes of equal width.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    bytes: &'a [u8],
    width: u32,
}

impl<'a> Codes<'a> {
    /// Views `bytes` as codes of `width` bits each. The width is at most [`bits::MAX_WIDTH`].
    pub fn new(bytes: &'a [u8], width: u32) -> Codes<'a> {
        Codes { bytes, width }
    }

    /// Returns the number of codes that fit into the bytes.
    pub fn count(&self) -> usize {
        self.bytes.len() * 8 / self.width.max(1) as usize
    }

    /// Returns the code at index `place`, or 0 past the end.
    #[inline]
    pub fn get(&self, place: usize) -> u32 {
        bits::get(self.bytes, place * self.width as usize, self.width)
    }

    /// Returns the first code from 1 on that passes `test`, by binary search.
    ///
    /// Requires that every code after a passing one passes as well. Returns one more than the largest code of this
    /// width when none passes.
    pub fn first_where(&self, test: &dyn Fn(u32) -> bool) -> u32 {
        let (mut low, mut high) = (1, (1 << self.width).max(1));
        while low < high {
            let middle = low + (high - low) / 2;
            if test(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// Returns the set of indexes below `len` whose codes pass `test`.
    pub fn where_true(&self, len: usize, test: &dyn Fn(u32) -> bool) -> Bitmap {
        if self.codes_per_lookup(len) > 0 { self.test_by_table(len, test) } else { self.test_each(len, test) }
    }

    /// Returns the set of indexes below `len` whose codes lie in `range`.
    pub fn within(&self, len: usize, range: &Range<u32>) -> Bitmap {
        let is_within = |code: u32| code.wrapping_sub(range.start) < range.end.saturating_sub(range.start);
        if self.codes_per_lookup(len) > 0 {
            self.test_by_table(len, &is_within)
        } else {
            self.test_each(len, is_within)
        }
    }

    /// Tests every code, except runs of 64 zeros.
    fn test_each(&self, len: usize, test: impl Fn(u32) -> bool) -> Bitmap {
        // 64 codes of any width end at a byte boundary.
        let stretch = 8 * self.width as usize;
        let of_zeros = if test(0) { u64::MAX } else { 0 };
        let words = (0..len.div_ceil(64)).map(|word| {
            let own = self.bytes.get(word * stretch..(word + 1) * stretch);
            if own.is_some_and(|own| own.iter().fold(0, |any, byte| any | byte) == 0) {
                return of_zeros;
            }
            (0..64).fold(0, |found, bit| found | u64::from(test(self.get(64 * word + bit))) << bit)
        });
        Bitmap::of_words(len, words.collect())
    }

    /// Returns the number of codes per table lookup: 8, 4, 2 or 1, or 0 when a table would not pay.
    fn codes_per_lookup(&self, len: usize) -> usize {
        let fits = |count: &usize| {
            let bits = *count * self.width as usize;
            bits <= MAX_TABLE_BITS as usize && 1 << bits <= len.max(2)
        };
        [8, 4, 2, 1].into_iter().find(fits).unwrap_or(0)
    }

    /// Tests every distinct code once, then looks the packed codes up in a table of results.
    fn test_by_table(&self, len: usize, test: &dyn Fn(u32) -> bool) -> Bitmap {
        let alone = (0..1 << self.width).map(test).collect::<Vec<_>>();
        if !alone.contains(&true) {
            return Bitmap::none(len);
        }
        if !alone.contains(&false) {
            return Bitmap::all(len);
        }
        let codes_per_lookup = self.codes_per_lookup(len);
        let bits = self.width * len32(codes_per_lookup);
        let answers = (0..1usize << bits).map(|codes| {
            let answer = |place: usize| alone[codes >> (place * self.width as usize) & (alone.len() - 1)];
            (0..codes_per_lookup).fold(0, |found, place| found | u64::from(answer(place)) << place)
        });
        let answers = answers.collect::<Vec<_>>();
        let words = (0..len.div_ceil(64)).map(|word| {
            (0..64).step_by(codes_per_lookup).fold(0, |found, place| {
                let codes = bits::get(self.bytes, (64 * word + place) * self.width as usize, bits);
                found | answers[codes as usize] << place
            })
        });
        Bitmap::of_words(len, words.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;

    #[test]
    fn table_lookups_agree_with_testing_each_code() {
        let mut state = 1u32;
        for (width, len) in
            (0..=bits::MAX_WIDTH).flat_map(|width| [0, 1, 63, 64, 500, 9_000].map(|len| (width, len)))
        {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            for place in 0..len {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Every second group of 1,000 codes is all zeros.
                let code = if place / 1000 % 2 == 0 { state >> 1 >> (bits::MAX_WIDTH - width) } else { 0 };
                writer.put(&[code], width);
            }
            writer.finish();
            let codes = Codes::new(&bytes, width);
            let tests: [&dyn Fn(u32) -> bool; 5] =
                [&|code| code % 3 == 1, &|code| code == 0, &|code| code > 2, &|_| true, &|_| false];
            for (number, test) in tests.into_iter().enumerate() {
                let naive = Bitmap::where_true(len, |place| test(codes.get(place)));
                assert_eq!(codes.where_true(len, test), naive, "width {width}, {len} codes, test {number}");
            }
            for range in [0..0, 0..1, 1..3, 2..u32::MAX, 1000..1_000_000_000, 5..5] {
                let naive = Bitmap::where_true(len, |place| range.contains(&codes.get(place)));
                assert_eq!(codes.within(len, &range), naive, "width {width}, {len} codes, {range:?}");
            }
        }
    }
}
