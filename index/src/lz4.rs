//! The LZ4 block format, which compresses stored documents.
//!
//! The crate has its own implementation because the compressed bytes must be the same on every machine, and the usual
//! crate `lz4_flex` hashes differently on 32 and 64 bits. Tests compare both directions with `lz4_flex`. The compressor
//! is greedy: a table of 4,096 hashes finds the last occurrence of the next four bytes.

use std::borrow::Cow;

const MIN_MATCH: usize = 4;
/// The format requires the last five bytes to be literals, and no match to start in the last twelve.
const LAST_LITERALS: usize = 5;
const MATCH_LIMIT: usize = 12;
const MAX_DISTANCE: usize = 65_535;
const HASH_BITS: u32 = 12;

/// The maximum number of output bytes per input byte of a block.
pub const MAX_EXPANSION: usize = 255;

/// Compresses `input` as one block and appends it to `out`. [`Decompressor`] reverses it.
///
/// ```
/// use snapseek_index::lz4::{Decompressor, compress};
/// use std::borrow::Cow;
///
/// let text = "the quick brown fox ".repeat(50);
/// let mut block = Vec::new();
/// compress(text.as_bytes(), &mut block);
/// assert!(block.len() < 50);
///
/// let mut decompressor = Decompressor::new(Cow::Borrowed(&block), text.len()).unwrap();
/// assert_eq!(decompressor.prefix(9), Some(&b"the quick"[..]));
/// assert_eq!(decompressor.prefix(text.len()), Some(text.as_bytes()));
/// ```
pub fn compress(input: &[u8], out: &mut Vec<u8>) {
    let mut packed = BlockOutput { at: out.len(), out };
    // Incompressible input takes one extra byte per 255, and copying a short run of literals writes 16 bytes.
    packed.out.resize(packed.at + input.len() + input.len() / 255 + 32, 0);
    let mut seen = [u32::MAX; 1 << HASH_BITS];
    let mut literals_from = 0;
    let mut at = 0;
    let mut misses = 0;
    while at + MATCH_LIMIT <= input.len() {
        let word = word_at(input, at);
        let slot = (word.wrapping_mul(2_654_435_761) >> (32 - HASH_BITS)) as usize;
        let candidate = seen[slot] as usize;
        seen[slot] = crate::wire::len32(at);
        if candidate >= at || at - candidate > MAX_DISTANCE || word_at(input, candidate) != word {
            // The step grows while nothing repeats, so that incompressible text costs little.
            misses += 1;
            at += 1 + misses / 16;
            continue;
        }
        misses = 0;
        let longest = input.len() - LAST_LITERALS - at;
        let len =
            MIN_MATCH + shared_len(&input[at + MIN_MATCH..at + longest], &input[candidate + MIN_MATCH..]);
        packed.put_sequence(&input[literals_from..], at - literals_from, Some((at - candidate, len)));
        at += len;
        literals_from = at;
    }
    packed.put_sequence(&input[literals_from..], input.len() - literals_from, None);
    let BlockOutput { at, out } = packed;
    out.truncate(at);
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

fn shared_len(a: &[u8], b: &[u8]) -> usize {
    let mut len = 0;
    // Compare eight bytes at a time. The lowest set bit of the difference is in the first byte that differs.
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("every chunk has eight bytes"));
        let difference = word(a) ^ word(b);
        if difference != 0 {
            return len + difference.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + a[len..].iter().zip(&b[len..]).take_while(|(a, b)| a == b).count()
}

/// The output buffer of the compressor. Bytes before `at` are written; the rest is reserved space.
struct BlockOutput<'a> {
    out: &'a mut Vec<u8>,
    at: usize,
}

impl BlockOutput<'_> {
    /// Writes one sequence: the first `literals` bytes of `input`, then a match as distance and length.
    fn put_sequence(&mut self, input: &[u8], literals: usize, found: Option<(usize, usize)>) {
        let match_len = found.map_or(0, |(_, len)| len - MIN_MATCH);
        let nibble = |len: usize| u8::try_from(len.min(15)).expect("the minimum with 15 fits a byte");
        self.put(nibble(literals) << 4 | nibble(match_len));
        self.put_rest_of_len(literals);
        match input.first_chunk::<16>() {
            // Copying a fixed number of bytes is inlined. Any other copy is a call, which is slower for a few bytes.
            Some(chunk) if literals <= chunk.len() => self.out[self.at..][..16].copy_from_slice(chunk),
            _ => self.out[self.at..][..literals].copy_from_slice(&input[..literals]),
        }
        self.at += literals;
        if let Some((distance, _)) = found {
            let distance =
                u16::try_from(distance).expect("the compressor only searches matches within 64 KiB");
            distance.to_le_bytes().into_iter().for_each(|byte| self.put(byte));
            self.put_rest_of_len(match_len);
        }
    }

    fn put_rest_of_len(&mut self, len: usize) {
        let Some(mut rest) = len.checked_sub(15) else { return };
        while rest >= 255 {
            self.put(255);
            rest -= 255;
        }
        self.put(u8::try_from(rest).expect("the loop leaves less than 255"));
    }

    #[inline]
    fn put(&mut self, byte: u8) {
        self.out[self.at] = byte;
        self.at += 1;
    }
}

