//! How are equivalent texts brought to the same code points? With Unicode's normalisation forms NFD and NFKC.
//!
//! The tables for these forms are large, and every WebAssembly host has them: the WebAssembly build calls the host, the
//! native build a crate. Unicode never changes the normalisation of an assigned code point, so host and crate agree on
//! all code points that the oldest supported host knows. Later code points stay unchanged on every machine.

#[cfg(target_arch = "wasm32")]
mod host;
mod later;
#[cfg(not(target_arch = "wasm32"))]
mod native;

#[cfg(target_arch = "wasm32")]
use host::in_form;
use later::LATER;
#[cfg(not(target_arch = "wasm32"))]
use native::in_form;

/// A Unicode normalisation form.
#[derive(Clone, Copy)]
enum Form {
    Nfd,
    Nfkc,
}

/// Converts a text to NFD, which separates letters from their accents.
pub(super) fn nfd(text: &str) -> String {
    normal(text, Form::Nfd)
}

/// Converts a text to NFKC, which replaces compatibility characters and composes letters with their accents.
pub(super) fn nfkc(text: &str) -> String {
    normal(text, Form::Nfkc)
}

fn normal(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_later).unwrap_or(rest.len());
        let (known, after) = rest.split_at(end);
        if known.is_ascii() {
            out += known;
        } else {
            out += &in_form(known, form);
        }
        let left = after.find(|c| !is_later(c)).unwrap_or(after.len());
        out += &after[..left];
        rest = &after[left..];
    }
    out
}

fn is_later(c: char) -> bool {
    let after = LATER.partition_point(|range| range.0 <= c);
    LATER[..after].last().is_some_and(|range| c <= range.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn texts_are_in_their_forms() {
        for text in ["", "plain", "naïve ﬁles №5", "e\u{301}\u{323}", "각", "\u{1e9b}\u{323}"] {
            assert_eq!(nfd(text), text.nfd().collect::<String>());
            assert_eq!(nfkc(text), text.nfkc().collect::<String>());
        }
    }

    #[test]
    fn what_came_later_is_left_and_parts_what_stands_beside_it() {
        let (later, _) = LATER[0];
        let text = format!("e{later}\u{301}{later}{later}ﬁ");
        assert_eq!(nfkc(&text), format!("e{later}\u{301}{later}{later}fi"));
        assert_eq!(nfd(&format!("é{later}é")), format!("e\u{301}{later}e\u{301}"));
    }

    #[test]
    fn the_list_has_ranges_in_order_of_what_the_forms_would_change() {
        assert!(LATER.windows(2).all(|pair| pair[0].1 < pair[1].0));
        let all = LATER.iter().flat_map(|&(first, last)| first..=last);
        let changed = all.clone().filter(|c| c.nfkd().ne([*c])).count();
        assert!(changed > 50 && changed < all.count(), "some change, others are what those become");
    }
}
