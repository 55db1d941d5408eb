//! Integers in bytes: the one place that reads and writes them.
//!
//! Everything is little-endian, and every read is bounds checked: a snapshot may come from anywhere.

/// Bytes that cannot be what they claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is malformed")]
pub struct Malformed(
    /// What was being read.
    pub &'static str,
);

/// Reads integers from the front of a slice; the `put_` functions write what it reads.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// A reader of `bytes`, which are a `what`: the word its errors use.
    pub fn new(bytes: &'a [u8], what: &'static str) -> Reader<'a> {
        Reader { rest: bytes, what }
    }

    /// The error that says these bytes are malformed.
    pub fn malformed(&self) -> Malformed {
        Malformed(self.what)
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(self.malformed())?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(self.malformed())?;
        self.rest = rest;
        Ok(*taken)
    }

    /// The next byte.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    /// The next four bytes.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next eight bytes.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next eight bytes as a double.
    pub fn f64(&mut self) -> Result<f64, Malformed> {
        self.array().map(f64::from_le_bytes)
    }

    /// The next four bytes as a length or count.
    pub fn len32(&mut self) -> Result<usize, Malformed> {
        let value = self.u32()?;
        usize::try_from(value).map_err(|_| self.malformed())
    }

    /// A variable-length integer: seven bits a byte, lowest first; [`put_varint`] writes it.
    #[inline(never)]
    pub fn varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0xf {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                // A last byte without a bit could have been left out: the writer does.
                return if byte == 0 && shift > 0 { Err(self.malformed()) } else { Ok(value) };
            }
        }
        Err(self.malformed())
    }

    /// A variable-length integer as a length or count.
    pub fn varlen(&mut self) -> Result<usize, Malformed> {
        let value = self.varint()?;
        usize::try_from(value).map_err(|_| self.malformed())
    }

    /// A length and that many bytes; [`put_bytes`] writes them.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let len = self.varlen()?;
        self.take(len)
    }

    /// A length and that many bytes of UTF-8.
    pub fn str(&mut self) -> Result<&'a str, Malformed> {
        let what = self.malformed();
        std::str::from_utf8(self.bytes()?).map_err(|_| what)
    }
}

/// Writes a variable-length integer; [`Reader::varint`] reads it.
#[inline(never)]
pub fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}

/// Writes a length and the bytes; [`Reader::bytes`] reads them.
#[inline(never)]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, len32(bytes.len()));
    out.extend_from_slice(bytes);
}

/// A length as it is written: four bytes.
///
/// # Panics
/// When it does not fit: the limits on a segment's text keep its parts below 4 GiB.
pub fn len32(len: usize) -> u32 {
    u32::try_from(len).expect("a part of a segment is smaller than 4 GiB")
}

