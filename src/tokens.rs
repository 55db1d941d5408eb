//! About how many tokens does a text have for a language model?
//!
//! This is an estimate, not a tokenizer: a budget needs a number that is cheap to compute and the same everywhere.
//! JavaScript measures strings in UTF-16 code units, so both sides count in that unit.

const UNITS_PER_TOKEN: usize = 4;

/// Estimates the number of language-model tokens of a text (P1): a quarter of its UTF-16 code units, rounded up.
///
/// ```
/// use snapseek::tokens::estimate_tokens;
///
/// assert_eq!(estimate_tokens("token"), 2);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    tokens_in_units(text.chars().map(char::len_utf16).sum())
}

/// Estimates the number of tokens of a text with this many UTF-16 code units.
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
