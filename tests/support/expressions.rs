//! Generates random tables and random MATCH expressions over them.

use super::{Question, Random, Values};
use snapseek::analysis::Analyzer;
use snapseek::query::{Query, QueryNode};
use snapseek::{Column, HighlightOptions, MatchSnippet};

/// A table to compare on.
pub struct Table {
    pub columns: Vec<String>,
    pub tokenize: &'static str,
    pub rows: Vec<(i64, Values)>,
}

pub struct Generator {
    pub random: Random,
}

const WORDS: &[&str] = &[
    "run",
    "running",
    "runs",
    "ran",
    "connect",
    "connection",
    "connected",
    "connecting",
    "relate",
    "relational",
    "relation",
    "search",
    "searches",
    "searching",
    "index",
    "indexed",
    "indexing",
    "token",
    "tokens",
    "a",
    "b",
    "the",
    "of",
    "is",
    "in",
    "to",
    "happy",
    "happiness",
    "happily",
    "fly",
    "flies",
    "flying",
    "Café",
    "cafe",
    "CAFÉ",
    "naïve",
    "résumé",
    "Straße",
    "Москва",
    "москве",
    "поиск",
    "αθήνα",
    "東京",
    "検索",
    "สวัสดี",
    "मुंबई",
    "مرحبا",
    "😀",
    "½",
    "v1",
    "3",
    "s3",
    "oauth2",
    "e\u{301}t\u{e9}",
    "ﬁne",
    "İstanbul",
    "don't",
    "file_name",
    "multi-agent",
    "x\u{0}y",
];

const SEPARATORS: &[&str] =
    &[" ", " ", " ", " ", ". ", ", ", ": ", "-", "/", "\n", "  ", "; ", "_", "'", " (", ") ", "…"];

const TOKENIZERS: &[&str] = &[
    "porter unicode61",
    "porter unicode61",
    "porter unicode61",
    "unicode61",
    "porter",
    "unicode61 remove_diacritics 0",
    "porter unicode61 remove_diacritics 2",
    "unicode61 tokenchars '-_'",
    "porter unicode61 separators 'e'",
];

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator { random: Random::new(seed) }
    }

    pub fn table(&mut self) -> Table {
        let count = 1 + self.random.below(4);
        let columns =
            ["title", "body", "Tags", "notes"][..count].iter().map(|name| (*name).to_owned()).collect();
        let row_count = self.random.below(30) + usize::from(self.random.chance(10)) * 250;
        let mut rowid = 0;
        let rows = (0..row_count).map(|_| {
            rowid += 1 + i64::from(self.random.chance(10));
            (rowid, (0..count).map(|_| self.value()).collect())
        });
        Table { columns, rows: rows.collect(), tokenize: self.pick_tokenizer() }
    }

    fn pick_tokenizer(&mut self) -> &'static str {
        let tokenizer: &&str = self.random.pick(TOKENIZERS);
        tokenizer
    }

    /// Returns the text of a column, or NULL.
    pub fn value(&mut self) -> Option<String> {
        if self.random.chance(6) {
            return None;
        }
        let longest = if self.random.chance(10) { 200 } else { 24 };
        let words = self.random.below(longest);
        let mut text = String::new();
        for _ in 0..words {
            text.push_str(self.word());
            let separator: &&str = self.random.pick(SEPARATORS);
            text.push_str(separator);
        }
        Some(text)
    }

    fn word(&mut self) -> &'static str {
        // Squaring favours the first words, so that some words are common.
        let place = self.random.below(WORDS.len()) * self.random.below(WORDS.len()) / WORDS.len();
        WORDS[place]
    }

    pub fn question(&mut self, columns: usize) -> Question {
        let weights =
            (0..self.random.below(columns + 1)).map(|_| *self.random.pick(&[1.0, 10.0, 0.5, 2.0, 0.1, 0.0]));
        let weights = weights.collect();
        let any = i64::try_from(self.random.below(columns + 1)).unwrap() - 1;
        let one = i64::try_from(self.random.below(columns)).unwrap();
        let tokens = *self.random.pick(&[8, 3, 1, 10, 16, 64, 0, 30, 5]);
        Question {
            weights,
            snippet: MatchSnippet {
                column: Column::Number(any),
                open: "[".to_owned(),
                close: "]".to_owned(),
                ellipsis: "…".to_owned(),
                tokens,
            },
            highlight: HighlightOptions {
                column: Column::Number(one),
                open: "<b>".to_owned(),
                close: "</b>".to_owned(),
            },
        }
    }

    pub fn expression(&mut self, columns: &[String]) -> String {
        let depth = *self.random.pick(&[0, 0, 1, 1, 1, 2, 3]);
        self.node(columns, depth)
    }

    fn node(&mut self, columns: &[String], depth: usize) -> String {
        if depth == 0 {
            return self.leaf(columns);
        }
        let operands = 2 + self.random.below(3);
        let operator = *self.random.pick(&[" AND ", " OR ", " OR ", " NOT ", " "]);
        let operands = if operator == " NOT " { 2 } else { operands };
        let mut parts = Vec::new();
        for _ in 0..operands {
            let below = self.random.below(depth);
            let part = self.node(columns, below);
            let needs_parentheses = operator != " " && below > 0;
            parts.push(if needs_parentheses { format!("({part})") } else { part });
        }
        let joined = parts.join(operator);
        if self.random.chance(8) { format!("{} : ({joined})", self.columns(columns)) } else { joined }
    }

    fn columns(&mut self, columns: &[String]) -> String {
        let minus = if self.random.chance(25) { "- " } else { "" };
        let mut name = self.random.pick(columns).clone();
        if self.random.chance(20) {
            name = name.to_uppercase();
        }
        if self.random.chance(30) {
            return format!("{minus}{{{name} {}}}", self.random.pick(columns));
        }
        format!("{minus}{name}")
    }

    fn leaf(&mut self, columns: &[String]) -> String {
        let filter =
            if self.random.chance(15) { format!("{} : ", self.columns(columns)) } else { String::new() };
        let leaf = match self.random.below(20) {
            0..9 => self.string(),
            9 | 10 => format!("{}*", self.beginning()),
            11 => format!("^{}", self.string()),
            12 => format!("{} + {}", self.string(), self.string()),
            13 => format!("{} + {}*", self.string(), self.beginning()),
            14 | 15 => {
                let phrases = (0..1 + self.random.below(3)).map(|_| self.string()).collect::<Vec<_>>();
                let distance = self.random.below(12);
                if self.random.chance(50) {
                    format!("NEAR({}, {distance})", phrases.join(" "))
                } else {
                    format!("NEAR({})", phrases.join(" "))
                }
            }
            16 | 17 => format!("\"{} {}\"", self.word().replace('\0', ""), self.word().replace('\0', "")),
            18 => "\"\"".to_owned(),
            _ => format!("\"{}\"*", self.beginning()),
        };
        filter + &leaf
    }

    fn string(&mut self) -> String {
        let word = self.word().replace('\0', "");
        let is_bareword = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80);
        if is_bareword && self.random.chance(60) { word } else { format!("\"{word}\"") }
    }

    fn beginning(&mut self) -> String {
        let word = self.word();
        let letters = 1 + self.random.below(5);
        let beginning =
            word.chars().take(letters).filter(|letter| letter.is_alphanumeric()).collect::<String>();
        if beginning.is_empty() { "r".to_owned() } else { beginning }
    }
}

