//! The LZ4 block format: stored documents, small and quick to open.
//!
//! Written here because the bytes must be the same on every machine, and the usual crate hashes
//! differently on 32 and 64 bits; tests hold both halves against it.

use std::borrow::Cow;

const MIN_MATCH: usize = 4;
/// The format wants the last five bytes as literals, and no match to start in the last twelve.
const LAST_LITERALS: usize = 5;
const MATCH_LIMIT: usize = 12;
const MAX_DISTANCE: usize = 65_535;
const HASH_BITS: u32 = 12;

/// No byte of a block stands for more.
pub const MOST_EXPANSION: usize = 255;

/// Compresses `input`; [`Unpacking`] reverses it. Appends to `out`.
pub fn compress(input: &[u8], out: &mut Vec<u8>) {
    let mut packed = Packed { at: out.len(), out };
    // What does not compress takes one byte more for each 255 of its length, and a copy of a few literals writes sixteen.
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
            // The longer nothing repeats, the larger the steps: text that does not compress costs little.
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
    let Packed { at, out } = packed;
    out.truncate(at);
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

fn shared_len(a: &[u8], b: &[u8]) -> usize {
    let mut len = 0;
    // Eight bytes at a time; the first that differs is where the difference has its lowest bit.
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let difference = word(a) ^ word(b);
        if difference != 0 {
            return len + difference.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + a[len..].iter().zip(&b[len..]).take_while(|(a, b)| a == b).count()
}

/// What is compressed so far: all before `at`, in a buffer that has room for the rest.
struct Packed<'a> {
    out: &'a mut Vec<u8>,
    at: usize,
}

impl Packed<'_> {
    /// The first `literals` bytes of `input`, and how far back and how long the match is that follows them.
    fn put_sequence(&mut self, input: &[u8], literals: usize, found: Option<(usize, usize)>) {
        let match_len = found.map_or(0, |(_, len)| len - MIN_MATCH);
        let nibble = |len: usize| u8::try_from(len.min(15)).expect("at most fifteen");
        self.put(nibble(literals) << 4 | nibble(match_len));
        self.put_rest_of_len(literals);
        match input.first_chunk::<16>() {
            // A fixed number of bytes is copied in place; any other number by a call, which takes longer than a few.
            Some(chunk) if literals <= chunk.len() => self.out[self.at..][..16].copy_from_slice(chunk),
            _ => self.out[self.at..][..literals].copy_from_slice(&input[..literals]),
        }
        self.at += literals;
        if let Some((distance, _)) = found {
            let distance = u16::try_from(distance).expect("matches are looked for within 64 KiB");
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
        self.put(u8::try_from(rest).expect("less than 255"));
    }

    #[inline]
    fn put(&mut self, byte: u8) {
        self.out[self.at] = byte;
        self.at += 1;
    }
}

/// A block that is decompressed as far as its bytes are asked for.
#[derive(Debug)]
pub struct Unpacking<'a> {
    input: Cow<'a, [u8]>,
    /// How far the input is read.
    read: usize,
    out: Vec<u8>,
    /// How far the output is there.
    done: usize,
}

impl<'a> Unpacking<'a> {
    /// Nothing yet of the `len` bytes that `input` is to hold; none where it cannot.
    ///
    /// Never allocates more than `len`, nor more than the format can expand the input to.
    pub fn new(input: Cow<'a, [u8]>, len: usize) -> Option<Unpacking<'a>> {
        if len / MOST_EXPANSION > input.len() {
            return None;
        }
        Some(Unpacking { input, read: 0, out: vec![0; len], done: 0 })
    }

    /// What was never compressed.
    pub fn done(out: Vec<u8>) -> Unpacking<'a> {
        Unpacking { input: Cow::Borrowed(&[]), read: 0, done: out.len(), out }
    }

    /// The first `end` bytes, at most all; none where the input does not hold them. All of them are there only where the
    /// input ends with them.
    pub fn reach(&mut self, end: usize) -> Option<&[u8]> {
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

/// Runs of text are seldom longer. Copies of a length that is known are a load and a store, others a call, which in
/// WebAssembly costs more than all the rest; what is copied too much is written over by what follows.
const STEP: usize = 16;

/// Fills `at..end` with what starts at `from`, which is before it, and may reach into what is being filled.
fn repeat(out: &mut [u8], mut from: usize, mut at: usize, end: usize) {
    if at - from >= STEP {
        while at < end && at + STEP <= out.len() {
            let step: [u8; STEP] = *out[from..].first_chunk().expect("it is before what has room");
            *out[at..].first_chunk_mut().expect("there is room") = step;
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
        Unpacking::new(Cow::Borrowed(input), len)?.reach(len).map(<[u8]>::to_vec)
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
    fn what_was_compressed_comes_back() {
        for input in samples() {
            let mut packed = Vec::new();
            compress(&input, &mut packed);
            assert_eq!(decompress(&packed, input.len()).as_deref(), Some(&input[..]));
        }
    }

    #[test]
    fn what_does_not_compress_has_room_and_what_was_there_before_stays() {
        // No four bytes occur twice, so that all of it is literals: the longest that an input can become.
        let mut input = Vec::new();
        (0..2_000u32).for_each(|number| input.extend(number.wrapping_mul(0x9e37_79b1).to_le_bytes()));
        let lengths = [0, 255, 510, 765, 255 * 16, 255 * 31].into_iter().flat_map(|len: usize| {
            // Fifteen literals have no byte of length; the next one has a first, and every 255 one more.
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
            let mut unpacking = Unpacking::new(Cow::Borrowed(&packed), input.len()).unwrap();
            for end in [0, 1, 7, 100, 5_000, 5_001, 60, usize::MAX].map(|end| end.min(input.len())) {
                assert_eq!(unpacking.reach(end), Some(&input[..end]), "{end} of {}", input.len());
            }
        }
    }

    #[test]
    fn the_reference_implementation_reads_what_is_written_and_writes_what_is_read() {
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
            let mut unpacking = Unpacking::new(Cow::Borrowed(&packed[..len]), input.len());
            assert_eq!(unpacking.as_mut().and_then(|unpacking| unpacking.reach(input.len())), None);
            assert_eq!(
                unpacking.as_mut().and_then(|unpacking| unpacking.reach(input.len())),
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