/// Writes several blocks, each at a multiple of sixteen bytes, behind a table of their lengths; [`blocks`] reads them.
///
/// ```text
/// 0 u32 count · 4 zeros · 16 u64 × count: lengths, padded to a multiple of 16 · the blocks, each padded
/// ```
pub fn put_blocks<T>(items: &[T], mut write: impl FnMut(&T, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = table_of_blocks(items.len());
    for (number, item) in items.iter().enumerate() {
        let start = out.len();
        write(item, &mut out);
        end_block(&mut out, number, start);
    }
    out
}

// These two are not inlined: they would stand anew in the code of every kind of block.
#[inline(never)]
fn table_of_blocks(count: usize) -> Vec<u8> {
    let mut out = vec![0; BLOCK_ALIGNMENT + (8 * count).next_multiple_of(BLOCK_ALIGNMENT)];
    out[..4].copy_from_slice(&len32(count).to_le_bytes());
    out
}

#[inline(never)]
fn end_block(out: &mut Vec<u8>, number: usize, start: usize) {
    let len = (out.len() - start) as u64;
    out[BLOCK_ALIGNMENT + 8 * number..][..8].copy_from_slice(&len.to_le_bytes());
    out.resize(out.len().next_multiple_of(BLOCK_ALIGNMENT), 0);
}

/// The blocks that `bytes`, which are a `what`, consist of; [`put_blocks`] wrote them.
pub fn blocks<'a>(bytes: &'a [u8], what: &'static str) -> Result<Vec<&'a [u8]>, Malformed> {
    let malformed = Malformed(what);
    let mut reader = Reader::new(bytes, what);
    let count = reader.len32()?;
    let zeros = reader.take(BLOCK_ALIGNMENT - 4)?;
    let table_len = count.checked_mul(8).ok_or(malformed)?;
    let padded = |len: usize| len.checked_next_multiple_of(BLOCK_ALIGNMENT).ok_or(malformed);
    let (table, padding) = reader.take(padded(table_len)?)?.split_at(table_len);
    if zeros.iter().chain(padding).any(|&byte| byte != 0) {
        return Err(malformed);
    }
    let mut table = Reader::new(table, what);
    let mut blocks = Vec::with_capacity(count);
    for _ in 0..count {
        let len = usize::try_from(table.u64()?).map_err(|_| malformed)?;
        let (block, padding) = reader.take(padded(len)?)?.split_at(len);
        if padding.iter().any(|&byte| byte != 0) {
            return Err(malformed);
        }
        blocks.push(block);
    }
    if reader.remaining() == 0 { Ok(blocks) } else { Err(malformed) }
}

const BLOCK_ALIGNMENT: usize = 16;

/// The `index`th four-byte integer of `bytes`; none past the end.
pub fn u32_at(bytes: &[u8], index: usize) -> Option<u32> {
    let at = index.checked_mul(4)?;
    let chunk = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*chunk))
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_that_is_longer_than_it_needs_to_be_is_refused() {
        for bytes in [&[0x80, 0][..], &[0xea, 0xea, 0xea, 0xea, 0]] {
            assert!(Reader::new(bytes, "a number").varint().is_err(), "{bytes:?}");
        }
        assert_eq!(Reader::new(&[0], "a number").varint(), Ok(0));
    }

    #[test]
    fn every_varint_comes_back() {
        for value in (0..300).chain([16_383, 16_384, u32::MAX - 1, u32::MAX]) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut reader = Reader::new(&bytes, "a varint");
            assert_eq!(reader.varint(), Ok(value));
            assert_eq!(reader.remaining(), 0);
        }
    }

    #[test]
    fn a_varint_that_does_not_fit_or_does_not_end_is_malformed() {
        for bytes in [&[0xff; 9][..], &[0x80], &[0xff, 0xff, 0xff, 0xff, 0x10], &[]] {
            assert_eq!(Reader::new(bytes, "a varint").varint(), Err(Malformed("a varint")));
        }
    }

    #[test]
    fn blocks_come_back_and_every_truncation_and_stray_byte_is_malformed() {
        let parts = [&b"one"[..], b"", b"sixteen bytes...", b"x"];
        let bytes = put_blocks(&parts, |part, out| out.extend_from_slice(part));
        assert_eq!(blocks(&bytes, "x").unwrap(), parts);
        for len in 0..bytes.len() {
            assert!(blocks(&bytes[..len], "x").is_err(), "accepted {len} bytes");
        }
        for place in [4, 15, 60, bytes.len() - 1] {
            let mut stray = bytes.clone();
            stray[place] = 1;
            assert!(blocks(&stray, "x").is_err(), "accepted byte {place}");
        }
    }

    #[test]
    fn reading_past_the_end_is_malformed() {
        assert!(Reader::new(&[1, 2, 3], "x").u32().is_err());
        assert!(Reader::new(&[5, 1, 2], "x").bytes().is_err());
        assert_eq!(u32_at(&[1, 0, 0, 0, 9], 1), None);
        assert_eq!(u32_at(&[1, 0, 0, 0, 9], usize::MAX), None);
    }
}
