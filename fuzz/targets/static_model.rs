//! Opens any bytes as a static model; it must not panic, hang or allocate much. A model that `verify` accepts must embed texts
//! to finite numbers, and so must a part of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::embed::{Embedder, ModelTokenizer, StaticModel, StaticModelView, WordPieceOptions};
use snapseek_fuzz::seeds;

const TEXTS: [&str; 4] =
    ["Hybrid search, files and a café", "東京 is to##kyo", "", "a\u{0}aaaaaaaaaaaaaaaaaaaaaaaaaaa"];

fn models() -> Vec<Vec<u8>> {
    let tokens =
        ["search", "a", "file", "##s", "cafe", ",", "東", "<0x0A>", "▁a"].map(str::to_owned).to_vec();
    let word_piece = ModelTokenizer::WordPiece {
        options: WordPieceOptions::default(),
        continuing_prefix: "##".to_owned(),
    };
    let vectors = (0..tokens.len() * 8).map(|place| (place * 37 % 101) as f32 - 50.0).collect::<Vec<_>>();
    let fine = StaticModel::quantised("seed".to_owned(), word_piece, tokens, &vectors, None)
        .expect("the numbers of tokens and vectors fit");
    // Values that fit into 2 bits.
    let rows = fine.rows.iter().map(|value| [-3, -1, 1, 3][usize::from(value.unsigned_abs() % 4)]).collect();
    let coarse = StaticModel { rows, ..fine.clone() };
    [fine, coarse].iter().map(|model| model.encode().expect("a small model can be encoded")).collect()
}

fuzz_target!(
    init: seeds::write(models),
    |input: &[u8]| {
        let Ok(model) = StaticModelView::parse(input) else { return };
        let is_sound = model.verify().is_ok();
        for text in TEXTS {
            let vector = model.embed(text);
            assert_eq!(vector.len(), model.width());
            assert!(!is_sound || vector.iter().all(|number| number.is_finite()), "a sound model gives finite numbers");
        }
        if is_sound {
            let part = model.part(|token| token % 2 == 0);
            let part = StaticModelView::parse(&part).expect("a part of a sound model can be read");
            assert_eq!(part.verify(), Ok(()), "a part of a sound model is sound");
            TEXTS.iter().for_each(|text| assert_eq!(part.embed(text).len(), model.width()));
        }
    }
);
