//! Where does a phrase occur in the text of a document?
//!
//! The index answers this from its positions. If only pieces of the file are in memory, the positions would have to be
//! fetched, while the text of a hit is there in any case: it gives the same answer, because the same analyzer made the
//! positions of it.

use crate::analysis::{Analyzer, Purpose};
use crate::ids::{FieldId, Spot};
use crate::query::{Phrase, QueryTerm};

/// The terms of a document, for each field in the order of the text.
#[derive(Clone, Debug)]
pub struct TextTokens(Vec<Vec<Vec<u8>>>);

impl TextTokens {
    /// Analyses the text of each field; a field that the document lacks is `None`.
    pub fn of(analyzer: &Analyzer, texts: &[Option<String>]) -> TextTokens {
        let terms = |text: &Option<String>| {
            let mut terms = Vec::new();
            if let Some(text) = text {
                analyzer.spans(text, Purpose::Document, |span| {
                    let mut term = Vec::new();
                    analyzer.term(&text[span.start..span.end], &mut term);
                    terms.push(term);
                });
            }
            terms
        };
        TextTokens(texts.iter().map(terms).collect::<Vec<_>>())
    }

    /// Returns where a phrase starts, in order.
    pub(super) fn starts_of(&self, phrase: &Phrase) -> Vec<Spot> {
        let mut starts = Vec::new();
        if phrase.terms.is_empty() {
            return starts;
        }
        for (field, terms) in (0..).map(FieldId).zip(&self.0).filter(|(field, _)| phrase.fields.has(*field)) {
            let is_here =
                |window: &[Vec<u8>]| phrase.terms.iter().zip(window).all(|(term, own)| is_of(term, own));
            let most = if phrase.is_initial { 1 } else { usize::MAX };
            let windows = (0..).zip(terms.windows(phrase.terms.len())).take(most);
            starts.extend(
                windows.filter(|(_, window)| is_here(window)).map(|(position, _)| Spot::new(field, position)),
            );
        }
        starts
    }
}

/// Returns whether a query term matches a term of a document.
fn is_of(term: &QueryTerm, own: &[u8]) -> bool {
    match term {
        QueryTerm::Exact(bytes) => own == bytes,
        QueryTerm::Prefix(bytes) => own.starts_with(bytes),
        QueryTerm::AnyOf(all) => all.iter().any(|bytes| bytes == own),
    }
}
