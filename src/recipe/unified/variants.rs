//! How else could the query be worded (U6)?
//!
//! The words of a query show its intent: an error, a question, an implementation or an architecture. Words count by their
//! stems. Each intent has its own variant of the query. Words of the index that mean nearly the same are variants as well.

use super::vocabulary::NearWord;
use crate::analysis::Analyzer;
use crate::order;
use crate::pipeline::distinct_terms;
use crate::query::words;
use crate::unicode::lower_case;
use serde::Serialize;

/// The weight of a word of the index at cosine 1.
const VOCABULARY_WEIGHT: f64 = 0.7;

/// The intent of a query: the first that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// To fix an error.
    Error,
    /// To get an explanation.
    Question,
    /// To build something.
    Implementation,
    /// To learn how parts work together.
    Architecture,
    /// Any other intent.
    General,
}

/// A wording of the query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variant {
    /// The words that are searched for.
    pub query: String,
    /// How close the variant is to the query, 0 to 1. The closest variants are kept.
    pub weight: f64,
    /// The term of the index that the variant is; none where it is text.
    #[serde(skip)]
    pub(super) term: Option<Vec<u8>>,
}

// Stems are compared, so a word stands for its family. Forms that the stemmer does not unite are listed.
const ERROR: &str = "error fail failure crash bug exception panic broken break broke wrong fault defect issue problem \
    timeout stacktrace traceback leak corrupt deadlock regression flaky";
const IMPLEMENTATION: &str = "implement implementation add create build write code function method class use call \
    integrate integration configure configuration setup install";
const ARCHITECTURE: &str = "architecture design pattern structure component layer module decision decide chose choose \
    tradeoff system diagram boundary";
const QUESTION: &str = "how what why when where which who whose";
/// Verbs that open a question: they come before their subject.
const AUXILIARY: &str = "do does did is are was were can could should would will has have had may might must";
/// Stop words.
const STOP_WORDS: &str = "a an the of in on at to for from by with and or not no it its this that these those we i you they my \
    our be been there if so as into about";

/// The words that follow the key terms of an error.
const SOLUTION: &str = "fix solution resolved";
/// The words that follow the key terms of an architecture.
const DESIGN: &str = "design pattern structure";

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

fn is_opening(word: &str) -> bool {
    is_in(QUESTION, word) || is_in(AUXILIARY, word)
}

/// Returns the intent of a query.
pub(super) fn intent(query: &str) -> Intent {
    let stemmer = Analyzer::parse("porter unicode61").expect("a tokenizer that snapseek has");
    let own = distinct_terms(&stemmer, query);
    let has = |family: &str| distinct_terms(&stemmer, family).iter().any(|term| own.contains(term));
    match () {
        () if has(ERROR) => Intent::Error,
        () if is_question(query) => Intent::Question,
        () if has(IMPLEMENTATION) => Intent::Implementation,
        () if has(ARCHITECTURE) => Intent::Architecture,
        () => Intent::General,
    }
}

fn is_question(query: &str) -> bool {
    query.trim_end().ends_with('?') || plain_words(query).first().is_some_and(|word| is_opening(word))
}

/// Returns the words of a query without the punctuation around them.
fn plain_words(query: &str) -> Vec<&str> {
    words(query)
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
}

