//! How does a BERT model split text into tokens? It normalises the text, cuts it into words, and cuts each word into the
//! longest known pieces.
//!
//! The tokens equal those of the reference implementation (Hugging Face's `tokenizers`) for the same vocabulary; tests
//! compare them. There is one deviation: a special token that is spelt out in a text, such as `[MASK]`, is text.

use super::bert_tables::{MARKS, PUNCTUATION, REMOVED};
use super::normal::nfd;
use super::vocabulary::VocabularyView;
use crate::unicode::lower;

/// The settings of `tokenizer.json`: how text is normalised, and which words are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordPieceOptions {
    /// Removes control characters and turns all white space into spaces.
    pub clean_text: bool,
    /// Makes each Han character a separate word.
    pub handle_chinese_chars: bool,
    /// Removes accents.
    pub strip_accents: bool,
    /// Converts letters to lower case.
    pub lowercase: bool,
    /// The most characters a word may have; a longer word is unknown.
    pub longest_word: u32,
}

impl Default for WordPieceOptions {
    /// Returns the settings of an uncased BERT.
    fn default() -> WordPieceOptions {
        WordPieceOptions {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: true,
            lowercase: true,
            longest_word: 100,
        }
    }
}

/// A vocabulary of pieces that start a word and pieces that continue one; the latter are numbered after the former.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordPiece<'a> {
    pub options: WordPieceOptions,
    pub starting: VocabularyView<'a>,
    pub continuing: VocabularyView<'a>,
}

impl WordPiece<'_> {
    /// Calls `each` with the number of each token of `text`, and with `None` for an unknown word.
    pub fn tokens(&self, text: &str, mut each: impl FnMut(Option<u32>)) {
        let mut pieces = Vec::new();
        bert_words(text, self.options, |word| {
            self.break_word(word, &mut pieces);
            if pieces.is_empty() {
                each(None);
            }
            pieces.drain(..).for_each(|piece| each(Some(piece)));
            true
        });
    }

    /// Puts the pieces of `word` into `pieces`; leaves it empty if a part of the word is unknown.
    fn break_word(&self, word: &str, pieces: &mut Vec<u32>) {
        if word.chars().nth(usize::try_from(self.options.longest_word).unwrap_or(usize::MAX)).is_some() {
            return;
        }
        let mut rest = word.as_bytes();
        while !rest.is_empty() {
            let (vocabulary, before) =
                if pieces.is_empty() { (self.starting, 0) } else { (self.continuing, self.starting.count()) };
            let Some((piece, len)) = vocabulary.longest_prefix(rest) else {
                pieces.clear();
                return;
            };
            pieces.push(before.saturating_add(piece));
            rest = &rest[len..];
        }
    }
}

/// Calls `each` with the normalised words of a text, in order, until it returns false.
///
/// These are the words that BERT cuts into pieces. Every punctuation character is a word.
pub fn bert_words(text: &str, options: WordPieceOptions, mut each: impl FnMut(&str) -> bool) {
    let text = normalised(text, options);
    for word in text.split(char::is_whitespace) {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let end = if is_punctuation(first) {
                first.len_utf8()
            } else {
                rest.find(is_punctuation).unwrap_or(rest.len())
            };
            let (part, after) = rest.split_at(end);
            if !each(part) {
                return;
            }
            rest = after;
        }
    }
}

fn normalised(text: &str, options: WordPieceOptions) -> String {
    if text.is_ascii() {
        return ascii_normalised(text, options);
    }
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if options.clean_text && is_in(REMOVED, c) => {}
            _ if options.clean_text && c.is_whitespace() => cleaned.push(' '),
            _ if options.handle_chinese_chars && is_han(c) => cleaned.extend([' ', c, ' ']),
            _ => cleaned.push(c),
        }
    }
    if options.strip_accents {
        cleaned = nfd(&cleaned).chars().filter(|&c| !is_in(MARKS, c)).collect();
    }
    if options.lowercase {
        // Lower each character by itself: `lower_case` treats a final sigma differently.
        cleaned = cleaned.chars().flat_map(lower).collect();
    }
    cleaned
}

