//! How is a static model stored? As a tokenizer and one row of small integers per token.
//!
//! ```text
//! u32 rows · u32 tokenizer · u32 options · u32 width · u64 fingerprint
//! u32 starting tokens · u32 continuing tokens · u32 merges · u32 longest word
//! u32 bytes of the id · u32 of the starting strings · u32 of the continuing strings · 12 × 0      64 bytes in all
//! tokens × row
//! tokens × f32 scale
//! starting, then continuing × u32 end of the token's string
//! merges × (u32 left · u32 right · u32 rank · u32 joined), sorted
//! id · starting strings · continuing strings
//! ```
//!
//! The first number is the encoding of the rows, [`RowEncoding`]. Tokens are numbered in byte order; tokens that start a word come first. A model with a Llama tokenizer has no
//! continuing tokens, a model with a BERT tokenizer has no merges. A part of a model keeps the fingerprint of the whole
//! model, because both give the same vectors, and vectors are comparable only if their fingerprints are equal.

use super::bpe::Bpe;
use super::model::{ModelTokenizer, StaticModel, StaticModelError};
use super::rows::{RowEncoding, TokenRows};
use super::vocabulary::{VocabularyView, VocabularyWriter};
use super::wordpiece::{WordPiece, WordPieceOptions};
use super::{Embedder, normalised};
use crate::order::sort;
use crate::wire::{Malformed, Reader, len32, u32_at};
use xxhash_rust::xxh3::xxh3_64;

const WHAT: &str = "the static model";
const HEADER_LEN: usize = 64;
const FINGERPRINT_AT: usize = 16;
const WORD_PIECE: u32 = 1;
const BPE: u32 = 2;
const CLEAN_TEXT: u32 = 1;
const HANDLE_CHINESE_CHARS: u32 = 2;
const STRIP_ACCENTS: u32 = 4;
const LOWERCASE: u32 = 8;
/// Set if the model is a part that holds only the tokens of some texts.
const IS_PART: u32 = 16;
/// The largest supported number of dimensions, as for every vector.
const WIDEST: usize = 4096;

/// Collects the parts of an encoded model in file order. [`StaticModelView`] reads the result.
struct StaticModelWriter {
    rows_encoding: RowEncoding,
    tokenizer: u32,
    options: u32,
    width: usize,
    longest_word: u32,
    starting: VocabularyWriter,
    continuing: VocabularyWriter,
    rows: Vec<u8>,
    scales: Vec<u8>,
    merges: Vec<[u32; 4]>,
}

impl StaticModelWriter {
    fn new(rows_encoding: RowEncoding, width: usize) -> StaticModelWriter {
        StaticModelWriter {
            rows_encoding,
            tokenizer: BPE,
            options: 0,
            width,
            longest_word: 0,
            starting: VocabularyWriter::default(),
            continuing: VocabularyWriter::default(),
            rows: Vec::new(),
            scales: Vec::new(),
            merges: Vec::new(),
        }
    }

    /// Encodes the model. Without a given fingerprint it computes the fingerprint of the bytes.
    fn finish(mut self, id: &str, fingerprint: Option<u64>) -> Vec<u8> {
        sort(&mut self.merges);
        let mut out = Vec::new();
        let mut put = |value: u32| out.extend_from_slice(&value.to_le_bytes());
        let rows_encoding = self.rows_encoding.number();
        [rows_encoding, self.tokenizer, self.options, len32(self.width), 0, 0].into_iter().for_each(&mut put);
        put(len32(self.starting.ends.len() / 4));
        put(len32(self.continuing.ends.len() / 4));
        put(len32(self.merges.len()));
        put(self.longest_word);
        [id.len(), self.starting.strings.len(), self.continuing.strings.len()]
            .map(len32)
            .into_iter()
            .for_each(put);
        out.resize(HEADER_LEN, 0);
        out.extend_from_slice(&self.rows);
        out.extend_from_slice(&self.scales);
        out.extend_from_slice(&self.starting.ends);
        out.extend_from_slice(&self.continuing.ends);
        self.merges.iter().flatten().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(&self.starting.strings);
        out.extend_from_slice(&self.continuing.strings);
        let fingerprint = fingerprint.unwrap_or_else(|| xxh3_64(&out));
        out[FINGERPRINT_AT..FINGERPRINT_AT + 8].copy_from_slice(&fingerprint.to_le_bytes());
        out
    }
}

