//! The vector section of a segment: one block per model, in schema order.

use super::rows::{RowsView, RowsWriter};
use crate::wire::{Malformed, blocks, put_blocks};

/// Encodes the vectors of all models, for a segment with `documents` documents. [`parse`] reads them.
pub fn encode(models: &[RowsWriter], documents: usize) -> Vec<u8> {
    put_blocks(models, |model, out| model.encode(documents, out))
}

/// Reads the vectors of all models, for a segment with `documents` documents. [`encode`] reverses it.
///
/// # Errors
/// Returns an error when the bytes are not a valid section.
pub fn parse(bytes: &[u8], documents: usize) -> Result<Vec<RowsView<'_>>, Malformed> {
    let mut models = Vec::new();
    for model in blocks(bytes, "the table of vectors")? {
        models.push(RowsView::parse(model, documents)?);
    }
    Ok(models)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{Encoding, Metric};

    #[test]
    fn models_come_back_in_order() {
        let mut first = RowsWriter::new(Encoding::F32, Metric::Cosine, None);
        first.push(1, &[1.0, 2.0]).unwrap();
        let second = RowsWriter::new(Encoding::I8, Metric::Dot, Some(9));
        let mut third = RowsWriter::new(Encoding::I1, Metric::Dot, None);
        (0..2).for_each(|document| third.push(document, &[-1.0, 2.0, 3.0]).unwrap());
        let bytes = encode(&[first, second, third], 2);
        let models = parse(&bytes, 2).unwrap();
        let shapes = models.iter().map(|model| (model.len(), model.width())).collect::<Vec<_>>();
        assert_eq!(shapes, [(1, Some(2)), (0, Some(9)), (2, Some(3))]);
    }
}
