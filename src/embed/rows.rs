//! How are the rows of a static model stored? With 8 bits per value, or with 2 bits where four values are enough.
//!
//! ```text
//! tokens × (width values, padded with zeros to a multiple of 16 bytes)
//! ```
//!
//! A value of 8 bits is an `i8`. A value of 2 bits is 2 · code − 3, that is −3, −1, 1 or 3. Four codes share a byte, the
//! first in its lowest bits.

use crate::wire::Malformed;

/// The ways of storing rows; the numbers are the formats of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowEncoding {
    /// One `i8` per value.
    Bytes = 1,
    /// Four values per byte.
    TwoBits = 2,
}

impl RowEncoding {
    /// Returns the smallest encoding that keeps every value.
    pub fn of(values: &[i8]) -> RowEncoding {
        let is_level = |value: &i8| matches!(value, -3 | -1 | 1 | 3);
        match !values.is_empty() && values.iter().all(is_level) {
            true => RowEncoding::TwoBits,
            false => RowEncoding::Bytes,
        }
    }

    /// Returns the encoding with this number, if there is one.
    pub fn numbered(number: u32) -> Option<RowEncoding> {
        [RowEncoding::Bytes, RowEncoding::TwoBits].into_iter().find(|encoding| encoding.number() == number)
    }

    /// Returns the number that the table stores.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Returns the bytes of a row of `width` values, padding included.
    pub fn row_len(self, width: usize) -> usize {
        self.used_len(width).next_multiple_of(16)
    }

    /// Returns the bytes of a row of `width` values without padding.
    fn used_len(self, width: usize) -> usize {
        match self {
            RowEncoding::Bytes => width,
            RowEncoding::TwoBits => width.div_ceil(4),
        }
    }

    /// Appends a row to `out`; [`TokenRows::add`] reads it. The values must be ones that this encoding keeps.
    pub fn put(self, values: &[i8], out: &mut Vec<u8>) {
        let end = out.len() + self.row_len(values.len());
        match self {
            RowEncoding::Bytes => out.extend(values.iter().map(|value| value.to_le_bytes()[0])),
            RowEncoding::TwoBits => out.extend(values.chunks(4).map(|four| {
                let codes = four.iter().map(|value| (value + 3).to_le_bytes()[0] / 2);
                codes.rev().fold(0, |byte, code| byte << 2 | code)
            })),
        }
        out.resize(end, 0);
    }
}

/// The rows of a table, in the order of its tokens; [`RowEncoding::put`] writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenRows<'a> {
    pub encoding: RowEncoding,
    pub width: usize,
    pub bytes: &'a [u8],
}

