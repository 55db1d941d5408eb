//! Is our query language FTS5's? Every answer here is compared with SQLite's own, or readable in a table.
#![cfg(not(target_arch = "wasm32"))]

use std::time::{Duration, Instant};

use rusqlite::Connection;
use snapseek::analysis::{Analyzer, Purpose};
use snapseek::ids::{FieldId, FieldSet};
use snapseek::query::{MAX_DEPTH, Near, Node, Phrase, Query, QueryError, Term, any_word};

const FIELDS: [&str; 3] = ["title", "body", "c"];

const ROWS: [[&str; 3]; 8] = [
    ["ant bat", "cat dog ant eel", "fox"],
    ["bat ant", "ant ant bat", ""],
    ["cat", "antler batik cat", "dog dog bat ant"],
    ["dog cat bat ant", "", "ant"],
    ["eel fox ant bat cat", "fox eel dog cat bat ant", "cat"],
    ["antler", "bat fox eel cat eel fox dog ant", "bat bat"],
    ["", "dog", "antler bat"],
    ["2 ant", "ant 5 bat", "NEAR ant"],
];

fn analyzer() -> Analyzer {
    Analyzer::parse("porter unicode61").unwrap()
}

fn parse(expression: &str) -> Result<Query, QueryError> {
    Query::parse(expression, &FIELDS, &analyzer())
}

// ---- SQLite's answers

struct Sqlite(Connection);

impl Sqlite {
    fn new() -> Sqlite {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE VIRTUAL TABLE t USING fts5(title, body, c, tokenize = 'porter unicode61')")
            .unwrap();
        for row in ROWS {
            connection.execute("INSERT INTO t VALUES (?1, ?2, ?3)", row).unwrap();
        }
        Sqlite(connection)
    }

    /// The numbers of the matching rows from 0, or the error message, whenever it is raised.
    fn answer(&self, expression: &str) -> Result<Vec<i64>, String> {
        let mut statement =
            self.0.prepare_cached("SELECT rowid - 1 FROM t WHERE t MATCH ?1 ORDER BY rowid").unwrap();
        let rows = statement.query_map([expression], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().map_err(|error| match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            other => panic!("SQLite failed on {expression:?} without a message: {other}"),
        })
    }
}

// ---- our answers, by the plainest evaluation of the tree

type Row = [Vec<Vec<u8>>; 3];

struct Ours {
    analyzer: Analyzer,
    rows: Vec<Row>,
}

impl Ours {
    fn new() -> Ours {
        let analyzer = analyzer();
        let terms = |text: &str| {
            let mut terms = Vec::new();
            analyzer.spans(text, Purpose::Query, |span| {
                let mut term = Vec::new();
                analyzer.term(&text[span.start..span.end], &mut term);
                terms.push(term);
            });
            terms
        };
        let rows = ROWS.iter().map(|row| row.map(terms)).collect();
        Ours { analyzer, rows }
    }

    fn answer(&self, expression: &str) -> Result<Vec<i64>, String> {
        let query =
            Query::parse(expression, &FIELDS, &self.analyzer).map_err(|error| checked(expression, &error))?;
        let matching = (0..).zip(&self.rows).filter(|(_, row)| matches(&query, &query.root, row));
        Ok(matching.map(|(number, _)| number).collect())
    }
}

/// The message of `error`, after making sure that the rest of it is fit to be shown.
fn checked(expression: &str, error: &QueryError) -> String {
    assert!(expression.get(error.span()).is_some(), "{:?} is no span of {expression:?}", error.span());
    assert!(error.remedy().ends_with('.'), "{error} has the remedy {:?}", error.remedy());
    error.to_string()
}

fn matches(query: &Query, node: &Node, row: &Row) -> bool {
    match node {
        Node::Nothing => false,
        Node::Near(near) => is_near(query, near, row),
        Node::And(operands) => operands.iter().all(|operand| matches(query, operand, row)),
        Node::Or(operands) => operands.iter().any(|operand| matches(query, operand, row)),
        Node::Not(wanted, unwanted) => matches(query, wanted, row) && !matches(query, unwanted, row),
    }
}

