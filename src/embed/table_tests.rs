//! Tests `table.rs`: round trips, parts, and damaged bytes.

use super::*;

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn word_pieces() -> StaticModel {
    let tokens = ["[UNK]", "search", "vec", "##tor", "##tors", "fast", "!", "##"];
    let rows = (0..8 * 5).map(|value| (value * 7 % 25) as i8 - 12).collect();
    let scales = (1..=8).map(|value| value as f32 / 16.0).collect();
    let tokenizer = ModelTokenizer::WordPiece {
        options: WordPieceOptions::default(),
        continuing_prefix: "##".to_owned(),
    };
    StaticModel { id: "tiny".to_owned(), tokenizer, tokens: strings(&tokens), width: 5, rows, scales }
}

fn pairs() -> StaticModel {
    let tokens = ["a", "b", "c", "ab", "abc", "▁", "▁abc", "bc", "<0xC3>", "<0xA9>"];
    let merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("▁", "abc")];
    let merges = merges.map(|(left, right)| (left.to_owned(), right.to_owned())).to_vec();
    let rows = (0..10 * 17).map(|value| (value * 5 % 31) as i8 - 15).collect();
    let tokenizer = ModelTokenizer::Bpe { merges };
    StaticModel {
        id: "pairs".to_owned(),
        tokenizer,
        tokens: strings(&tokens),
        width: 17,
        rows,
        scales: vec![0.5; 10],
    }
}

/// A model whose rows take 2 bits per value; its width is no multiple of 4.
fn coarse() -> StaticModel {
    let rows = (0..8 * 21).map(|value| [-3, 1, 3, -1][value * 7 % 11 % 4]).collect();
    StaticModel { id: "coarse".to_owned(), width: 21, rows, ..word_pieces() }
}

fn names(view: &StaticModelView<'_>, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    view.tokens(text, |token| {
        let name = token
            .and_then(|token| view.token(token))
            .map(|(name, is_continuing)| if is_continuing { format!("##{name}") } else { name.to_owned() });
        names.push(name.unwrap_or("?".to_owned()));
    });
    names
}

#[test]
fn what_is_written_is_read() {
    for model in [word_pieces(), pairs(), coarse()] {
        let bytes = model.encode().unwrap();
        let view = StaticModelView::parse(&bytes).unwrap();
        assert_eq!(view.verify(), Ok(()));
        assert_eq!((view.id(), view.width()), (model.id.as_str(), model.width));
        assert_eq!(view.token_count() as usize, model.tokens.len());
        assert!(!view.is_part());
        for number in 0..view.token_count() {
            let (name, is_continuing) = view.token(number).unwrap();
            let name = if is_continuing { format!("##{name}") } else { name.to_owned() };
            let row = model.tokens.iter().position(|token| *token == name).unwrap();
            let mut values = vec![0.0; model.width];
            view.rows.add(number, 1.0, &mut values);
            let expected = &model.rows[row * model.width..][..model.width];
            assert_eq!(values, expected.iter().map(|value| f64::from(*value)).collect::<Vec<_>>());
            assert_eq!(view.scale(number), model.scales[row]);
            assert_eq!(view.token_vector(number).len(), model.width);
        }
    }
}

#[test]
fn a_vector_is_the_normalised_sum_of_its_tokens() {
    let model = word_pieces();
    let bytes = model.encode().unwrap();
    let view = StaticModelView::parse(&bytes).unwrap();
    assert_eq!(names(&view, "Vectors, fast"), ["vec", "##tors", "?", "fast"]);
    let row = |token: usize| {
        let scale = f64::from(model.scales[token]);
        model.rows[token * 5..][..5].iter().map(move |value| scale * f64::from(*value))
    };
    let sum = row(2).zip(row(4)).zip(row(5)).map(|((a, b), c)| a + b + c).collect::<Vec<_>>();
    let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    let expected = sum.iter().map(|value| (value / length) as f32).collect::<Vec<_>>();
    assert_eq!(view.embed("Vectors, fast"), expected);
}