/// Decompresses a block step by step, only as far as its bytes are requested.
#[derive(Debug)]
pub struct Decompressor<'a> {
    input: Cow<'a, [u8]>,
    /// The number of input bytes read so far.
    read: usize,
    out: Vec<u8>,
    /// The number of output bytes written so far.
    done: usize,
}

impl<'a> Decompressor<'a> {
    /// Starts the decompression of `input` to `len` bytes. Returns `None` when the input is too short for that length.
    ///
    /// Never allocates more than `len` bytes, nor more than the format can expand the input to.
    pub fn new(input: Cow<'a, [u8]>, len: usize) -> Option<Decompressor<'a>> {
        if len / MAX_EXPANSION > input.len() {
            return None;
        }
        Some(Decompressor { input, read: 0, out: vec![0; len], done: 0 })
    }

    /// Wraps bytes that were never compressed.
    pub fn uncompressed(out: Vec<u8>) -> Decompressor<'a> {
        Decompressor { input: Cow::Borrowed(&[]), read: 0, done: out.len(), out }
    }

    /// Returns the first `end` bytes, decompressing as far as necessary. `end` must be at most the total length.
    ///
    /// Returns `None` when the block is damaged: it ends early, refers to bytes before its start, or, when all bytes
    /// are requested, has input left over.
    pub fn prefix(&mut self, end: usize) -> Option<&[u8]> {
        let len = self.out.len();
        let mut rest = self.input.get(self.read..)?;
        let mut at = self.done;
        while at < end || end == len && self.read < self.input.len() {
            let token = take_byte(&mut rest)?;
            let literals = take_len(token >> 4, &mut rest)?;
            let (plain, after) = rest.split_at_checked(literals)?;
            let end = at.checked_add(literals).filter(|end| *end <= len)?;
            match (rest.first_chunk::<STEP>(), self.out[at..].first_chunk_mut::<STEP>()) {
                (Some(from), Some(to)) if literals <= STEP => *to = *from,
                _ => self.out[at..end].copy_from_slice(plain),
            }
            (at, rest) = (end, after);
            if rest.is_empty() {
                (self.done, self.read) = (at, self.input.len());
                break;
            }
            let distance = usize::from(u16::from_le_bytes([take_byte(&mut rest)?, take_byte(&mut rest)?]));
            let copied = MIN_MATCH + take_len(token & 15, &mut rest)?;
            let from = at.checked_sub(distance).filter(|_| distance > 0)?;
            let end = at.checked_add(copied).filter(|end| *end <= len)?;
            repeat(&mut self.out, from, at, end);
            at = end;
            (self.done, self.read) = (at, self.input.len() - rest.len());
        }
        let is_cut_short = at < len && self.read == self.input.len();
        self.out.get(..end).filter(|_| at >= end && !is_cut_short)
    }
}

/// The number of bytes per copy step; runs in text are seldom longer.
///
/// Copies of a constant length compile to a load and a store. Other copies are calls, which in WebAssembly cost more
/// than the rest of the loop. A copy may write too many bytes; the next one overwrites them.
const STEP: usize = 16;

/// Fills `at..end` with the bytes that start at `from < at`. The source may overlap the bytes being filled.
fn repeat(out: &mut [u8], mut from: usize, mut at: usize, end: usize) {
    if at - from >= STEP {
        while at < end && at + STEP <= out.len() {
            let step: [u8; STEP] =
                *out[from..].first_chunk().expect("the source lies before the destination");
            *out[at..].first_chunk_mut().expect("the loop condition leaves room for one step") = step;
            (from, at) = (from + STEP, at + STEP);
        }
    }
    while at < end {
        out[at] = out[from];
        (from, at) = (from + 1, at + 1);
    }
}

fn take_byte(rest: &mut &[u8]) -> Option<u8> {
    let (&byte, after) = rest.split_first()?;
    *rest = after;
    Some(byte)
}

