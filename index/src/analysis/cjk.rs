//! How are runs of Chinese, Japanese and Korean broken into bigrams?
//!
//! These scripts have no spaces, so to FTS5 a whole sentence is one token, and a search finds only its beginning.
//! Bigrams find any two consecutive characters, and a phrase of bigrams finds any longer text. FTS5 has no such option;
//! it is off by default.

use super::tokenizer::is_mark;
use super::{Purpose, Span};

/// Breaks the CJK runs of `token` into bigrams and calls `each` with the parts from left to right.
///
/// A run c1…cn becomes c1c2, c2c3, …, c(n-1)cn, and cn alone. Every character thus starts a term, and a prefix query
/// finds a single character. A query whose text ends with the run omits cn, because the run in the document may
/// continue; a query with more text keeps it, so that positions agree. A query of one character stays that character.
/// Combining marks stay with the character before them.
pub(super) fn break_token(text: &str, token: Span, purpose: Purpose, each: &mut dyn FnMut(Span)) {
    let surface = &text[token.start..token.end];
    if !surface.bytes().any(|byte| byte >= FIRST_LEAD_BYTE) {
        return each(token);
    }
    let mut part = TokenPart::Empty;
    for (at, c) in surface.char_indices() {
        let (at, is_cjk) = (token.start + at, is_cjk(c));
        part = match part {
            TokenPart::Cjk { .. } if is_mark(c) => part,
            TokenPart::Cjk { last, before } if is_cjk => {
                if let Some(start) = before {
                    each(Span { start, end: at });
                }
                TokenPart::Cjk { last: at, before: Some(last) }
            }
            TokenPart::Other { .. } if !is_cjk => part,
            _ => {
                part.finish(text, at, purpose, each);
                if is_cjk {
                    TokenPart::Cjk { last: at, before: None }
                } else {
                    TokenPart::Other { start: at }
                }
            }
        };
    }
    part.finish(text, token.end, purpose, each);
}

/// The part of a token read so far.
enum TokenPart {
    Empty,
    /// A CJK run: the offset of its last character, and of the one before it if the run has two.
    Cjk {
        last: usize,
        before: Option<usize>,
    },
    Other {
        start: usize,
    },
}

impl TokenPart {
    fn finish(self, text: &str, end: usize, purpose: Purpose, each: &mut dyn FnMut(Span)) {
        match self {
            TokenPart::Empty => {}
            TokenPart::Other { start } => each(Span { start, end }),
            TokenPart::Cjk { last, before } => {
                if let Some(start) = before {
                    each(Span { start, end });
                }
                let goes_on = || text[end..].chars().any(char::is_alphanumeric);
                if before.is_none() || purpose == Purpose::Document || goes_on() {
                    each(Span { start: last, end });
                }
            }
        }
    }
}

/// No CJK character starts with a smaller byte, so most tokens need not be decoded.
const FIRST_LEAD_BYTE: u8 = 0xE1;

/// Reports whether `c` is Han, Hiragana, Katakana or Hangul.
///
/// The ranges may include separators, because the caller passes only characters of tokens.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}'         // Hangul Jamo
        | '\u{3005}'..='\u{3007}'       // Han iteration mark, closing mark, zero
        | '\u{3021}'..='\u{3029}'       // Hangzhou numerals
        | '\u{3031}'..='\u{3035}'       // kana repeat marks
        | '\u{3038}'..='\u{303C}'       // Hangzhou numerals, iteration marks
        | '\u{3041}'..='\u{30FF}'       // Hiragana, Katakana
        | '\u{3131}'..='\u{318E}'       // Hangul compatibility Jamo
        | '\u{31F0}'..='\u{31FF}'       // Katakana extensions
        | '\u{3400}'..='\u{4DBF}'       // Han extension A
        | '\u{4E00}'..='\u{9FFF}'       // Han
        | '\u{A960}'..='\u{A97F}'       // Hangul Jamo extended A
        | '\u{AC00}'..='\u{D7FF}'       // Hangul syllables, Jamo extended B
        | '\u{F900}'..='\u{FAFF}'       // Han compatibility
        | '\u{FF66}'..='\u{FFDC}'       // halfwidth Katakana and Hangul
        | '\u{1AFF0}'..='\u{1B16F}'     // kana supplements
        | '\u{20000}'..='\u{3FFFF}'     // Han extensions B and later
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(token: &str, purpose: Purpose) -> Vec<&str> {
        let mut parts = Vec::new();
        let whole = Span { start: 0, end: token.len() };
        break_token(token, whole, purpose, &mut |span| parts.push(&token[span.start..span.end]));
        parts
    }

    #[test]
    fn a_document_gets_every_bigram_and_the_last_character() {
        assert_eq!(parts("東京都", Purpose::Document), ["東京", "京都", "都"]);
        assert_eq!(parts("東", Purpose::Document), ["東"]);
    }

    #[test]
    fn a_query_that_ends_with_a_run_gets_only_its_bigrams_unless_it_is_one_character() {
        assert_eq!(parts("東京都", Purpose::Query), ["東京", "京都"]);
        assert_eq!(parts("東京", Purpose::Query), ["東京"]);
        assert_eq!(parts("東", Purpose::Query), ["東"]);
    }

    #[test]
    fn text_in_other_scripts_is_a_token_of_its_own() {
        let token = "iPhone用ケースv2";
        assert_eq!(parts(token, Purpose::Document), ["iPhone", "用ケ", "ケー", "ース", "ス", "v2"]);
        assert_eq!(parts(token, Purpose::Query), ["iPhone", "用ケ", "ケー", "ース", "ス", "v2"]);
        assert_eq!(parts("größe", Purpose::Document), ["größe"]);
    }

    #[test]
    fn a_mark_stays_with_its_character() {
        assert_eq!(parts("か\u{304}き\u{301}", Purpose::Document), ["か\u{304}き\u{301}", "き\u{301}"]);
        assert_eq!(parts("か\u{304}e\u{301}", Purpose::Query), ["か\u{304}", "e\u{301}"]);
    }

    #[test]
    fn each_of_the_four_scripts_is_broken_and_no_other() {
        for text in ["漢字", "ひら", "カタ", "한글", "ｶﾀ", "𠀀𠀁", "ㄱㄴ"] {
            assert_eq!(parts(text, Purpose::Document).len(), 2, "{text}");
        }
        for text in ["ab", "дом", "ไทย", "ㄅㄆ", "ⴰⴱ", "𐐀𐐁"] {
            assert_eq!(parts(text, Purpose::Document), [text]);
        }
    }

    #[test]
    fn no_cjk_character_starts_below_the_first_lead_byte() {
        for c in ('\0'..=char::MAX).filter(|&c| is_cjk(c)) {
            assert!(c.to_string().as_bytes()[0] >= FIRST_LEAD_BYTE, "{c}");
        }
    }
}
