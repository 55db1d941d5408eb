//! nDCG@10, recall@10, recall@100 and MRR@10 of one ranking, as trec_eval computes ndcg_cut.10, recall.10, recall.100
//! and recip_rank.

use std::collections::HashMap;

/// The cutoff of nDCG, MRR and the shallow recall.
const SHALLOW: usize = 10;
/// The cutoff of the deep recall.
const DEEP: usize = 100;

/// The measures of a ranking, or their means over several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Discounted gain of the first 10, as a fraction of the best possible gain. Gains are the judged relevance.
    pub ndcg: f64,
    /// The fraction of relevant documents among the first 10.
    pub shallow_recall: f64,
    /// The fraction of relevant documents among the first 100.
    pub recall: f64,
    /// 1 / the rank of the first relevant document; 0 if none is among the first 10.
    pub mrr: f64,
}

impl Measures {
    /// Measures documents in rank order, without duplicates, against the judgments of their query.
    pub fn of_ranking(documents: &[&str], judged: &HashMap<String, i64>) -> Measures {
        let relevance = |document: &&str| judged.get(*document).copied().unwrap_or(0);
        let shallow = documents.iter().take(SHALLOW).map(relevance).collect::<Vec<_>>();
        let mut ideal = judged.values().copied().filter(|relevance| *relevance > 0).collect::<Vec<_>>();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let relevant = shallow.iter().filter(|relevance| **relevance > 0).count();
        let found = documents.iter().take(DEEP).map(relevance).filter(|relevance| *relevance > 0).count();
        let first = shallow.iter().position(|relevance| *relevance > 0);
        Measures {
            ndcg: share(discounted_gain(&shallow), discounted_gain(&ideal[..ideal.len().min(SHALLOW)])),
            shallow_recall: share(relevant as f64, ideal.len() as f64),
            recall: share(found as f64, ideal.len() as f64),
            mrr: first.map_or(0.0, |place| 1.0 / (place + 1) as f64),
        }
    }

    /// Returns the mean of each measure; zeros if there are none.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Measures>) -> Measures {
        let mut sum = Measures::default();
        let mut count = 0.0;
        for measures in all {
            sum.ndcg += measures.ndcg;
            sum.shallow_recall += measures.shallow_recall;
            sum.recall += measures.recall;
            sum.mrr += measures.mrr;
            count += 1.0;
        }
        Measures {
            ndcg: share(sum.ndcg, count),
            shallow_recall: share(sum.shallow_recall, count),
            recall: share(sum.recall, count),
            mrr: share(sum.mrr, count),
        }
    }
}

/// Sums gain / log2(rank + 1), with ranks from 1. Negative relevance counts as 0.
fn discounted_gain(relevance: &[i64]) -> f64 {
    let part = |(place, relevance): (usize, &i64)| (*relevance).max(0) as f64 / (place as f64 + 2.0).log2();
    relevance.iter().enumerate().map(part).sum()
}

/// Divides; 0 if `whole` is 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_the_relevance_itself_and_fall_with_the_logarithm_of_the_place() {
        let judged = HashMap::from([("a".to_owned(), 3), ("b".to_owned(), 1)]);
        let measures = Measures::of_ranking(&["x", "a", "b"], &judged);
        let ideal = 3.0 + 1.0 / 3f64.log2();
        assert_eq!(measures.ndcg, (3.0 / 3f64.log2() + 1.0 / 2.0) / ideal);
        assert_eq!((measures.shallow_recall, measures.recall, measures.mrr), (1.0, 1.0, 0.5));
    }

    #[test]
    fn a_perfect_ranking_scores_one_and_an_empty_one_zero() {
        let judged = HashMap::from([("a".to_owned(), 2), ("b".to_owned(), 1), ("c".to_owned(), 0)]);
        assert_eq!(
            Measures::of_ranking(&["a", "b", "c"], &judged),
            Measures { ndcg: 1.0, shallow_recall: 1.0, recall: 1.0, mrr: 1.0 }
        );
        assert_eq!(Measures::of_ranking(&[], &judged), Measures::default());
    }

    #[test]
    fn the_mean_over_nothing_is_zero() {
        assert_eq!(Measures::mean([]), Measures::default());
    }
}
