//! Does the analyzer give the same terms, positions and spans as SQLite for the same `tokenize=` string?
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;
use std::path::PathBuf;

use rusqlite::Connection;
use snapseek::analysis::{Analyzer, AnalyzerError, Purpose, Span};

type Term = Vec<u8>;

/// Returns every code point that a string can hold.
fn code_points() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// Returns the code points of the planes in which unicode61 folds, and the few separators far beyond.
fn known_code_points() -> impl Iterator<Item = char> {
    ('\0'..'\u{20000}').chain('\u{e0000}'..'\u{e0200}')
}

/// Builds texts in which each of `characters` occurs alone, within a word, and before and after a mark.
fn probes(characters: impl Iterator<Item = char>) -> Vec<String> {
    let characters: Vec<char> = characters.collect();
    let probe = |c: &char| format!("x{c}y {c} {c}\u{301}z{c} ");
    characters.chunks(256).map(|chunk| chunk.iter().map(probe).collect()).collect()
}

/// Builds texts of neighbouring characters. A separator cuts the token and a fold is visible in it; SQLite needs a
/// hundredth of the time that it needs for [`probes`].
fn runs(characters: impl Iterator<Item = char>) -> Vec<String> {
    let characters: Vec<char> = characters.collect();
    characters.chunks(64).map(|chunk| format!("x{}y", String::from_iter(chunk))).collect()
}

fn spans(analyzer: &Analyzer, text: &str, purpose: Purpose) -> Vec<Span> {
    let mut spans = Vec::new();
    analyzer.spans(text, purpose, |span| spans.push(span));
    spans
}

fn surfaces<'a>(analyzer: &Analyzer, text: &'a str, purpose: Purpose) -> Vec<&'a str> {
    spans(analyzer, text, purpose).iter().map(|span| &text[span.start..span.end]).collect()
}

fn terms(analyzer: &Analyzer, text: &str) -> Vec<Term> {
    let term = |surface| {
        let mut term = b"left over".to_vec();
        analyzer.term(surface, &mut term);
        term
    };
    surfaces(analyzer, text, Purpose::Document).into_iter().map(term).collect()
}

/// An FTS5 table.
struct Oracle(Connection);

impl Oracle {
    fn new(tokenize: &str, options: &str) -> rusqlite::Result<Oracle> {
        let connection = Connection::open_in_memory()?;
        let tokenize = tokenize.replace('"', "\"\"");
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE oracle USING fts5(text, tokenize = \"{tokenize}\"{options});
             CREATE VIRTUAL TABLE tokens USING fts5vocab(oracle, instance);
             INSERT INTO oracle(oracle, rank) VALUES ('hashsize', 500000000);"
        ))?;
        Ok(Oracle(connection))
    }

    /// Returns the terms of each text, by position.
    fn terms<T: AsRef<str>>(tokenize: &str, texts: &[T]) -> Vec<Vec<Term>> {
        // A contentless table is several times faster to fill.
        let oracle = Oracle::new(tokenize, ", content = '', columnsize = 0").unwrap();
        oracle.insert(texts);
        let mut terms = vec![Vec::new(); texts.len()];
        let mut select = oracle.0.prepare("SELECT term, doc, offset FROM tokens").unwrap();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let term = row.get_ref(0).unwrap().as_bytes().unwrap().to_vec();
            let place = |column| row.get::<_, u32>(column).unwrap() as usize;
            let (document, position) = (place(1), place(2));
            let of_document: &mut Vec<Term> = &mut terms[document - 1];
            of_document.resize(of_document.len().max(position + 1), Vec::new());
            of_document[position] = term;
        }
        terms
    }

    fn insert<T: AsRef<str>>(&self, texts: &[T]) {
        self.0.execute_batch("BEGIN").unwrap();
        let mut insert = self.0.prepare("INSERT INTO oracle(rowid, text) VALUES (?, ?)").unwrap();
        for (row, text) in (1u32..).zip(texts) {
            insert.execute((row, text.as_ref())).unwrap();
        }
        self.0.execute_batch("COMMIT").unwrap();
    }

    /// Returns the text of a row with markers around every token that one of `surfaces` matches.
    fn highlighted(&self, row: u32, surfaces: &BTreeSet<&str>) -> String {
        let quoted = surfaces.iter().map(|surface| format!("\"{}\"", surface.replace('"', "\"\"")));
        let query = quoted.collect::<Vec<_>>().join(" OR ");
        let sql = "SELECT highlight(oracle, 0, char(1), char(2)) FROM oracle(?) WHERE rowid = ?";
        self.0.query_row(sql, (query, row), |row| row.get(0)).unwrap()
    }
}

