//! How is an expression cut into tokens?
//!
//! All separators are ASCII, and every byte from 0x80 up is part of a word, so a token never ends inside a character.

use std::borrow::Cow;
use std::ops::Range;

use super::{QueryError, QueryFault};

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    And,
    Or,
    Not,
    /// A word, or a text in double quotes.
    String,
    LeftParenthesis,
    RightParenthesis,
    LeftBrace,
    RightBrace,
    Colon,
    Comma,
    Plus,
    Star,
    Minus,
    Caret,
    /// The end of the expression.
    End,
}

impl TokenKind {
    /// Returns whether this token can start a phrase, its column filter or a NEAR group.
    pub(super) fn starts_member(self) -> bool {
        matches!(self, TokenKind::String | TokenKind::LeftBrace | TokenKind::Minus | TokenKind::Caret)
    }
}

/// A token with its place in the expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// The source text, including quotation marks.
    pub(super) text: &'a str,
    start: usize,
}

impl<'a> Token<'a> {
    /// Returns the token's bytes in the expression.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the value of a string: without the surrounding quotes, and with each `""` inside them read as `"`.
    pub(super) fn unquoted(&self) -> Cow<'a, str> {
        let Some(inner) = self.text.strip_prefix('"') else { return Cow::Borrowed(self.text) };
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        if !inner.as_bytes().contains(&b'"') {
            return Cow::Borrowed(inner);
        }
        let mut is_first_of_two = false;
        let mut text = inner.to_owned();
        text.retain(|c| {
            is_first_of_two = c == '"' && !is_first_of_two;
            !is_first_of_two
        });
        Cow::Owned(text)
    }
}

/// Reads tokens from the front of an expression.
pub(super) struct Lexer<'a> {
    expression: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer at the start of `expression`, which ends at the first NUL, as SQLite's C strings do.
    pub(super) fn new(expression: &'a str) -> Self {
        let end = expression.find('\0').unwrap_or(expression.len());
        Lexer { expression: &expression[..end], at: 0 }
    }

    /// Returns the next token, and [`TokenKind::End`] at and after the end.
    pub(super) fn next(&mut self) -> Result<Token<'a>, QueryError> {
        let rest = self.expression[self.at..].trim_start_matches([' ', '\t', '\n', '\r']);
        let start = self.expression.len() - rest.len();
        let (kind, len) = match rest.bytes().next() {
            None => (TokenKind::End, 0),
            Some(b'(') => (TokenKind::LeftParenthesis, 1),
            Some(b')') => (TokenKind::RightParenthesis, 1),
            Some(b'{') => (TokenKind::LeftBrace, 1),
            Some(b'}') => (TokenKind::RightBrace, 1),
            Some(b':') => (TokenKind::Colon, 1),
            Some(b',') => (TokenKind::Comma, 1),
            Some(b'+') => (TokenKind::Plus, 1),
            Some(b'*') => (TokenKind::Star, 1),
            Some(b'-') => (TokenKind::Minus, 1),
            Some(b'^') => (TokenKind::Caret, 1),
            Some(b'"') => match quoted_len(rest) {
                Some(len) => (TokenKind::String, len),
                None => {
                    return Err(QueryFault::UnterminatedString { span: start..self.expression.len() }.into());
                }
            },
            Some(byte) if is_word_byte(byte) => {
                let len = rest.bytes().position(|byte| !is_word_byte(byte)).unwrap_or(rest.len());
                (word_kind(&rest[..len]), len)
            }
            Some(byte) => {
                return Err(
                    QueryFault::Syntax { near: char::from(byte).into(), span: start..start + 1 }.into()
                );
            }
        };
        self.at = start + len;
        Ok(Token { kind, text: &rest[..len], start })
    }
}

/// Returns the length of the quoted string at the start of `text`, quotes included, or `None` if it is unterminated.
fn quoted_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += 1 + bytes[at..].iter().position(|&byte| byte == b'"')?;
        if bytes.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns whether `byte` may be part of an unquoted word. FTS5 includes the control character 0x1A.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == 0x1a || !byte.is_ascii()
}

/// Returns the operator that a word in capitals names, or `String` for any other word.
fn word_kind(word: &str) -> TokenKind {
    match word {
        "AND" => TokenKind::And,
        "OR" => TokenKind::Or,
        "NOT" => TokenKind::Not,
        _ => TokenKind::String,
    }
}
