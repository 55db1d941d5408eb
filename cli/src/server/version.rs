//! Which version of a file does a client have? Entity tags and dates, as RFC 9110 compares them.

use hyper::header::{self, HeaderMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use xxhash_rust::xxh3::xxh3_64;

/// The version of one file, in one encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// The value of the `ETag` header, with its quotes.
    pub tag: String,
    /// The time of the last change, in whole seconds, as the `Last-Modified` header has it. The page has none.
    pub modified: Option<SystemTime>,
}

impl FileVersion {
    /// Returns the version of a file of the page: its contents decide.
    pub fn of_bytes(bytes: &[u8]) -> FileVersion {
        FileVersion { tag: format!("\"{:016x}\"", xxh3_64(bytes)), modified: None }
    }

    /// Returns the version of a file on the disk: its length and the time of its last change decide.
    pub fn of_file(len: u64, modified: Option<SystemTime>) -> FileVersion {
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let modified = modified.map(|_| UNIX_EPOCH + Duration::from_secs(since.as_secs()));
        FileVersion { tag: format!("\"{len:x}-{:x}\"", since.as_nanos()), modified }
    }

    /// Whether the client has this version already, by `If-None-Match` or else by `If-Modified-Since`.
    pub fn is_known(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(header::IF_NONE_MATCH) {
            let values = headers.get_all(header::IF_NONE_MATCH).iter();
            let mut tags = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
            return tags.any(|tag| {
                let tag = tag.trim();
                tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag
            });
        }
        let since = date(headers, header::IF_MODIFIED_SINCE);
        since.zip(self.modified).is_some_and(|(since, modified)| modified <= since)
    }

    /// Whether a client that has a part of a file may get another part of this version. `If-Range` names its version.
    pub fn continues(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(header::IF_RANGE) else { return true };
        value.as_bytes() == self.tag.as_bytes()
            || date(headers, header::IF_RANGE).is_some_and(|date| self.modified == Some(date))
    }
}

fn date(headers: &HeaderMap, name: header::HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn version() -> FileVersion {
        let modified = httpdate::parse_http_date(DATE).unwrap() + Duration::from_millis(250);
        FileVersion::of_file(16, Some(modified))
    }

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn a_tag_decides_and_without_one_the_date() {
        let version = version();
        let tag = version.tag.as_str();
        let is_known = |name, value: &str| version.is_known(&headers(name, value));
        for value in [tag, &format!("W/{tag}"), &format!("\"a\", {tag}"), "*"] {
            assert!(is_known(header::IF_NONE_MATCH, value), "{value}");
        }
        assert!(!is_known(header::IF_NONE_MATCH, "\"a\""));
        assert!(is_known(header::IF_MODIFIED_SINCE, DATE));
        assert!(!is_known(header::IF_MODIFIED_SINCE, "Sun, 06 Nov 1994 08:49:36 GMT"));
        assert!(!is_known(header::IF_MODIFIED_SINCE, "yesterday"));
        let mut both = headers(header::IF_NONE_MATCH, "\"a\"");
        both.insert(header::IF_MODIFIED_SINCE, HeaderValue::from_static(DATE));
        assert!(!version.is_known(&both));
        assert!(!version.is_known(&HeaderMap::new()));
    }

    #[test]
    fn a_part_continues_only_the_version_that_if_range_names() {
        let version = version();
        assert!(version.continues(&HeaderMap::new()));
        assert!(version.continues(&headers(header::IF_RANGE, &version.tag)));
        assert!(version.continues(&headers(header::IF_RANGE, DATE)));
        // A weak tag promises no equal bytes.
        for other in ["\"a\"", &format!("W/{}", version.tag), "Sun, 06 Nov 1994 08:49:38 GMT", ""] {
            assert!(!version.continues(&headers(header::IF_RANGE, other)), "{other}");
        }
    }

    #[test]
    fn versions_differ_in_length_time_or_contents() {
        let at = |millis| Some(UNIX_EPOCH + Duration::from_millis(millis));
        let tags = [(1, at(5)), (2, at(5)), (1, at(6)), (1, None)]
            .map(|(len, time)| FileVersion::of_file(len, time).tag);
        let mut sorted = tags.to_vec();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), tags.len());
        assert_ne!(FileVersion::of_bytes(b"a"), FileVersion::of_bytes(b"b"));
    }
}
