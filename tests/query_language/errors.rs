//! Are faults reported with SQLite's message, a span and a remedy?

use crate::{Sqlite, parse};

/// An expression, SQLite's message, and the span at fault.
const FAULTS: &[(&str, &str, std::ops::Range<usize>)] = &[
    ("", "fts5: syntax error near \"\"", 0..0),
    ("ant AND ", "fts5: syntax error near \"\"", 8..8),
    ("ant OR\0bat", "fts5: syntax error near \"\"", 6..6),
    ("ant )", "fts5: syntax error near \")\"", 4..5),
    ("ant AND OR bat", "fts5: syntax error near \"OR\"", 8..10),
    ("(ant) bat", "fts5: syntax error near \"bat\"", 6..9),
    ("ant title : (bat)", "fts5: syntax error near \"(\"", 12..13),
    ("C++ ant", "fts5: syntax error near \"+\"", 2..3),
    ("what's new", "fts5: syntax error near \"'\"", 4..5),
    ("node.js", "fts5: syntax error near \".\"", 4..5),
    ("near(ant bat)", "fts5: syntax error near \"near\"", 0..4),
    ("ant AND \"NEAR\"(bat)", "fts5: syntax error near \"\"NEAR\"\"", 8..14),
    ("ant \"bat", "unterminated string", 4..8),
    ("\"ant \"\"", "unterminated string", 0..7),
    ("\"ant\0\"", "unterminated string", 0..4),
    ("zoo : ant", "no such column: zoo", 0..3),
    ("well-known : ant", "no such column: known", 5..10),
    ("{title \"zo\"\"o\"} : ant", "no such column: zo\"o", 7..14),
    ("NEAR(ant bat, few)", "expected integer, got \"few\"", 14..17),
    ("NEAR(ant bat, \"5\")", "expected integer, got \"\"5\"\"", 14..17),
    ("*", "unknown special query: ", 0..1),
    ("*  size of", "unknown special query: size", 0..7),
];

#[test]
fn every_error_is_worded_as_sqlite_words_it() {
    let sqlite = Sqlite::new();
    for (expression, message, _) in FAULTS {
        assert_eq!(sqlite.answer(expression), Err(message.to_string()), "SQLite on {expression:?}");
        assert_eq!(parse(expression).unwrap_err().to_string(), *message, "we on {expression:?}");
    }
}

#[test]
fn the_span_of_an_error_is_the_text_at_fault() {
    for (expression, message, span) in FAULTS {
        assert_eq!(parse(expression).unwrap_err().span(), *span, "{message} in {expression:?}");
    }
}

#[test]
fn each_kind_of_error_has_a_remedy_of_its_own() {
    let too_deep = "ant NOT ".repeat(300) + "ant";
    let too_nested = "(".repeat(300);
    let kinds = ["ant )", "ant AND", "\"ant", "zoo : ant", "NEAR(ant, few)", &too_deep, &too_nested, "*size"];
    let mut remedies: Vec<&str> = kinds.map(|expression| parse(expression).unwrap_err().remedy()).into();
    remedies.sort_unstable();
    remedies.dedup();
    assert_eq!(remedies.len(), kinds.len());
}

#[test]
fn of_two_faults_the_one_that_sqlite_meets_first_is_reported() {
    let sqlite = Sqlite::new();
    for (expression, message) in [
        ("zoo : \"ant", "no such column: zoo"),
        ("zoo \"ant", "unterminated string"),
        ("{zoo ;", "fts5: syntax error near \";\""),
        ("{zoo )", "no such column: zoo"),
        ("near(ant) ;", "fts5: syntax error near \";\""),
        ("near(ant) )", "fts5: syntax error near \"near\""),
        ("near(ant, few)", "fts5: syntax error near \"near\""),
        ("NEAR(ant, few", "fts5: syntax error near \"\""),
        ("NEAR(ant, few) \"", "unterminated string"),
        ("NEAR(ant, few) )", "expected integer, got \"few\""),
    ] {
        assert_eq!(sqlite.answer(expression), Err(message.to_string()), "SQLite on {expression:?}");
        assert_eq!(parse(expression).unwrap_err().to_string(), message, "we on {expression:?}");
    }
}

#[test]
fn a_question_about_the_table_is_refused_although_sqlite_answers_it() {
    let sqlite = Sqlite::new();
    for (expression, name) in [("*reads", "reads"), ("* ID and more", "ID")] {
        assert_eq!(sqlite.answer(expression).map(|rows| rows.len()), Ok(1), "SQLite on {expression:?}");
        let message = format!("unknown special query: {name}");
        assert_eq!(parse(expression).unwrap_err().to_string(), message, "we on {expression:?}");
    }
}
