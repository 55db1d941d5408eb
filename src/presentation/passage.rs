//! Which sentence of a document says what a query means, if the document contains none of its words?

use super::snippet::cut;
use super::{MAX_SNIPPET_TOKENS, Piece, tokens};
use crate::analysis::{Analyzer, Span};
use crate::ids::FieldId;

/// The largest number of sentences that are compared per document.
pub const MAX_SENTENCES: usize = 256;

/// Returns the pieces of a window of `length` tokens that starts at the sentence with the greatest `nearness`.
///
/// The sentence comes from `field`, or from the longest field if that is `None`: a title says less than the text. Without
/// `nearness` the window starts with the field. `length` is clamped to 0 to [`MAX_SNIPPET_TOKENS`]. Returns `None` if the
/// field has no text.
///
/// ```
/// use snapseek::analysis::Analyzer;
/// use snapseek::presentation::{Markers, Markup, passage, render};
///
/// let analyzer = Analyzer::parse("unicode61")?;
/// let text = "Cars need fuel. Boats float on water! Planes fly.";
/// let mut by_boats = |sentence: &str| f64::from(sentence.contains("float"));
/// let pieces = passage(&[Some("A title"), Some(text)], &analyzer, None, 4, Some(&mut by_boats)).unwrap();
/// let markers = Markers { open: "[", close: "]", ellipsis: "…" };
/// assert_eq!(render(&pieces, markers, Markup::Plain), "…Boats float on water…");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn passage<'a>(
    texts: &[Option<&'a str>],
    analyzer: &Analyzer,
    field: Option<FieldId>,
    length: i64,
    nearness: Option<&mut dyn FnMut(&str) -> f64>,
) -> Option<Vec<Piece<'a>>> {
    let text = match field {
        Some(field) => texts.get(field.index()).copied().flatten(),
        None => texts.iter().flatten().copied().max_by_key(|text| text.len()),
    }?;
    let spans = tokens(analyzer, text);
    let mut best = (f64::NEG_INFINITY, 0);
    if let Some(nearness) = nearness {
        let starts = sentence_starts(text, &spans);
        for (number, &start) in starts.iter().take(MAX_SENTENCES).enumerate() {
            let end = starts.get(number + 1).map_or(text.len(), |&next| spans[next].start);
            let near = nearness(&text[spans[start].start..end]);
            if near > best.0 {
                best = (near, start);
            }
        }
    }
    Some(cut(text, &spans, &[], best.1 as i64, length.clamp(0, MAX_SNIPPET_TOKENS)))
}

/// Returns the indexes of the tokens that start a sentence or a paragraph.
fn sentence_starts(text: &str, spans: &[Span]) -> Vec<usize> {
    let starts = |number: &usize| {
        let Some(before) = number.checked_sub(1) else { return true };
        // Pairs of CJK characters overlap; there is no text between them.
        let between = text.get(spans[before].end..spans[*number].start).unwrap_or_default();
        let ends_wide = between.contains(['。', '！', '？']);
        let ends =
            between.find(['.', '!', '?']).is_some_and(|at| between[at..].contains(char::is_whitespace));
        ends_wide || ends || between.contains("\n\n")
    };
    (0..spans.len()).filter(starts).collect::<Vec<_>>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str) -> Vec<usize> {
        sentence_starts(text, &tokens(&Analyzer::parse("unicode61").unwrap(), text))
    }

    #[test]
    fn sentences_and_paragraphs_start_and_numbers_do_not() {
        assert_eq!(starts("One two. Three four? Five"), [0, 2, 4]);
        assert_eq!(starts("Version 1.2.3 is out"), [0]);
        assert_eq!(starts("A heading\n\nthe text"), [0, 2]);
        assert_eq!(starts("文一。文二"), [0, 1]);
        let analyzer = Analyzer::parse("unicode61").unwrap().with_cjk_bigrams();
        let text = "東京は夜の七時。全文検索を試す。";
        assert_eq!(sentence_starts(text, &tokens(&analyzer, text)).len(), 2);
        assert_eq!(starts(""), Vec::<usize>::new());
    }

    #[test]
    fn without_nearness_the_longest_field_is_shown_from_its_start() {
        let analyzer = Analyzer::parse("unicode61").unwrap();
        let pieces = passage(&[Some("A title"), Some("The longer text here")], &analyzer, None, 2, None);
        assert_eq!(pieces.unwrap()[0], Piece::Text("The longer"));
        assert_eq!(passage(&[None, None], &analyzer, None, 2, None), None);
    }
}