/// Asserts that the analyzer gives SQLite's terms at SQLite's positions.
fn assert_same_terms<T: AsRef<str>>(tokenize: &str, texts: &[T], origin: &str) {
    let analyzer = Analyzer::parse(tokenize).unwrap();
    for (text, expected) in texts.iter().map(T::as_ref).zip(Oracle::terms(tokenize, texts)) {
        let found = terms(&analyzer, text);
        if found != expected {
            let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            let first = first.unwrap_or(found.len().min(expected.len()));
            let readable =
                |terms: &[Term]| terms.get(first).map(|term| String::from_utf8_lossy(term).into_owned());
            panic!(
                "{origin}, tokenize {:.60}: token {first} is {:?}, SQLite says {:?}, in {text:.300?}",
                tokenize,
                readable(&found),
                readable(&expected)
            );
        }
    }
}

/// Asserts that the analyzer's spans equal the ranges that SQLite highlights.
fn assert_same_spans(tokenize: &str, texts: &[String], origin: &str) {
    let analyzer = Analyzer::parse(tokenize).unwrap();
    let oracle = Oracle::new(tokenize, "").unwrap();
    oracle.insert(texts);
    for (row, text) in (1..).zip(texts) {
        let surfaces: BTreeSet<&str> = surfaces(&analyzer, text, Purpose::Document).into_iter().collect();
        if surfaces.is_empty() {
            continue; // No query finds the row; that it has no tokens is for the terms to show.
        }
        let mut expected = String::new();
        let mut copied = 0;
        for span in spans(&analyzer, text, Purpose::Document) {
            let (gap, surface) = (&text[copied..span.start], &text[span.start..span.end]);
            expected.extend([gap, "\u{1}", surface, "\u{2}"]);
            copied = span.end;
        }
        expected.push_str(&text[copied..]);
        let highlighted = oracle.highlighted(row, &surfaces);
        assert_eq!(expected, highlighted, "{origin}, tokenize {tokenize}, text {text:?}");
    }
}

/// SplitMix64: a small generator with the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ bits >> 31) % limit as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Returns up to `longest` characters, in runs of one script each.
    fn text(&mut self, longest: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(longest) {
            let script: Vec<char> = self.pick(&SCRIPTS).chars().collect();
            text.extend((0..1 + self.below(4)).map(|_| script[self.below(script.len())]));
        }
        text
    }
}

const SCRIPTS: [&str; 16] = [
    "abcdefghijklmnopqrstuvwxyz",
    "aeiousedingtly",
    "ABCXYZ0123456789",
    " .,;:-_'\"/()\t\n",
    "    ",
    "éèüñçøßœæåÅÉÜŁłİıſ",
    "\u{300}\u{301}\u{308}\u{323}\u{331}\u{345}\u{305}\u{327}",
    "\u{1ea4}\u{1ea5}\u{1ed8}\u{1d6}\u{1df}\u{1e09}\u{1e9e}\u{212b}\u{1e9b}",
    "ΑΒΓΔΕΩαβγωςσϐϑϕ",
    "ДЖЗИЙЁдэюяѢҐ",
    "東京都大阪府漢字々〇、。「」",
    "ひらがなカタカナーｶﾀｶﾅ",
    "한글서울대",
    "שלוםعربيहिन्दीไทย",
    "→€²½Ⅳⓐ№™\u{ad}\u{200b}\u{200d}\u{feff}\u{fffd}\u{fffe}\u{ffff}",
    "𐐀𐐨𝒜😀𠀀\u{e0001}\u{e0100}\u{f0000}\u{10ffff}",
];

