//! How are small integers packed into few bits?
//!
//! A full block of 128 values is packed in four interleaved lanes: lane `i % 4` holds value `i`, so four values are
//! unpacked with the same shifts and one mask. A specialised loop per width, with shifts known at compile time, would
//! be no faster with SIMD and ten times the code. A shorter run is packed one value after the other, which also allows
//! reading a single value.
//!
//! ```
//! use snapseek_index::bits::{BLOCK, BitWriter, get, pack_block, unpack_block};
//!
//! let values: [u32; BLOCK] = std::array::from_fn(|i| i as u32 % 20);
//! let mut block = Vec::new();
//! pack_block(&values, 5, &mut block);
//! assert_eq!(block.len(), 128 * 5 / 8);
//! let mut unpacked = [0; BLOCK];
//! unpack_block(&block, 5, &mut unpacked).unwrap();
//! assert_eq!(unpacked, values);
//!
//! let mut run = Vec::new();
//! let mut writer = BitWriter::new(&mut run);
//! writer.put(&[3, 1, 2], 2);
//! writer.finish();
//! assert_eq!((run.len(), get(&run, 2 * 2, 2)), (1, 2));
//! ```

#[cfg(any(test, not(target_feature = "simd128")))]
mod scalar;
#[cfg(target_feature = "simd128")]
mod simd128;

#[cfg(not(target_feature = "simd128"))]
use scalar::unpack_row;
#[cfg(target_feature = "simd128")]
use simd128::unpack_row;

/// The number of values per full block.
pub const BLOCK: usize = 128;

const LANES: usize = 4;

/// The maximum number of bits per value.
pub const MAX_WIDTH: u32 = 31;

/// Returns the number of bits that `value` needs; 0 for 0.
pub fn width_of(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// Returns the number of bits that the largest of `values` needs.
#[inline(never)]
pub fn widest(values: &[u32]) -> u32 {
    width_of(values.iter().fold(0, |any, value| any | value))
}

/// Returns the number of bytes of a full block at `width` bits per value.
pub fn block_len(width: u32) -> usize {
    16 * width as usize
}

/// Appends a full block to `out`, with `width` bits per value. [`unpack_block`] reverses it.
pub fn pack_block(values: &[u32; BLOCK], width: u32, out: &mut Vec<u8>) {
    let mut pending = [0u64; LANES];
    let mut filled = 0;
    for row in values.as_chunks::<LANES>().0 {
        pending.iter_mut().zip(row).for_each(|(lane, value)| *lane |= u64::from(*value) << filled);
        filled += width;
        if filled >= 32 {
            for lane in &mut pending {
                out.extend_from_slice(&(*lane as u32).to_le_bytes());
                *lane >>= 32;
            }
            filled -= 32;
        }
    }
}

/// Unpacks a full block from the front of `bytes`. [`pack_block`] reverses it.
///
/// Returns `None` when there are too few bytes or the width exceeds [`MAX_WIDTH`].
pub fn unpack_block(bytes: &[u8], width: u32, out: &mut [u32; BLOCK]) -> Option<()> {
    if width > MAX_WIDTH {
        return None;
    }
    let (words, _) = bytes.get(..block_len(width))?.as_chunks::<16>();
    let Some(last) = words.len().checked_sub(1) else {
        out.fill(0);
        return Some(());
    };
    let mask = (1u32 << width) - 1;
    let mut bit = 0;
    for row in out.as_chunks_mut::<LANES>().0 {
        let word = (bit / 32) as usize;
        *row = unpack_row(&words[word.min(last)], &words[(word + 1).min(last)], bit % 32, mask);
        bit += width;
    }
    Some(())
}

/// Packs values one after the other. The width may change between calls; [`get`] reads a single value.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    filled: u32,
}

impl<'a> BitWriter<'a> {
    /// Creates a writer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter { out, pending: 0, filled: 0 }
    }

    /// Appends each value with `width` bits. All higher bits of a value must be zero.
    #[inline(never)]
    pub fn put(&mut self, values: &[u32], width: u32) {
        for value in values {
            self.pending |= u64::from(*value) << self.filled;
            self.filled += width;
            while self.filled >= 8 {
                self.out.push(self.pending.to_le_bytes()[0]);
                self.pending >>= 8;
                self.filled -= 8;
            }
        }
    }

    /// Fills the last byte with zero bits.
    pub fn finish(self) {
        if self.filled > 0 {
            self.out.push(self.pending.to_le_bytes()[0]);
        }
    }
}

/// Reads the `width` bits that start at bit `bit` of `bytes`. Bits past the end are zero.
#[inline]
pub fn get(bytes: &[u8], bit: usize, width: u32) -> u32 {
    let at = bit / 8;
    let word = match bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last_bytes(bytes, at),
    };
    let mask = (1u64 << width) - 1;
    let value = (word >> (bit % 8)) & mask;
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn last_bytes(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes.get(at..).unwrap_or_default()) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(width: u32) -> [u32; BLOCK] {
        let mask = (1u64 << width) - 1;
        std::array::from_fn(|i| {
            let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            u32::try_from(mixed & mask).unwrap()
        })
    }

    #[test]
    fn a_full_block_comes_back_at_every_width() {
        for width in 0..=MAX_WIDTH {
            let values = sample(width);
            let mut bytes = Vec::new();
            pack_block(&values, width, &mut bytes);
            assert_eq!(bytes.len(), block_len(width));
            let mut back = [7; BLOCK];
            unpack_block(&bytes, width, &mut back).unwrap();
            assert_eq!(back, values, "width {width}");
        }
    }

    #[test]
    fn every_backend_unpacks_the_same_values() {
        let words: [[u8; 16]; 2] = std::array::from_fn(|i| std::array::from_fn(|j| (i * 97 + j * 151) as u8));
        for width in 1..=MAX_WIDTH {
            for shift in 0..32 {
                let mask = (1 << width) - 1;
                let expected = scalar::unpack_row(&words[0], &words[1], shift, mask);
                assert_eq!(
                    unpack_row(&words[0], &words[1], shift, mask),
                    expected,
                    "{width} bits from {shift}"
                );
            }
        }
    }

    #[test]
    fn a_block_cut_short_or_too_wide_is_refused() {
        let mut out = [0; BLOCK];
        assert_eq!(unpack_block(&[0; 15], 1, &mut out), None);
        assert_eq!(unpack_block(&[0; 1024], 32, &mut out), None);
    }

    #[test]
    fn single_values_come_back_at_every_width() {
        for width in 1..=MAX_WIDTH {
            let values = sample(width);
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            writer.put(&values, width);
            writer.finish();
            for (i, &value) in values.iter().enumerate() {
                assert_eq!(get(&bytes, i * width as usize, width), value);
            }
        }
    }
}
