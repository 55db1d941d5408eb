//! Which bytes of a file does a response carry? A range of them, read while the client receives them.

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::fs::File;
use std::io::{self, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncSeekExt, ReadBuf};

/// A file is read in pieces of this many bytes.
const PIECE_LEN: usize = 64 << 10;

/// A run of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The offset of the first byte.
    pub first: u64,
    /// The number of bytes.
    pub len: u64,
}

impl ByteRange {
    /// Returns these bytes of a file in memory.
    ///
    /// # Panics
    /// When the file ends before the range does.
    pub fn of(self, file: &'static [u8]) -> Bytes {
        let first = self.first as usize;
        Bytes::from_static(&file[first..first + self.len as usize])
    }
}

/// One range, as a `Range` header states it, before the length of the file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeHeader {
    /// `bytes=5-` and `bytes=5-9`: from the first offset to the last, or to the end.
    From { first: u64, last: u64 },
    /// `bytes=-5`: the last bytes, or the whole file if it is shorter.
    Last(u64),
}

impl RangeHeader {
    /// Parses the value of a `Range` header.
    ///
    /// Returns `None` for several ranges, for other units and for malformed values. A server answers those with the
    /// whole file.
    pub fn parse(value: &str) -> Option<RangeHeader> {
        let (first, last) = value.trim().strip_prefix("bytes=")?.split_once('-')?;
        if first.is_empty() {
            return Some(RangeHeader::Last(offset(last)?));
        }
        let first = offset(first)?;
        let last = if last.is_empty() { u64::MAX } else { offset(last)? };
        (first <= last).then_some(RangeHeader::From { first, last })
    }

    /// Returns the bytes that a file of this length has in the range; `None` if it has none.
    pub fn within(self, file_len: u64) -> Option<ByteRange> {
        let (first, end) = match self {
            RangeHeader::From { first, last } => (first, last.saturating_add(1).min(file_len)),
            RangeHeader::Last(count) => (file_len.saturating_sub(count), file_len),
        };
        (first < end).then(|| ByteRange { first, len: end - first })
    }
}

fn offset(text: &str) -> Option<u64> {
    // `parse` alone would accept a plus sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The body of a response: a part of a file, read piece by piece.
#[derive(Debug)]
pub struct FilePart {
    file: tokio::fs::File,
    left: u64,
    piece: Vec<u8>,
}

impl FilePart {
    /// Prepares to read these bytes of a file.
    pub async fn open(file: File, range: ByteRange) -> io::Result<FilePart> {
        let mut file = tokio::fs::File::from_std(file);
        file.seek(SeekFrom::Start(range.first)).await?;
        Ok(FilePart { file, left: range.len, piece: vec![0; PIECE_LEN] })
    }
}

impl Body for FilePart {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let wanted = self.left.min(PIECE_LEN as u64) as usize;
        if wanted == 0 {
            return Poll::Ready(None);
        }
        let FilePart { file, left, piece } = &mut *self;
        let mut read = ReadBuf::new(&mut piece[..wanted]);
        if let Err(error) = ready!(Pin::new(file).poll_read(context, &mut read)) {
            return Poll::Ready(Some(Err(error)));
        }
        // The headers have promised more bytes, so a file that became shorter ends the connection.
        if read.filled().is_empty() {
            return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
        }
        *left -= read.filled().len() as u64;
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(read.filled())))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_ranges_are_parsed_and_others_ask_for_the_whole_file() {
        let from = |first, last| Some(RangeHeader::From { first, last });
        assert_eq!(RangeHeader::parse("bytes=5-9"), from(5, 9));
        assert_eq!(RangeHeader::parse("bytes=5-"), from(5, u64::MAX));
        assert_eq!(RangeHeader::parse("bytes=-3"), Some(RangeHeader::Last(3)));
        for other in
            ["bytes=1-2,4-5", "lines=1-2", "bytes=a-b", "bytes=+1-2", "bytes=--3", "bytes=-", "bytes=5-4", ""]
        {
            assert_eq!(RangeHeader::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_range_is_clipped_to_the_file_and_empty_ranges_are_none() {
        let within = |value: &str, len| RangeHeader::parse(value).unwrap().within(len);
        let range = |first, len| Some(ByteRange { first, len });
        assert_eq!(within("bytes=0-0", 10), range(0, 1));
        assert_eq!(within("bytes=5-99", 10), range(5, 5));
        assert_eq!(within("bytes=5-", 10), range(5, 5));
        assert_eq!(within("bytes=-3", 10), range(7, 3));
        assert_eq!(within("bytes=-30", 10), range(0, 10));
        for value in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
            assert_eq!(within(value, 10), None, "{value}");
        }
        for value in ["bytes=0-", "bytes=-5"] {
            assert_eq!(within(value, 0), None, "{value}");
        }
    }
}
