//! How does text become tokens?
//!
//! As in SQLite's FTS5, `unicode61` breaks text into tokens and folds them, and `porter` stems them. For the same
//! `tokenize=` string, an [`Analyzer`] gives the same terms, positions and byte spans as SQLite, for every text. The
//! only addition, bigrams for CJK scripts, is off by default.
//!
//! The work is split so that indexing is cheap: [`Analyzer::spans`] finds tokens without folding them, and only forms
//! that were not seen before need [`Analyzer::stem`].

mod cjk;
mod error;
mod fold;
mod options;
mod porter;
mod tables;
mod tokenizer;

use std::fmt;

pub use error::AnalyzerError;

use fold::Folding;
use options::TokenizeOptions;
use tokenizer::Unicode61;

/// The maximum length of a term in bytes. FTS5 cuts longer terms, even in the middle of a character.
const LONGEST_TERM: usize = 32_768;

/// The kind of text to analyse. Documents and queries break CJK runs differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Text of a document to be indexed.
    Document,
    /// Text of a query.
    Query,
}

/// The byte range of a token in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

/// Turns text into terms, as an FTS5 table with the same `tokenize=` option does.
///
/// ```
/// use snapseek_index::analysis::{Analyzer, Purpose};
///
/// let analyzer = Analyzer::parse("porter unicode61")?;
/// let text = "Crème brûlée, twice baked";
/// let mut term = Vec::new();
/// let mut terms = Vec::new();
/// analyzer.spans(text, Purpose::Document, |span| {
///     analyzer.term(&text[span.start..span.end], &mut term);
///     terms.push(String::from_utf8_lossy(&term).into_owned());
/// });
/// assert_eq!(terms, ["creme", "brule", "twice", "bake"]);
/// # Ok::<(), snapseek_index::analysis::AnalyzerError>(())
/// ```
#[derive(Clone)]
pub struct Analyzer {
    tokenizer: Unicode61,
    folding: Folding,
    is_stemming: bool,
    is_bigramming: bool,
}

impl Analyzer {
    /// Creates an analyzer from an FTS5 `tokenize=` string, such as `porter unicode61` or `unicode61 remove_diacritics
    /// 2 tokenchars '-_'`. The empty string means `unicode61`.
    ///
    /// # Errors
    ///
    /// Returns an error for strings that SQLite refuses, and for features of SQLite that snapseek lacks: the tokenizers
    /// `ascii` and `trigram`, and the option `categories`.
    pub fn parse(tokenize: &str) -> Result<Analyzer, AnalyzerError> {
        let options = TokenizeOptions::parse(tokenize)?;
        Ok(Analyzer {
            tokenizer: Unicode61::new(&options.overrides),
            folding: Folding::new(options.remove_diacritics),
            is_stemming: options.is_stemming,
            is_bigramming: false,
        })
    }

    /// Checks a `tokenize=` string without building the tables of an analyzer.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Analyzer::parse`].
    pub fn check(tokenize: &str) -> Result<(), AnalyzerError> {
        TokenizeOptions::parse(tokenize).map(|_| ())
    }

    /// Returns the same analyzer, but with runs of CJK (Han, Hiragana, Katakana, Hangul) broken into bigrams.
    pub fn with_cjk_bigrams(self) -> Analyzer {
        Analyzer { is_bigramming: true, ..self }
    }

    /// Calls `each` with the span of each token of `text`, in order.
    ///
    /// Spans are not empty. They do not overlap, except that each bigram of a CJK run starts within the one before it.
    pub fn spans(&self, text: &str, purpose: Purpose, mut each: impl FnMut(Span)) {
        let mut from = 0;
        while let Some(token) = self.tokenizer.next_token(text, from) {
            from = token.end;
            if self.is_bigramming {
                cjk::break_token(text, token, purpose, &mut each);
            } else {
                each(token);
            }
        }
    }

    /// Replaces the content of `out` by the folded form of a token: case folded, diacritics removed, not stemmed.
    pub fn fold(&self, surface: &str, out: &mut Vec<u8>) {
        out.clear();
        self.folding.fold(surface, out);
    }

    /// Reduces a folded form to its index term, in place.
    ///
    /// Stems the form if this analyzer stems, and cuts it at 32,768 bytes, which may leave an incomplete character at
    /// the end.
    ///
    /// ```
    /// use snapseek_index::analysis::Analyzer;
    ///
    /// let analyzer = Analyzer::parse("porter")?;
    /// let mut form = b"relational".to_vec();
    /// analyzer.stem(&mut form);
    /// assert_eq!(form, b"relat");
    /// # Ok::<(), snapseek_index::analysis::AnalyzerError>(())
    /// ```
    pub fn stem(&self, form: &mut Vec<u8>) {
        if self.is_stemming {
            porter::stem(form);
        }
        form.truncate(LONGEST_TERM);
    }

    /// Replaces the content of `out` by the index term of a token: [`fold`](Analyzer::fold), then
    /// [`stem`](Analyzer::stem).
    pub fn term(&self, surface: &str, out: &mut Vec<u8>) {
        self.fold(surface, out);
        self.stem(out);
    }

    /// Reports whether the analyzer stems terms.
    pub fn is_stemming(&self) -> bool {
        self.is_stemming
    }

    /// Reports whether the analyzer breaks runs of CJK into bigrams.
    pub fn is_bigramming(&self) -> bool {
        self.is_bigramming
    }
}

impl fmt::Debug for Analyzer {
    // Omits the tables, which have thousands of entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzer")
            .field("is_stemming", &self.is_stemming)
            .field("is_bigramming", &self.is_bigramming)
            .finish_non_exhaustive()
    }
}
