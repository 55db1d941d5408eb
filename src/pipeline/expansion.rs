//! What else could a word mean? Completions of a beginning, corrections of a typing error.
//!
//! Both look at the words as they were written where the snapshot keeps them, otherwise at the stems.

use crate::inverted::TermsView;
use crate::order::{Map, sort_by};
use crate::retrieval::{Corpus, LiveSegment};
use crate::snapshot::SnapshotError;

/// A word that starts as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The word, folded.
    pub form: Vec<u8>,
    /// How often it occurs.
    pub count: u64,
}

/// A beginning stands for at most so many words: the most frequent ones.
pub const MAX_COMPLETIONS: usize = 512;

/// A word is corrected to at most so many others.
const MAX_CORRECTIONS: usize = 8;

/// The most frequent words that start with `beginning`; ties in the order of their bytes.
///
/// # Errors
/// When the dictionary is damaged.
pub fn complete(corpus: &Corpus, beginning: &[u8]) -> Result<Vec<Completion>, SnapshotError> {
    let mut counts: Map<Vec<u8>, u64> = Map::new();
    for part in corpus.parts {
        let mut walk = words(part)?.walk_from(beginning)?;
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

/// The words nearest to `word` within `most` typing errors: fewest errors first, then the most frequent.
///
/// Words of fewer than four letters are not corrected, those of fewer than eight by one error only: shorter words have
/// too many neighbours.
///
/// # Errors
/// When the dictionary is damaged.
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
        let mut walk = words(part)?.walk();
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

fn words<'a>(part: &LiveSegment<'a>) -> Result<TermsView<'a>, SnapshotError> {
    match part.segment.forms()? {
        Some(forms) => Ok(forms),
        None => part.segment.terms(),
    }
}

/// Edit distances from one word to many: insertions, deletions, replacements, and neighbours swapped.
///
/// Candidates come sorted, so most share a beginning with the one before, and with it the rows of the table.
struct Distances<'a> {
    word: &'a [char],
    most: u8,
    candidate: Vec<char>,
    /// A row for each letter of the candidate, and one before them.
    rows: Vec<Vec<u8>>,
}

impl<'a> Distances<'a> {
    fn new(word: &'a [char], most: u8) -> Distances<'a> {
        let first = (0..=word.len()).map(|len| u8::try_from(len).unwrap_or(u8::MAX)).collect::<Vec<_>>();
        Distances { word, most, candidate: Vec::new(), rows: vec![first] }
    }

    /// The errors between the word and `candidate`; none where there are too many.
    fn to(&mut self, candidate: &str) -> Option<u8> {
        // A letter takes a byte at least.
        if self.word.len() > candidate.len() + usize::from(self.most) {
            return None;
        }
        let shared = self.candidate.iter().zip(candidate.chars()).take_while(|(a, b)| **a == *b).count();
        // A beginning that is already too far off was not worked out to its end.
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

    /// The textbook table, without shared rows or early ends.
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
