//! How does text become a vector without a model? By hashing its words, word pairs and letter trigrams.
//!
//! Texts that share words or parts of words get similar vectors; synonyms do not. Each feature adds to four dimensions
//! with different signs, so two features that collide in one dimension seldom collide in the others.

use super::normal::nfkc;
use super::{Embedder, normalised};
use crate::analysis::{Analyzer, Purpose};
use crate::order::sort;
use crate::unicode::lower_case;
use xxhash_rust::xxh3::xxh3_64;

/// Odd multipliers. Each projects a hash to a dimension and a sign.
const PROJECTIONS: [u32; 4] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// The kinds of features with their weights. The letter separates the kinds in the hash.
const WORD: (u8, f64) = (b'w', 1.0);
const PAIR: (u8, f64) = (b'p', 0.5);
const TRIGRAM: (u8, f64) = (b't', 0.25);

/// The hash embedding. It needs no model file.
///
/// ```
/// use snapseek::embed::{Embedder, HashEmbedder};
///
/// let embedder = HashEmbedder::default();
/// assert_eq!(embedder.id(), "snapseek-hash-v1-384");
/// let dot = |a: &str, b: &str| {
///     embedder.embed(a).iter().zip(embedder.embed(b)).map(|(a, b)| a * b).sum::<f32>()
/// };
/// assert!(dot("vector search", "searching vectors") > dot("vector search", "apple pie"));
/// ```
#[derive(Clone)]
pub struct HashEmbedder {
    id: String,
    width: usize,
    analyzer: Analyzer,
}

impl HashEmbedder {
    /// The default width of its vectors.
    pub const WIDTH: usize = 384;

    /// Creates an embedder for vectors of `width` numbers; 0 counts as 1.
    pub fn new(width: usize) -> HashEmbedder {
        let width = width.max(1);
        let analyzer = Analyzer::parse("unicode61 remove_diacritics 0").expect("this tokenizer is built in");
        HashEmbedder { id: format!("snapseek-hash-v1-{width}"), width, analyzer: analyzer.with_cjk_bigrams() }
    }

    /// Returns the words of a text in order, and the bigrams of CJK text.
    fn words<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut words = Vec::new();
        let mut end = 0;
        self.analyzer.spans(text, Purpose::Document, |span| {
            // The analyzer also emits the last character of a CJK run alone, for prefix search. The embedding skips it,
            // because its bigram contains it.
            if span.end > end {
                words.push(&text[span.start..span.end]);
                end = span.end;
            }
        });
        words
    }

    /// Projects a hash to a dimension and a sign: the highest bit gives the sign, the other bits the dimension.
    fn place(&self, hash: u32, projection: u32) -> (usize, f64) {
        let product = hash.wrapping_mul(projection);
        let mixed = product ^ (product >> 15);
        let place = (u64::from(mixed & 0x7fff_ffff) * self.width as u64) >> 31;
        (place as usize, if mixed >> 31 == 0 { 1.0 } else { -1.0 })
    }
}

impl Default for HashEmbedder {
    fn default() -> HashEmbedder {
        HashEmbedder::new(HashEmbedder::WIDTH)
    }
}

impl Embedder for HashEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn fingerprint(&self) -> u64 {
        xxh3_64(self.id.as_bytes())
    }

    fn width(&self) -> usize {
        self.width
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let text = lower_case(&nfkc(text));
        let words = self.words(&text);
        let mut hashes = Vec::new();
        for word in &words {
            hashes.push((WORD.0, fnv1a(&[&[WORD.0], word.as_bytes()])));
            let letters = std::iter::once(' ').chain(word.chars()).chain([' ']).collect::<Vec<_>>();
            let trigrams = letters.windows(3).map(|letters| letters.iter().collect::<String>());
            hashes.extend(trigrams.map(|trigram| (TRIGRAM.0, fnv1a(&[&[TRIGRAM.0], trigram.as_bytes()]))));
        }
        for pair in words.windows(2) {
            hashes.push((PAIR.0, fnv1a(&[&[PAIR.0], pair[0].as_bytes(), b" ", pair[1].as_bytes()])));
        }
        // Sort the hashes so that the order of floating-point additions does not depend on the text.
        sort(&mut hashes);
        let mut sum = vec![0.0; self.width];
        for same in hashes.chunk_by(|a, b| a == b) {
            let (kind, hash) = same[0];
            let weight =
                [WORD, PAIR, TRIGRAM].into_iter().find(|known| known.0 == kind).map_or(0.0, |known| known.1);
            let count = 1.0 + libm::log(same.len() as f64);
            for projection in PROJECTIONS {
                let (place, sign) = self.place(hash, projection);
                sum[place] += sign * weight * count;
            }
        }
        normalised(&sum)
    }
}

/// Computes the 32-bit FNV-1a hash of the concatenated parts.
fn fnv1a(parts: &[&[u8]]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0x811c_9dc5, |hash: u32, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        let embedder = HashEmbedder::default();
        embedder.embed(a).iter().zip(embedder.embed(b)).map(|(a, b)| a * b).sum()
    }

    /// Combines all bits of a vector into one number.
    fn bits(vector: &[f32]) -> u64 {
        xxh3_64(&vector.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn r_hash_a_vector_has_length_one_and_one_of_nothing_is_zero() {
        for text in ["a", "vector search, vector search", "東京都", "ﬁne"] {
            let square = HashEmbedder::default().embed(text).iter().map(|value| value * value).sum::<f32>();
            assert!((square - 1.0).abs() < 1e-5, "{text}: {square}");
        }
        for text in ["", " \n", "…!?"] {
            assert_eq!(HashEmbedder::new(7).embed(text), [0.0; 7], "{text}");
        }
    }

    #[test]
    fn r_hash_case_and_compatibility_forms_make_no_difference() {
        let embedder = HashEmbedder::default();
        assert_eq!(embedder.embed("ＶＥＣＴＯＲ ﬁle"), embedder.embed("vector file"));
        assert_eq!(embedder.embed("e\u{301}t\u{e9}"), embedder.embed("\u{c9}te\u{301}"));
    }

    #[test]
    fn r_hash_texts_are_the_closer_the_more_they_share() {
        let question = "how are vectors stored";
        assert!(cosine(question, "where vectors are stored") > cosine(question, "a vector store"));
        assert!(cosine(question, "a vector store") > cosine(question, "apple pie"));
        assert!(cosine("東京都", "京都の東京") > cosine("東京都", "大阪府"));
    }

    #[test]
    fn r_hash_a_run_of_cjk_is_its_bigrams() {
        let embedder = HashEmbedder::default();
        assert_eq!(embedder.words("東京都 x 語"), ["東京", "京都", "x", "語"]);
    }

    #[test]
    fn r_hash_a_word_that_occurs_twice_counts_for_less_than_two() {
        let (once, twice) = (cosine("a b c", "a"), cosine("a a b c", "a"));
        assert!(once < twice && twice < 2.0 * once, "{once} {twice}");
    }

    #[test]
    fn r_hash_the_bits_are_the_same_on_every_target() {
        let texts = [
            (384, "Hybrid search you can ship as a file"),
            (256, "naïve CAFÉ №5 ﬁles, naïve café"),
            (64, "東京都の天気 and Tōkyō"),
        ];
        let found = texts.map(|(width, text)| bits(&HashEmbedder::new(width).embed(text)));
        assert_eq!(found, GOLDEN, "{found:#018x?}");
    }

    const GOLDEN: [u64; 3] = [0x698e_91a2_d341_4499, 0x2b17_91fe_dfe2_54d3, 0xc60a_8d56_e65e_746a];
}
