//! Generates random expressions: tokens in any order, and grammatical expressions with occasional faults.

/// Marsaglia's xorshift64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    pub fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
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

/// Returns tokens in any order.
pub fn soup(random: &mut Random) -> String {
    let mut expression = String::new();
    for _ in 0..=random.below(12) {
        let source = [STRINGS, COLUMNS, SCRAPS][random.below(3)];
        expression += random.pick(source);
        expression += random.pick(&["", " ", " "]);
    }
    expression
}

/// Generates an expression that follows the grammar, token by token.
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

/// Generates an expression, often with one token too many, too few or wrong.
pub fn almost_sentence(random: &mut Random) -> String {
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
