//! Small codes, one after the other: which of them pass a test?
//!
//! A filter asks this of every document. Where there are few codes, each is tried once, and what is packed is looked up
//! several codes at a time; where there are many, stretches of zeros, documents without a value, are passed over.

use crate::bitmap::Bitmap;
use crate::bits;
use crate::wire::len32;
use std::ops::Range;

/// So many bits are looked up at a time, at most: the table of their answers is small beside a column.
const MOST_BITS: u32 = 12;

/// Codes of one width, packed one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    bytes: &'a [u8],
    width: u32,
}

impl<'a> Codes<'a> {
    /// Codes of so many bits, at most [`bits::MAX_WIDTH`].
    pub fn new(bytes: &'a [u8], width: u32) -> Codes<'a> {
        Codes { bytes, width }
    }

    /// How many places there are for codes.
    pub fn count(&self) -> usize {
        self.bytes.len() * 8 / self.width.max(1) as usize
    }

    /// The code in a place; 0 past the end.
    #[inline]
    pub fn get(&self, place: usize) -> u32 {
        bits::get(self.bytes, place * self.width as usize, self.width)
    }

    /// The first code from 1 on that passes `test`, where all that follow pass as well; where none of this width does, the
    /// one after the last.
    pub fn first_where(&self, test: &dyn Fn(u32) -> bool) -> u32 {
        let (mut low, mut high) = (1, (1 << self.width).max(1));
        while low < high {
            let middle = low + (high - low) / 2;
            if test(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// The places below `len` whose codes pass `test`.
    pub fn where_true(&self, len: usize, test: &dyn Fn(u32) -> bool) -> Bitmap {
        if self.together(len) > 0 { self.looked_up(len, test) } else { self.tried(len, test) }
    }

    /// The places below `len` whose codes lie in a range.
    pub fn within(&self, len: usize, range: &Range<u32>) -> Bitmap {
        let is_within = |code: u32| code.wrapping_sub(range.start) < range.end.saturating_sub(range.start);
        if self.together(len) > 0 { self.looked_up(len, &is_within) } else { self.tried(len, is_within) }
    }

    fn tried(&self, len: usize, test: impl Fn(u32) -> bool) -> Bitmap {
        // 64 codes of any width end with a byte.
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

    /// How many codes are looked up at a time: 1, 2, 4 or 8. 0 where a table of all codes is not worth it.
    fn together(&self, len: usize) -> usize {
        let fits = |count: &usize| {
            let bits = *count * self.width as usize;
            bits <= MOST_BITS as usize && 1 << bits <= len.max(2)
        };
        [8, 4, 2, 1].into_iter().find(fits).unwrap_or(0)
    }

    fn looked_up(&self, len: usize, test: &dyn Fn(u32) -> bool) -> Bitmap {
        let alone = (0..1 << self.width).map(test).collect::<Vec<_>>();
        if !alone.contains(&true) {
            return Bitmap::none(len);
        }
        if !alone.contains(&false) {
            return Bitmap::all(len);
        }
        let together = self.together(len);
        let bits = self.width * len32(together);
        let answers = (0..1usize << bits).map(|codes| {
            let answer = |place: usize| alone[codes >> (place * self.width as usize) & (alone.len() - 1)];
            (0..together).fold(0, |found, place| found | u64::from(answer(place)) << place)
        });
        let answers = answers.collect::<Vec<_>>();
        let words = (0..len.div_ceil(64)).map(|word| {
            (0..64).step_by(together).fold(0, |found, place| {
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
    fn many_at_a_time_pass_as_each_would_alone() {
        let mut state = 1u32;
        for (width, len) in
            (0..=bits::MAX_WIDTH).flat_map(|width| [0, 1, 63, 64, 500, 9_000].map(|len| (width, len)))
        {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            for place in 0..len {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Every other thousand has nothing but zeros.
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