const TOKENIZERS: [&str; 12] = [
    "",
    "porter",
    "porter unicode61",
    "unicode61 remove_diacritics 0",
    "porter unicode61 remove_diacritics 2",
    "unicode61 tokenchars '-_.'",
    "porter unicode61 tokenchars '''\"' separators 'e'",
    "unicode61 separators 'xé東ド' tokenchars '→ⓐ€\u{345}\u{305}\u{200d}😀'",
    "unicode61 tokenchars '→-' separators '→-'",
    "unicode61 separators '\u{301}а𐐀\u{10ffff}' tokenchars '\u{308}\u{e0001}' remove_diacritics 2",
    "unicode61 tokenchars '\u{fffd}' remove_diacritics 0",
    "PORTER Unicode61 TokenChars \u{20ac} SEPARATORS '\u{ffff}09'",
];

/// Returns a file that only developers' machines have, or prints a notice and returns `None`.
fn shared(name: &str) -> Option<String> {
    let path = PathBuf::from(std::env::var_os("SNAPSEEK_SHARED").unwrap_or_default()).join("fts5").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("SKIPPED: {} is not here; the comparison with it did not run", path.display());
    }
    text
}

#[test]
fn every_code_point_is_broken_and_folded_as_sqlite_does() {
    for mode in 0..=2 {
        let tokenize = format!("unicode61 remove_diacritics {mode}");
        assert_same_terms(&tokenize, &runs(code_points()), "every code point");
        assert_same_terms(&tokenize, &probes(known_code_points()), "every code point of the known planes");
    }
}

#[test]
fn every_code_point_starts_a_token_where_it_does_in_sqlite() {
    let characters: Vec<char> = code_points().collect();
    let apart = |chunk: &[char]| chunk.iter().map(|c| format!("{c} ")).collect::<String>();
    let texts: Vec<String> = characters.chunks(256).map(apart).collect();
    assert_same_terms("unicode61", &texts, "every code point by itself");
}

#[test]
fn every_separator_folds_as_sqlite_does_once_it_is_a_token_character() {
    let beyond_ascii = || known_code_points().filter(|c| !c.is_ascii());
    let token_chars = String::from_iter(beyond_ascii());
    for mode in 0..=2 {
        let tokenize = format!("unicode61 remove_diacritics {mode} tokenchars '{token_chars}'");
        assert_same_terms(&tokenize, &runs(beyond_ascii()), "every separator");
    }
}

#[test]
fn random_texts_have_the_terms_that_sqlite_gives() {
    for (seed, tokenize) in (1..).zip(TOKENIZERS) {
        let mut random = Random(seed);
        let texts: Vec<String> =
            (0..1000).map(|_| random.text(30) + random.pick(&["", "\0", "\0a"])).collect();
        assert_same_terms(tokenize, &texts, &format!("seed {seed}"));
    }
}

#[test]
fn random_texts_have_the_spans_that_sqlite_highlights() {
    for (seed, tokenize) in (101..).zip(TOKENIZERS) {
        let mut random = Random(seed);
        let texts: Vec<String> = (0..300).map(|_| random.text(20)).collect();
        assert_same_spans(tokenize, &texts, &format!("seed {seed}"));
    }
}

#[test]
fn texts_of_random_code_points_have_the_terms_and_spans_that_sqlite_gives() {
    for (seed, tokenize) in (201..).zip(TOKENIZERS) {
        let mut random = Random(seed);
        let mut code_point = || {
            let limit = [0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000][random.below(6)];
            char::from_u32(random.below(limit) as u32).filter(|c| !c.is_control()).unwrap_or(' ')
        };
        let texts: Vec<String> = (0..300).map(|_| (0..60).map(|_| code_point()).collect()).collect();
        assert_same_terms(tokenize, &texts, &format!("seed {seed}"));
        assert_same_spans(tokenize, &texts[..100], &format!("seed {seed}"));
    }
}

