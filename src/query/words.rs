//! How does a line that someone typed become an expression?

/// Only so many words are asked for.
const MAX_WORDS: usize = 20;

/// An expression that matches documents with any of the words in `query`; it always parses.
///
/// The characters ``" ( ) * - ^`` and NUL count as spaces. Words of one character are left out, and so is every
/// word after the twentieth. Where no word is left the expression is `""`, which matches nothing.
///
/// ```
/// use snapseek::query::any_word;
///
/// assert_eq!(any_word("state-of-the-art (a survey)"), r#""state" OR "of" OR "the" OR "art" OR "survey""#);
/// assert_eq!(any_word("?"), r#""""#);
/// ```
pub fn any_word(query: &str) -> String {
    joined(query, "", " OR ")
}

/// As [`any_word`], for documents with all of the words.
pub fn all_words(query: &str) -> String {
    joined(query, "", " AND ")
}

/// As [`any_word`], for documents with a word that starts like one of them.
pub fn any_beginning(query: &str) -> String {
    joined(query, "*", " OR ")
}

fn joined(query: &str, after: &str, between: &str) -> String {
    let quoted: Vec<String> = words(query).map(|word| format!("\"{word}\"{after}")).collect::<Vec<_>>();
    if quoted.is_empty() { "\"\"".into() } else { quoted.join(between) }
}

/// The words that [`any_word`] asks for: each is one phrase of its expression, in the same order.
pub fn words(query: &str) -> impl Iterator<Item = &str> {
    // An expression ends at a NUL, so one inside the quotes would leave the string open.
    let is_gap = |c: char| c.is_whitespace() || matches!(c, '"' | '(' | ')' | '*' | '-' | '^' | '\0');
    query.split(is_gap).filter(|word| word.chars().nth(1).is_some()).take(MAX_WORDS)
}
