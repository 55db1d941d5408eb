//! How does a natural-language question become an OR of its terms?

use crate::unicode::{Graphemes, lower_case};

/// Builds an expression that matches documents with any term of `query` (V1). The expression always parses.
///
/// The question is converted to lower case and split at white space and at `- _ . / \`. From each piece, letters and
/// digits of any script are kept, with their combining marks; pieces of one character are dropped. Stop words are kept.
/// The terms need no quotes: they contain no character with a meaning in MATCH, and operators are upper case. If no
/// term remains, the expression is `""`, which matches nothing.
///
/// ```
/// use snapseek::query::any_term;
///
/// assert_eq!(any_term("how does JWT validation work"), "how OR does OR jwt OR validation OR work");
/// assert_eq!(any_term("?"), r#""""#);
/// ```
pub fn any_term(query: &str) -> String {
    let query = lower_case(query);
    let pieces = query.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_' | '.' | '/' | '\\'));
    let terms = pieces.filter_map(term).collect::<Vec<_>>();
    if terms.is_empty() { "\"\"".into() } else { terms.join(" OR ") }
}

fn term(piece: &str) -> Option<String> {
    // A mark without its letter would form another word, so graphemes are kept or dropped as a whole.
    let mut graphemes = Graphemes::default();
    let mut is_kept = false;
    let kept = piece.chars().filter(|&c| {
        if graphemes.starts(c) {
            is_kept = c.is_alphanumeric();
        }
        is_kept
    });
    Some(kept.collect::<String>()).filter(|term| term.chars().nth(1).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analyzer;
    use crate::query::Query;

    #[test]
    fn v1_a_question_becomes_its_terms_and_stop_words_stay() {
        let cases = [
            ("how does JWT validation work", "how OR does OR jwt OR validation OR work"),
            ("auth-jwt_001.v2/a\\b cd", "auth OR jwt OR 001 OR v2 OR cd"),
            ("don't \"quote\" (me)*", "dont OR quote OR me"),
            ("C# x 42", "42"),
            ("NEAR AND or NOT", "near OR and OR or OR not"),
            ("!? - a", "\"\""),
            ("", "\"\""),
        ];
        for (query, expression) in cases {
            assert_eq!(any_term(query), expression, "{query}");
        }
    }

    #[test]
    fn v1_letters_and_digits_of_any_script_stay_with_their_marks() {
        assert_eq!(any_term("Перевірка ТОКЕНІВ"), "перевірка OR токенів");
        assert_eq!(any_term("हिन्दी में"), "हिन्दी OR में");
        assert_eq!(any_term("検証。 ٤٢"), "検証 OR ٤٢");
        assert_eq!(any_term("Cafe\u{301}s “naïve”"), "cafe\u{301}s OR naïve");
    }

    #[test]
    fn v1_every_question_gives_an_expression_that_parses() {
        let analyzer = Analyzer::parse("porter unicode61").unwrap();
        let odd = [
            "\"",
            "\0",
            "*",
            "^a",
            "a:b",
            "{x y}",
            "NEAR(a b)",
            "İI",
            "🦊🦊",
            "ﬀx",
            "\u{301}\u{301}ab",
            "K9",
        ];
        for first in odd {
            for second in odd {
                let expression = any_term(&format!("{first}x {second}"));
                assert!(Query::parse(&expression, &["body"], &analyzer).is_ok(), "{expression}");
            }
        }
        let long = any_term(&"word ".repeat(5000));
        assert_eq!(Query::parse(&long, &["body"], &analyzer).unwrap().phrases.len(), 5000);
    }
}