/// Returns the query and its variants: closest first, no duplicates, at most `most`. `near` are words of the index.
pub(super) fn variants(query: &str, near: Vec<NearWord>, most: usize) -> Vec<Variant> {
    let plain = plain_words(query);
    let is_key = |word: &&str| !is_opening(word) && !is_in(STOP_WORDS, word);
    let key = plain.iter().copied().filter(is_key).collect::<Vec<_>>().join(" ");
    let text = |query: String, weight: f64| Variant { query, weight, term: None };
    let mut all = vec![text(query.to_owned(), 1.0)];
    if is_question(query) {
        let opening = plain.iter().take_while(|word| is_opening(word)).count();
        all.push(text(plain[opening..].join(" "), 0.85));
    }
    if !key.is_empty() {
        match intent(query) {
            Intent::Error => all.push(text(format!("{key} {SOLUTION}"), 0.8)),
            Intent::Implementation => all.push(text(format!("how {key}"), 0.75)),
            Intent::Architecture => all.push(text(format!("{key} {DESIGN}"), 0.75)),
            Intent::Question | Intent::General => {}
        }
    }
    for NearWord { word, term, cosine } in near {
        all.push(Variant { query: word, weight: VOCABULARY_WEIGHT * cosine, term: Some(term) });
    }
    let mut seen = Vec::new();
    all.retain(|variant| {
        let form = lower_case(&plain_words(&variant.query).join(" "));
        let is_new = variant.weight == 1.0 || !form.is_empty() && !seen.contains(&form);
        seen.push(form);
        is_new
    });
    order::sort_by(&mut all, |a, b| b.weight.total_cmp(&a.weight));
    all.truncate(most);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str, near: &[(&str, f64)]) -> Vec<(String, f64)> {
        let near = near.iter().map(|(word, cosine)| NearWord {
            word: (*word).to_owned(),
            term: word.as_bytes().to_vec(),
            cosine: *cosine,
        });
        let all = variants(query, near.collect(), 4);
        all.into_iter().map(|variant| (variant.query, variant.weight)).collect()
    }

    #[test]
    fn u6_an_intent_is_told_by_any_form_of_a_word() {
        for query in
            ["login fail", "login fails", "login failed", "failing login", "login failure", "CRASHED"]
        {
            assert_eq!(intent(query), Intent::Error, "{query}");
        }
        for query in ["how tickets are signed", "is it cached", "the ledger, really?"] {
            assert_eq!(intent(query), Intent::Question, "{query}");
        }
        for query in ["implementing retries", "configured proxies", "created an index"] {
            assert_eq!(intent(query), Intent::Implementation, "{query}");
        }
        for query in ["layers", "designs of the ledger", "architectural patterns"] {
            assert_eq!(intent(query), Intent::Architecture, "{query}");
        }
        for query in ["ledger", "", "tickets of the ferry"] {
            assert_eq!(intent(query), Intent::General, "{query}");
        }
    }

    #[test]
    fn u6_an_error_goes_before_a_question_before_an_implementation_before_an_architecture() {
        assert_eq!(intent("why does the design we implement fail?"), Intent::Error);
        assert_eq!(intent("why do we implement this design?"), Intent::Question);
        assert_eq!(intent("implement this design"), Intent::Implementation);
    }

    #[test]
    fn u6_each_intent_has_its_own_variant() {
        let all = |query: &str| asked(query, &[]).split_off(1);
        assert_eq!(
            all("how does the cache evict entries?"),
            [("the cache evict entries".to_owned(), 0.85)],
            "a question as a statement"
        );
        assert_eq!(
            all("login failed on ferry"),
            [("login failed ferry fix solution resolved".to_owned(), 0.8)]
        );
        assert_eq!(all("implement the ledger"), [("how implement ledger".to_owned(), 0.75)]);
        assert_eq!(
            all("architecture of sync"),
            [("architecture sync design pattern structure".to_owned(), 0.75)]
        );
        assert_eq!(all("ledger"), []);
        // A question about an error has both variants.
        assert_eq!(
            all("why did login fail?"),
            [("login fail".to_owned(), 0.85), ("login fail fix solution resolved".to_owned(), 0.8)]
        );
    }

    #[test]
    fn u6_words_of_the_index_count_seven_tenths_of_their_cosine() {
        let all = asked("ledger", &[("book", 0.8), ("account", 0.5)]);
        assert_eq!(all[1..], [("book".to_owned(), 0.7 * 0.8), ("account".to_owned(), 0.35)]);
    }

    #[test]
    fn u6_none_comes_twice_and_there_are_at_most_four_with_the_query_itself() {
        let all = asked("why did Login fail?", &[("login", 0.9), ("signin", 0.8), ("session", 0.6)]);
        assert_eq!(all.len(), 4);
        assert_eq!(all[0], ("why did Login fail?".to_owned(), 1.0));
        assert!(all.is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(asked("ledger?", &[("Ledger", 0.9)]), [("ledger?".to_owned(), 1.0)]);
    }

    #[test]
    fn u6_the_number_of_variants_is_the_one_that_was_asked_for() {
        for (most, expected) in [(1, 1), (2, 2), (3, 3), (10, 3)] {
            assert_eq!(variants("why did login fail?", Vec::new(), most).len(), expected, "{most}");
        }
    }

    #[test]
    fn a_query_of_stop_words_alone_is_searched_as_it_is() {
        for query in ["how is it", "why?", "??", "the"] {
            let all = asked(query, &[]);
            assert_eq!(all[0].0, query);
            assert!(all.iter().all(|(query, _)| !query.is_empty()));
        }
    }
}