/// Whether some start of a phrase has, no further before it than allowed, a start of every phrase.
fn is_near(query: &Query, near: &Near, row: &Row) -> bool {
    let phrases: Vec<&Phrase> = near.phrases.iter().map(|&place| &query.phrases[place]).collect();
    let starts: Vec<Vec<(usize, usize)>> = phrases.iter().map(|phrase| starts(phrase, row)).collect();
    let reach = |phrase: &Phrase| phrase.terms.len() + near.distance as usize;
    starts.iter().flatten().any(|&(field, last)| {
        phrases.iter().zip(&starts).all(|(phrase, starts)| {
            starts.iter().any(|&(f, start)| f == field && start <= last && start + reach(phrase) >= last)
        })
    })
}

fn starts(phrase: &Phrase, row: &Row) -> Vec<(usize, usize)> {
    let mut starts = Vec::new();
    for (field, tokens) in row.iter().enumerate() {
        let is_searched = phrase.fields.has(FieldId(field as u8));
        for (start, window) in tokens.windows(phrase.terms.len()).enumerate() {
            let fits = phrase.terms.iter().zip(window).all(|(term, token)| is_term(term, token));
            if is_searched && fits && (start == 0 || !phrase.is_initial) {
                starts.push((field, start));
            }
        }
    }
    starts
}

fn is_term(term: &Term, token: &[u8]) -> bool {
    match term {
        Term::Exact(bytes) => bytes == token,
        Term::Prefix(bytes) => token.starts_with(bytes),
        Term::AnyOf(terms) => terms.iter().any(|bytes| bytes == token),
    }
}

// ---- random expressions

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const STRINGS: &[&str] = &[
    "ant",
    "ant",
    "bat",
    "bat",
    "cat",
    "dog",
    "eel",
    "an",
    "b",
    "\"ant bat\"",
    "\"bat ant\"",
    "\"\"",
    "\"-\"",
    "\"a\"\"b\"",
    "CAT",
    "2",
    "5",
    "NEAR",
    "title",
    "c",
    "é",
    "漢字",
    "\u{301}",
    "\u{1a}",
    "and",
    "fox_eel",
];
const COLUMNS: &[&str] =
    &["title", "title", "body", "body", "c", "C", "TITLE", "\"body\"", "\"c\"", "rank", "t", "\"\"", "ant"];
const SCRAPS: &[&str] = &[
    "(", "(", ")", ")", "{", "}", ":", ":", ",", "+", "*", "*", "-", "^", "AND", "OR", "NOT", "NEAR(",
    "NEAR", "near(", "\"", "'", ";", ".", "\\", "\0", "\t", "\r\n", "\u{b}", "\u{a0}", "\u{7f}", "10", "1a",
    "-1", "\"5\"",
];

/// Tokens in any order.
fn soup(random: &mut Random) -> String {
    let mut expression = String::new();
    for _ in 0..=random.below(12) {
        let source = [STRINGS, COLUMNS, SCRAPS][random.below(3)];
        expression += random.pick(source);
        expression += random.pick(&["", " ", " "]);
    }
    expression
}

/// An expression that follows the grammar, token by token.
fn sentence(random: &mut Random, depth: usize, tokens: &mut Vec<&'static str>) {
    operand(random, depth, tokens);
    while random.one_in(2) {
        tokens.push(random.pick(&["AND", "OR", "NOT"]));
        operand(random, depth, tokens);
    }
}

fn operand(random: &mut Random, depth: usize, tokens: &mut Vec<&'static str>) {
    if depth > 0 && random.one_in(3) {
        if random.one_in(2) {
            filter(random, tokens);
        }
        tokens.push("(");
        sentence(random, depth - 1, tokens);
        tokens.push(")");
        return;
    }
    for _ in 0..=random.below(3) {
        member(random, tokens);
    }
}

fn filter(random: &mut Random, tokens: &mut Vec<&'static str>) {
    let column = |random: &mut Random| if random.one_in(60) { "rank" } else { random.pick(&COLUMNS[..9]) };
    if random.one_in(4) {
        tokens.push("-");
    }
    if random.one_in(2) {
        tokens.push("{");
        for _ in 0..=random.below(3) {
            tokens.push(column(random));
        }
        tokens.push("}");
    } else {
        tokens.push(column(random));
    }
    tokens.push(":");
}