/// Normalises a text that has neither accents nor Han characters; a fast version of [`normalised`].
fn ascii_normalised(text: &str, options: WordPieceOptions) -> String {
    let kept = text.chars().filter(|&c| !(options.clean_text && is_in(REMOVED, c)));
    let lower = |c: char| if options.lowercase { c.to_ascii_lowercase() } else { c };
    kept.map(|c| if options.clean_text && c.is_whitespace() { ' ' } else { lower(c) }).collect()
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { is_in(PUNCTUATION, c) }
}

fn is_in(ranges: &[(u32, u32)], c: char) -> bool {
    // Printable ASCII, the usual case, is neither removed nor a mark, and its punctuation is tested without a table.
    if (' '..'\u{7f}').contains(&c) {
        return false;
    }
    let c = u32::from(c);
    let after = ranges.partition_point(|range| range.0 <= c);
    ranges[..after].last().is_some_and(|range| c <= range.1)
}

/// Returns whether BERT treats the character as Han. Its ranges do not cover all of Han.
fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{2F800}'..='\u{2FA1F}'
    )
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::VocabularyWriter;
    use super::*;

    fn written(strings: &[&str]) -> VocabularyWriter {
        let mut writer = VocabularyWriter::default();
        strings.iter().for_each(|string| writer.push(string));
        writer
    }

    fn tokens(starting: &[&str], continuing: &[&str], text: &str) -> Vec<String> {
        let (starting, continuing) = (written(starting), written(continuing));
        let starting = VocabularyView::new(&starting.ends, &starting.strings);
        let continuing = VocabularyView::new(&continuing.ends, &continuing.strings);
        let tokenizer = WordPiece { options: WordPieceOptions::default(), starting, continuing };
        let mut names = Vec::new();
        tokenizer.tokens(text, |token| {
            let name = token.map(|token| match token.checked_sub(starting.count()) {
                Some(token) => {
                    format!("##{}", std::str::from_utf8(continuing.string(token).unwrap()).unwrap())
                }
                None => std::str::from_utf8(starting.string(token).unwrap()).unwrap().to_owned(),
            });
            names.push(name.unwrap_or("[UNK]".to_owned()));
        });
        names
    }

    #[test]
    fn a_word_is_broken_into_its_longest_pieces() {
        let (starting, continuing) = (["un", "unaff", "unaffa"], ["able", "bl", "e"]);
        assert_eq!(tokens(&starting, &continuing, "unaffable"), ["unaffa", "##bl", "##e"]);
    }

    #[test]
    fn a_word_with_an_unknown_rest_is_unknown_as_a_whole() {
        assert_eq!(tokens(&["a", "b"], &["c"], "ac ax b acx"), ["a", "##c", "[UNK]", "b", "[UNK]"]);
    }

    #[test]
    fn punctuation_and_han_are_words_and_accents_and_controls_are_gone() {
        let starting = ["!", "ete", "…", "京", "東"];
        assert_eq!(tokens(&starting, &[], "É\u{200b}te\u{301}!…\n東京"), ["ete", "!", "…", "東", "京"]);
    }

    #[test]
    fn a_word_of_more_than_a_hundred_characters_is_unknown() {
        assert_eq!(tokens(&["a"], &["a"], &"a".repeat(100)).len(), 100);
        assert_eq!(tokens(&["a"], &["a"], &"a".repeat(101)), ["[UNK]"]);
        assert_eq!(tokens(&["é"], &["é"], ""), Vec::<String>::new());
    }

    #[test]
    fn ascii_takes_a_short_way_to_the_same_text() {
        let text = (0..128u8).map(char::from).collect::<String>();
        for bits in 0..16u8 {
            let options = WordPieceOptions {
                clean_text: bits & 1 != 0,
                handle_chinese_chars: bits & 2 != 0,
                strip_accents: bits & 4 != 0,
                lowercase: bits & 8 != 0,
                longest_word: 100,
            };
            // Cleaning removes the byte order mark. Without cleaning it stays, and the test cuts it off.
            let long = normalised(&format!("{text}\u{feff}"), options);
            assert_eq!(ascii_normalised(&text, options), long.trim_end_matches('\u{feff}'), "{options:?}");
        }
    }
}