impl StaticModel {
    /// Encodes the whole model as a section; [`StaticModelView::parse`] reverses it.
    ///
    /// # Errors
    ///
    /// Fails when the parts of the model contradict each other; see [`StaticModelError`].
    pub fn encode(&self) -> Result<Vec<u8>, StaticModelError> {
        self.check()?;
        let mut writer = StaticModelWriter::new(RowEncoding::of(&self.rows), self.width);
        let prefix = match &self.tokenizer {
            ModelTokenizer::WordPiece { options, continuing_prefix } => {
                let bits = [
                    (options.clean_text, CLEAN_TEXT),
                    (options.handle_chinese_chars, HANDLE_CHINESE_CHARS),
                    (options.strip_accents, STRIP_ACCENTS),
                    (options.lowercase, LOWERCASE),
                ];
                writer.tokenizer = WORD_PIECE;
                writer.options = bits.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum();
                writer.longest_word = options.longest_word;
                Some(continuing_prefix.as_str())
            }
            ModelTokenizer::Bpe { .. } => None,
        };
        let mut tokens = Vec::with_capacity(self.tokens.len());
        for (row, token) in self.tokens.iter().enumerate() {
            // A token that is only the prefix continues nothing, so it counts as a word.
            let continuing =
                prefix.and_then(|prefix| token.strip_prefix(prefix)).filter(|rest| !rest.is_empty());
            tokens.push((continuing.is_some(), continuing.unwrap_or(token), row));
        }
        sort(&mut tokens);
        if let Some(twice) = tokens.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            return Err(StaticModelError::TokenTwice { token: twice[0].1.to_owned() });
        }
        for &(is_continuing, string, row) in &tokens {
            let vocabulary = if is_continuing { &mut writer.continuing } else { &mut writer.starting };
            vocabulary.push(string);
            let values = &self.rows[row * self.width..][..self.width];
            writer.rows_encoding.put(values, &mut writer.rows);
            writer.scales.extend_from_slice(&self.scales[row].to_le_bytes());
        }
        if let ModelTokenizer::Bpe { merges } = &self.tokenizer {
            let number = |token: &str| {
                let found = tokens.binary_search_by(|probe| probe.1.cmp(token));
                found.map(len32).map_err(|_| StaticModelError::UnknownMerge { token: token.to_owned() })
            };
            for (rank, (left, right)) in (0..).zip(merges) {
                writer.merges.push([number(left)?, number(right)?, rank, number(&format!("{left}{right}"))?]);
            }
        }
        Ok(writer.finish(&self.id, None))
    }
}

/// Reads an encoded static model; [`StaticModel::encode`] writes it.
///
/// Opening reads only the header. A forged model may find wrong tokens and return wrong vectors, but it never panics.
/// [`StaticModelView::verify`] checks everything.
#[derive(Clone, Copy, Debug)]
pub struct StaticModelView<'a> {
    bytes: &'a [u8],
    id: &'a str,
    options: u32,
    fingerprint: u64,
    rows: TokenRows<'a>,
    scales: &'a [u8],
    tokenizer: TokenizerView<'a>,
}

