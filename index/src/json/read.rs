//! Parses JSON text by RFC 8259, without extensions.
//!
//! It accepts and refuses the same texts as `serde_json`, with the same messages; tests compare the two.

use super::decimal::Decimal;
use super::{Json, MAX_KEYS, integer};

/// Nesting to this depth is refused.
const MAX_DEPTH: u32 = 128;

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at line {line} column {column}")]
pub struct JsonError {
    reason: &'static str,
    line: usize,
    column: usize,
}

impl JsonError {
    fn at(text: &[u8], reason: &'static str, place: usize) -> JsonError {
        let (mut line, mut start) = (1, 0);
        for (at, byte) in text.iter().enumerate().take(place) {
            if *byte == b'\n' {
                (line, start) = (line + 1, at + 1);
            }
        }
        JsonError { reason, line, column: place.min(text.len()) - start + usize::from(place < text.len()) }
    }

    /// Returns the reason without the position.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// Returns the line of the error, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the byte in the line of the error, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Reports whether the text ended before the value did.
    pub fn is_eof(&self) -> bool {
        self.reason.starts_with("EOF")
    }
}

/// How the parser treats a key that the object already has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// The last value wins, at the position of the first, as in JavaScript.
    Replace,
    /// A repeated key is an error.
    Refuse,
}

/// Parses a text that consists of one value.
pub(super) fn parse(text: &[u8], repeats: Repeats) -> Result<Json, JsonError> {
    let valid = std::str::from_utf8(text)
        .map_err(|error| JsonError::at(text, "invalid unicode code point", error.valid_up_to()))?;
    let mut reader = Reader { text: valid, bytes: text, at: 0, depth: 0, repeats };
    reader.whole().map_err(|Fault(reason)| JsonError::at(text, reason, reader.at))
}

/// An error at the current position of the reader.
struct Fault(&'static str);

const EOF_IN_VALUE: Fault = Fault("EOF while parsing a value");
const EOF_IN_STRING: Fault = Fault("EOF while parsing a string");
const INVALID_NUMBER: Fault = Fault("invalid number");

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    repeats: Repeats,
}

