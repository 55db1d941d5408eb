//! Which phrases of a query does each row contain?

use super::{Corpus, MatchFinder, Wanted, part_of};
use crate::order::sort_indexes;
use crate::query::Query;
use crate::snapshot::SnapshotError;

/// Returns, for each row and then for each phrase of the query, whether the row contains the phrase.
///
/// # Errors
/// Fails when the index is damaged.
pub fn contained_phrases(
    corpus: &Corpus,
    query: &Query,
    rows: &[u32],
) -> Result<Vec<Vec<bool>>, SnapshotError> {
    let mut contained = vec![vec![false; query.phrases.len()]; rows.len()];
    let mut order = (0..rows.len()).collect::<Vec<_>>();
    sort_indexes(&mut order, &mut |a, b| rows[a].cmp(&rows[b]));
    let places = order.iter().map(|place| part_of(corpus, rows[*place])).collect::<Vec<_>>();
    let mut finder: Option<(usize, MatchFinder)> = None;
    for (place, (part, document)) in order.into_iter().zip(&places) {
        if finder.as_ref().is_none_or(|(open, _)| open != part) {
            let own = places.iter().filter(|(other, _)| other == part).map(|(_, document)| *document);
            let own = own.collect::<Vec<_>>();
            finder = Some((*part, MatchFinder::new(&corpus.parts[*part], query, own, Wanted::Presence)));
        }
        let (_, finder) = finder.as_mut().expect("it was just opened");
        for found in finder.matches(*document)?.unwrap_or_default() {
            contained[place][found.phrase] = true;
        }
    }
    Ok(contained)
}