#[test]
fn nothing_known_gives_zeros() {
    let bytes = word_pieces().encode().unwrap();
    let view = StaticModelView::parse(&bytes).unwrap();
    for text in ["", "  ", "unheard of", "…"] {
        assert_eq!(view.embed(text), [0.0; 5], "{text}");
    }
}

#[test]
fn a_part_gives_the_texts_that_it_was_made_for_the_same_vectors() {
    for (model, text) in [(word_pieces(), "fast vectors!"), (coarse(), "fast vectors!"), (pairs(), "abc cé")]
    {
        let bytes = model.encode().unwrap();
        let whole = StaticModelView::parse(&bytes).unwrap();
        let mut used = Vec::new();
        whole.tokens(text, |token| used.extend(token));
        let part_bytes = whole.part(|token| used.contains(&token));
        let part = StaticModelView::parse(&part_bytes).unwrap();
        assert_eq!(part.verify(), Ok(()));
        assert!(part.is_part() && part.token_count() < whole.token_count());
        assert_eq!(names(&part, text), names(&whole, text));
        assert_eq!(part.embed(text), whole.embed(text));
        assert_eq!((part.id(), part.fingerprint()), (whole.id(), whole.fingerprint()));
    }
}

#[test]
fn a_part_keeps_every_way_to_a_token() {
    let pair = |(left, right): (&str, &str)| (left.to_owned(), right.to_owned());
    // Here the fourth merge makes `abc`, and then the third makes `abcd`.
    let merges = [("b", "c"), ("ab", "c"), ("abc", "d"), ("a", "bc"), ("a", "b")].map(pair).to_vec();
    let model = StaticModel {
        tokens: strings(&["▁", "a", "b", "c", "d", "ab", "bc", "abc", "abcd"]),
        tokenizer: ModelTokenizer::Bpe { merges },
        width: 1,
        rows: vec![1; 9],
        scales: vec![1.0; 9],
        id: "ways".to_owned(),
    };
    let bytes = model.encode().unwrap();
    let whole = StaticModelView::parse(&bytes).unwrap();
    assert_eq!(names(&whole, "abcd"), ["▁", "abcd"]);
    let bytes = whole.part(|token| matches!(whole.token(token), Some(("▁" | "abcd", _))));
    assert_eq!(names(&StaticModelView::parse(&bytes).unwrap(), "abcd"), ["▁", "abcd"]);
}

#[test]
fn models_that_differ_have_fingerprints_that_differ() {
    let mut other = word_pieces();
    other.scales[3] += 1.0;
    let (first, second) = (word_pieces().encode().unwrap(), other.encode().unwrap());
    let fingerprint = |bytes: &[u8]| StaticModelView::parse(bytes).unwrap().fingerprint_text();
    assert_ne!(fingerprint(&first), fingerprint(&second));
    assert_eq!(fingerprint(&first), fingerprint(&word_pieces().encode().unwrap()));
    assert_eq!(fingerprint(&first).len(), 16);
}

#[test]
fn every_truncation_and_every_addition_is_an_error() {
    for model in [word_pieces(), pairs(), coarse()] {
        let mut bytes = model.encode().unwrap();
        for len in 0..bytes.len() {
            assert!(StaticModelView::parse(&bytes[..len]).is_err(), "accepted {len} bytes");
        }
        bytes.push(0);
        assert!(StaticModelView::parse(&bytes).is_err());
    }
}

#[test]
fn every_flipped_bit_is_noticed_and_none_is_a_panic() {
    for model in [word_pieces(), pairs(), coarse()] {
        let whole = model.encode().unwrap();
        for at in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            let Ok(view) = StaticModelView::parse(&bytes) else { continue };
            view.embed("fast vectors! abc é");
            view.part(|token| token % 2 == 0);
            // A part keeps the fingerprint of the whole, so flipping only the flag for a part is not detected here.
            let is_called_part = at == 8 * 8 + 4;
            assert!(view.verify().is_err() || is_called_part, "bit {at}");
        }
    }
}

