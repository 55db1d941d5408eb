//! How is a text converted to lower case?

use super::table::Table;

/// The role of a character next to a sigma: 0 uncased, 1 cased, 2 skipped in the search for neighbours.
const CASED: u8 = 1;
const IGNORED: u8 = 2;

/// Returns the lower case of one character, regardless of its neighbours.
pub fn lower(c: char) -> impl Iterator<Item = char> {
    // This is the only character whose lower case has two code points.
    let dot = (c == 'İ').then_some('\u{307}');
    let lower = if c.is_ascii() { c.to_ascii_lowercase() } else { Table::get().lower(c) };
    std::iter::once(lower).chain(dot)
}

/// Converts a text to lower case character by character, except for a sigma at the end of a word.
pub fn lower_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c == 'Σ' && ends_word(&text[..at], &text[at + c.len_utf8()..]) {
            out.push('ς');
        } else {
            out.extend(lower(c));
        }
    }
    out
}

fn ends_word(before: &str, after: &str) -> bool {
    is_cased(before.chars().rev()) && !is_cased(after.chars())
}

/// Returns whether the first character that is not skipped is cased.
fn is_cased(letters: impl Iterator<Item = char>) -> bool {
    let mut classes = letters.map(|letter| Table::get().class(letter) >> 4);
    classes.find(|&class| class != IGNORED) == Some(CASED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_case_of_every_code_point_is_that_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            assert!(lower(c).eq(c.to_lowercase()), "{}", c.escape_unicode());
        }
    }

    #[test]
    fn every_code_point_is_to_a_sigma_what_the_standard_library_takes_it_for() {
        for c in '\0'..=char::MAX {
            for text in
                [format!("Σ{c}Σ{c}"), format!("A{c}Σ"), format!("{c}Σ"), format!("AΣ{c}"), format!("AΣ{c}A")]
            {
                assert_eq!(lower_case(&text), text.to_lowercase(), "{}", text.escape_unicode());
            }
        }
    }
}
