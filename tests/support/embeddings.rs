//! Vectors with known bits, checked natively by `tests/embed.rs` and in wasm by its suite.

use snapseek::embed::{Embedder, HashEmbedder, StaticModel, StaticModelView, Tokenizer, WordPieceOptions};

/// Texts of several scripts; the model below knows some of their words.
const TEXTS: [&str; 4] =
    ["Hybrid search you can ship as a file", "naïve CAFÉ №5 ﬁles, naïve café", "東京都の天気 and Tōkyō", "…"];

/// The vectors' bits: the hash embedding's 64 numbers of each text, then the static model's 24.
pub const GOLDEN: [u64; 2] = [0x1bbb_7fcd_ac3e_d19f, 0xf504_9fde_3a0d_b473];

/// The bits of all vectors of an embedder, in one number: FNV-1a, whose every step depends on the one before.
fn bits(embedder: &impl Embedder) -> u64 {
    let values = TEXTS.iter().flat_map(|text| embedder.embed(text));
    values.flat_map(f32::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What [`GOLDEN`] has to be.
pub fn found() -> [u64; 2] {
    let tokens =
        ["search", "ship", "a", "file", "##s", "cafe", "naive", ",", "東", "京", "and", "to", "##kyo"];
    let tokens = tokens.map(str::to_owned).to_vec();
    let tokenizer =
        Tokenizer::WordPiece { options: WordPieceOptions::default(), continuing_prefix: "##".to_owned() };
    let vectors =
        (0..tokens.len() * 24).map(|place| ((place * 37 % 101) as f32 - 50.0) / 7.0).collect::<Vec<_>>();
    let weights = (0..tokens.len()).map(|place| 1.0 / (place as f32 + 1.5)).collect::<Vec<_>>();
    let model = StaticModel::quantised("golden".to_owned(), tokenizer, tokens, &vectors, Some(&weights));
    let bytes = model.and_then(|model| model.encode()).unwrap();
    [bits(&HashEmbedder::new(64)), bits(&StaticModelView::parse(&bytes).unwrap())]
}