#[test]
fn sizes_beyond_the_bytes_are_refused_before_anything_is_allocated() {
    for whole in [word_pieces().encode().unwrap(), coarse().encode().unwrap()] {
        for at in [12].into_iter().chain((24..52).step_by(4)) {
            let mut bytes = whole.clone();
            bytes[at..at + 4].fill(0xff);
            if at != 36 {
                assert!(StaticModelView::parse(&bytes).is_err(), "field at {at}");
            }
        }
    }
}

#[test]
fn rows_of_two_bits_are_not_read_as_bytes_nor_bytes_as_two_bits() {
    let (fine, coarse) = (word_pieces().encode().unwrap(), coarse().encode().unwrap());
    assert_eq!((fine[0], coarse[0]), (1, 2));
    for (whole, other) in [(fine, 2u32), (coarse, 1)] {
        for rows in [0, other, 3, u32::MAX] {
            let mut bytes = whole.clone();
            bytes[..4].copy_from_slice(&rows.to_le_bytes());
            let read = StaticModelView::parse(&bytes).and_then(|view| view.verify());
            assert!(read.is_err(), "row encoding {rows}");
        }
    }
}

#[test]
fn two_bits_per_value_give_the_same_vectors_as_eight() {
    let coarse = coarse();
    let mut fine = coarse.clone();
    // One value that 2 bits cannot hold, of a token that the text does not have, keeps all rows at 8 bits.
    fine.rows[0] = 2;
    let (coarse, fine) = (coarse.encode().unwrap(), fine.encode().unwrap());
    assert!(coarse.len() < fine.len());
    let embed = |bytes: &[u8]| StaticModelView::parse(bytes).unwrap().embed("fast vectors! search vec");
    assert_eq!(embed(&coarse), embed(&fine));
}

#[test]
fn rows_start_at_multiples_of_sixteen() {
    let bytes = pairs().encode().unwrap();
    let view = StaticModelView::parse(&bytes).unwrap();
    let offset = view.rows.bytes.as_ptr() as usize - bytes.as_ptr() as usize;
    assert_eq!((offset % 16, view.rows.bytes.len()), (0, 10 * 32));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let refusal = |change: fn(&mut StaticModel)| {
        let mut model = pairs();
        change(&mut model);
        model.encode().unwrap_err()
    };
    assert_eq!(refusal(|model| model.width = 0), StaticModelError::Width { width: 0 });
    assert!(matches!(refusal(|model| model.width = 16), StaticModelError::Rows { .. }));
    assert!(matches!(refusal(|model| _ = model.scales.pop()), StaticModelError::Rows { .. }));
    let infinite = refusal(|model| model.scales[1] = f32::INFINITY);
    assert_eq!(infinite, StaticModelError::NotFinite { token: "b".to_owned() });
    assert_eq!(refusal(|model| model.tokens[1].clear()), StaticModelError::EmptyToken);
    let twice = refusal(|model| model.tokens[1] = "a".to_owned());
    assert_eq!(twice, StaticModelError::TokenTwice { token: "a".to_owned() });
    let unknown = refusal(|model| model.tokens[3] = "xy".to_owned());
    assert_eq!(unknown, StaticModelError::UnknownMerge { token: "ab".to_owned() });
}

#[test]
fn quantised_rows_are_within_half_a_step() {
    let vectors = [0.5f32, -1.0, 0.25, 0.0, 0.0, 0.0, 3.0, 1.0, -2.0];
    let tokenizer = || pairs().tokenizer;
    let tokens = strings(&["a", "b", "c"]);
    let quantised = |weights: Option<&[f32]>| {
        StaticModel::quantised("x".to_owned(), tokenizer(), tokens.clone(), &vectors, weights)
    };
    let model = quantised(None).unwrap();
    for (index, value) in vectors.iter().enumerate() {
        let scale = model.scales[index / 3];
        assert!((f32::from(model.rows[index]) * scale - value).abs() <= scale / 2.0 + 1e-6);
    }
    assert_eq!(quantised(Some(&[2.0, 1.0, 1.0])).unwrap().scales[0], 2.0 * model.scales[0]);
    assert!(matches!(quantised(Some(&[2.0])), Err(StaticModelError::Rows { .. })));
    assert!(matches!(quantised(Some(&[1.0, f32::NAN, 1.0])), Err(StaticModelError::NotFinite { .. })));
}