/// Returns whether FTS5 may report positions left over from a sub-expression that failed, or lose some (docs/fts5.md).
///
/// This can happen with a NOT, a NEAR or a filtered phrase below an OR or on the right of a NOT, and with an AND that is
/// not the whole expression over a node whose cursor can be on a row without matching it.
pub fn is_leftover_prone(expression: &str, columns: &[String]) -> bool {
    let analyzer = Analyzer::parse("unicode61").unwrap();
    Query::parse(expression, columns, &analyzer).is_ok_and(|query| match &query.root {
        QueryNode::And(nodes) => nodes.iter().any(|node| is_prone(&query, node, false)),
        node => is_prone(&query, node, false),
    })
}

fn is_prone(query: &Query, node: &QueryNode, may_fail: bool) -> bool {
    match node {
        QueryNode::Nothing => false,
        QueryNode::Near(group) => {
            may_fail && (group.phrases.len() > 1 || group.fields != snapseek::ids::FieldSet::ALL)
        }
        QueryNode::And(nodes) => {
            nodes.iter().any(|node| can_stall(query, node) || is_prone(query, node, may_fail))
        }
        QueryNode::Or(nodes) => nodes.iter().any(|node| is_prone(query, node, true)),
        QueryNode::Not(keep, drop) => {
            may_fail || is_prone(query, keep, may_fail) || is_prone(query, drop, true)
        }
    }
}

/// Returns whether FTS5's cursor for this node can be on a row that the node does not match.
fn can_stall(query: &Query, node: &QueryNode) -> bool {
    match node {
        QueryNode::Nothing => false,
        QueryNode::Near(group) => {
            let phrase = |&phrase: &usize| &query.phrases[phrase];
            group.phrases.len() > 1
                || group.fields != snapseek::ids::FieldSet::ALL
                || group.phrases.iter().map(phrase).any(|phrase| phrase.terms.len() > 1 || phrase.is_initial)
        }
        QueryNode::And(nodes) | QueryNode::Or(nodes) => nodes.iter().any(|node| can_stall(query, node)),
        QueryNode::Not(..) => true,
    }
}
