//! How does text become tokens?
//!
//! As in SQLite's FTS5: `unicode61` breaks text into tokens and folds them, `porter` stems them.
//! For the same `tokenize=` string an [`Analyzer`] gives the terms, positions and byte spans that
//! SQLite gives, for every text. The one addition, bigrams for CJK, is off unless asked for.
//!
//! Work is cut so that an index pays little: [`Analyzer::spans`] finds tokens without folding them,
//! and only the forms that are new need [`Analyzer::stem`].

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
use options::Options;
use tokenizer::Tokenizer;

/// FTS5 cuts longer terms, even in the middle of a character.
const LONGEST_TERM: usize = 32_768;

/// Who is asking: documents and queries break CJK runs differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Text to be found.
    Document,
    /// Text to find.
    Query,
}

/// Where a token stands in its text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte of the token.
    pub start: usize,
    /// The byte after its last.
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
    tokenizer: Tokenizer,
    folding: Folding,
    is_stemming: bool,
    is_bigramming: bool,
}

impl Analyzer {
    /// Reads an FTS5 `tokenize=` string, such as `porter unicode61` or
    /// `unicode61 remove_diacritics 2 tokenchars '-_'`. The empty string is `unicode61`.
    ///
    /// # Errors
    ///
    /// What SQLite refuses, and what it has that snapseek has not: the tokenizers `ascii` and
    /// `trigram`, and the option `categories`.
    pub fn parse(tokenize: &str) -> Result<Analyzer, AnalyzerError> {
        let options = Options::parse(tokenize)?;
        Ok(Analyzer {
            tokenizer: Tokenizer::new(&options.overrides),
            folding: Folding::new(options.remove_diacritics),
            is_stemming: options.is_stemming,
            is_bigramming: false,
        })
    }

    /// Checks a `tokenize=` string without making the tables that an analyzer has.
    ///
    /// # Errors
    ///
    /// As [`Analyzer::parse`].
    pub fn check(tokenize: &str) -> Result<(), AnalyzerError> {
        Options::parse(tokenize).map(|_| ())
    }

    /// The same analyzer, but with runs of CJK (Han, Hiragana, Katakana, Hangul) broken into bigrams.
    pub fn with_cjk_bigrams(self) -> Analyzer {
        Analyzer { is_bigramming: true, ..self }
    }

    /// Calls `each` with the span of each token of `text`, in order.
    ///
    /// Spans are not empty and do not overlap, but for bigrams, of which each starts within the one
    /// before it.
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

    /// Puts the folded form of a token's surface into `out`, before stemming: case folded,
    /// diacritics removed. What `out` held is gone.
    pub fn fold(&self, surface: &str, out: &mut Vec<u8>) {
        out.clear();
        self.folding.fold(surface, out);
    }

    /// Reduces a folded form to its index term, in place: stems it if this analyzer stems, and cuts
    /// it at 32,768 bytes, which may leave a part of a character at the end.
    pub fn stem(&self, form: &mut Vec<u8>) {
        if self.is_stemming {
            porter::stem(form);
        }
        form.truncate(LONGEST_TERM);
    }

    /// Puts the index term of a token's surface into `out`: [`fold`](Analyzer::fold), then
    /// [`stem`](Analyzer::stem).
    pub fn term(&self, surface: &str, out: &mut Vec<u8>) {
        self.fold(surface, out);
        self.stem(out);
    }

    /// Whether terms are stems.
    pub fn is_stemming(&self) -> bool {
        self.is_stemming
    }

    /// Whether runs of CJK are broken into bigrams.
    pub fn is_bigramming(&self) -> bool {
        self.is_bigramming
    }
}

impl fmt::Debug for Analyzer {
    // The tables would fill screens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzer")
            .field("is_stemming", &self.is_stemming)
            .field("is_bigramming", &self.is_bigramming)
            .finish_non_exhaustive()
    }
}
