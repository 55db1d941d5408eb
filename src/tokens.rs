//! About how many tokens is a text, for a language model?
//!
//! A rule of thumb, and not a tokenizer: budgets need a number that is quick, and the same everywhere. UTF-16 units are
//! what JavaScript counts, so both sides agree.

const UNITS_PER_TOKEN: usize = 4;

/// The estimated tokens of a text (P1): a quarter of its UTF-16 units, rounded up.
///
/// ```
/// use snapseek::tokens::estimate_tokens;
///
/// assert_eq!(estimate_tokens("token"), 2);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    tokens_in_units(text.chars().map(char::len_utf16).sum())
}

/// The estimated tokens of a text of so many UTF-16 units.
pub fn tokens_in_units(units: usize) -> usize {
    units.div_ceil(UNITS_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p1_four_units_are_a_token_and_a_rest_is_one_more() {
        let of_length = |length| estimate_tokens(&"a".repeat(length));
        assert_eq!([0, 1, 4, 5, 8, 9].map(of_length), [0, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn p1_a_character_beyond_the_basic_plane_is_two_units() {
        assert_eq!(estimate_tokens("éééé"), 1);
        assert_eq!(estimate_tokens("🦊🦊"), 1);
        assert_eq!(estimate_tokens("🦊🦊🦊"), 2);
    }
}
