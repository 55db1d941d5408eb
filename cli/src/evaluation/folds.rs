//! Which queries are held out together? Folds for cross-validation.

use xxhash_rust::xxh3::xxh3_64;

/// Returns the fold of each query, 0 to `count` − 1.
///
/// Queries are sorted by the hash of their ids and dealt out in turn. Hence the folds do not depend on the order of the
/// file, and their sizes differ by at most one.
pub fn folds(ids: &[&str], count: usize) -> Vec<usize> {
    let mut order = (0..ids.len()).collect::<Vec<_>>();
    order.sort_by_key(|place| (xxh3_64(ids[*place].as_bytes()), ids[*place]));
    let mut folds = vec![0; ids.len()];
    for (turn, place) in order.into_iter().enumerate() {
        folds[place] = turn % count;
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn some_ids(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("q{number:03}")).collect()
    }

    #[test]
    fn folds_differ_in_size_by_at_most_one() {
        for (queries, count) in [(120, 5), (23, 5), (7, 7), (2, 2)] {
            let ids = some_ids(queries);
            let folds = folds(&ids.iter().map(String::as_str).collect::<Vec<_>>(), count);
            let sizes = (0..count).map(|fold| folds.iter().filter(|other| **other == fold).count());
            let sizes = sizes.collect::<Vec<_>>();
            assert_eq!(sizes.iter().sum::<usize>(), queries);
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn a_query_stays_in_its_fold_in_any_order_of_the_file() {
        let ids = some_ids(50);
        let mut ids = ids.iter().map(String::as_str).collect::<Vec<_>>();
        let by_id = |ids: &[&str]| {
            let pairs = ids.iter().map(|id| (*id).to_owned()).zip(folds(ids, 5));
            pairs.collect::<BTreeMap<_, _>>()
        };
        let first = by_id(&ids);
        ids.reverse();
        ids.rotate_left(13);
        assert_eq!(by_id(&ids), first);
    }

    #[test]
    fn the_folds_of_an_id_are_the_same_on_every_machine() {
        assert_eq!(folds(&["a", "b", "c", "d", "e", "f"], 3), [2, 2, 0, 1, 1, 0]);
    }
}
