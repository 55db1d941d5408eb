//! Splits any text into terms with any tokenizer; it must not panic. Spans must be non-empty, ascend, and lie on character
//! boundaries. Folding must give valid text. A stem must not be longer than its word, and must start with the same byte.
//! Markers must not change the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::analysis::{Analyzer, Purpose, Span};
use snapseek::presentation::{self, Piece};
use snapseek_fuzz::seeds;

const TOKENIZERS: [&str; 6] = [
    "porter unicode61",
    "unicode61",
    "porter unicode61 remove_diacritics 2",
    "unicode61 remove_diacritics 0",
    "unicode61 tokenchars '-_@' separators 'xé'",
    "",
];

// Input: u8 choices, then text. The choices beyond the list use the first line as the tokenizer.
fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let Some((&choice, rest)) = input.split_first() else { return };
        let text = snapseek_fuzz::text(rest);
        let (tokenizer, text) = match TOKENIZERS.get(usize::from(choice & 7)) {
            Some(tokenizer) => (*tokenizer, text),
            None => text.split_once('\n').unwrap_or((text, text)),
        };
        let Ok(analyzer) = Analyzer::parse(tokenizer) else { return };
        let analyzer = if choice & 8 == 0 { analyzer } else { analyzer.with_cjk_bigrams() };
        let of_query = check_spans(&analyzer, text, Purpose::Query);
        let of_document = check_spans(&analyzer, text, Purpose::Document);
        if analyzer.is_bigramming() {
            assert!(of_query.iter().all(|span| of_document.contains(span)), "a document has every token of the same text as a query");
        } else {
            assert_eq!(of_query, of_document);
        }
        of_document.iter().for_each(|span| check_term(&analyzer, &text[span.start..span.end]));
        check_marks(text, &of_document, usize::from(choice >> 4));
    }
);

fn check_spans(analyzer: &Analyzer, text: &str, purpose: Purpose) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    analyzer.spans(text, purpose, |span| {
        assert!(
            text.get(span.start..span.end).is_some_and(|surface| !surface.is_empty()),
            "{span:?} is a non-empty text"
        );
        if let Some(last) = spans.last() {
            let first_free = if analyzer.is_bigramming() { last.start + 1 } else { last.end };
            assert!(span.start >= first_free && span.end >= last.end, "{last:?} comes before {span:?}");
        }
        spans.push(span);
    });
    spans
}

fn check_term(analyzer: &Analyzer, surface: &str) {
    let (mut form, mut term) = (Vec::new(), vec![b'x']);
    analyzer.fold(surface, &mut form);
    analyzer.term(surface, &mut term);
    let folded = std::str::from_utf8(&form).expect("a folded word is text");
    let mut again = Vec::new();
    analyzer.fold(folded, &mut again);
    assert_eq!(again, form, "folding twice equals folding once");
    assert!(term.len() <= form.len(), "a stem is no longer than its word");
    assert_eq!(term.first(), form.first(), "a stem starts with the same byte as its word");
    analyzer.stem(&mut form);
    assert_eq!(form, term, "a term is the stem of the folded word");
}

/// Marks every `step + 1`th token and checks the result.
fn check_marks(text: &str, tokens: &[Span], step: usize) {
    let positions = (0..).take(tokens.len()).step_by(step + 1);
    let ranges = presentation::joined(positions.map(|position| (position, 1 + position % 3)));
    let pieces = presentation::highlight(text, tokens, &ranges);
    let shown = pieces.iter().map(|piece| if let Piece::Text(text) = piece { *text } else { "" });
    assert_eq!(shown.collect::<String>(), text, "markers do not change the text");
    let depths = pieces.iter().scan(0, |depth, piece| {
        *depth += match piece {
            Piece::Open => 1,
            Piece::Close => -1,
            _ => 0,
        };
        Some(*depth)
    });
    assert!(
        depths.clone().all(|depth| depth == 0 || depth == 1) && depths.last().unwrap_or(0) == 0,
        "{pieces:?}"
    );
}

fn seeds() -> Vec<Vec<u8>> {
    let files =
        [seeds::files("tests/golden"), seeds::files("tests/cases"), seeds::files("www/corpus")].concat();
    let lines =
        files.iter().flat_map(|file| snapseek_fuzz::text(file).lines()).filter(|line| line.len() > 40);
    let lines =
        lines.zip((0u8..16).cycle()).map(|(line, choice)| seeds::with_choice(choice, line.as_bytes()));
    let own = [
        "relational conditional hopping CRÈME brûlée İstanbul ǅ ﬁ e\u{301}",
        "東京都 カタカナｶﾀ 한국어 か\u{304}き abc漢字",
        "'-_' \0 \u{1a}",
    ];
    let own = own.iter().flat_map(|text| (0..16).map(|choice| seeds::with_choice(choice, text.as_bytes())));
    let tokenizers =
        TOKENIZERS.map(|tokenizer| seeds::with_choice(7, format!("{tokenizer}\nsome-text x@y é").as_bytes()));
    lines.chain(own).chain(tokenizers).collect()
}
