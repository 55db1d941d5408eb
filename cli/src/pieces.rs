//! Removes the pieces that remain when `--chunk` cuts a new version of a record into fewer pieces.
//!
//! A record replaces an earlier one with its key. Its pieces have keys of their own, so the pieces that the new version
//! lacks must be removed, and all pieces if the record is deleted or has no text any more.

use crate::input::Cut;
use snapseek::segment::{Batch, BatchWriter};
use snapseek::{Key, Schema};
use std::collections::HashMap;

/// The outcomes of `--chunk` for consecutive records, in order.
#[derive(Debug, Default)]
pub struct Cuts(Vec<(String, String, Cut)>);

impl Cuts {
    /// Adds the outcome for the next record.
    pub fn note(&mut self, id: String, kind: String, cut: Cut) {
        self.0.push((id, kind, cut));
    }
}

/// The number of pieces that each record may have.
#[derive(Debug, Default)]
pub struct LivePieces(HashMap<(String, String), Live>);

#[derive(Debug, Default)]
struct Live {
    pieces: usize,
    is_whole: bool,
}

impl LivePieces {
    /// Returns a batch that removes the stale pieces of earlier versions; `None` if there are none. Push it after the
    /// batch of these cuts.
    pub fn stale(&mut self, cuts: Cuts, schema: &Schema) -> Option<Batch> {
        let keys = self.stale_keys(cuts);
        if keys.is_empty() {
            return None;
        }
        let mut writer = BatchWriter::new(schema).expect("the schema was checked");
        keys.iter().for_each(|(id, kind)| writer.remove(Key { id, kind }));
        Some(writer.finish())
    }

    fn stale_keys(&mut self, cuts: Cuts) -> Vec<(String, String)> {
        // Within a batch, only the last version of a record counts, together with all versions before the batch.
        let mut last: HashMap<(String, String), Cut> = HashMap::new();
        let mut order = Vec::new();
        for (id, kind, cut) in cuts.0 {
            let key = (id, kind);
            let live = self.0.entry(key.clone()).or_default();
            match cut {
                Cut::Gone => {}
                Cut::Whole => live.is_whole = true,
                Cut::Pieces(count) => live.pieces = live.pieces.max(count),
            }
            if last.insert(key.clone(), cut).is_none() {
                order.push(key);
            }
        }
        let mut stale = Vec::new();
        for key in order {
            let (cut, live) = (last[&key], self.0.entry(key.clone()).or_default());
            let kept = if let Cut::Pieces(count) = cut { count } else { 0 };
            let (id, kind) = &key;
            stale.extend((kept..live.pieces).map(|piece| (format!("{id}#{piece}"), kind.clone())));
            if live.is_whole && cut != Cut::Whole {
                stale.push(key.clone());
            }
            *live = Live { pieces: kept, is_whole: cut == Cut::Whole };
        }
        stale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale(pieces: &mut LivePieces, cuts: &[(&str, Cut)]) -> Vec<String> {
        let cuts = cuts.iter().map(|&(id, cut)| (id.to_owned(), "document".to_owned(), cut)).collect();
        pieces.stale_keys(Cuts(cuts)).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn what_a_later_version_has_not_got_is_removed() {
        let mut pieces = LivePieces::default();
        let none: [&str; 0] = [];
        assert_eq!(stale(&mut pieces, &[("a", Cut::Pieces(3)), ("b", Cut::Pieces(2))]), none);
        assert_eq!(stale(&mut pieces, &[("a", Cut::Pieces(4)), ("b", Cut::Pieces(1))]), ["b#1"]);
        assert_eq!(stale(&mut pieces, &[("a", Cut::Whole)]), ["a#0", "a#1", "a#2", "a#3"]);
        assert_eq!(stale(&mut pieces, &[("a", Cut::Pieces(1)), ("b", Cut::Gone)]), ["a", "b#0"]);
        assert_eq!(stale(&mut pieces, &[("b", Cut::Gone), ("c", Cut::Gone)]), none);
    }

    #[test]
    fn of_several_versions_in_one_batch_the_last_counts() {
        let mut pieces = LivePieces::default();
        let cuts = [
            ("a", Cut::Pieces(3)),
            ("a", Cut::Gone),
            ("a", Cut::Pieces(2)),
            ("b", Cut::Whole),
            ("b", Cut::Pieces(1)),
        ];
        assert_eq!(stale(&mut pieces, &cuts), ["a#2", "b"]);
    }
}