impl Reader<'_> {
    fn whole(&mut self) -> Result<Json, Fault> {
        let value = self.value()?;
        match self.next_visible() {
            None => Ok(value),
            Some(_) => Err(Fault("trailing characters")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and returns the next byte without consuming it.
    fn next_visible(&mut self) -> Option<u8> {
        match self.peek() {
            Some(byte) if byte > b' ' => Some(byte),
            _ => self.next_after_spaces(),
        }
    }

    #[inline(never)]
    fn next_after_spaces(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self) -> Result<Json, Fault> {
        match self.next_visible().ok_or(EOF_IN_VALUE)? {
            b'"' => Ok(Json::String(self.string()?)),
            b'-' | b'0'..=b'9' => self.number(),
            bracket @ (b'{' | b'[') => {
                self.depth += 1;
                if self.depth == MAX_DEPTH {
                    return Err(Fault("recursion limit exceeded"));
                }
                self.at += 1;
                let value = if bracket == b'{' { self.object()? } else { self.array()? };
                self.at += 1;
                self.depth -= 1;
                Ok(value)
            }
            b't' => self.word("true").map(|()| Json::Bool(true)),
            b'f' => self.word("false").map(|()| Json::Bool(false)),
            b'n' => self.word("null").map(|()| Json::Null),
            _ => Err(Fault("expected value")),
        }
    }

    #[inline(never)]
    fn word(&mut self, word: &str) -> Result<(), Fault> {
        for byte in word.bytes() {
            match self.peek() {
                Some(found) if found == byte => self.at += 1,
                Some(_) => return Err(Fault("expected ident")),
                None => return Err(EOF_IN_VALUE),
            }
        }
        Ok(())
    }

    /// Reads the values of an array and stops at the closing bracket.
    fn array(&mut self) -> Result<Json, Fault> {
        const EOF: Fault = Fault("EOF while parsing a list");
        let mut values = Vec::new();
        if self.next_visible().ok_or(EOF)? == b']' {
            return Ok(Json::Array(values));
        }
        loop {
            values.push(self.value()?);
            match self.next_visible().ok_or(EOF)? {
                b',' => self.at += 1,
                b']' => return Ok(Json::Array(values)),
                _ => return Err(Fault("expected `,` or `]`")),
            }
            if self.next_visible() == Some(b']') {
                return Err(Fault("trailing comma"));
            }
        }
    }

    /// Reads the entries of an object and stops at the closing brace.
    fn object(&mut self) -> Result<Json, Fault> {
        const EOF: Fault = Fault("EOF while parsing an object");
        let mut entries: Vec<(String, Json)> = Vec::new();
        let mut next = self.next_visible().ok_or(EOF)?;
        if next == b'}' {
            return Ok(Json::Object(entries));
        }
        loop {
            if next != b'"' {
                return Err(Fault(if next == b'}' { "trailing comma" } else { "key must be a string" }));
            }
            let key = self.string()?;
            if self.next_visible().ok_or(EOF)? != b':' {
                return Err(Fault("expected `:`"));
            }
            self.at += 1;
            let value = self.value()?;
            match entries.iter().position(|(known, _)| *known == key) {
                Some(_) if self.repeats == Repeats::Refuse => return Err(Fault("a key is repeated")),
                Some(place) => entries[place].1 = value,
                None if entries.len() == MAX_KEYS => return Err(Fault(TOO_MANY_KEYS)),
                None => entries.push((key, value)),
            }
            match self.next_visible().ok_or(EOF)? {
                b',' => self.at += 1,
                b'}' => return Ok(Json::Object(entries)),
                _ => return Err(Fault("expected `,` or `}`")),
            }
            next = self.next_visible().ok_or(EOF_IN_VALUE)?;
        }
    }

    /// Reads a string. The reader must be at its opening quote.
    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let start = self.at;
            self.at += plain_len(&self.bytes[start..]);
            string.push_str(&self.text[start..self.at]);
            match self.peek().ok_or(EOF_IN_STRING)? {
                b'"' => break,
                b'\\' => string.push(self.escape()?),
                _ => return Err(Fault("control character (\\u0000-\\u001F) found while parsing a string")),
            }
        }
        self.at += 1;
        Ok(string)
    }

    /// Reads an escape sequence. The reader must be at its backslash.
    #[inline(never)]
    fn escape(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let short = match self.peek().ok_or(EOF_IN_STRING)? {
            byte @ (b'"' | b'\\' | b'/') => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(Fault("invalid escape")),
        };
        self.at += 1;
        Ok(short)
    }

    /// Reads the escape of a UTF-16 unit, or of two units that form a surrogate pair. Half a pair becomes U+FFFD, as when
    /// JavaScript encodes such a string.
    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let first = self.hex()?;
        if (0xd800..0xdc00).contains(&first) && self.bytes.get(self.at..self.at + 2) == Some(br"\u") {
            let before = self.at;
            self.at += 1;
            if let second @ 0xdc00..0xe000 = self.hex()? {
                let code = 0x1_0000 + ((first - 0xd800) << 10 | (second - 0xdc00));
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Returns an error at the byte just consumed.
    fn fault_before<T>(&mut self, fault: Fault) -> Result<T, Fault> {
        self.at -= 1;
        Err(fault)
    }

    /// Reads four hexadecimal digits. The reader must be at the `u` before them.
    #[inline(never)]
    fn hex(&mut self) -> Result<u32, Fault> {
        self.at += 1;
        let Some(digits) = self.bytes.get(self.at..self.at + 4) else {
            self.at = self.bytes.len();
            return Err(EOF_IN_STRING);
        };
        self.at += 4;
        let mut code = 0;
        for byte in digits {
            let Some(digit) = char::from(*byte).to_digit(16) else {
                return self.fault_before(Fault("invalid escape"));
            };
            code = code << 4 | digit;
        }
        Ok(code)
    }

    /// Skips digits; there must be at least one.
    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().ok_or(EOF_IN_VALUE)?.is_ascii_digit() {
            return Err(INVALID_NUMBER);
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json, Fault> {
        let is_negative = self.peek() == Some(b'-');
        self.at += usize::from(is_negative);
        let start = self.at;
        self.digits()?;
        let whole = &self.bytes[start..self.at];
        if whole.len() > 1 && whole[0] == b'0' {
            self.at = start + 1;
            return Err(INVALID_NUMBER);
        }
        let next = self.peek();
        // Fewer than 20 digits fit in 64 bits.
        if whole.len() < 20 && !matches!(next, Some(b'.' | b'e' | b'E')) {
            let number = whole.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
            let nearest = if is_negative { -(number as f64) } else { number as f64 };
            return Ok(integer(is_negative, number).map_or(Json::Float(nearest), Json::Integer));
        }
        let start = self.at + 1;
        let mut fraction: &[u8] = &[];
        if next == Some(b'.') {
            self.at = start;
            self.digits()?;
            fraction = &self.bytes[start..self.at];
        }
        let exponent = self.exponent()?;
        let number = Decimal { whole, fraction, exponent }.nearest();
        if number.is_infinite() {
            return self.fault_before(Fault("number out of range"));
        }
        Ok(Json::from_f64(if is_negative { -number } else { number }))
    }

    /// Reads the exponent of a number, or 0 when it has none.
    fn exponent(&mut self) -> Result<i64, Fault> {
        if !matches!(self.peek(), Some(b'e' | b'E')) {
            return Ok(0);
        }
        self.at += 1;
        let sign = self.peek();
        self.at += usize::from(matches!(sign, Some(b'+' | b'-')));
        let start = self.at;
        self.digits()?;
        // Larger exponents make no difference, because no text has enough digits to balance them.
        let digits = &self.bytes[start..self.at];
        let exponent =
            digits.iter().fold(0, |number, digit| (number * 10 + i64::from(digit - b'0')).min(1 << 50));
        Ok(if sign == Some(b'-') { -exponent } else { exponent })
    }
}

const TOO_MANY_KEYS: &str = "an object has more than 4096 keys";

/// Returns the number of leading bytes that a string contains unescaped. It tests eight bytes at a time.
fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    /// Sets the highest bit of each byte below `limit`, which is at most 0x80. Bytes after the first such byte may be
    /// set wrongly.
    fn below(eight: u64, limit: u64) -> u64 {
        eight.wrapping_sub(ONES * limit) & !eight
    }
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (place, chunk) in chunks.iter().enumerate() {
        let eight = u64::from_le_bytes(*chunk);
        let quotes = eight ^ (ONES * u64::from(b'"'));
        let backslashes = eight ^ (ONES * u64::from(b'\\'));
        let found = (below(eight, 0x20) | below(quotes, 1) | below(backslashes, 1)) & (ONES << 7);
        if found != 0 {
            return place * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |byte: &u8| *byte >= 0x20 && !matches!(byte, b'"' | b'\\');
    bytes.len() - rest.len() + rest.iter().take_while(|byte| is_plain(byte)).count()
}

#[cfg(test)]
mod tests;
