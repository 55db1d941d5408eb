//! How does a line that a user typed become an expression?

/// The largest number of words in an expression.
const MAX_WORDS: usize = 20;

/// Builds an expression that matches documents with any word of `query`. The expression always parses.
///
/// The characters ``" ( ) * - ^`` and NUL count as spaces. Words of one character are dropped, and so is every word
/// after the twentieth. If no word remains, the expression is `""`, which matches nothing.
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

/// Builds an expression as [`any_word`] does, for documents that contain all words.
pub fn all_words(query: &str) -> String {
    joined(query, "", " AND ")
}

/// Builds an expression as [`any_word`] does, for documents with a word that starts with any of the words.
pub fn any_beginning(query: &str) -> String {
    joined(query, "*", " OR ")
}

fn joined(query: &str, after: &str, between: &str) -> String {
    let quoted: Vec<String> = words(query).map(|word| format!("\"{word}\"{after}")).collect::<Vec<_>>();
    if quoted.is_empty() { "\"\"".into() } else { quoted.join(between) }
}

/// Returns the words that [`any_word`] uses. Each becomes one phrase of its expression, in the same order.
pub fn words(query: &str) -> impl Iterator<Item = &str> {
    // An expression ends at a NUL, so a NUL inside quotes would leave the string unterminated.
    let is_gap = |c: char| c.is_whitespace() || matches!(c, '"' | '(' | ')' | '*' | '-' | '^' | '\0');
    query.split(is_gap).filter(|word| word.chars().nth(1).is_some()).take(MAX_WORDS)
}
