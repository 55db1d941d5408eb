//! How is text with marks written as one string?

/// A piece of a highlight or snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text of the document.
    Text(&'a str),
    /// The start of a match.
    Open,
    /// The end of a match.
    Close,
    /// A place where text is left out.
    Ellipsis,
}

/// The strings to write for marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Markers<'a> {
    /// Written before a match.
    pub open: &'a str,
    /// Written after a match.
    pub close: &'a str,
    /// Written where text is left out.
    pub ellipsis: &'a str,
}

/// How the document's text is written. Marks are never escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// Unchanged, except that each piece ends at its first NUL, as in FTS5.
    Plain,
    /// With `& < > " '` escaped, because the document's text is not HTML.
    EscapedHtml,
}

/// Writes the pieces as one string.
pub fn render(pieces: &[Piece], markers: Markers, markup: Markup) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => put_text(until_nul(text), markup, &mut out),
            Piece::Open => out.push_str(until_nul(markers.open)),
            Piece::Close => out.push_str(until_nul(markers.close)),
            Piece::Ellipsis => out.push_str(until_nul(markers.ellipsis)),
        }
    }
    out
}

fn until_nul(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

fn put_text(text: &str, markup: Markup, out: &mut String) {
    if markup == Markup::Plain {
        out.push_str(text);
        return;
    }
    let mut copied = 0;
    for (place, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(&text[copied..place]);
        out.push_str(escaped);
        copied = place + 1;
    }
    out.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_documents_own_text_is_escaped() {
        let pieces = [Piece::Ellipsis, Piece::Text("a<b>'"), Piece::Open, Piece::Text("\"&"), Piece::Close];
        let markers = Markers { open: "<mark>", close: "</mark>", ellipsis: "…" };
        assert_eq!(render(&pieces, markers, Markup::EscapedHtml), "…a&lt;b&gt;&#39;<mark>&quot;&amp;</mark>");
        assert_eq!(render(&pieces, markers, Markup::Plain), "…a<b>'<mark>\"&</mark>");
        let pieces = [Piece::Text("café & <été>")];
        assert_eq!(render(&pieces, markers, Markup::EscapedHtml), "café &amp; &lt;été&gt;");
    }
}