#[test]
fn words_made_of_stems_and_suffixes_are_stemmed_as_sqlite_does() {
    let stems = "a y b ab by cr tr oat ion log hop fil roll fizz plan happ contro activ relat sens \
                 general electr vietnam yellow toy syzyg conform œuvr 日本 x";
    let suffixes = "ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness \
                    fulness ousness aliti iviti biliti ical ness icate iciti ful ative alize al ance ence er ic \
                    able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize sses ies ss s eed ed ing \
                    ated bled ized ating bling izing y ly e ee ll lle le é";
    let endings = ["", "s", "es", "ed", "ing", "ly", "ness", "e", "y", "ies"];
    let mut words = Vec::new();
    for stem in stems.split_whitespace() {
        for suffix in suffixes.split_whitespace() {
            words.extend(endings.map(|ending| format!("{stem}{suffix}{ending}")));
        }
    }
    assert!(words.len() > 20_000, "{} words", words.len());
    assert_same_terms("porter unicode61", &words, "stems and suffixes");
    assert_same_terms("porter unicode61 remove_diacritics 0", &words, "stems and suffixes");
}

#[test]
fn random_letters_are_stemmed_as_sqlite_does() {
    let seed = 301;
    let mut random = Random(seed);
    let pieces =
        ["a", "e", "i", "o", "u", "y", "y", "l", "s", "t", "z", "b", "w", "x", "ed", "ing", "at", "é", "9"];
    let ends =
        ["", "s", "ed", "ing", "y", "e", "ll", "ion", "al", "ement", "ational", "biliti", "alli", "ative"];
    let mut word = || {
        let pieces: String = (0..1 + random.below(8)).map(|_| random.pick(&pieces)).collect();
        pieces + random.pick(&ends)
    };
    let words: Vec<String> = (0..100_000).map(|_| word()).collect();
    assert_same_terms("porter unicode61", &words, &format!("seed {seed}"));
}

#[test]
fn words_around_the_limits_of_length_are_stemmed_and_cut_as_sqlite_does() {
    let mut texts = Vec::new();
    for len in 0..80 {
        for (letter, end) in [("a", "s"), ("x", "ing"), ("ba", "ational"), ("é", "ed"), ("b", "ll")] {
            texts.push(letter.repeat(len) + end);
        }
    }
    // The cut falls inside a character, because 32,768 is not divisible by three.
    for len in [32_767, 32_768, 32_769, 40_000] {
        texts.push("s".repeat(len));
        texts.push(format!("A{}", "京".repeat(len / 3)));
        texts.push("京".repeat(len));
    }
    assert_same_terms("porter unicode61", &texts, "limits");
    assert_same_terms("unicode61", &texts, "limits");
}

#[test]
fn the_porter_vocabulary_has_the_stems_that_sqlite_recorded() {
    let Some(vocabulary) = shared("porter.tsv") else { return };
    assert_recorded("porter unicode61", &vocabulary, 42_603);
}

#[test]
fn words_of_thirty_languages_have_the_tokens_that_sqlite_recorded() {
    let Some(words) = shared("words.tsv") else { return };
    assert_recorded("unicode61", &words, 12_400);
}

/// Asserts that each line is a text, a tab, and its terms separated by spaces, both here and in SQLite.
fn assert_recorded(tokenize: &str, lines: &str, count: usize) {
    let analyzer = Analyzer::parse(tokenize).unwrap();
    let records: Vec<(&str, &str)> = lines.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert_eq!(records.len(), count);
    for (text, recorded) in &records {
        assert_eq!(terms(&analyzer, text).join(&b' '), recorded.as_bytes(), "{text}");
    }
    let texts: Vec<&str> = records.iter().map(|&(text, _)| text).collect();
    for stemmed in ["porter unicode61", "porter unicode61 remove_diacritics 0"] {
        assert_same_terms(stemmed, &texts, "recorded words");
    }
}

