//! Tests that rows read back, and that damaged bytes are errors.

use super::*;

const ENCODINGS: [Encoding; 3] = [Encoding::F32, Encoding::I8, Encoding::I1];
const METRICS: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

fn vectors(rows: usize, width: usize) -> Vec<Vec<f32>> {
    let mut state = 7u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(i16::from_ne_bytes([state.to_be_bytes()[0], state.to_be_bytes()[1]])) / 8192.0
    };
    (0..rows).map(|_| (0..width).map(|_| next()).collect()).collect()
}

#[test]
fn vectors_read_back_at_their_stored_precision() {
    for (encoding, metric) in ENCODINGS.into_iter().flat_map(|e| METRICS.map(|m| (e, m))) {
        for (width, gaps) in [(1, false), (15, true), (16, false), (130, true), (384, false)] {
            let vectors = vectors(5, width);
            let documents: Vec<u32> = if gaps { vec![0, 2, 3, 8, 9] } else { vec![0, 1, 2, 3, 4] };
            let count = documents[4] as usize + 1;
            let mut writer = RowsWriter::new(encoding, metric, None);
            for (vector, &document) in vectors.iter().zip(&documents) {
                writer.push(document, vector).unwrap();
            }
            let mut bytes = Vec::new();
            writer.encode(count, &mut bytes);
            let view = RowsView::parse(&bytes, count).unwrap();
            view.verify(count).unwrap();
            assert_eq!((view.len(), view.width(), view.is_complete()), (5, Some(width), !gaps));
            for (row, vector) in vectors.iter().enumerate() {
                assert_eq!(view.row_of(documents[row]), Some(row));
                let length = check_vector(vector, None).unwrap();
                let scale = if metric == Metric::Cosine { 1.0 / length } else { 1.0 };
                let step = vector.iter().fold(0f32, |most, x| most.max(x.abs())) / 127.0;
                let most = if encoding == Encoding::F32 { 1e-7 } else { 0.6 * f64::from(step) * scale };
                for (&kept, &number) in view.vector(row).iter().zip(vector) {
                    let apart = (f64::from(kept) - f64::from(number) * scale).abs();
                    // Rescaling to length 1 can move a coarse row by slightly more than a quantisation step.
                    assert!(apart <= most + 0.01, "{kept} {number} {encoding:?} {metric:?}");
                }
            }
            assert_eq!(view.row_of(1), if gaps { None } else { Some(1) });
        }
    }
}

#[test]
fn rows_copied_from_a_view_give_the_same_bytes() {
    for (encoding, metric) in ENCODINGS.into_iter().flat_map(|e| METRICS.map(|m| (e, m))) {
        let mut writer = RowsWriter::new(encoding, metric, Some(20));
        vectors(9, 20).iter().zip(0..).for_each(|(vector, row)| writer.push(row, vector).unwrap());
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        writer.encode(9, &mut bytes);
        let view = RowsView::parse(&bytes, 9).unwrap();
        let mut copy = RowsWriter::new(encoding, metric, None);
        (0..9).for_each(|row| copy.push_from(len32(row), &view, row).unwrap());
        copy.encode(9, &mut again);
        assert_eq!(bytes, again);
    }
}

#[test]
fn every_truncation_and_every_flipped_byte_is_an_error_or_the_same_shape() {
    for (encoding, metric) in ENCODINGS.into_iter().flat_map(|e| METRICS.map(|m| (e, m))) {
        let mut writer = RowsWriter::new(encoding, metric, None);
        vectors(3, 5).iter().zip([0, 2, 3]).for_each(|(vector, row)| writer.push(row, vector).unwrap());
        let mut bytes = Vec::new();
        writer.encode(4, &mut bytes);
        for len in 0..bytes.len() {
            assert!(RowsView::parse(&bytes[..len], 4).is_err(), "accepted {len} bytes");
        }
        for place in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x55;
            if let Ok(view) = RowsView::parse(&flipped, 4) {
                let _ = view.verify(4);
                (0..view.len()).for_each(|row| assert_eq!(view.vector(row).len(), 5));
            }
        }
    }
}

#[test]
fn a_model_without_rows_keeps_its_width() {
    for width in [None, Some(3)] {
        let mut bytes = Vec::new();
        RowsWriter::new(Encoding::I1, Metric::Dot, width).encode(7, &mut bytes);
        let view = RowsView::parse(&bytes, 7).unwrap();
        assert_eq!((view.len(), view.width()), (0, width));
    }
}