impl<'a> TokenRows<'a> {
    /// Returns the bytes of a token's row, padding included, or `None` if the number is out of range.
    pub fn row(&self, token: u32) -> Option<&'a [u8]> {
        let len = self.encoding.row_len(self.width);
        let start = usize::try_from(token).ok()?.checked_mul(len)?;
        self.bytes.get(start..)?.get(..len)
    }

    /// Adds a token's row, times `scale`, to `sum`. A token that is out of range adds nothing.
    pub fn add(&self, token: u32, scale: f64, sum: &mut [f64]) {
        let row = self.row(token).unwrap_or_default();
        match self.encoding {
            RowEncoding::Bytes => {
                for (sum, &value) in sum.iter_mut().zip(row) {
                    *sum += scale * f64::from(i8::from_le_bytes([value]));
                }
            }
            RowEncoding::TwoBits => {
                let levels = [-3.0, -1.0, 1.0, 3.0].map(|level| scale * level);
                for (sums, &four) in sum.chunks_mut(4).zip(row) {
                    for (place, sum) in sums.iter_mut().enumerate() {
                        *sum += levels[usize::from(four >> (2 * place) & 3)];
                    }
                }
            }
        }
    }

    /// Checks that the padding of every row is zero.
    pub fn verify(&self, what: &'static str) -> Result<(), Malformed> {
        let used = self.encoding.used_len(self.width);
        // The bits that values take in the last byte of a row that has any.
        let last_bits = match (self.encoding, self.width % 4) {
            (RowEncoding::Bytes, _) | (RowEncoding::TwoBits, 0) => 8,
            (RowEncoding::TwoBits, rest) => 2 * rest,
        };
        let is_padded = |row: &[u8]| {
            let (values, padding) = row.split_at(used);
            padding.iter().all(|&byte| byte == 0)
                && values.last().is_none_or(|&last| u32::from(last) >> last_bits == 0)
        };
        let mut rows = self.bytes.chunks_exact(self.encoding.row_len(self.width));
        if rows.all(is_padded) { Ok(()) } else { Err(Malformed(what)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(encoding: RowEncoding, width: usize, bytes: &[u8], token: u32) -> Vec<f64> {
        let mut sum = vec![0.0; width];
        TokenRows { encoding, width, bytes }.add(token, 1.0, &mut sum);
        sum
    }

    #[test]
    fn every_row_is_read_as_it_was_written() {
        let levels = [-3, -1, 1, 3];
        for width in 1..=70usize {
            let number = |place: usize| place.wrapping_mul(0x9e37_79b9) >> 7;
            let coarse = (0..3 * width).map(|place| levels[number(place) % 4]).collect::<Vec<i8>>();
            let fine = (0..3 * width).map(|place| (number(place) % 255) as i8).collect::<Vec<i8>>();
            for (encoding, values) in [(RowEncoding::TwoBits, coarse), (RowEncoding::Bytes, fine)] {
                let mut bytes = Vec::new();
                values.chunks(width).for_each(|row| encoding.put(row, &mut bytes));
                assert_eq!(bytes.len(), 3 * encoding.row_len(width));
                assert_eq!(TokenRows { encoding, width, bytes: &bytes }.verify("x"), Ok(()));
                for (token, row) in (0..).zip(values.chunks(width)) {
                    let expected = row.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
                    assert_eq!(read(encoding, width, &bytes, token), expected, "width {width}");
                }
                assert_eq!(read(encoding, width, &bytes, 3), vec![0.0; width], "there is no fourth row");
                assert_eq!(read(encoding, width, &bytes, u32::MAX), vec![0.0; width]);
            }
        }
    }

    #[test]
    fn two_bits_are_chosen_only_if_they_keep_every_value() {
        assert_eq!(RowEncoding::of(&[-3, -1, 1, 3]), RowEncoding::TwoBits);
        for value in [-128, -5, -2, 0, 2, 5, 127] {
            assert_eq!(RowEncoding::of(&[1, 3, value]), RowEncoding::Bytes, "{value}");
        }
        assert_eq!(RowEncoding::of(&[]), RowEncoding::Bytes);
    }

    #[test]
    fn four_values_share_a_byte_the_first_in_its_lowest_bits() {
        let mut bytes = Vec::new();
        RowEncoding::TwoBits.put(&[3, -3, 1, -1, 1], &mut bytes);
        assert_eq!(bytes, [[0b01_10_00_11, 0b10].as_slice(), &[0; 14]].concat());
    }

    #[test]
    fn bits_behind_the_last_value_are_malformed() {
        for (encoding, width) in
            [(RowEncoding::Bytes, 5), (RowEncoding::TwoBits, 5), (RowEncoding::TwoBits, 8)]
        {
            let sound = vec![0; encoding.row_len(width)];
            let used = width * if encoding == RowEncoding::Bytes { 8 } else { 2 };
            for bit in 0..sound.len() * 8 {
                let mut bytes = sound.clone();
                bytes[bit / 8] |= 1 << (bit % 8);
                let verified = TokenRows { encoding, width, bytes: &bytes }.verify("x");
                assert_eq!(verified.is_ok(), bit < used, "bit {bit} of a row of {width}");
            }
        }
    }
}
