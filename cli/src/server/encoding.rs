//! Which encodings of a file does a client take? brotli before gzip; files are compressed ahead of time.

use hyper::header::{self, HeaderMap};

/// A way to compress a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentEncoding {
    /// brotli.
    Brotli,
    /// gzip.
    Gzip,
}

impl ContentEncoding {
    /// All of them, best first.
    pub const ALL: [ContentEncoding; 2] = [ContentEncoding::Brotli, ContentEncoding::Gzip];

    /// Returns the name in the headers `Accept-Encoding` and `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            ContentEncoding::Brotli => "br",
            ContentEncoding::Gzip => "gzip",
        }
    }

    /// Returns the end of the name of a file that is compressed like this.
    pub fn suffix(self) -> &'static str {
        match self {
            ContentEncoding::Brotli => ".br",
            ContentEncoding::Gzip => ".gz",
        }
    }

    /// Whether the client accepts this encoding, by its name; `*` is not enough.
    pub fn is_accepted(self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(header::ACCEPT_ENCODING).iter();
        let mut choices = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        choices.any(|choice| {
            let (name, quality) = choice.split_once(';').unwrap_or((choice, ""));
            let quality = quality.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
            name.trim().eq_ignore_ascii_case(self.name()) && quality.is_ok_and(|quality| quality > 0.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn an_encoding_is_accepted_by_name_and_not_with_quality_zero() {
        let accepted = |value: &str| {
            let headers =
                HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_str(value).unwrap())]);
            ContentEncoding::ALL.map(|encoding| encoding.is_accepted(&headers))
        };
        assert_eq!(accepted("gzip, deflate, br, zstd"), [true, true]);
        assert_eq!(accepted("GZIP;q=0.5"), [false, true]);
        assert_eq!(accepted("br;q=0, gzip; q=1"), [false, true]);
        assert_eq!(accepted("br;q=x"), [false, false]);
        assert_eq!(accepted("*"), [false, false]);
        assert_eq!(accepted(""), [false, false]);
    }
}