#[test]
fn the_tables_recorded_from_sqlite_say_the_same() {
    let Some(tables) = shared("unicode61_tables.json") else { return };
    let tables: serde_json::Value = serde_json::from_str(&tables).unwrap();
    let number = |value: &serde_json::Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    let ranges = tables["separators"].as_array().unwrap();
    let mut separators: BTreeSet<u32> =
        ranges.iter().flat_map(|pair| number(&pair[0])..=number(&pair[1])).collect();
    separators.insert(0);
    let marks: BTreeSet<u32> = tables["combining"].as_array().unwrap().iter().map(number).collect();
    for mode in 0..=2 {
        let analyzer = Analyzer::parse(&format!("unicode61 remove_diacritics {mode}")).unwrap();
        let folds = &tables[format!("fold_rd{mode}")];
        for c in known_code_points() {
            let code = u32::from(c);
            let folded = folds.get(code.to_string()).map_or(Some(c), |to| char::from_u32(number(to)));
            let folded = folded.filter(|&folded| folded != '\0').map(String::from).unwrap_or_default();
            let expected: Vec<String> = if separators.contains(&code) {
                vec!["x".into(), "y".into()]
            } else if marks.contains(&code) {
                vec![format!("x{folded}y")]
            } else {
                vec![folded.clone(), format!("x{folded}y")]
            };
            let expected: Vec<Term> = expected.into_iter().map(String::into_bytes).collect();
            assert_eq!(terms(&analyzer, &format!("{c} x{c}y")), expected, "U+{code:04X}, mode {mode}");
        }
    }
}

#[test]
fn a_tokenize_string_is_accepted_where_sqlite_accepts_it() {
    let pieces = [
        "porter",
        "porter",
        "Porter",
        "unicode61",
        "unicode61",
        "UNICODE61",
        "remove_diacritics",
        "0",
        "2",
        "3",
        "01",
        "tokenchars",
        "separators",
        "'-_'",
        "''",
        "''''",
        "'it''s'",
        "'open",
        "é",
        "-",
        "\t",
        "\"",
        " ",
        "'porter'",
        "'unicode61'",
        "x",
    ];
    let seed = 401;
    let mut random = Random(seed);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..3000 {
        let start = random.pick(&["", "porter ", "unicode61 ", "porter unicode61 ", "unicode61 tokenchars "]);
        let mut tokenize = String::from(start);
        for _ in 0..random.below(5) {
            tokenize += random.pick(&pieces);
            tokenize += random.pick(&["", " ", " ", " ", "  "]);
        }
        let ours = Analyzer::parse(&tokenize);
        // SQLite reads past the end of its string here, so its answer is undefined.
        if matches!(&ours, Err(AnalyzerError::UnclosedQuote { quoted }) if quoted == "'") {
            continue;
        }
        let theirs = Oracle::new(&tokenize, "");
        assert_eq!(
            ours.is_ok(),
            theirs.is_ok(),
            "seed {seed}, {tokenize:?}: {:?}, {:?}",
            ours.err(),
            theirs.err()
        );
        if ours.is_ok() { accepted += 1 } else { refused += 1 }
    }
    assert!(accepted > 300 && refused > 300, "one-sided: {accepted} accepted, {refused} refused");
}

#[test]
fn folding_then_stemming_is_the_term() {
    let analyzer = Analyzer::parse("porter unicode61").unwrap();
    let mut form = Vec::new();
    analyzer.fold("Générations", &mut form);
    assert_eq!(form, b"generations");
    analyzer.stem(&mut form);
    assert_eq!(form, b"gener");
    assert!(analyzer.is_stemming());
    assert!(!Analyzer::parse("unicode61").unwrap().is_stemming());
}

#[test]
fn a_run_of_cjk_is_one_token_unless_bigrams_are_asked_for() {
    let analyzer = Analyzer::parse("unicode61").unwrap();
    assert!(!analyzer.is_bigramming());
    assert_eq!(surfaces(&analyzer, "東京都 tower", Purpose::Document), ["東京都", "tower"]);

    let analyzer = analyzer.with_cjk_bigrams();
    assert!(analyzer.is_bigramming());
    assert_eq!(surfaces(&analyzer, "東京都 tower", Purpose::Document), ["東京", "京都", "都", "tower"]);
    assert_eq!(surfaces(&analyzer, "東京都 tower", Purpose::Query), ["東京", "京都", "都", "tower"]);
}

#[test]
fn bigrams_change_nothing_in_text_without_cjk() {
    let seed = 501;
    let mut random = Random(seed);
    for tokenize in TOKENIZERS {
        let plain = Analyzer::parse(tokenize).unwrap();
        let bigrams = plain.clone().with_cjk_bigrams();
        for _ in 0..500 {
            let text: String =
                random.text(30).chars().filter(|c| !('\u{1100}'..='\u{ffdc}').contains(c)).collect();
            let text = text.replace('𠀀', "");
            for purpose in [Purpose::Document, Purpose::Query] {
                assert_eq!(
                    spans(&plain, &text, purpose),
                    spans(&bigrams, &text, purpose),
                    "seed {seed} {text:?}"
                );
            }
        }
    }
}

