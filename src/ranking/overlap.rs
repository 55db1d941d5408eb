//! How many words do two sets share?

use crate::order::sort;
use crate::unicode::lower_case;

/// Returns the Jaccard index of two sets of words, ignoring case: shared words divided by all words. 0 if one is empty.
pub fn jaccard(a: &[String], b: &[String]) -> f64 {
    let set = |words: &[String]| {
        let mut words = words.iter().map(|word| lower_case(word)).collect::<Vec<_>>();
        sort(&mut words);
        words.dedup();
        words
    };
    let (a, b) = (set(a), set(b));
    let shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    if a.is_empty() || b.is_empty() { 0.0 } else { shared as f64 / (a.len() + b.len() - shared) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn v6_tags_overlap_by_their_jaccard_index_whatever_their_case() {
        assert_eq!(jaccard(&words("auth JWT"), &words("jwt Auth")), 1.0);
        assert_eq!(jaccard(&words("auth jwt web"), &words("jwt api")), 0.25);
        assert_eq!(jaccard(&words("auth auth"), &words("auth")), 1.0);
    }

    #[test]
    fn v6_nothing_overlaps_with_no_tags() {
        assert_eq!(jaccard(&[], &words("a")), 0.0);
        assert_eq!(jaccard(&words("a"), &[]), 0.0);
        assert_eq!(jaccard(&[], &[]), 0.0);
    }
}