fn take_len(nibble: u8, rest: &mut &[u8]) -> Option<usize> {
    let mut len = usize::from(nibble);
    if nibble == 15 {
        loop {
            let byte = take_byte(rest)?;
            len += usize::from(byte);
            if byte < 255 {
                break;
            }
        }
    }
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decompress(input: &[u8], len: usize) -> Option<Vec<u8>> {
        Decompressor::new(Cow::Borrowed(input), len)?.prefix(len).map(<[u8]>::to_vec)
    }

    fn samples() -> Vec<Vec<u8>> {
        let mut state = 1u32;
        let mut noise = |len: usize, letters: u32| {
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                u8::try_from(state % letters).unwrap()
            };
            (0..len).map(|_| next()).collect::<Vec<u8>>()
        };
        let mut samples = (0..40).map(|len| noise(len, 3)).collect::<Vec<_>>();
        samples.extend([noise(70_000, 256), noise(200_000, 2), noise(5_000, 20), vec![b'a'; 100_000]]);
        samples.push("the quick brown fox ".repeat(50).into_bytes());
        samples
    }

    #[test]
    fn decompression_reverses_compression() {
        for input in samples() {
            let mut packed = Vec::new();
            compress(&input, &mut packed);
            assert_eq!(decompress(&packed, input.len()).as_deref(), Some(&input[..]));
        }
    }

    #[test]
    fn incompressible_input_fits_the_reserved_space_and_keeps_earlier_output() {
        // No four bytes occur twice, so the output is literals only, the longest possible.
        let mut input = Vec::new();
        (0..2_000u32).for_each(|number| input.extend(number.wrapping_mul(0x9e37_79b1).to_le_bytes()));
        let lengths = [0, 255, 510, 765, 255 * 16, 255 * 31].into_iter().flat_map(|len: usize| {
            // Up to 14 literals need no length byte; 15 need the first, and each further 255 one more.
            (len.saturating_sub(2)..len + 18).filter(|len| *len <= 8_000)
        });
        for len in lengths {
            let mut packed = b"before".to_vec();
            compress(&input[..len], &mut packed);
            assert!(packed.starts_with(b"before"), "{len} bytes");
            assert_eq!(decompress(&packed[6..], len).as_deref(), Some(&input[..len]), "{len} bytes");
            let of_len = len.checked_sub(15).map_or(0, |rest| rest / 255 + 1);
            assert_eq!(packed.len(), 6 + 1 + of_len + len, "{len} bytes are literals alone");
        }
    }

    #[test]
    fn the_beginning_comes_back_before_the_rest() {
        for input in samples() {
            let mut packed = Vec::new();
            compress(&input, &mut packed);
            let mut decompressor = Decompressor::new(Cow::Borrowed(&packed), input.len()).unwrap();
            for end in [0, 1, 7, 100, 5_000, 5_001, 60, usize::MAX].map(|end| end.min(input.len())) {
                assert_eq!(decompressor.prefix(end), Some(&input[..end]), "{end} of {}", input.len());
            }
        }
    }

    #[test]
    fn the_reference_implementation_reads_our_blocks_and_we_read_its_blocks() {
        for input in samples() {
            let mut packed = Vec::new();
            compress(&input, &mut packed);
            assert_eq!(lz4_flex::block::decompress(&packed, input.len()).unwrap(), input);
            let theirs = lz4_flex::block::compress(&input);
            assert_eq!(decompress(&theirs, input.len()).as_deref(), Some(&input[..]));
        }
    }

    #[test]
    fn truncated_and_altered_blocks_never_panic_and_never_grow() {
        let input =
            "the quick brown fox jumps over the lazy dog, the quick brown fox ".repeat(4).into_bytes();
        let mut packed = Vec::new();
        compress(&input, &mut packed);
        for len in 0..packed.len() {
            assert_eq!(decompress(&packed[..len], input.len()), None, "accepted {len} bytes");
            let mut decompressor = Decompressor::new(Cow::Borrowed(&packed[..len]), input.len());
            assert_eq!(decompressor.as_mut().and_then(|decompressor| decompressor.prefix(input.len())), None);
            assert_eq!(
                decompressor.as_mut().and_then(|decompressor| decompressor.prefix(input.len())),
                None,
                "asked again"
            );
        }
        for i in 0..packed.len() {
            for bit in 0..8 {
                let mut altered = packed.clone();
                altered[i] ^= 1 << bit;
                if let Some(out) = decompress(&altered, input.len()) {
                    assert_eq!(out.len(), input.len());
                }
            }
        }
        assert_eq!(decompress(&[0xf0, 255, 255], usize::MAX), None);
    }
}
