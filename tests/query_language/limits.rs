//! How deep may an expression be, and is a hostile one refused quickly?

use crate::{Sqlite, parse};
use snapseek::query::MAX_DEPTH;
use std::time::{Duration, Instant};

/// Returns the greatest accepted depth, and asserts that all smaller depths are accepted and all greater ones refused.
fn deepest(accepts: impl Fn(usize) -> bool) -> usize {
    let deepest = (1..300).take_while(|&depth| accepts(depth)).count();
    assert!((deepest + 1..300).all(|depth| !accepts(depth)), "refused at {} and accepted later", deepest + 1);
    deepest
}

#[test]
fn a_word_may_stand_in_ninety_seven_parentheses_as_in_sqlite() {
    let sqlite = Sqlite::new();
    let nested = |depth: usize| "(".repeat(depth) + "ant" + &")".repeat(depth);
    assert_eq!(deepest(|depth| sqlite.answer(&nested(depth)).is_ok()), 97);
    assert_eq!(deepest(|depth| parse(&nested(depth)).is_ok()), 97);
}

#[test]
fn too_many_parentheses_overflow_the_parser_stack_as_in_sqlite() {
    let sqlite = Sqlite::new();
    for count in [100, 200, 5_000] {
        let open = "(".repeat(count);
        let error = parse(&open).unwrap_err();
        assert_eq!(sqlite.answer(&open), Err("fts5: parser stack overflow".into()), "SQLite on {count}");
        assert_eq!(error.to_string(), "fts5: parser stack overflow", "we on {count}");
        assert_eq!(error.span(), 99..100);
    }
}

#[test]
fn a_chain_of_not_may_be_as_long_as_the_tree_may_be_deep() {
    let sqlite = Sqlite::new();
    let chain = |length: usize| "ant NOT ".repeat(length) + "bat";
    assert_eq!(deepest(|length| sqlite.answer(&chain(length)).is_ok()), MAX_DEPTH);
    assert_eq!(deepest(|length| parse(&chain(length)).is_ok()), MAX_DEPTH);
}

#[test]
fn a_tree_that_is_too_deep_is_reported_at_its_topmost_operator() {
    let expression = "ant NOT ".repeat(MAX_DEPTH) + "bat NOT cat";
    let error = parse(&expression).unwrap_err();
    assert_eq!(Sqlite::new().answer(&expression), Err(error.to_string()));
    assert_eq!(error.to_string(), "fts5 expression tree is too large (maximum depth 256)");
    assert_eq!(error.span(), expression.len() - 7..expression.len() - 4);
}

#[test]
fn hostile_expressions_end_quickly_and_on_a_small_stack() {
    // This is half of the stack that WebAssembly has.
    const SMALL_STACK: usize = 512 * 1024;
    const SOON: Duration = Duration::from_secs(5);
    let many = 100_000;
    let hostile = [
        "(".repeat(many),
        "title:(".repeat(many),
        "ant OR (".repeat(many),
        "(".repeat(97) + "ant" + &")".repeat(97) + &")".repeat(many),
        "ant OR ".repeat(many) + "bat",
        "ant AND ".repeat(many) + "bat",
        "ant NOT ".repeat(many) + "bat",
        "\"\" ".repeat(many) + "bat",
        "ant ".repeat(many),
        "ant + ".repeat(many) + "bat",
        "^".repeat(many),
        format!("NEAR({})", "\"\" ".repeat(many)),
        format!("NEAR({}, {})", "ant ".repeat(many), "9".repeat(many)),
        format!("{{{}}} : ant", "title ".repeat(many)),
        format!("title:({})", "ant OR ".repeat(many) + "bat").repeat(3),
        "title:(".repeat(32) + &"ant OR ".repeat(many) + "bat" + &")".repeat(32),
        "(ant OR ".repeat(32) + &"ant OR ".repeat(many) + "bat" + &")".repeat(32),
        format!("\"{}\"", "ant ".repeat(1 << 18)),
        format!("\"{}", "\"\"".repeat(1 << 19)),
        "a".repeat(1 << 20),
        " ".repeat(1 << 20),
    ];
    let parse_all = move || {
        for expression in hostile {
            let start = Instant::now();
            let _ = parse(&expression);
            let shown = &expression[..expression.len().min(20)];
            assert!(start.elapsed() < SOON, "{shown:?}… took {:?}", start.elapsed());
        }
    };
    std::thread::Builder::new().stack_size(SMALL_STACK).spawn(parse_all).unwrap().join().unwrap();
}
