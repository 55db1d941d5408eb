//! The encoding of a page: a byte order mark, a declaration in the page, or UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// A declaration counts only within this many bytes. Browsers look at 1,024; long comments at the top are common.
const DECLARED_WITHIN: usize = 4096;

/// Decodes a page as browsers do. Bytes that are invalid in the encoding become replacement characters.
///
/// A byte order mark wins over the declared encoding. A page without both is UTF-8 if its bytes allow it, and
/// Windows-1252 otherwise.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, len)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[len..]).0;
    }
    let encoding = match declared(&bytes[..bytes.len().min(DECLARED_WITHIN)]) {
        // The declaration was readable as ASCII, so the page is not UTF-16, whatever it says.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        Some(encoding) => encoding,
        None => match std::str::from_utf8(bytes) {
            Ok(text) => return Cow::Borrowed(text),
            Err(_) => WINDOWS_1252,
        },
    };
    encoding.decode_without_bom_handling(bytes).0
}

/// Returns the encoding that a `<meta>` element or an XML declaration names.
fn declared(start: &[u8]) -> Option<&'static Encoding> {
    let start = start.to_ascii_lowercase();
    if start.starts_with(b"<?xml") {
        let end = position(&start, b"?>").unwrap_or(start.len());
        if let Some(encoding) = label_after(&start[..end], b"encoding") {
            return Some(encoding);
        }
    }
    let mut rest = &start[..];
    while let Some(at) = position(rest, b"<") {
        rest = &rest[at..];
        // A declaration in a comment does not count.
        if rest.starts_with(b"<!--") {
            rest = &rest[position(rest, b"-->")? + 3..];
            continue;
        }
        let end = position(rest, b">").unwrap_or(rest.len());
        if rest.starts_with(b"<meta")
            && let Some(encoding) = label_after(&rest[..end], b"charset")
        {
            return Some(encoding);
        }
        rest = &rest[end.max(1)..];
    }
    None
}

/// Returns the encoding whose name follows `name` and an equals sign.
fn label_after(text: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let after = &text[position(text, name)? + name.len()..];
    let after = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let after = after.strip_prefix(b"\"").or(after.strip_prefix(b"'")).unwrap_or(after);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"';/>?".contains(byte);
    let end = after.iter().position(is_end).unwrap_or(after.len());
    Encoding::for_label(&after[..end])
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_charset_is_decoded() {
        let cases: [(&[u8], &str); 9] = [
            (b"<meta charset=\"iso-8859-1\"><p>caf\xe9", "café"),
            (b"<meta charset=windows-1251><p>\xef\xf0\xe8\xe2\xe5\xf2", "привет"),
            (
                b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=Shift_JIS'>\x93\xfa\x96\x7b",
                "日本",
            ),
            (b"<?xml version='1.0' encoding='ISO-8859-2'?><p>\xb1", "ą"),
            (b"<!-- <meta charset=koi8-r> --><meta charset=utf-8>\xc3\xa9", "é"),
            (b"<p>caf\xc3\xa9", "café"),
            (b"<p>caf\xe9", "café"),
            (b"<meta charset=utf-16>\xc3\xa9", "é"),
            (b"\xef\xbb\xbf<meta charset=latin1>\xc3\xa9", "é"),
        ];
        for (bytes, end) in cases {
            let text = decode(bytes);
            assert!(text.ends_with(end), "{text}");
        }
        let wide = "\u{feff}<p>é".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        assert_eq!(decode(&wide), "<p>é");
    }

    #[test]
    fn bytes_that_are_invalid_become_replacement_characters() {
        assert_eq!(decode(b"<meta charset=utf-8>a\xffb"), "<meta charset=utf-8>a\u{fffd}b");
    }
}
