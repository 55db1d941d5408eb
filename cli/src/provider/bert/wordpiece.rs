//! Splits text into the tokens of a BERT, as its `tokenizer.json` says. The file must describe a WordPiece tokenizer.
//!
//! The rules are those of Hugging Face's tokenizers, which also made the reference vectors of the tests.

use super::error::BertError;
use serde::Deserialize;
use snapseek::embed::{WordPieceOptions, bert_words};
use std::collections::HashMap;

/// A WordPiece tokenizer.
#[derive(Debug)]
pub struct BertTokenizer {
    vocabulary: HashMap<String, u32>,
    unknown: u32,
    prefix: String,
    options: WordPieceOptions,
    /// The tokens that are matched literally in a text, such as `[SEP]`; the longest ones first.
    special: Vec<(String, u32)>,
    /// The tokens before every text: `[CLS]`.
    before: Vec<u32>,
    /// The tokens after every text: `[SEP]`.
    after: Vec<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Normalizer {
    BertNormalizer {
        clean_text: bool,
        handle_chinese_chars: bool,
        /// If absent, as `lowercase`.
        strip_accents: Option<bool>,
        lowercase: bool,
    },
}

impl Normalizer {
    fn options(&self, longest_word: u32) -> WordPieceOptions {
        let Normalizer::BertNormalizer { clean_text, handle_chinese_chars, strip_accents, lowercase } = *self;
        let strip_accents = strip_accents.unwrap_or(lowercase);
        WordPieceOptions { clean_text, handle_chinese_chars, strip_accents, lowercase, longest_word }
    }
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum PreTokenizer {
    BertPreTokenizer,
}

#[derive(Deserialize)]
struct Model {
    /// Older files leave it out.
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: HashMap<String, u32>,
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: u32,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum PostProcessor {
    BertProcessing { cls: (String, u32), sep: (String, u32) },
    TemplateProcessing { single: Vec<Piece>, special_tokens: HashMap<String, SpecialToken> },
}

#[derive(Deserialize)]
enum Piece {
    SpecialToken { id: String },
    Sequence {},
}

#[derive(Deserialize)]
struct SpecialToken {
    ids: Vec<u32>,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: Normalizer,
    #[expect(dead_code, reason = "there is one kind that can be read, and nothing to know about it")]
    pre_tokenizer: PreTokenizer,
    post_processor: PostProcessor,
    model: Model,
}

impl BertTokenizer {
    /// Parses a `tokenizer.json`.
    pub fn parse(json: &[u8]) -> Result<BertTokenizer, BertError> {
        let bad = |reason: String| BertError::Tokenizer { reason };
        let file: File = serde_json::from_slice(json).map_err(|error| bad(error.to_string()))?;
        let model = file.model;
        if let Some(kind) = model.kind.filter(|kind| kind != "WordPiece") {
            return Err(bad(format!("its model is a {kind}")));
        }
        let unknown = model.vocab.get(&model.unk_token).copied();
        let (before, after) = surroundings(file.post_processor).map_err(bad)?;
        let added = file.added_tokens.into_iter().filter(|token| !token.content.is_empty());
        let mut special = added.map(|token| (token.content, token.id)).collect::<Vec<_>>();
        special.sort_by_key(|(content, _)| std::cmp::Reverse(content.len()));
        Ok(BertTokenizer {
            unknown: unknown.ok_or_else(|| bad("the token for unknown words has no number".to_owned()))?,
            vocabulary: model.vocab,
            prefix: model.continuing_subword_prefix,
            options: file.normalizer.options(model.max_input_chars_per_word),
            special,
            before,
            after,
        })
    }

    /// The largest number of a token.
    pub fn largest(&self) -> u32 {
        let known = self.vocabulary.values().chain(self.special.iter().map(|(_, id)| id));
        known.chain(&self.before).chain(&self.after).copied().max().unwrap_or(0)
    }

    /// Returns the tokens of `text`, at most `longest` with the tokens around them. The end of a longer text is cut
    /// off.
    pub fn tokens(&self, text: &str, longest: usize) -> Vec<u32> {
        let room = longest.saturating_sub(self.before.len() + self.after.len());
        let mut tokens = Vec::new();
        let mut rest = text;
        while !rest.is_empty() && tokens.len() < room {
            let (plain, special) = self.next_special(rest);
            self.add_plain(&rest[..plain], room, &mut tokens);
            rest = match special {
                Some((content, id)) => {
                    tokens.push(*id);
                    &rest[plain + content.len()..]
                }
                None => "",
            };
        }
        tokens.truncate(room);
        [self.before.as_slice(), &tokens, &self.after].concat()
    }

