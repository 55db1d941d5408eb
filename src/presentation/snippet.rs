//! Which few tokens of a document represent its matches best? This module implements FTS5's snippet().

use super::highlight::{Marking, Window};
use super::{Piece, Range, joined, tokens};
use crate::analysis::{Analyzer, Span};
use crate::ids::FieldId;
use crate::retrieval::PhraseMatch;

/// The largest length of a snippet, in tokens.
pub const MAX_SNIPPET_TOKENS: i64 = 64;

/// The score of a phrase's first occurrence in a window, and of each further one.
const FIRST_OF_PHRASE: i64 = 1000;
const AGAIN: i64 = 1;
/// The bonus of a window that starts with the field, or with a sentence.
const STARTS_FIELD: i64 = 120;
const STARTS_SENTENCE: i64 = 100;

/// Returns the pieces of the best window of `length` tokens, in `field` or, if that is `None`, in any field.
///
/// `texts` holds the text of each field, `places` the document's matches in order, and `phrase_lengths` the number of
/// terms per phrase. `length` is clamped to 0 to [`MAX_SNIPPET_TOKENS`]. Returns `None` if the field has no text.
///
/// ```
/// use snapseek::analysis::Analyzer;
/// use snapseek::ids::FieldId;
/// use snapseek::presentation::{Markers, Markup, render, snippet};
/// use snapseek::retrieval::PhraseMatch;
///
/// let analyzer = Analyzer::parse("unicode61")?;
/// let text = "One two three four five six seven eight";
/// let match_of_six = [PhraseMatch { field: FieldId(0), position: 5, phrase: 0 }];
/// let pieces = snippet(&[Some(text)], &analyzer, &match_of_six, &[1], None, 3).unwrap();
/// let markers = Markers { open: "[", close: "]", ellipsis: "…" };
/// assert_eq!(render(&pieces, markers, Markup::Plain), "…five [six] seven…");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn snippet<'a>(
    texts: &[Option<&'a str>],
    analyzer: &Analyzer,
    places: &[PhraseMatch],
    phrase_lengths: &[u32],
    field: Option<FieldId>,
    length: i64,
) -> Option<Vec<Piece<'a>>> {
    let length = length.clamp(0, MAX_SNIPPET_TOKENS);
    let fields = texts.iter().zip(0..).filter(|(_, number)| field.is_none_or(|field| field.0 == *number));
    let mut best = Best { score: 0, field: field.unwrap_or(FieldId(0)), start: 0 };
    for (text, number) in fields {
        let Some(text) = text else { continue };
        let own = places.iter().filter(|place| place.field.0 == number).copied().collect::<Vec<_>>();
        if own.is_empty() {
            continue;
        }
        let spans = tokens(analyzer, text);
        let windows = Windows { places: &own, phrase_lengths, length, size: spans.len() as i64 };
        windows.improve(&mut best, FieldId(number), &sentence_starts(text, &spans));
    }
    let text = texts.get(best.field.index()).copied().flatten()?;
    let spans = tokens(analyzer, text);
    let own = places.iter().filter(|place| place.field == best.field);
    let mut ranges = joined(own.map(|place| (place.position, phrase_lengths[place.phrase])));
    ranges.retain(|range| i64::from(range.first) >= best.start);
    Some(cut(text, &spans, &ranges, best.start, length))
}

/// Returns the pieces of a window of `length` tokens, with ellipses where text is left out.
pub(super) fn cut<'a>(
    text: &'a str,
    spans: &[Span],
    ranges: &[Range],
    start: i64,
    length: i64,
) -> Vec<Piece<'a>> {
    let last = start + length - 1;
    let mut marking = Marking::new(text, ranges);
    if start > 0 {
        marking.pieces.push(Piece::Ellipsis);
    }
    // FTS5 ignores a window that ends before the first token.
    marking.tokens(spans, (last >= 0).then_some(Window { first: start, last }));
    if last >= spans.len() as i64 - 1 {
        marking.rest();
    } else {
        marking.pieces.push(Piece::Ellipsis);
    }
    marking.pieces
}

struct Best {
    score: i64,
    field: FieldId,
    start: i64,
}

/// The candidate windows of one field.
struct Windows<'a> {
    places: &'a [PhraseMatch],
    phrase_lengths: &'a [u32],
    length: i64,
    size: i64,
}

impl Windows<'_> {
    /// Replaces `best` with each window whose score is strictly greater.
    fn improve(&self, best: &mut Best, field: FieldId, sentences: &[i64]) {
        for place in self.places {
            let position = i64::from(place.position);
            let (score, start) = self.score(position);
            if score > best.score {
                *best = Best { score, field, start };
            }
            if self.size <= self.length {
                continue;
            }
            let sentence = sentences[..sentences.partition_point(|&start| start <= position)].last();
            if let Some(&start) = sentence.filter(|&&start| start < position) {
                let bonus = if start == 0 { STARTS_FIELD } else { STARTS_SENTENCE };
                let score = self.score(start).0 + bonus;
                if score > best.score {
                    *best = Best { score, field, start };
                }
            }
        }
    }

    /// Returns the score of the window that starts at `start`, and the start that centres its matches.
    fn score(&self, start: i64) -> (i64, i64) {
        let mut seen = vec![false; self.phrase_lengths.len()];
        let (mut score, mut first, mut end) = (0, -1, 0);
        // Places are sorted and may be many, so skip to the first in the window and stop at its end.
        let before = self.places.partition_point(|place| i64::from(place.position) < start);
        for place in &self.places[before..] {
            let position = i64::from(place.position);
            if position >= start + self.length {
                break;
            }
            score += if seen[place.phrase] { AGAIN } else { FIRST_OF_PHRASE };
            seen[place.phrase] = true;
            if first < 0 {
                first = position;
            }
            end = position + i64::from(self.phrase_lengths[place.phrase]);
        }
        let spare = self.length - (end - first);
        let centred = (first - spare / 2).min(self.size - self.length);
        (score, centred.max(0))
    }
}

/// Returns the positions of tokens that start the text, or that follow a full stop or colon and white space.
fn sentence_starts(text: &str, spans: &[Span]) -> Vec<i64> {
    let starts_sentence = |(position, span): &(i64, &Span)| {
        let before = &text.as_bytes()[..span.start];
        let spaces =
            before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        let trimmed = &before[..before.len() - spaces];
        *position == 0 || spaces > 0 && matches!(trimmed.last(), Some(b'.' | b':'))
    };
    (0..).zip(spans).filter(starts_sentence).map(|(position, _)| position).collect::<Vec<_>>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_text_of_nothing_but_matches_takes_no_time_to_speak_of() {
        let text = "fox. ".repeat(60_000);
        let analyzer = Analyzer::parse("unicode61").unwrap();
        let place = |position| PhraseMatch { field: FieldId(0), position, phrase: 0 };
        let places = (0..60_000).map(place).collect::<Vec<_>>();
        let started = Instant::now();
        let pieces = snippet(&[Some(&text)], &analyzer, &places, &[1], None, 3).unwrap();
        assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
        assert_eq!(pieces.iter().filter(|piece| **piece == Piece::Open).count(), 3);
    }
}