#[derive(Clone, Copy, Debug)]
enum TokenizerView<'a> {
    WordPiece(WordPiece<'a>),
    Bpe(Bpe<'a>),
}

impl<'a> StaticModelView<'a> {
    /// Reads a model's header; [`StaticModel::encode`] and [`StaticModelView::part`] write models.
    ///
    /// # Errors
    ///
    /// Fails when the bytes are not a static model or have a later format.
    pub fn parse(bytes: &'a [u8]) -> Result<StaticModelView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, WHAT);
        let malformed = reader.malformed();
        let (rows_encoding, kind, options) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let width = reader.len32()?;
        let fingerprint = reader.u64()?;
        let (starting, continuing, merges) = (reader.len32()?, reader.len32()?, reader.len32()?);
        let longest_word = reader.u32()?;
        let (id, starting_strings, continuing_strings) = (reader.len32()?, reader.len32()?, reader.len32()?);
        let known_options = IS_PART | if kind == WORD_PIECE { IS_PART - 1 } else { 0 };
        let rows_encoding = RowEncoding::numbered(rows_encoding).ok_or(malformed)?;
        let is_sane = (1..=WIDEST).contains(&width)
            && options & !known_options == 0
            && match kind {
                WORD_PIECE => merges == 0,
                BPE => continuing == 0 && continuing_strings == 0 && longest_word == 0,
                _ => false,
            };
        if !is_sane || reader.take(12)? != [0; 12] {
            return Err(malformed);
        }
        let mut part = |count: usize, len: usize| {
            let len = count.checked_mul(len).ok_or(malformed)?;
            reader.take(len)
        };
        let tokens = starting.checked_add(continuing).ok_or(malformed)?;
        let rows = part(tokens, rows_encoding.row_len(width))?;
        let rows = TokenRows { encoding: rows_encoding, width, bytes: rows };
        let scales = part(tokens, 4)?;
        let (starting, continuing) = (part(starting, 4)?, part(continuing, 4)?);
        let merges = part(merges, Bpe::MERGE_LEN)?;
        let id = std::str::from_utf8(part(id, 1)?).map_err(|_| malformed)?;
        let starting = VocabularyView::new(starting, part(starting_strings, 1)?);
        let continuing = VocabularyView::new(continuing, part(continuing_strings, 1)?);
        if reader.remaining() > 0 {
            return Err(malformed);
        }
        let has = |bit| options & bit != 0;
        let tokenizer = if kind == WORD_PIECE {
            let options = WordPieceOptions {
                clean_text: has(CLEAN_TEXT),
                handle_chinese_chars: has(HANDLE_CHINESE_CHARS),
                strip_accents: has(STRIP_ACCENTS),
                lowercase: has(LOWERCASE),
                longest_word,
            };
            TokenizerView::WordPiece(WordPiece { options, starting, continuing })
        } else {
            TokenizerView::Bpe(Bpe { vocabulary: starting, merges })
        };
        Ok(StaticModelView { bytes, id, options, fingerprint, rows, scales, tokenizer })
    }

    /// Checks every byte.
    ///
    /// # Errors
    ///
    /// Fails when tokens or merges are unsorted or refer to missing tokens, a scale is not finite, a reserved byte is not
    /// zero, or the fingerprint of a whole model does not match its bytes.
    pub fn verify(&self) -> Result<(), Malformed> {
        let malformed = Malformed(WHAT);
        let (starting, continuing) = self.vocabularies();
        starting.verify(WHAT)?;
        continuing.verify(WHAT)?;
        let tokens = starting.count() + continuing.count();
        self.rows.verify(WHAT)?;
        if !(0..tokens).all(|token| self.scale(token).is_finite()) {
            return Err(malformed);
        }
        let merges = self.merges().collect::<Vec<_>>();
        let is_sorted = merges.windows(2).all(|pair| pair[0][..2] < pair[1][..2]);
        let is_known = |merge: &[u32; 4]| [merge[0], merge[1], merge[3]].iter().all(|&token| token < tokens);
        if !is_sorted || !merges.iter().all(is_known) {
            return Err(malformed);
        }
        if self.is_part() {
            return Ok(());
        }
        let mut unsigned = self.bytes.to_vec();
        unsigned[FINGERPRINT_AT..FINGERPRINT_AT + 8].fill(0);
        if xxh3_64(&unsigned) == self.fingerprint { Ok(()) } else { Err(malformed) }
    }

    /// Calls `each` with the number of each token of `text`, and with `None` for an unknown part of it.
    pub fn tokens(&self, text: &str, each: impl FnMut(Option<u32>)) {
        match &self.tokenizer {
            TokenizerView::WordPiece(tokenizer) => tokenizer.tokens(text, each),
            TokenizerView::Bpe(tokenizer) => tokenizer.tokens(text, each),
        }
    }

    /// Returns the number of tokens in the vocabulary.
    pub fn token_count(&self) -> u32 {
        let (starting, continuing) = self.vocabularies();
        starting.count().saturating_add(continuing.count())
    }

    /// Returns a token's text and whether it continues a word, or `None` if the number is out of range.
    pub fn token(&self, number: u32) -> Option<(&'a str, bool)> {
        let (starting, continuing) = self.vocabularies();
        let (string, is_continuing) = match number.checked_sub(starting.count()) {
            Some(number) => (continuing.string(number)?, true),
            None => (starting.string(number)?, false),
        };
        Some((std::str::from_utf8(string).ok()?, is_continuing))
    }

    /// Returns the vector of a text that is one token, or zeros if the number is out of range.
    pub fn token_vector(&self, number: u32) -> Vec<f32> {
        let mut sum = vec![0.0; self.rows.width];
        self.rows.add(number, f64::from(self.scale(number)), &mut sum);
        normalised(&sum)
    }

    /// Returns whether this is a part of a model, made by [`StaticModelView::part`].
    pub fn is_part(&self) -> bool {
        self.options & IS_PART != 0
    }

    /// Encodes a smaller model with the tokens for which `is_used` holds and the tokens that merge into them.
    ///
    /// A text whose tokens are all kept has the same tokens and the same vector in the part as in the whole model.
    /// With WordPiece, its longest pieces are still present and no longer ones were added. With byte-pair encoding,
    /// every joined pair led to a kept token, so the pair is kept too. Words of other texts may split differently or be
    /// unknown.
    pub fn part(&self, is_used: impl Fn(u32) -> bool) -> Vec<u8> {
        let mut is_kept = (0..self.token_count()).map(is_used).collect::<Vec<_>>();
        let index = |token: u32| usize::try_from(token).unwrap_or(usize::MAX);
        let merges = self.merges().collect::<Vec<_>>();
        let kept = |is_kept: &[bool], token: u32| is_kept.get(index(token)).copied().unwrap_or(true);
        loop {
            // Several merges may lead to a token. Keep the parts of each merge, and the tokens that lead to them.
            let leads = |merge: &&[u32; 4]| kept(&is_kept, merge[3]);
            let parts = merges.iter().filter(leads).flat_map(|merge| [merge[0], merge[1]]);
            let missing = parts.filter(|&part| !kept(&is_kept, part)).collect::<Vec<_>>();
            if missing.is_empty() {
                break;
            }
            missing.into_iter().for_each(|part| is_kept[index(part)] = true);
        }
        let mut writer = StaticModelWriter::new(self.rows.encoding, self.rows.width);
        writer.options = self.options | IS_PART;
        if let TokenizerView::WordPiece(tokenizer) = &self.tokenizer {
            writer.tokenizer = WORD_PIECE;
            writer.longest_word = tokenizer.options.longest_word;
        }
        let mut numbers = vec![None; is_kept.len()];
        for number in (0..self.token_count()).filter(|&number| is_kept[index(number)]) {
            let (Some((string, is_continuing)), Some(row)) = (self.token(number), self.rows.row(number))
            else {
                continue;
            };
            let vocabulary = if is_continuing { &mut writer.continuing } else { &mut writer.starting };
            vocabulary.push(string);
            numbers[index(number)] = Some(len32(writer.scales.len() / 4));
            writer.rows.extend_from_slice(row);
            writer.scales.extend_from_slice(&self.scale(number).to_le_bytes());
        }
        let renumbered = |token: u32| numbers.get(index(token)).copied().flatten();
        writer.merges = merges
            .iter()
            .filter_map(|merge| {
                Some([renumbered(merge[0])?, renumbered(merge[1])?, merge[2], renumbered(merge[3])?])
            })
            .collect::<Vec<_>>();
        writer.finish(self.id, Some(self.fingerprint))
    }

    fn vocabularies(&self) -> (VocabularyView<'a>, VocabularyView<'a>) {
        match &self.tokenizer {
            TokenizerView::WordPiece(tokenizer) => (tokenizer.starting, tokenizer.continuing),
            TokenizerView::Bpe(tokenizer) => (tokenizer.vocabulary, VocabularyView::new(&[], &[])),
        }
    }

    fn merges(&self) -> impl Iterator<Item = [u32; 4]> {
        let bytes = match &self.tokenizer {
            TokenizerView::WordPiece(_) => &[],
            TokenizerView::Bpe(tokenizer) => tokenizer.merges,
        };
        let value = |at: usize| u32_at(bytes, at).unwrap_or(0);
        (0..bytes.len() / Bpe::MERGE_LEN)
            .map(move |merge| std::array::from_fn(|place| value(merge * 4 + place)))
    }

    fn scale(&self, token: u32) -> f32 {
        let bits = usize::try_from(token).ok().and_then(|index| u32_at(self.scales, index));
        f32::from_bits(bits.unwrap_or(0))
    }
}

impl Embedder for StaticModelView<'_> {
    fn id(&self) -> &str {
        self.id
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn width(&self) -> usize {
        self.rows.width
    }

    /// Sums the rows of the text's tokens, each times its scale, in text order, and normalises the sum.
    ///
    /// Unknown words add nothing. A mean instead of a sum would give the same vector after normalisation.
    fn embed(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.rows.width];
        self.tokens(text, |token| {
            if let Some(token) = token {
                self.rows.add(token, f64::from(self.scale(token)), &mut sum);
            }
        });
        normalised(&sum)
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
