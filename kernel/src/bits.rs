//! Small integers in few bits.
//!
//! A full block of 128 values is packed in four interleaved lanes: value `i` stands in lane `i % 4`, so four
//! values are unpacked with one shift and one mask, and the compiler makes vector instructions of it on every
//! target. A shorter run is packed one value after the other, which also allows reading one value alone.

/// How many values a full block holds.
pub const BLOCK: usize = 128;

const LANES: usize = 4;
const ROWS: usize = BLOCK / LANES;

/// Nothing is packed wider than this.
pub const MAX_WIDTH: u32 = 31;

/// The bits that `value` needs; 0 for 0.
pub fn width_of(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// How many bytes a full block takes at this width.
pub fn block_len(width: u32) -> usize {
    16 * width as usize
}

/// Packs a full block; [`unpack_block`] reverses it.
pub fn pack_block(values: &[u32; BLOCK], width: u32, out: &mut Vec<u8>) {
    let mut words = [[0u32; LANES]; MAX_WIDTH as usize];
    for (i, &value) in values.iter().enumerate() {
        let (row, lane) = (i / LANES, i % LANES);
        let bit = row * width as usize;
        let (word, shift) = (bit / 32, bit % 32);
        if width == 0 {
            continue;
        }
        words[word][lane] |= value << shift;
        if shift + width as usize > 32 {
            words[word + 1][lane] |= value >> (32 - shift);
        }
    }
    for word in words.iter().take(width as usize).flatten() {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Unpacks a full block from the front of `bytes`; [`pack_block`] reverses it. None when they are too few.
#[inline]
pub fn unpack_block(bytes: &[u8], width: u32, out: &mut [u32; BLOCK]) -> Option<()> {
    let bytes = bytes.get(..block_len(width))?;
    // One unrolled loop per width: shifts known at compile time are what makes this fast.
    macro_rules! by_width {
        ($($w:literal)*) => { match width { 0 => out.fill(0), $($w => unpack::<$w>(bytes, out),)* _ => return None } };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    Some(())
}

#[inline(never)]
fn unpack<const WIDTH: usize>(bytes: &[u8], out: &mut [u32; BLOCK]) {
    let bytes = &bytes[..16 * WIDTH];
    let mask = (1u32 << WIDTH) - 1;
    for row in 0..ROWS {
        let bit = row * WIDTH;
        let (word, shift) = (bit / 32, bit % 32);
        let low = lanes(bytes, word);
        let high = if shift + WIDTH > 32 { lanes(bytes, word + 1) } else { [0; LANES] };
        for lane in 0..LANES {
            let spilled = if shift + WIDTH > 32 { high[lane] << (32 - shift) } else { 0 };
            out[row * LANES + lane] = (low[lane] >> shift | spilled) & mask;
        }
    }
}

#[inline(always)]
fn lanes(bytes: &[u8], word: usize) -> [u32; LANES] {
    // Spelled out: a closure per lane is not always inlined, and then this costs more than all the rest.
    let b: &[u8; 16] = bytes[16 * word..][..16].try_into().expect("sixteen bytes");
    [
        u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        u32::from_le_bytes([b[4], b[5], b[6], b[7]]),
        u32::from_le_bytes([b[8], b[9], b[10], b[11]]),
        u32::from_le_bytes([b[12], b[13], b[14], b[15]]),
    ]
}

/// Packs values one after the other, of any widths; [`get`] reads one.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    filled: u32,
}

impl<'a> BitWriter<'a> {
    /// A writer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter { out, pending: 0, filled: 0 }
    }

    /// Appends the low `width` bits of `value`, which has no others.
    pub fn put(&mut self, value: u32, width: u32) {
        self.pending |= u64::from(value) << self.filled;
        self.filled += width;
        while self.filled >= 8 {
            self.out.push(self.pending.to_le_bytes()[0]);
            self.pending >>= 8;
            self.filled -= 8;
        }
    }

    /// Fills the last byte with zeros.
    pub fn finish(self) {
        if self.filled > 0 {
            self.out.push(self.pending.to_le_bytes()[0]);
        }
    }
}

/// The `width` bits that start at bit `bit` of `bytes`; bits past the end are zero.
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
            values.iter().for_each(|&value| writer.put(value, width));
            writer.finish();
            for (i, &value) in values.iter().enumerate() {
                assert_eq!(get(&bytes, i * width as usize, width), value);
            }
        }
    }
}
