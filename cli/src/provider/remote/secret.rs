//! Keeps API keys out of messages.

use std::collections::HashSet;
use std::fmt;

/// Replaces a key, or a part of one, in messages.
pub const HIDDEN: &str = "[key]";

/// This many consecutive characters of a key are hidden. Servers quote keys with their middle part masked.
const TELLING_LEN: usize = 6;

/// An API key. It is sent in the header of a request and appears nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Splits a text at its commas into keys.
    pub fn list(text: &str) -> Vec<Secret> {
        let keys = text.split(',').map(str::trim).filter(|key| !key.is_empty());
        keys.map(|key| Secret(key.to_owned())).collect()
    }

    /// Returns the value of an `Authorization` header; `None` if the key has characters that a header cannot contain.
    pub fn bearer(&self) -> Option<String> {
        self.0.bytes().all(|byte| byte.is_ascii_graphic()).then(|| format!("Bearer {}", self.0))
    }

    /// Returns `text` with every part of this key hidden.
    pub fn redact(&self, text: &str) -> String {
        let key = self.0.chars().collect::<Vec<_>>();
        let len = key.len().min(TELLING_LEN);
        let letters = text.chars().collect::<Vec<_>>();
        let windows = key.windows(len.max(1)).collect::<HashSet<_>>();
        let mut is_secret = vec![false; letters.len()];
        for (at, window) in letters.windows(len.max(1)).enumerate() {
            if windows.contains(window) {
                is_secret[at..at + len].fill(true);
            }
        }
        let mut shown = String::with_capacity(text.len());
        for (at, letter) in letters.iter().enumerate() {
            if !is_secret[at] {
                shown.push(*letter);
            } else if at == 0 || !is_secret[at - 1] {
                shown.push_str(HIDDEN);
            }
        }
        shown
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret::list("sk-proj-0123456789abcdef").remove(0)
    }

    #[test]
    fn a_key_is_not_in_its_debug_print() {
        assert_eq!(format!("{:?}", Some(secret())), "Some([key])");
    }

    #[test]
    fn a_text_that_echoes_a_key_loses_it_whole_starred_or_escaped() {
        let secret = secret();
        assert_eq!(secret.redact("key sk-proj-0123456789abcdef is wrong"), "key [key] is wrong");
        assert_eq!(secret.redact("sk-proj-********abcdef?"), "[key]********[key]?");
        assert_eq!(secret.redact(r#"{"k":"sk-proj-0123456789abcdef"}"#), r#"{"k":"[key]"}"#);
        assert_eq!(secret.redact("nothing of it, naïve"), "nothing of it, naïve");
    }

    #[test]
    fn a_short_key_is_hidden_where_it_stands_whole() {
        let secret = Secret::list("abc").remove(0);
        assert_eq!(secret.redact("ab abc"), "ab [key]");
    }

    #[test]
    fn a_list_is_split_at_commas_and_empty_parts_are_no_keys() {
        assert_eq!(Secret::list(" a, b,,\n").len(), 2);
        assert!(Secret::list(" ").is_empty());
    }

    #[test]
    fn a_key_that_no_header_can_carry_has_no_header() {
        assert!(secret().bearer().is_some());
        assert!(Secret::list("two words").remove(0).bearer().is_none());
        assert!(Secret::list("clé").remove(0).bearer().is_none());
    }
}
