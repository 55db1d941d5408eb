//! How does a reader that fetches a part of a file know that it is undamaged? Every part has its own checksum.
//!
//! Parts have one size, and the first starts where the head ends. The section is in the head.
//!
//! ```text
//! u32 size of a part · parts × u32 checksum: the low half of its XXH3
//! ```

use super::sections::{ALIGNMENT, SectionKind};
use crate::wire::{Malformed, Reader, len32, u32_at};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// The smallest and the largest part, in bytes. Small parts waste less of each request; many parts make the head long.
const SIZES: Range<usize> = 512..16_384;

/// The file has about this many parts, unless they would be too small or too large.
const PARTS: usize = 8_192;

/// Returns the size of the parts of `len` bytes.
fn size_for(len: usize) -> usize {
    (len / PARTS).next_power_of_two().clamp(SIZES.start, SIZES.end)
}

/// Encodes the checksums of the parts of these sections, which follow the head in this order; [`Parts::parse`] reads them.
pub(super) fn encode(sections: &[(SectionKind, &[u8])]) -> Vec<u8> {
    let len = sections.iter().fold(0usize, |at, (_, bytes)| at.next_multiple_of(ALIGNMENT) + bytes.len());
    let size = size_for(len);
    let mut out = Vec::with_capacity(4 + 4 * len.div_ceil(size));
    out.extend_from_slice(&len32(size).to_le_bytes());
    let mut part = Vec::with_capacity(size);
    let mut at = 0usize;
    let mut put = |mut bytes: &[u8]| {
        while !bytes.is_empty() {
            let (own, rest) = bytes.split_at(bytes.len().min(size - part.len()));
            part.extend_from_slice(own);
            bytes = rest;
            if part.len() == size {
                out.extend_from_slice(&checksum(&part).to_le_bytes());
                part.clear();
            }
        }
    };
    for (_, bytes) in sections {
        put(&[0; ALIGNMENT][..at.next_multiple_of(ALIGNMENT) - at]);
        put(bytes);
        at = at.next_multiple_of(ALIGNMENT) + bytes.len();
    }
    if !part.is_empty() {
        out.extend_from_slice(&checksum(&part).to_le_bytes());
    }
    out
}

fn checksum(part: &[u8]) -> u32 {
    let [a, b, c, d, ..] = xxh3_64(part).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// The parts of a file.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The range of the file that is divided into parts.
    pub range: Range<usize>,
    /// The size of each part in bytes; the last one may be shorter.
    pub size: usize,
    checksums: Vec<u8>,
}

impl Parts {
    /// Reads the section of a file whose `range` is divided into parts; [`encode`] reverses it.
    ///
    /// # Errors
    /// Fails when the section has another length or size of parts than the writer would choose.
    pub fn parse(section: &[u8], range: Range<usize>) -> Result<Parts, Malformed> {
        let mut reader = Reader::new(section, "the table of part checksums");
        let size = reader.len32()?;
        let checksums = reader.rest();
        let fits = size == size_for(range.len()) && checksums.len() == 4 * range.len().div_ceil(size);
        if fits { Ok(Parts { range, size, checksums: checksums.to_vec() }) } else { Err(reader.malformed()) }
    }

    /// Returns the smallest range of whole parts that contains a range of the file.
    pub fn around(&self, range: &Range<usize>) -> Range<usize> {
        let first = range.start.saturating_sub(self.range.start) / self.size;
        let end = range.end.saturating_sub(self.range.start).div_ceil(self.size);
        let at = |part: usize| (self.range.start + part * self.size).min(self.range.end);
        at(first)..at(end)
    }

    /// Reports whether these bytes are whole parts of the file from offset `start` on, and undamaged.
    pub fn are(&self, start: usize, bytes: &[u8]) -> bool {
        let Some(before) = start.checked_sub(self.range.start) else { return false };
        let end = start.saturating_add(bytes.len());
        let is_aligned = before % self.size == 0 && self.around(&(start..end)) == (start..end);
        let first = before / self.size;
        let is_sound = |(part, bytes)| u32_at(&self.checksums, part) == Some(checksum(bytes));
        is_aligned && (first..).zip(bytes.chunks(self.size)).all(is_sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_undamaged_parts_are_accepted_and_nothing_else() {
        let (first, second) = (vec![7; 1000], (0..=255).cycle().take(700).collect::<Vec<u8>>());
        let section = encode(&[(SectionKind::Terms, &first), (SectionKind::Forms, &second)]);
        let file = [&first[..], &[0; 8], &second].concat();
        let parts = Parts::parse(&section, 160..160 + file.len()).unwrap();
        assert_eq!(parts.size, 512);
        for (start, end) in [(0, 512), (512, 1708), (0, 1708), (1536, 1708)] {
            let bytes = &file[start..end];
            assert!(parts.are(160 + start, bytes), "{start}");
            let mut damaged = bytes.to_vec();
            damaged[5] ^= 1;
            assert!(!parts.are(160 + start, &damaged), "damage at {start}");
            assert!(!parts.are(160 + start, &bytes[..bytes.len() - 1]), "a part cut short at {start}");
            assert!(!parts.are(161 + start, bytes), "a shift at {start}");
        }
        assert_eq!(parts.around(&(700..701)), 672..1184);
        assert_eq!(parts.around(&(170..1860)), 160..1868);
    }

    #[test]
    fn sections_that_no_writer_writes_are_malformed() {
        let section = encode(&[(SectionKind::Terms, &[1; 2000])]);
        assert!(Parts::parse(&section, 0..2000).is_ok());
        for len in 0..section.len() {
            assert!(Parts::parse(&section[..len], 0..2000).is_err(), "accepted {len} bytes");
        }
        assert!(Parts::parse(&section, 0..2049).is_err());
        let other_size = [&1024u32.to_le_bytes()[..], &section[4..12]].concat();
        assert!(Parts::parse(&other_size, 0..2000).is_err());
    }
}