#[test]
fn a_query_s_bigrams_stand_in_a_row_in_every_document_that_holds_its_text() {
    let analyzer = Analyzer::parse("unicode61").unwrap().with_cjk_bigrams();
    let seed = 601;
    let mut random = Random(seed);
    let run: Vec<char> = "東京都大阪府漢字ひらがなカタカナ한글서울".chars().collect();
    for _ in 0..1000 {
        let document: String = (0..2 + random.below(20)).map(|_| run[random.below(run.len())]).collect();
        let from = random.below(document.chars().count() - 1);
        let query: String = document.chars().skip(from).take(2 + random.below(6)).collect();
        let within = surfaces(&analyzer, &document, Purpose::Document);
        let wanted = surfaces(&analyzer, &query, Purpose::Query);
        assert!(
            within.windows(wanted.len()).any(|window| window == wanted),
            "seed {seed} {query} in {document}"
        );
    }
}

fn refusal(tokenize: &str) -> AnalyzerError {
    Analyzer::parse(tokenize).unwrap_err()
}

#[test]
fn spaces_alone_are_refused() {
    assert_eq!(refusal("  "), AnalyzerError::Blank);
}

#[test]
fn an_unclosed_quote_is_refused_with_what_follows_it() {
    let quoted = String::from("'it''s");
    assert_eq!(refusal("unicode61 tokenchars 'it''s"), AnalyzerError::UnclosedQuote { quoted });
}

#[test]
fn a_character_that_needs_quotes_is_refused_by_name() {
    let error = refusal("unicode61 tokenchars -_");
    assert_eq!(error, AnalyzerError::UnquotedCharacter { found: '-' });
    assert!(error.to_string().starts_with("\"-\" must be in quotes"), "{error}");
    assert!(refusal("porter\tunicode61").to_string().starts_with("\"\\t\" must be in quotes"));
}

#[test]
fn an_unknown_tokenizer_is_refused_by_name() {
    let name = String::from("snowball");
    assert_eq!(refusal("snowball english"), AnalyzerError::UnknownTokenizer { name: name.clone() });
    assert_eq!(refusal("porter snowball"), AnalyzerError::UnknownTokenizer { name });
}

#[test]
fn the_tokenizers_that_snapseek_leaves_out_are_refused_with_what_to_use() {
    for tokenize in ["ascii", "porter ascii", "Trigram", "trigram case_sensitive 1"] {
        let error = refusal(tokenize);
        assert!(matches!(error, AnalyzerError::UnsupportedTokenizer { .. }), "{tokenize}");
        assert!(error.to_string().contains("use unicode61"), "{error}");
    }
}

#[test]
fn an_unknown_option_is_refused_with_those_that_exist() {
    let error = refusal("unicode61 token_chars '-'");
    assert_eq!(error, AnalyzerError::UnknownOption { option: "token_chars".into() });
    assert!(error.to_string().contains("remove_diacritics, tokenchars or separators"), "{error}");
}

#[test]
fn categories_are_refused_with_what_to_use() {
    let error = refusal("porter unicode61 categories 'L* N*'");
    assert_eq!(error, AnalyzerError::UnsupportedCategories);
    assert!(error.to_string().contains("use tokenchars and separators"), "{error}");
}

#[test]
fn an_option_without_a_value_is_refused_by_name() {
    let option = String::from("separators");
    assert_eq!(refusal("unicode61 remove_diacritics 1 separators"), AnalyzerError::MissingValue { option });
}

#[test]
fn remove_diacritics_is_zero_one_or_two() {
    let value = String::from("3");
    assert_eq!(refusal("unicode61 remove_diacritics 3"), AnalyzerError::InvalidRemoveDiacritics { value });
    let value = String::new();
    assert_eq!(refusal("unicode61 remove_diacritics ''"), AnalyzerError::InvalidRemoveDiacritics { value });
}
