//! Which pieces of a record are left, once `--chunk` has cut another version of it into fewer?
//!
//! A record replaces an earlier one with its key. Its pieces have keys of their own, so those that the new version has
//! not got have to be removed; and so have all of them where the record is deleted, or has no text any more.

use crate::input::Cut;
use snapseek::segment::{Batch, BatchWriter};
use snapseek::{Key, Schema};
use std::collections::HashMap;

/// What became of consecutive records, in order.
#[derive(Debug, Default)]
pub struct Cuts(Vec<(String, String, Cut)>);

impl Cuts {
    /// Notes what became of the next record.
    pub fn note(&mut self, id: String, kind: String, cut: Cut) {
        self.0.push((id, kind, cut));
    }
}

/// What there may be of every record that was cut.
#[derive(Debug, Default)]
pub struct LivePieces(HashMap<(String, String), Live>);

#[derive(Debug, Default)]
struct Live {
    pieces: usize,
    is_whole: bool,
}

impl LivePieces {
    /// A batch that removes what is left of earlier versions; none where nothing is. It belongs after the batch that the
    /// cuts were noted in.
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
        // Within a batch only the last version of a record counts, beside whatever there was before it.
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
