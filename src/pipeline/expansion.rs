//! Completes prefixes and corrects typing errors.
//!
//! Both search the written forms of words if the snapshot keeps them, and the stems otherwise.

use crate::bytes::ABSENT;
use crate::inverted::TermsView;
use crate::order::{Map, sort_by};
use crate::retrieval::{Corpus, LiveSegment};
use crate::snapshot::SnapshotError;

/// A word that starts with a given prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The folded word.
    pub form: Vec<u8>,
    /// The number of documents that contain it, or of its occurrences where the snapshot keeps written forms.
    pub count: u64,
}

/// The maximum number of completions of a prefix.
pub const MAX_COMPLETIONS: usize = 512;

/// The maximum number of corrections of a word.
const MAX_CORRECTIONS: usize = 8;

/// Returns the most frequent words that start with `beginning`, ties in byte order, at most [`MAX_COMPLETIONS`].
///
/// # Errors
/// Fails when the dictionary is damaged.
pub fn complete(corpus: &Corpus, beginning: &[u8]) -> Result<Vec<Completion>, SnapshotError> {
    let mut counts: Map<Vec<u8>, u64> = Map::new();
    for part in corpus.parts {
        let mut walk = words(part, beginning)?.walk_from(beginning)?;
        while walk.advance()? && walk.term().starts_with(beginning) {
            *counts.or_default(walk.term().to_vec()) += u64::from(walk.list().documents);
        }
    }
    let mut completions =
        counts.into_iter().map(|(form, count)| Completion { form, count }).collect::<Vec<_>>();
    sort_by(&mut completions, |a, b| b.count.cmp(&a.count).then_with(|| a.form.cmp(&b.form)));
    completions.truncate(MAX_COMPLETIONS);
    Ok(completions)
}

/// Returns the words with the fewest typing errors from `word`, at most `most` errors away, most frequent first.
///
/// Short words have too many neighbours: words of fewer than four letters get no corrections, and words of fewer than eight
/// letters get those with one error only.
///
/// # Errors
/// Fails when the dictionary is damaged.
pub fn corrections(corpus: &Corpus, word: &[u8], most: u8) -> Result<Vec<Vec<u8>>, SnapshotError> {
    let Ok(text) = std::str::from_utf8(word) else { return Ok(Vec::new()) };
    let letters = text.chars().collect::<Vec<_>>();
    let most = match letters.len() {
        0..4 => 0,
        4..8 => most.min(1),
        _ => most.min(2),
    };
    if most == 0 {
        return Ok(Vec::new());
    }
    let mut found: Map<Vec<u8>, (u8, u64)> = Map::new();
    for part in corpus.parts {
        let mut walk = words(part, b"")?.walk();
        let mut distances = Distances::new(&letters, most);
        while walk.advance()? {
            let Ok(candidate) = std::str::from_utf8(walk.term()) else { continue };
            if let Some(errors) = distances.to(candidate) {
                let entry = found.or_insert(walk.term().to_vec(), (errors, 0));
                entry.1 += u64::from(walk.list().documents);
            }
        }
    }
    let mut found = found.into_iter().collect::<Vec<_>>();
    sort_by(&mut found, |a, b| a.1.0.cmp(&b.1.0).then(b.1.1.cmp(&a.1.1)).then_with(|| a.0.cmp(&b.0)));
    let fewest = found.first().map_or(0, |(_, (errors, _))| *errors);
    let nearest = found.into_iter().take_while(|(_, (errors, _))| *errors == fewest);
    Ok(nearest.map(|(form, _)| form).take(MAX_CORRECTIONS).collect::<Vec<_>>())
}

/// Returns the dictionary of words, if all words with this beginning are in memory.
fn words<'a>(part: &LiveSegment<'a>, beginning: &[u8]) -> Result<TermsView<'a>, SnapshotError> {
    let words = match part.segment.forms()? {
        Some(forms) => forms,
        None => part.segment.terms()?,
    };
    // A walk would ask for one run after the other.
    if words.has_runs_with(beginning) { Ok(words) } else { Err(ABSENT.into()) }
}

