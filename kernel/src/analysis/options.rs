//! What an FTS5 `tokenize=` string says: words and quoted values, parted by spaces.
//!
//! The grammar is that of `fts5_config.c`, down to what it refuses. Names are compared without
//! regard to ASCII case.

use super::error::AnalyzerError;
use super::fold::RemoveDiacritics;
use super::tokenizer::Class;

/// The choices that a `tokenize=` string makes.
#[derive(Default)]
pub(super) struct Options {
    pub is_stemming: bool,
    pub remove_diacritics: RemoveDiacritics,
    /// The characters of `tokenchars` and `separators`, in order of appearance.
    pub overrides: Vec<(char, Class)>,
}

impl Options {
    /// Reads a `tokenize=` string.
    pub fn parse(tokenize: &str) -> Result<Options, AnalyzerError> {
        let mut words = words(tokenize)?.into_iter().peekable();
        let mut options = Options::default();
        // SQLite takes any number of them for one.
        while words.next_if(|word| word.eq_ignore_ascii_case("porter")).is_some() {
            options.is_stemming = true;
        }
        match words.next() {
            Some(name) if !name.eq_ignore_ascii_case("unicode61") => return Err(unfit_tokenizer(name)),
            _ => {}
        }
        while let Some(option) = words.next() {
            options.set(option, words.next())?;
        }
        Ok(options)
    }

    fn set(&mut self, option: String, value: Option<String>) -> Result<(), AnalyzerError> {
        type Setter = fn(&mut Options, &str) -> Result<(), AnalyzerError>;
        let set: Setter = match option.to_ascii_lowercase().as_str() {
            "remove_diacritics" => Options::set_remove_diacritics,
            "tokenchars" => |options, value| options.override_class(value, Class::TokenChar),
            "separators" => |options, value| options.override_class(value, Class::Separator),
            "categories" => return Err(AnalyzerError::UnsupportedCategories),
            _ => return Err(AnalyzerError::UnknownOption { option }),
        };
        set(self, &value.ok_or(AnalyzerError::MissingValue { option })?)
    }

    fn set_remove_diacritics(&mut self, value: &str) -> Result<(), AnalyzerError> {
        self.remove_diacritics = match value {
            "0" => RemoveDiacritics::None,
            "1" => RemoveDiacritics::Simple,
            "2" => RemoveDiacritics::Complex,
            _ => return Err(AnalyzerError::InvalidRemoveDiacritics { value: value.into() }),
        };
        Ok(())
    }

    fn override_class(&mut self, characters: &str, class: Class) -> Result<(), AnalyzerError> {
        self.overrides.extend(characters.chars().map(|c| (c, class)));
        Ok(())
    }
}

fn unfit_tokenizer(name: String) -> AnalyzerError {
    match name.to_ascii_lowercase().as_str() {
        "ascii" | "trigram" => AnalyzerError::UnsupportedTokenizer { name },
        _ => AnalyzerError::UnknownTokenizer { name },
    }
}

fn words(tokenize: &str) -> Result<Vec<String>, AnalyzerError> {
    let mut words = Vec::new();
    // A NUL ends SQLite's strings.
    let mut rest = tokenize.split('\0').next().unwrap_or_default();
    while !rest.is_empty() {
        let word;
        (word, rest) = first_word(rest.trim_start_matches(' '))?;
        words.push(word);
        rest = rest.trim_start_matches(' ');
    }
    Ok(words)
}

/// The first word of `text`, which does not start with a space, and what follows it.
fn first_word(text: &str) -> Result<(String, &str), AnalyzerError> {
    if let Some(inner) = text.strip_prefix('\'') {
        let unclosed = || AnalyzerError::UnclosedQuote { quoted: text.into() };
        let end = closing_quote(inner).ok_or_else(unclosed)?;
        return Ok((inner[..end].replace("''", "'"), &inner[end + 1..]));
    }
    let end = text.find(|c| !is_bareword(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    match rest.chars().next() {
        _ if !word.is_empty() => Ok((word.into(), rest)),
        Some(found) => Err(AnalyzerError::UnquotedCharacter { found }),
        None => Err(AnalyzerError::Blank),
    }
}

/// Where the quote stands that ends a value: the first that is not one of a pair.
fn closing_quote(inner: &str) -> Option<usize> {
    let bytes = inner.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|&byte| byte == b'\'')?;
        if bytes.get(at + 1) != Some(&b'\'') {
            return Some(at);
        }
        at += 2;
    }
}

fn is_bareword(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\u{1a}' || !c.is_ascii()
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
