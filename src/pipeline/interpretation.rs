//! Turns the plain words of a query into a MATCH expression, with completions and corrections.

use super::expansion::{complete, corrections};
use crate::analysis::{Analyzer, Purpose};
use crate::order::sort;
use crate::query::{Query, QueryError, QueryTerm, all_words, any_beginning, any_word, words};
use crate::retrieval::Corpus;
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use serde::Serialize;

/// A query of plain words, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpretation {
    /// The MATCH expression, before completions and corrections.
    pub expression: String,
    /// The parsed query, with completions and corrections.
    pub query: Query,
    /// The corrected words.
    pub corrected: Vec<Correction>,
    /// Requests that could not be met, and the reasons.
    pub warnings: Vec<String>,
}

/// A word that the index lacks, and the words that replace it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Correction {
    /// The word as the user wrote it.
    pub word: String,
    /// The words that were searched instead.
    pub instead: Vec<String>,
}

/// The error of interpreting a query.
pub type InterpretError = Box<InterpretFault>;

/// The reasons why interpreting a query fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InterpretFault {
    /// The expression does not parse.
    #[error(transparent)]
    Query(QueryError),
    /// The dictionary is damaged.
    #[error(transparent)]
    Snapshot(SnapshotError),
}

boxed_from!(InterpretFault: Query(QueryError), Snapshot(SnapshotError));

/// The rule by which the words of a query match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordRule {
    /// A record matches if it contains any of the words.
    #[default]
    Any,
    /// A record matches if it contains all of the words.
    All,
    /// A record matches if any of its words starts with any of the query's words.
    Prefix,
}

/// Turns the words of `text` into a query.
///
/// `as_you_type` lets the last word stand for every word that starts with it. `typos` is the number of typing errors
/// allowed in a word that the index lacks, 0 to 2.
///
/// # Errors
/// Fails when the dictionary is damaged.
pub fn interpret(
    text: &str,
    rule: WordRule,
    corpus: &Corpus,
    schema: &Schema,
    analyzer: &Analyzer,
    as_you_type: bool,
    typos: u8,
) -> Result<Interpretation, InterpretError> {
    let expression = match rule {
        WordRule::Any => any_word(text),
        WordRule::All => all_words(text),
        WordRule::Prefix => any_beginning(text),
    };
    let mut query = Query::parse(&expression, &schema.field_names(), analyzer)?;
    let mut warnings = Vec::new();
    let mut corrected = Vec::new();
    if (as_you_type || typos > 0) && !schema.keeps_forms() {
        let what = if as_you_type { "asYouType" } else { "typos" };
        warnings.push(format!(
            "{what}: this snapshot keeps no written forms, so only stems were searched; build it with forms = true"
        ));
    }
    let is_typing = as_you_type && text.chars().last().is_some_and(|last| !last.is_whitespace());
    if is_typing && let Some(word) = last_word(text) {
        type_ahead(&mut query, word, corpus, schema, analyzer)?;
    }
    if typos > 0 {
        correct(&mut query, text, typos, is_typing, corpus, analyzer, &mut corrected)?;
    }
    Ok(Interpretation { expression, query, corrected, warnings })
}

fn last_word(text: &str) -> Option<&str> {
    let is_between =
        |letter: char| letter.is_whitespace() || matches!(letter, '"' | '(' | ')' | '*' | '-' | '^');
    text.split(is_between).next_back()
}

/// Replaces the last token of the query by every word that starts with it.
fn type_ahead(
    query: &mut Query,
    word: &str,
    corpus: &Corpus,
    schema: &Schema,
    analyzer: &Analyzer,
) -> Result<(), SnapshotError> {
    let Some(term) = query.phrases.last_mut().and_then(|phrase| phrase.terms.last_mut()) else {
        return Ok(());
    };
    let QueryTerm::Exact(_) = term else { return Ok(()) };
    let mut beginning = None;
    analyzer.spans(word, Purpose::Query, |span| beginning = Some(&word[span.start..span.end]));
    let Some(beginning) = beginning else { return Ok(()) };
    let mut form = Vec::new();
    analyzer.fold(beginning, &mut form);
    if !schema.keeps_forms() {
        *term = QueryTerm::Prefix(form);
        return Ok(());
    }
    let mut terms =
        complete(corpus, &form)?.into_iter().map(|completion| completion.form).collect::<Vec<_>>();
    terms.push(form);
    *term = any_of(terms, analyzer);
    Ok(())
}

/// Replaces words that the index lacks by similar words.
fn correct(
    query: &mut Query,
    text: &str,
    typos: u8,
    is_typing: bool,
    corpus: &Corpus,
    analyzer: &Analyzer,
    corrected: &mut Vec<Correction>,
) -> Result<(), SnapshotError> {
    let last = query.phrases.len().saturating_sub(1);
    for ((number, phrase), word) in query.phrases.iter_mut().enumerate().zip(words(text)) {
        let [QueryTerm::Exact(term)] = &phrase.terms[..] else { continue };
        // The user is still typing the last word: it is incomplete, not wrong.
        if number == last && is_typing || is_known(corpus, term)? {
            continue;
        }
        // Compare written forms: people misspell words, not stems, and stems differ in fewer letters.
        let mut form = Vec::new();
        if let Some(token) = only_token(word, analyzer) {
            analyzer.fold(token, &mut form);
        }
        let found = corrections(corpus, &form, typos)?;
        if found.is_empty() {
            continue;
        }
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        corrected
            .push(Correction { word: word.to_owned(), instead: found.iter().map(text).collect::<Vec<_>>() });
        phrase.terms = vec![any_of(found, analyzer)];
    }
    Ok(())
}

/// Returns the token of a word; `None` unless the word has exactly one.
fn only_token<'a>(word: &'a str, analyzer: &Analyzer) -> Option<&'a str> {
    let mut tokens = Vec::new();
    analyzer.spans(word, Purpose::Query, |span| tokens.push(&word[span.start..span.end]));
    match tokens[..] {
        [token] => Some(token),
        _ => None,
    }
}

/// Returns a term that matches the stem of any of these forms.
fn any_of(forms: Vec<Vec<u8>>, analyzer: &Analyzer) -> QueryTerm {
    let stem = |mut form: Vec<u8>| {
        analyzer.stem(&mut form);
        form
    };
    let mut terms = forms.into_iter().map(stem).collect::<Vec<_>>();
    sort(&mut terms);
    terms.dedup();
    QueryTerm::AnyOf(terms)
}

fn is_known(corpus: &Corpus, term: &[u8]) -> Result<bool, SnapshotError> {
    for part in corpus.parts {
        if part.segment.terms()?.find(term)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