/// Computes edit distances from one word to many candidates. Insertions, deletions, replacements and swaps of two adjacent
/// letters count as one error each.
///
/// Candidates come in sorted order. Most share a prefix with the previous candidate, so its table rows are reused.
struct Distances<'a> {
    word: &'a [char],
    most: u8,
    candidate: Vec<char>,
    /// The rows of the distance table: the first row, then one per letter of the candidate.
    rows: Vec<Vec<u8>>,
}

impl<'a> Distances<'a> {
    fn new(word: &'a [char], most: u8) -> Distances<'a> {
        let first = (0..=word.len()).map(|len| u8::try_from(len).unwrap_or(u8::MAX)).collect::<Vec<_>>();
        Distances { word, most, candidate: Vec::new(), rows: vec![first] }
    }

    /// Returns the number of errors between the word and `candidate`; `None` if there are more than `most`.
    fn to(&mut self, candidate: &str) -> Option<u8> {
        // A letter takes at least one byte, so the byte length bounds the number of letters.
        if self.word.len() > candidate.len() + usize::from(self.most) {
            return None;
        }
        let shared = self.candidate.iter().zip(candidate.chars()).take_while(|(a, b)| **a == *b).count();
        // The last candidate may have been abandoned early, with fewer rows than letters.
        let shared = shared.min(self.rows.len() - 1);
        self.candidate.truncate(shared);
        self.rows.truncate(shared + 1);
        for letter in candidate.chars().skip(shared) {
            if self.rows.last().is_some_and(|row| row.iter().all(|&errors| errors > self.most)) {
                return None;
            }
            self.push(letter);
        }
        let errors = self.rows.last().and_then(|row| row.last()).copied();
        errors.filter(|&errors| errors <= self.most)
    }

    fn push(&mut self, letter: char) {
        let above = &self.rows[self.rows.len() - 1];
        let mut row = Vec::with_capacity(self.word.len() + 1);
        row.push(above[0].saturating_add(1));
        for (i, &own) in self.word.iter().enumerate() {
            let replaced = above[i].saturating_add(u8::from(own != letter));
            let mut errors = replaced.min(row[i].saturating_add(1)).min(above[i + 1].saturating_add(1));
            let before = self.candidate.last();
            if i > 0 && before == Some(&own) && self.word[i - 1] == letter {
                errors = errors.min(self.rows[self.rows.len() - 2][i - 1].saturating_add(1));
            }
            row.push(errors);
        }
        self.rows.push(row);
        self.candidate.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the distance with the textbook table: no reused rows, no early end.
    fn naive(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn a_word_much_longer_than_the_candidate_is_not_looked_at() {
        let letters = vec!['x'; 1000];
        let mut distances = Distances::new(&letters, 2);
        assert_eq!((distances.to("xxx"), distances.rows.len()), (None, 1));
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        let mut candidates = Vec::new();
        for a in [
            "",
            "s",
            "se",
            "sea",
            "search",
            "saerch",
            "serach",
            "searching",
            "sarch",
            "reach",
            "zebra",
            "été",
        ] {
            candidates.push(a.to_owned());
            candidates.push(format!("{a}x"));
        }
        candidates.sort();
        for most in 1..=2 {
            for word in ["search", "sea", "été"] {
                let letters = word.chars().collect::<Vec<_>>();
                let mut distances = Distances::new(&letters, most);
                for candidate in &candidates {
                    let expected = naive(&letters, &candidate.chars().collect::<Vec<_>>());
                    let expected = u8::try_from(expected).ok().filter(|&errors| errors <= most);
                    assert_eq!(distances.to(candidate), expected, "{word} {candidate}");
                }
            }
        }
    }
}
