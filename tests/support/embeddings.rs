//! Vectors with known bits; `tests/embed.rs` checks them natively, the wasm suite in wasm.

use snapseek::embed::{
    Embedder, HashEmbedder, ModelTokenizer, StaticModel, StaticModelView, WordPieceOptions, bert_words,
};

/// Texts of several scripts; the model below knows some of their words.
const TEXTS: [&str; 4] =
    ["Hybrid search you can ship as a file", "naïve CAFÉ №5 ﬁles, naïve café", "東京都の天気 and Tōkyō", "…"];

/// The expected hashes of vector bits: the hash embedding with 64 dimensions, then the static model with 24, with 8 and
/// with 2 bits per value.
pub const GOLDEN: [u64; 3] = [0x1bbb_7fcd_ac3e_d19f, 0xf504_9fde_3a0d_b473, 0x3e6a_c2b3_180c_3444];

/// The expected hashes of tokens and vectors for every code point that Unicode normalisation changes, between letters and
/// marks.
pub const GOLDEN_FORMS: [u64; 2] = [0xe9dd_e7a9_f0a9_401d, 0x4467_d56a_fc75_ea58];

/// Hashes bytes with 64-bit FNV-1a, continuing from `before`.
fn hashed(bytes: impl IntoIterator<Item = u8>, before: u64) -> u64 {
    bytes.into_iter().fold(before, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

const NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes the bits of all vectors of an embedder.
fn bits(embedder: &impl Embedder) -> u64 {
    let values = TEXTS.iter().flat_map(|text| embedder.embed(text));
    hashed(values.flat_map(f32::to_le_bytes), NOTHING)
}

/// Computes the value that must equal [`GOLDEN_FORMS`].
pub fn found_forms() -> [u64; 2] {
    // Ideographs and unassigned code points are left out, because normalisation does not change them.
    let all = ('\0'..'\u{3400}').chain('\u{a000}'..'\u{e000}').chain('\u{f900}'..'\u{17000}');
    let all = all.chain('\u{1ae00}'..'\u{20000}').chain('\u{2f800}'..'\u{2fa20}').collect::<Vec<_>>();
    let apart = WordPieceOptions { clean_text: false, lowercase: false, ..WordPieceOptions::default() };
    let (mut words, mut vectors) = (NOTHING, NOTHING);
    for c in &all {
        bert_words(&format!("e{c}\u{301}{c}\u{323}"), apart, |word| {
            words = hashed(word.bytes(), words);
            true
        });
    }
    let embedder = HashEmbedder::new(16);
    for chars in all.chunks(8) {
        let text = chars.iter().map(|c| format!("e{c}\u{301} {c} ")).collect::<String>();
        vectors = hashed(embedder.embed(&text).into_iter().flat_map(f32::to_le_bytes), vectors);
    }
    [words, vectors]
}

/// Computes the value that must equal [`GOLDEN`].
pub fn found() -> [u64; 3] {
    let tokens =
        ["search", "ship", "a", "file", "##s", "cafe", "naive", ",", "東", "京", "and", "to", "##kyo"];
    let tokens = tokens.map(str::to_owned).to_vec();
    let tokenizer = ModelTokenizer::WordPiece {
        options: WordPieceOptions::default(),
        continuing_prefix: "##".to_owned(),
    };
    let vectors =
        (0..tokens.len() * 24).map(|place| ((place * 37 % 101) as f32 - 50.0) / 7.0).collect::<Vec<_>>();
    let weights = (0..tokens.len()).map(|place| 1.0 / (place as f32 + 1.5)).collect::<Vec<_>>();
    let fine =
        StaticModel::quantised("golden".to_owned(), tokenizer, tokens, &vectors, Some(&weights)).unwrap();
    let coarse = StaticModel {
        rows: fine.rows.iter().map(|value| [-3, -1, 1, 3][usize::from(value.unsigned_abs() % 4)]).collect(),
        ..fine.clone()
    };
    let hash_of = |model: StaticModel| bits(&StaticModelView::parse(&model.encode().unwrap()).unwrap());
    [bits(&HashEmbedder::new(64)), hash_of(fine), hash_of(coarse)]
}