fn member(random: &mut Random, tokens: &mut Vec<&'static str>) {
    if random.one_in(4) {
        filter(random, tokens);
    }
    if random.one_in(5) {
        tokens.extend(["NEAR", "("]);
        for _ in 0..=random.below(3) {
            phrase(random, tokens);
        }
        if random.one_in(2) {
            tokens.extend([",", random.pick(&["0", "1", "2", "3", "007", "99999999999999999999"])]);
        }
        tokens.push(")");
        return;
    }
    if random.one_in(6) {
        tokens.push("^");
    }
    phrase(random, tokens);
}

fn phrase(random: &mut Random, tokens: &mut Vec<&'static str>) {
    loop {
        tokens.push(random.pick(STRINGS));
        if random.one_in(5) {
            tokens.push("*");
        }
        if !random.one_in(4) {
            return;
        }
        tokens.push("+");
    }
}

/// A sentence, often with one token too many, too few or wrong.
fn almost_sentence(random: &mut Random) -> String {
    let mut tokens = Vec::new();
    sentence(random, 3, &mut tokens);
    let at = random.below(tokens.len());
    match random.below(8) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, random.pick(SCRAPS)),
        2 => tokens[at] = random.pick(SCRAPS),
        _ => {}
    }
    tokens.join(" ")
}

/// Just about as much nesting as SQLite's parser can bear, and then something.
fn brink(random: &mut Random) -> String {
    const OPENERS: &[(&str, usize)] = &[
        ("(", 1),
        ("title : (", 3),
        ("- {title c} : (", 3),
        ("ant OR (", 3),
        ("ant bat AND (", 3),
        ("ant OR bat AND cat NOT (", 7),
    ];
    const INNERMOST: &[&str] = &[
        "ant",
        "ant*",
        "^ant",
        "^ant*",
        "ant + bat",
        "ant + bat*",
        "ant bat",
        "title : ant",
        "- body : ^ant",
        "{title body} : ant*",
        "- {title body} : NEAR(ant + bat)",
        "NEAR(ant)",
        "NEAR(ant bat)",
        "NEAR(ant, 2)",
        "NEAR(ant bat*, 2)",
        "NEAR(ant,",
        "NEAR(ant ;",
        "near(ant)",
        "rank : ant",
        "{title rank} : ant",
        "- rank",
        "ant OR bat",
        "ant NOT bat",
        "ant OR bat AND cat NOT dog",
        "\"ant",
        "ant ;",
        "ant : bat",
        "",
        ")",
    ];
    let limit = 85 + random.below(16);
    let (mut expression, mut height, mut open) = (String::new(), 0, 0);
    let plain = random.one_in(2);
    while height < limit {
        let (opener, weight) = OPENERS[if plain { 0 } else { random.below(OPENERS.len()) }];
        expression += opener;
        height += weight;
        open += 1;
    }
    expression += random.pick(INNERMOST);
    let closed = if random.one_in(4) { random.below(open + 2) } else { open };
    expression + &")".repeat(closed)
}

/// Compares the answers to many expressions made by `make`; returns how many of them SQLite accepted.
fn compare(seed: u64, count: usize, make: fn(&mut Random) -> String) -> usize {
    println!("seed {seed:#x}");
    let (sqlite, ours, mut random) = (Sqlite::new(), Ours::new(), Random(seed));
    let mut accepted = 0;
    for _ in 0..count {
        let expression = make(&mut random);
        if is_question_about_the_table(&expression) {
            continue;
        }
        let expected = sqlite.answer(&expression);
        assert_eq!(ours.answer(&expression), expected, "seed {seed:#x}: {expression:?}");
        accepted += usize::from(expected.is_ok());
    }
    println!("accepted {accepted} of {count}");
    accepted
}

/// `*reads` and `*id`, the one deviation; see the test of that name.
fn is_question_about_the_table(expression: &str) -> bool {
    let word = |rest: &str| rest.trim_start_matches(' ').split([' ', '\0']).next().map(str::to_lowercase);
    matches!(expression.strip_prefix('*').and_then(word).as_deref(), Some("reads" | "id"))
}

