//! How does a file start? With a header of 48 bytes.
//!
//! ```text
//! 0 signature · 8 u32 format · 12 u32 sections · 16 u64 file length · 24 u64 checksum of the table of sections
//! · 32 u64 length of the head (format 1: zero) · 40 u64 checksum of bytes 0 to 40
//! ```

use super::error::{SnapshotError, SnapshotFault};
use crate::wire::Reader;
use xxhash_rust::xxh3::xxh3_64;

/// The format version that this build writes. It also reads every earlier one.
pub const FORMAT: u32 = 2;

/// The first format, whose files have no head and can only be read whole.
pub const FORMAT_WITHOUT_HEAD: u32 = 1;

/// The first eight bytes of a snapshot. The final `\r\n` reveals a transfer that changed line ends.
const SIGNATURE: [u8; 8] = *b"snapsk\r\n";

/// The fixed start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format version of everything that follows.
    pub format: u32,
    /// The number of sections.
    pub sections: u32,
    /// The length of the whole file, in bytes.
    pub file_len: u64,
    /// The checksum of the section table, which follows the header.
    pub table_checksum: u64,
    /// The length of the head, in bytes: everything that a reader of pieces needs from the start. 0 in format 1.
    pub head_len: u64,
}

impl Header {
    /// The length of a header, in bytes.
    pub const LEN: usize = 48;
    const CHECKED: usize = 40;

    /// Encodes this header; [`Header::parse`] reverses it.
    pub fn encode(self) -> [u8; Header::LEN] {
        let mut bytes = [0; Header::LEN];
        bytes[..8].copy_from_slice(&SIGNATURE);
        bytes[8..12].copy_from_slice(&self.format.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.sections.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.file_len.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.table_checksum.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.head_len.to_le_bytes());
        let checksum = xxh3_64(&bytes[..Header::CHECKED]);
        bytes[Header::CHECKED..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header at the start of `bytes`; [`Header::encode`] reverses it.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot, have an unknown format, or are damaged.
    pub fn parse(bytes: &[u8]) -> Result<Header, SnapshotError> {
        if is_html(bytes) {
            return Err(SnapshotFault::HtmlPage.into());
        }
        let signature = bytes.get(..8).ok_or(SnapshotFault::NotASnapshot)?;
        if signature != SIGNATURE {
            return Err(SnapshotFault::NotASnapshot.into());
        }
        let found = bytes.len() as u64;
        let head = bytes.first_chunk::<{ Header::LEN }>();
        let head = head.ok_or(SnapshotFault::WrongLength { expected: Header::LEN as u64, found })?;
        let mut reader = Reader::new(&head[8..], "the header");
        let (format, sections) = (reader.u32()?, reader.u32()?);
        // Check the format before the checksum, because a later format may store its checksum elsewhere.
        if !(FORMAT_WITHOUT_HEAD..=FORMAT).contains(&format) {
            return Err(SnapshotFault::UnsupportedVersion { found: format, supported: FORMAT }.into());
        }
        let (file_len, table_checksum, head_len) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let has_head = head_len >= Header::LEN as u64 && head_len <= file_len;
        let is_head_right = if format == FORMAT_WITHOUT_HEAD { head_len == 0 } else { has_head };
        if reader.u64()? != xxh3_64(&head[..Header::CHECKED]) || !is_head_right {
            return Err(SnapshotFault::HeaderChecksum.into());
        }
        Ok(Header { format, sections, file_len, table_checksum, head_len })
    }
}

/// Whether bytes start as an HTML page does. Many servers answer with a page if a file is absent.
fn is_html(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let starts =
        |start: &[u8]| bytes.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start));
    starts(b"<!doctype html") || starts(b"<html") || starts(b"<head") || starts(b"<!--")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let len = Header::LEN as u64;
        Header { format: FORMAT, sections: 3, file_len: len, table_checksum: 77, head_len: len }
    }

    #[test]
    fn every_truncation_is_an_error_and_never_a_panic() {
        let bytes = header().encode();
        assert_eq!(Header::parse(&bytes), Ok(header()));
        for len in 0..Header::LEN {
            assert!(Header::parse(&bytes[..len]).is_err(), "accepted {len} bytes");
        }
    }

    #[test]
    fn every_flipped_bit_is_an_error() {
        for i in 0..Header::LEN * 8 {
            let mut bytes = header().encode();
            bytes[i / 8] ^= 1 << (i % 8);
            assert!(Header::parse(&bytes).is_err(), "accepted bit {i}");
        }
    }

    #[test]
    fn a_newer_format_is_refused_with_what_to_do() {
        let bytes = Header { format: 3, ..header() }.encode();
        assert_eq!(
            Header::parse(&bytes).unwrap_err().to_string(),
            "snapshot format 3 is not supported; this build reads formats 1 to 2: update snapseek, or build the snapshot again"
        );
    }

    #[test]
    fn a_head_longer_than_the_file_or_in_format_1_is_an_error() {
        let wrong = [
            Header { head_len: Header::LEN as u64 + 1, ..header() },
            Header { head_len: 0, ..header() },
            Header { format: FORMAT_WITHOUT_HEAD, ..header() },
        ];
        for header in wrong {
            assert_eq!(*Header::parse(&header.encode()).unwrap_err(), SnapshotFault::HeaderChecksum);
        }
    }

    #[test]
    fn a_page_in_place_of_a_snapshot_is_recognised() {
        for page in ["<!DOCTYPE html><p>", "\n <html lang=en>", "\u{feff}<!-- x --><html>"] {
            assert_eq!(*Header::parse(page.as_bytes()).unwrap_err(), SnapshotFault::HtmlPage, "{page}");
        }
        assert_eq!(*Header::parse(b"<svg>").unwrap_err(), SnapshotFault::NotASnapshot);
    }
}