    /// Returns where the next special token starts, or the end of the text.
    fn next_special(&self, text: &str) -> (usize, Option<&(String, u32)>) {
        let found = self.special.iter().filter_map(|token| Some((text.find(&token.0)?, Some(token))));
        // Special tokens are sorted by length, so the first of those at the same offset is the longest.
        found.min_by_key(|(at, _)| *at).unwrap_or((text.len(), None))
    }

    fn add_plain(&self, text: &str, room: usize, tokens: &mut Vec<u32>) {
        bert_words(text, self.options, |word| {
            self.add_word(word, tokens);
            tokens.len() < room
        });
    }

    /// Adds the longest pieces from the left, or the unknown token if a part of the word is in no piece.
    fn add_word(&self, word: &str, tokens: &mut Vec<u32>) {
        let count = tokens.len();
        let mut piece = String::new();
        let mut start = 0;
        if word.chars().count() > self.options.longest_word as usize {
            tokens.push(self.unknown);
            return;
        }
        while start < word.len() {
            let ends = word[start..].char_indices().map(|(at, letter)| start + at + letter.len_utf8());
            let longest = ends.rev().find_map(|end| {
                piece.clear();
                if start > 0 {
                    piece.push_str(&self.prefix);
                }
                piece.push_str(&word[start..end]);
                Some((end, *self.vocabulary.get(&piece)?))
            });
            let Some((end, id)) = longest else {
                tokens.truncate(count);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(id);
            start = end;
        }
    }
}

fn surroundings(processor: PostProcessor) -> Result<(Vec<u32>, Vec<u32>), String> {
    match processor {
        PostProcessor::BertProcessing { cls, sep } => Ok((vec![cls.1], vec![sep.1])),
        PostProcessor::TemplateProcessing { single, special_tokens } => {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            let mut is_before = true;
            for piece in single {
                match piece {
                    Piece::Sequence {} => is_before = false,
                    Piece::SpecialToken { id } => {
                        let token = special_tokens.get(&id);
                        let token =
                            token.ok_or_else(|| format!("its template names {id}, which is no token"))?;
                        if is_before { &mut before } else { &mut after }.extend(&token.ids);
                    }
                }
            }
            Ok((before, after))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wordpiece() -> BertTokenizer {
        let words = ["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "!", "世", "i", "##2"];
        let vocabulary = words.iter().enumerate().map(|(id, word)| (word.to_string(), id));
        let special = |id: u32, content: &str| json!({"id": id, "content": content, "special": true});
        let file = json!({
            "added_tokens": [special(1, "[CLS]"), special(2, "[SEP]")],
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 9, "vocab": vocabulary.collect::<HashMap<_, _>>()},
        });
        BertTokenizer::parse(&serde_json::to_vec(&file).unwrap()).unwrap()
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces_and_unknown_as_a_whole() {
        let wordpiece = wordpiece();
        assert_eq!(wordpiece.tokens("Unaffable CAFÉ!", 99), [1, 3, 4, 5, 6, 7, 2]);
        assert_eq!(wordpiece.tokens("unaffx un", 99), [1, 0, 3, 2]);
        assert_eq!(wordpiece.tokens("unununununun", 99), [1, 0, 2], "too long for a word");
    }

    #[test]
    fn ideographs_and_control_characters_are_treated_as_the_reference_does() {
        assert_eq!(wordpiece().tokens("un\u{200d}\u{0}aff世\u{a0}i\n", 99), [1, 3, 4, 8, 9, 2]);
    }

    #[test]
    fn a_special_token_in_a_text_is_that_token() {
        assert_eq!(wordpiece().tokens("un[SEP]un", 99), [1, 3, 2, 3, 2]);
    }

    #[test]
    fn a_long_text_is_cut_and_still_has_its_ends() {
        assert_eq!(wordpiece().tokens("un un un un", 4), [1, 3, 3, 2]);
        assert_eq!(wordpiece().tokens("un", 2), [1, 2]);
        assert_eq!(wordpiece().tokens("", 9), [1, 2]);
    }

    #[test]
    fn other_kinds_of_tokenizers_are_refused() {
        let error = BertTokenizer::parse(br#"{"model": {"type": "BPE"}}"#).unwrap_err().to_string();
        assert!(error.contains("tokenizer.json"), "{error}");
        assert!(BertTokenizer::parse(b"[").is_err());
    }
}
