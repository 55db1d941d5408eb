//! The vectors of all models of a segment, in the schema's order.
//!
//! ```text
//! 0 u32 models · 4 zeros · 16 u64 × models: the bytes of each, padded to a multiple of 16 · the models
//! ```

use super::rows::{RowsView, RowsWriter};
use crate::wire::{Malformed, Reader, len32};

const WHAT: Malformed = Malformed("the table of vectors");

/// The section of these models, in a segment of so many documents; [`parse`] reads it.
pub fn encode(models: &[RowsWriter], documents: usize) -> Vec<u8> {
    let table_len = (8 * models.len()).next_multiple_of(16);
    let mut out = vec![0; 16 + table_len];
    out[..4].copy_from_slice(&len32(models.len()).to_le_bytes());
    for (number, model) in models.iter().enumerate() {
        let start = out.len();
        model.encode(documents, &mut out);
        let len = (out.len() - start) as u64;
        out[16 + 8 * number..][..8].copy_from_slice(&len.to_le_bytes());
    }
    out
}

/// The models of a section, of a segment of so many documents; [`encode`] reverses it.
///
/// # Errors
/// When the bytes are no such section.
pub fn parse(bytes: &[u8], documents: usize) -> Result<Vec<RowsView<'_>>, Malformed> {
    let mut reader = Reader::new(bytes, WHAT.0);
    let count = reader.len32()?;
    reader.take(12)?;
    let table_len = count.checked_mul(8).and_then(|len| len.checked_next_multiple_of(16)).ok_or(WHAT)?;
    let mut lens = Reader::new(reader.take(table_len)?, WHAT.0);
    let mut models = Vec::with_capacity(count);
    for _ in 0..count {
        let len = usize::try_from(lens.u64()?).map_err(|_| WHAT)?;
        models.push(RowsView::parse(reader.take(len)?, documents)?);
    }
    if reader.remaining() == 0 { Ok(models) } else { Err(WHAT) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{Encoding, Metric};

    #[test]
    fn models_come_back_in_order_and_every_truncation_is_an_error() {
        let mut first = RowsWriter::new(Encoding::F32, Metric::Cosine, None);
        first.push(1, &[1.0, 2.0]).unwrap();
        let second = RowsWriter::new(Encoding::I8, Metric::Dot, Some(9));
        let mut third = RowsWriter::new(Encoding::I1, Metric::Dot, None);
        (0..2).for_each(|document| third.push(document, &[-1.0, 2.0, 3.0]).unwrap());
        let bytes = encode(&[first, second, third], 2);
        let models = parse(&bytes, 2).unwrap();
        let shapes = models.iter().map(|model| (model.len(), model.width())).collect::<Vec<_>>();
        assert_eq!(shapes, [(1, Some(2)), (0, Some(9)), (2, Some(3))]);
        for len in 0..bytes.len() {
            assert!(parse(&bytes[..len], 2).is_err(), "accepted {len} bytes");
        }
    }
}
