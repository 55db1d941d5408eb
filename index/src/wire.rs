//! How are integers and blocks encoded as bytes?
//!
//! All integers are little-endian. Every read is bounds checked, because a snapshot may come from an untrusted source.

/// The error for bytes that do not follow their format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is malformed")]
pub struct Malformed(
    /// The name of the structure that was being read, for the error message.
    pub &'static str,
);

/// Reads integers from the front of a slice. The `put_` functions write the same encoding.
///
/// ```
/// use snapseek_index::wire::{Reader, put_bytes, put_varint};
///
/// let mut bytes = Vec::new();
/// put_varint(&mut bytes, 300);
/// put_bytes(&mut bytes, b"fox");
/// assert_eq!(bytes, [0xac, 0x02, 3, b'f', b'o', b'x']);
///
/// let mut reader = Reader::new(&bytes, "the example");
/// assert_eq!(reader.varint(), Ok(300));
/// assert_eq!(reader.bytes(), Ok(&b"fox"[..]));
/// assert_eq!(reader.u8().unwrap_err().to_string(), "the example is malformed");
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`. Error messages call the bytes `what`.
    pub fn new(bytes: &'a [u8], what: &'static str) -> Reader<'a> {
        Reader { rest: bytes, what }
    }

    /// Returns the error that reports these bytes as malformed.
    pub fn malformed(&self) -> Malformed {
        Malformed(self.what)
    }

    /// Returns the number of unread bytes.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns the unread bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads the next `len` bytes.
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

    /// Reads one byte.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    /// Reads a 4-byte integer.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads an 8-byte integer.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads an 8-byte double.
    pub fn f64(&mut self) -> Result<f64, Malformed> {
        self.array().map(f64::from_le_bytes)
    }

    /// Reads a 4-byte integer as a length or count.
    pub fn len32(&mut self) -> Result<usize, Malformed> {
        let value = self.u32()?;
        usize::try_from(value).map_err(|_| self.malformed())
    }

    /// Reads a variable-length integer: seven bits per byte, lowest first. [`put_varint`] writes it.
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
                // The writer never ends a number with a zero byte, so each number has exactly one encoding.
                return if byte == 0 && shift > 0 { Err(self.malformed()) } else { Ok(value) };
            }
        }
        Err(self.malformed())
    }

    /// Reads a variable-length integer as a length or count.
    pub fn varlen(&mut self) -> Result<usize, Malformed> {
        let value = self.varint()?;
        usize::try_from(value).map_err(|_| self.malformed())
    }

    /// Reads a length, then that number of bytes. [`put_bytes`] writes them.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let len = self.varlen()?;
        self.take(len)
    }

    /// Reads a length, then that number of bytes, which must be UTF-8.
    pub fn str(&mut self) -> Result<&'a str, Malformed> {
        let what = self.malformed();
        std::str::from_utf8(self.bytes()?).map_err(|_| what)
    }
}

/// Appends a variable-length integer. [`Reader::varint`] reads it.
#[inline(never)]
pub fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}

/// Appends the length of `bytes`, then `bytes`. [`Reader::bytes`] reads them.
#[inline(never)]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, len32(bytes.len()));
    out.extend_from_slice(bytes);
}

/// Converts a length to the four bytes in which it is stored.
///
/// # Panics
/// Panics when the length does not fit. The limits on a segment's text keep each part below 4 GiB.
pub fn len32(len: usize) -> u32 {
    u32::try_from(len).expect("a part of a segment is smaller than 4 GiB")
}

/// Encodes `items` as blocks that start at multiples of 16 bytes, after a table of their lengths.
///
/// [`blocks`] reads them. The layout is:
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

// Neither function is inlined, so that the binary contains them once and not once per item type.
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

/// Splits `bytes` into the blocks that [`put_blocks`] wrote. Error messages call the bytes `what`.
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

/// Returns the `index`th 4-byte integer of `bytes`, or `None` past the end.
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
    fn an_overlong_varint_is_refused() {
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