#[test]
fn token_soup_is_accepted_refused_and_answered_as_by_sqlite() {
    assert!(compare(0x9e37_79b9_7f4a_7c15, 60_000, soup) > 5_000);
}

#[test]
fn sentences_and_almost_sentences_are_accepted_refused_and_answered_as_by_sqlite() {
    assert!(compare(0xd1b5_4a32_d192_ed03, 40_000, almost_sentence) > 20_000);
}

#[test]
fn nesting_is_accepted_and_refused_as_by_sqlite() {
    assert!(compare(0x2545_f491_4f6c_dd1d, 20_000, brink) > 2_000);
}

// ---- errors

/// An expression, SQLite's message, and where the fault is.
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

// ---- limits

/// The greatest depth that is accepted; all below it are, and none above it.
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
    // Half of what WebAssembly gives us.
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

// ---- trees

/// The tree with phrases by their number, a bar, and the phrases: `or(0 1) | ant, title:bat*`.
fn shown(query: &Query) -> String {
    let phrases: Vec<String> = query.phrases.iter().map(shown_phrase).collect();
    format!("{} | {}", shown_node(&query.root), phrases.join(", "))
}

fn shown_node(node: &Node) -> String {
    let all = |operands: &[Node]| operands.iter().map(shown_node).collect::<Vec<_>>().join(" ");
    match node {
        Node::Nothing => "nothing".into(),
        Node::Near(near) => match near.phrases[..] {
            [place] => place.to_string(),
            _ => format!("near{:?}{}", near.phrases, near.distance),
        },
        Node::And(operands) => format!("and({})", all(operands)),
        Node::Or(operands) => format!("or({})", all(operands)),
        Node::Not(wanted, unwanted) => format!("not({} {})", shown_node(wanted), shown_node(unwanted)),
    }
}

fn shown_phrase(phrase: &Phrase) -> String {
    let terms: Vec<String> = phrase.terms.iter().map(shown_term).collect();
    let caret = if phrase.is_initial { "^" } else { "" };
    format!(
        "{}{caret}{}",
        shown_fields(phrase.fields),
        if terms.is_empty() { "-".into() } else { terms.join("+") }
    )
}

