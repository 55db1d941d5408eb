//! Which words of the index mean nearly the same as the query?
//!
//! The vocabulary holds the most frequent words, each with the vector that the snapshot's own embedder makes of it. Making it
//! takes a walk through the dictionary, so it is cached until the next write.

use crate::analysis::Analyzer;
use crate::order::{self, Map};
use crate::ranking::cosine_similarity;
use crate::retrieval::Corpus;
use crate::snapshot::SnapshotError;

/// The greatest number of words: the most frequent ones.
const MAX_WORDS: usize = 2000;
/// The least number of records that contain a word. A word in a single record leads to no other one.
const MIN_RECORDS: u32 = 2;
/// The least number of letters of a word.
const MIN_LETTERS: usize = 3;
/// The least cosine of a word and the query.
const MIN_COSINE: f64 = 0.5;
/// The greatest number of words per query.
const MAX_NEAR: usize = 2;

/// The frequent words of an index and their vectors.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    entries: Vec<VocabularyWord>,
}

#[derive(Debug)]
struct VocabularyWord {
    word: String,
    term: Vec<u8>,
    vector: Vec<f32>,
}

/// A word of the index that is near a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NearWord {
    /// The word in its written form where the snapshot stores forms, otherwise its stem.
    pub word: String,
    /// Its term in the index.
    pub term: Vec<u8>,
    /// The cosine of its vector and the query's.
    pub cosine: f64,
}

impl Vocabulary {
    /// Makes the vocabulary of all segments; `embed` makes the vector of a word.
    ///
    /// # Errors
    /// When the dictionary is damaged.
    pub fn of(
        corpus: &Corpus,
        analyzer: &Analyzer,
        embed: &dyn Fn(&str) -> Option<Vec<f32>>,
    ) -> Result<Vocabulary, SnapshotError> {
        let mut counts: Map<Vec<u8>, (u32, bool)> = Map::new();
        for part in corpus.parts {
            let forms = part.segment.forms()?;
            let is_form = forms.is_some();
            let mut walk = match forms {
                Some(forms) => forms.walk(),
                None => part.segment.terms()?.walk(),
            };
            while walk.advance()? {
                let is_word = std::str::from_utf8(walk.term()).is_ok_and(|word| {
                    word.chars().all(char::is_alphabetic) && word.chars().count() >= MIN_LETTERS
                });
                if is_word {
                    let entry = counts.or_insert(walk.term().to_vec(), (0, is_form));
                    entry.0 = entry.0.saturating_add(walk.list().documents);
                }
            }
        }
        let mut words =
            counts.into_iter().filter(|(_, (count, _))| *count >= MIN_RECORDS).collect::<Vec<_>>();
        // The sort is stable, so words of equal frequency stay in byte order.
        order::sort_by(&mut words, |a, b| b.1.0.cmp(&a.1.0));
        words.truncate(MAX_WORDS);
        let entry = |(form, (_, is_form)): (Vec<u8>, (u32, bool))| {
            let word = String::from_utf8(form.clone()).ok()?;
            let vector = embed(&word)?;
            let mut term = form;
            if is_form {
                analyzer.stem(&mut term);
            }
            Some(VocabularyWord { word, term, vector })
        };
        Ok(Vocabulary { entries: words.into_iter().filter_map(entry).collect::<Vec<_>>() })
    }

    /// Returns the two words nearest to a vector, at a cosine of at least 0.5, without the terms in `known`.
    pub fn near(&self, vector: &[f32], known: &[Vec<u8>]) -> Vec<NearWord> {
        let others = self.entries.iter().filter(|entry| !known.contains(&entry.term));
        let scored = others.map(|entry| (cosine_similarity(vector, &entry.vector), entry));
        let mut near = scored.filter(|(cosine, _)| *cosine >= MIN_COSINE).collect::<Vec<_>>();
        order::sort_by(&mut near, |a, b| b.0.total_cmp(&a.0));
        let mut found: Vec<NearWord> = Vec::new();
        for (cosine, VocabularyWord { word, term, .. }) in near {
            // Two forms of one term find the same records.
            if found.len() < MAX_NEAR && found.iter().all(|other| other.term != *term) {
                found.push(NearWord { word: word.clone(), term: term.clone(), cosine });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(words: &[(&str, &str, [f32; 2])]) -> Vocabulary {
        let entry = |(word, term, vector): &(&str, &str, [f32; 2])| VocabularyWord {
            word: (*word).to_owned(),
            term: term.as_bytes().to_vec(),
            vector: vector.to_vec(),
        };
        Vocabulary { entries: words.iter().map(entry).collect() }
    }

    #[test]
    fn u6_the_two_nearest_words_are_given_unless_they_are_too_far_or_asked_for() {
        let vocabulary = vocabulary(&[
            ("far", "far", [0.0, 1.0]),
            ("asked", "ask", [1.0, 0.0]),
            ("near", "near", [4.0, 1.0]),
            ("nears", "near", [4.0, 1.1]),
            ("half", "half", [1.0, 1.7]),
            ("nearly", "nearli", [1.0, 0.5]),
        ]);
        let near = vocabulary.near(&[1.0, 0.0], &[b"ask".to_vec()]);
        assert_eq!(near.iter().map(|near| near.word.as_str()).collect::<Vec<_>>(), ["near", "nearly"]);
        let near =
            vocabulary.near(&[1.0, 0.0], &["ask", "near", "nearli"].map(|term| term.as_bytes().to_vec()));
        assert_eq!(near.len(), 1);
        assert!(near[0].cosine >= 0.5 && near[0].cosine < 0.51);
    }
}
