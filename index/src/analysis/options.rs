//! Parses an FTS5 `tokenize=` string: words and quoted values, separated by spaces.
//!
//! The grammar is that of `fts5_config.c`, including the strings it refuses. Names are compared without regard to ASCII
//! case.

use super::error::AnalyzerError;
use super::fold::RemoveDiacritics;
use super::tokenizer::Class;

/// The options that a `tokenize=` string sets.
#[derive(Default)]
pub(super) struct TokenizeOptions {
    pub is_stemming: bool,
    pub remove_diacritics: RemoveDiacritics,
    /// The characters of `tokenchars` and `separators`, in order of appearance.
    pub overrides: Vec<(char, Class)>,
}

impl TokenizeOptions {
    /// Parses a `tokenize=` string.
    pub fn parse(tokenize: &str) -> Result<TokenizeOptions, AnalyzerError> {
        let words = words(tokenize)?;
        // SQLite accepts `porter` repeatedly; it has the effect of one.
        let stemmers = words.iter().take_while(|word| is_named(word, "porter")).count();
        let mut options = TokenizeOptions { is_stemming: stemmers > 0, ..TokenizeOptions::default() };
        let Some((name, choices)) = words[stemmers..].split_first() else { return Ok(options) };
        if !is_named(name, "unicode61") {
            return Err(unfit_tokenizer(name.clone()));
        }
        for choice in choices.chunks(2) {
            options.set(&choice[0], choice.get(1))?;
        }
        Ok(options)
    }

    fn set(&mut self, option: &str, value: Option<&String>) -> Result<(), AnalyzerError> {
        let class = if is_named(option, "remove_diacritics") {
            None
        } else if is_named(option, "tokenchars") {
            Some(Class::TokenChar)
        } else if is_named(option, "separators") {
            Some(Class::Separator)
        } else if is_named(option, "categories") {
            return Err(AnalyzerError::UnsupportedCategories);
        } else {
            return Err(AnalyzerError::UnknownOption { option: option.to_owned() });
        };
        let Some(value) = value else {
            return Err(AnalyzerError::MissingValue { option: option.to_owned() });
        };
        match class {
            Some(class) => value.chars().for_each(|c| self.overrides.push((c, class))),
            None => {
                self.remove_diacritics = match value.as_bytes() {
                    b"0" => RemoveDiacritics::None,
                    b"1" => RemoveDiacritics::Simple,
                    b"2" => RemoveDiacritics::Complex,
                    _ => return Err(AnalyzerError::InvalidRemoveDiacritics { value: value.clone() }),
                };
            }
        }
        Ok(())
    }
}

// Not inlined, because each of the many calls would repeat its code.
#[inline(never)]
fn is_named(word: &str, name: &str) -> bool {
    word.eq_ignore_ascii_case(name)
}

fn unfit_tokenizer(name: String) -> AnalyzerError {
    if is_named(&name, "ascii") || is_named(&name, "trigram") {
        AnalyzerError::UnsupportedTokenizer { name }
    } else {
        AnalyzerError::UnknownTokenizer { name }
    }
}

/// Splits a `tokenize=` string into its words and quoted values.
fn words(tokenize: &str) -> Result<Vec<String>, AnalyzerError> {
    let mut words = Vec::new();
    // A NUL ends SQLite's strings.
    let (mut rest, _) = tokenize.split_at(run(tokenize, |byte| byte != 0));
    while !rest.is_empty() {
        let word;
        (word, rest) = first_word(past_spaces(rest))?;
        words.push(word);
        rest = past_spaces(rest);
    }
    Ok(words)
}

/// Returns the number of leading bytes that pass `test`. The test must treat all bytes of a multi-byte character alike.
#[inline(never)]
fn run(text: &str, test: fn(u8) -> bool) -> usize {
    text.bytes().take_while(|&byte| test(byte)).count()
}

fn past_spaces(text: &str) -> &str {
    &text[run(text, |byte| byte == b' ')..]
}

/// Splits off the first word. `text` must not start with a space.
fn first_word(text: &str) -> Result<(String, &str), AnalyzerError> {
    let (word, rest) = text.split_at(run(text, is_bareword));
    match text.bytes().next() {
        _ if !word.is_empty() => Ok((word.to_owned(), rest)),
        Some(b'\'') => quoted_word(text),
        Some(found) => Err(AnalyzerError::UnquotedCharacter { found: char::from(found) }),
        None => Err(AnalyzerError::Blank),
    }
}

/// Splits off the quoted value at the start of `text`. A doubled quote stands for one; a single one ends the value.
fn quoted_word(text: &str) -> Result<(String, &str), AnalyzerError> {
    let mut word = String::new();
    let mut rest = &text[1..];
    loop {
        let (before, from_quote) = rest.split_at(run(rest, |byte| byte != b'\''));
        word += before;
        let Some(after) = from_quote.get(1..) else {
            return Err(AnalyzerError::UnclosedQuote { quoted: text.to_owned() });
        };
        if !after.starts_with('\'') {
            return Ok((word, after));
        }
        word += "'";
        rest = &after[1..];
    }
}

fn is_bareword(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == 0x1a || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubled_quote_stands_for_one_and_needs_no_space_after_it() {
        assert_eq!(words("a 'it''s''' b'c'd").unwrap(), ["a", "it's'", "b", "c", "d"]);
        assert_eq!(words("''  '''' ").unwrap(), ["", "'"]);
    }

    #[test]
    fn a_nul_ends_the_string() {
        assert_eq!(words("porter\0unicode61").unwrap(), ["porter"]);
    }
}