fn shown_term(term: &Term) -> String {
    match term {
        Term::Exact(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Term::Prefix(bytes) => format!("{}*", String::from_utf8_lossy(bytes)),
        Term::AnyOf(_) => panic!("the language cannot say this"),
    }
}

fn shown_fields(fields: FieldSet) -> String {
    let names: Vec<&str> =
        (0..3u8).filter(|&i| fields.has(FieldId(i))).map(|i| FIELDS[usize::from(i)]).collect();
    if names.len() == 3 { String::new() } else { names.join("/") + ":" }
}

fn assert_trees(table: &[(&str, &str)]) {
    for (expression, expected) in table {
        let query = parse(expression).unwrap_or_else(|error| panic!("{expression:?}: {error}"));
        assert_eq!(shown(&query), *expected, "{expression:?}");
    }
}

#[test]
fn adjacency_binds_tighter_than_not_then_and_then_or() {
    assert_trees(&[
        ("ant", "0 | ant"),
        ("ant bat", "and(0 1) | ant, bat"),
        ("ant bat NOT cat dog", "not(and(0 1) and(2 3)) | ant, bat, cat, dog"),
        ("ant AND bat NOT cat", "and(0 not(1 2)) | ant, bat, cat"),
        ("ant OR bat AND cat OR dog", "or(0 and(1 2) 3) | ant, bat, cat, dog"),
        ("ant NOT bat NOT cat", "not(not(0 1) 2) | ant, bat, cat"),
        ("ant NOT (bat NOT cat)", "not(0 not(1 2)) | ant, bat, cat"),
        ("(ant OR bat) AND cat", "and(or(0 1) 2) | ant, bat, cat"),
        ("and or not", "and(0 1 2) | and, or, not"),
        ("AND_ OR ORB", "or(0 1) | and, orb"),
    ]);
}

#[test]
fn runs_of_and_and_of_or_become_one_node() {
    assert_trees(&[
        ("ant AND bat AND cat", "and(0 1 2) | ant, bat, cat"),
        ("ant OR (bat OR cat) OR dog", "or(0 1 2 3) | ant, bat, cat, dog"),
        ("ant bat AND cat dog", "and(0 1 2 3) | ant, bat, cat, dog"),
        ("(ant OR bat) AND (cat AND dog)", "and(or(0 1) 2 3) | ant, bat, cat, dog"),
    ]);
}

#[test]
fn a_phrase_is_strings_joined_by_plus_and_a_star_makes_its_last_term_so_far_a_prefix() {
    assert_trees(&[
        ("\"ant bat\"", "0 | ant+bat"),
        ("ant + \"bat cat\"", "0 | ant+bat+cat"),
        ("\"ant bat\" *", "0 | ant+bat*"),
        ("ant + bat*", "0 | ant+bat*"),
        ("ant* + bat", "0 | ant*+bat"),
        ("ant* + \"\"", "0 | ant"),
        ("ant + \"\" *", "0 | ant*"),
        ("\"ant \"\"bat\"\"\"", "0 | ant+bat"),
        ("fox_eel", "0 | fox+eel"),
        ("\"ant\"\"bat\"", "0 | ant+bat"),
        ("ant\0) bat", "0 | ant"),
    ]);
}

#[test]
fn a_prefix_inside_a_phrase_matches_as_it_does_in_sqlite() {
    let (sqlite, ours) = (Sqlite::new(), Ours::new());
    for expression in ["ant* + bat* + cat", "\"antl batik\"", "antl* + batik"] {
        assert_eq!(ours.answer(expression), sqlite.answer(expression), "{expression}");
    }
    assert_eq!(sqlite.answer("ant* + bat* + cat"), Ok(vec![2, 4]));
}

#[test]
fn with_bigrams_a_lone_cjk_character_is_a_prefix_and_longer_text_a_phrase() {
    let analyzer = analyzer().with_cjk_bigrams();
    for (expression, expected) in [
        ("漢", "0 | 漢*"),
        ("漢字", "0 | 漢字"),
        ("漢字典", "0 | 漢字+字典"),
        ("a漢", "0 | a+漢*"),
        ("ant é 漢 + 字典", "and(0 1 2) | ant, e, 漢*+字典"),
    ] {
        assert_eq!(shown(&Query::parse(expression, &FIELDS, &analyzer).unwrap()), expected, "{expression:?}");
    }
    assert_trees(&[("漢", "0 | 漢"), ("漢字典", "0 | 漢字典")]);
}

#[test]
fn a_caret_makes_a_phrase_initial() {
    assert_trees(&[
        ("^ant", "0 | ^ant"),
        ("^ ant + bat", "0 | ^ant+bat"),
        ("ant ^bat", "and(0 1) | ant, ^bat"),
        ("title : ^ant*", "0 | title:^ant*"),
        ("^\"\"", "nothing | -"),
    ]);
}

#[test]
fn near_groups_phrases_within_a_distance() {
    assert_trees(&[
        ("NEAR(ant bat)", "near[0, 1]10 | ant, bat"),
        ("NEAR(ant \"bat cat\", 3)", "near[0, 1]3 | ant, bat+cat"),
        ("cat NEAR(ant bat, 007) dog", "and(0 near[1, 2]7 3) | cat, ant, bat, dog"),
        ("NEAR(ant)", "0 | ant"),
        ("NEAR ant", "and(0 1) | near, ant"),
        ("NEAR(ant bat, 99999999999)", "near[0, 1]999999999 | ant, bat"),
        ("NEAR(ant bat, 2147483628999)", "near[0, 1]2147483628 | ant, bat"),
    ]);
}

#[test]
fn column_filters_narrow_the_fields_and_nested_ones_intersect() {
    assert_trees(&[
        ("title : ant", "0 | title:ant"),
        ("TITLE:ant bat", "and(0 1) | title:ant, bat"),
        ("{title c} : NEAR(ant bat)", "near[0, 1]10 | title/c:ant, title/c:bat"),
        ("- title : ant", "0 | body/c:ant"),
        ("- {title c} : ant", "0 | body:ant"),
        ("\"body\" : ant", "0 | body:ant"),
        ("{title title} : ant", "0 | title:ant"),
        ("title : (ant OR bat NOT cat)", "or(0 not(1 2)) | title:ant, title:bat, title:cat"),
        ("{title body} : (ant OR - title : bat)", "or(0 1) | title/body:ant, body:bat"),
        ("{title body} : (ant AND {body c} : (bat))", "and(0 1) | title/body:ant, body:bat"),
    ]);
}

#[test]
fn what_cannot_match_is_nothing_and_keeps_its_phrase() {
    assert_trees(&[
        ("\"\"", "nothing | -"),
        ("ant AND \"\"", "and(0 nothing) | ant, -"),
        ("\"\" OR ant", "or(nothing 1) | -, ant"),
        ("\"-\" NOT ant", "not(nothing 1) | -, ant"),
        ("title : (ant OR body : bat)", "or(0 nothing) | title:ant, :bat"),
        ("- {title body c} : ant", "nothing | :ant"),
        ("- {title body c} : ant bat", "and(nothing 1) | :ant, bat"),
        ("NEAR(\"\" \"-\") OR ant", "or(nothing 1) | -, ant"),
    ]);
}

#[test]
fn a_phrase_without_tokens_disappears_from_a_run_that_has_others() {
    assert_trees(&[
        ("ant \"\" bat", "and(0 1) | ant, bat"),
        ("\"\" ant", "0 | ant"),
        ("\"\" \"-\" ant bat", "and(0 1) | ant, bat"),
        ("\"\" NEAR(ant bat) cat", "and(near[0, 1]10 2) | ant, bat, cat"),
        ("dog OR \"\" NEAR(ant bat) ^\"\" cat", "or(0 and(near[1, 2]10 3)) | dog, ant, bat, cat"),
        ("\"\" \"-\"", "nothing | -"),
        ("title : \"\" ant", "0 | ant"),
        ("NEAR(\"\" ant \"-\" bat \"\")", "near[0, 1]10 | ant, bat"),
        ("NEAR(\"\" ant)", "0 | ant"),
    ]);
}

// ---- words

#[test]
fn p2_any_word_asks_for_each_of_the_first_twenty_words_of_two_characters_or_more() {
    let numbers: Vec<String> = (10..40).map(|number| number.to_string()).collect();
    let quoted: Vec<String> = numbers.iter().take(20).map(|number| format!("\"{number}\"")).collect();
    for (query, expected) in [
        ("ant", "\"ant\""),
        ("ant  bat\tcat\u{3000}dog", "\"ant\" OR \"bat\" OR \"cat\" OR \"dog\""),
        ("say \"ant\" (or) bat* -cat ^dog", "\"say\" OR \"ant\" OR \"or\" OR \"bat\" OR \"cat\" OR \"dog\""),
        ("a é 漢 漢字 I/O", "\"漢字\" OR \"I/O\""),
        ("AND NEAR title:ant", "\"AND\" OR \"NEAR\" OR \"title:ant\""),
        ("ant\0bat", "\"ant\" OR \"bat\""),
        ("a b c", "\"\""),
        ("", "\"\""),
        (&format!("a {}", numbers.join(" ")), &quoted.join(" OR ")),
    ] {
        assert_eq!(any_word(query), expected, "{query:?}");
    }
}

#[test]
fn p2_any_word_makes_an_expression_of_whatever_is_typed() {
    let (sqlite, ours, mut random) = (Sqlite::new(), Ours::new(), Random(0x853c_49e6_748f_ea9b));
    for _ in 0..20_000 {
        let typed = match random.below(3) {
            0 => soup(&mut random),
            1 => almost_sentence(&mut random),
            _ => (0..random.below(40)).map(|_| any_char(&mut random)).collect(),
        };
        let expression = any_word(&typed);
        let answer = ours.answer(&expression);
        assert!(answer.is_ok(), "{typed:?} became {expression:?}: {answer:?}");
        assert_eq!(answer, sqlite.answer(&expression), "{typed:?} became {expression:?}");
    }
}

/// A character of any plane, ASCII more often than chance.
fn any_char(random: &mut Random) -> char {
    let limit = [0x80, 0x80, 0x800, 0x11_0000][random.below(4)];
    char::from_u32(random.below(limit) as u32).unwrap_or(' ')
}
