//! How does a Llama model split text into tokens? It joins characters pair by pair, in the order it learned the pairs.
//!
//! The tokens equal those of the reference implementation (Hugging Face's `tokenizers`) for a vocabulary with byte
//! fallback that writes a space as `▁` and puts one before the text; tests compare them. As in `wordpiece.rs`, a
//! special token that is spelt out in a text is treated as text.

use super::vocabulary::VocabularyView;
use crate::wire::u32_at;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The character that replaces a space.
const SPACE: char = '▁';

/// The neighbour of the first and last symbol of a chain: no symbol.
const NONE: usize = usize::MAX;

/// A vocabulary and its sorted merges. A merge is four u32: left token, right token, rank, joined token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bpe<'a> {
    pub vocabulary: VocabularyView<'a>,
    pub merges: &'a [u8],
}

/// An intermediate token in the linked list of symbols.
struct Symbol {
    token: u32,
    before: usize,
    after: usize,
    is_joined: bool,
}

/// A pair that can be joined. The lowest rank is joined first; among equal ranks, the leftmost pair.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Join {
    rank: u32,
    at: usize,
    joined: u32,
    left: u32,
    right: u32,
}

impl Bpe<'_> {
    /// The length of one merge, in bytes.
    pub const MERGE_LEN: usize = 16;

    /// Calls `each` with the number of each token of `text`, and with `None` for an unknown character.
    pub fn tokens(&self, text: &str, mut each: impl FnMut(Option<u32>)) {
        if text.is_empty() {
            return;
        }
        // Nothing is joined across an unknown character, so it ends a chain of symbols.
        let mut symbols = Vec::with_capacity(text.len() + 1);
        let spelt = std::iter::once(SPACE).chain(text.chars().map(|c| if c == ' ' { SPACE } else { c }));
        for c in spelt {
            let from = symbols.len();
            if !self.spell(c, &mut symbols) {
                symbols.truncate(from);
                self.join(&mut symbols, &mut each);
                each(None);
            }
        }
        self.join(&mut symbols, &mut each);
    }

    /// Appends the token of a character, or else the tokens of its bytes. Returns false if neither is known.
    fn spell(&self, c: char, symbols: &mut Vec<u32>) -> bool {
        let mut buffer = [0; 4];
        let spelling = c.encode_utf8(&mut buffer).as_bytes();
        if let Some(token) = self.vocabulary.find(spelling) {
            symbols.push(token);
            return true;
        }
        spelling.iter().all(|byte| {
            let token = self.vocabulary.find(format!("<0x{byte:02X}>").as_bytes());
            symbols.extend(token);
            token.is_some()
        })
    }

    /// Joins all pairs that can be joined, passes the resulting tokens to `each`, and empties `tokens`.
    fn join(&self, tokens: &mut Vec<u32>, each: &mut impl FnMut(Option<u32>)) {
        let last = tokens.len().wrapping_sub(1);
        let chain = tokens.drain(..).enumerate().map(|(at, token)| Symbol {
            token,
            before: at.wrapping_sub(1),
            after: if at == last { NONE } else { at + 1 },
            is_joined: false,
        });
        let mut chain = chain.collect::<Vec<_>>();
        let mut joins = BinaryHeap::new();
        let offer = |joins: &mut BinaryHeap<_>, chain: &[Symbol], at: usize| {
            if let Some(join) = self.candidate(chain, at) {
                joins.push(join);
            }
        };
        (0..chain.len()).for_each(|at| offer(&mut joins, &chain, at));
        while let Some(Reverse(join)) = joins.pop() {
            let left = &chain[join.at];
            let right = left.after;
            let is_stale = left.is_joined || left.token != join.left;
            if is_stale || right == NONE || chain[right].token != join.right {
                continue;
            }
            let after = chain[right].after;
            chain[right].is_joined = true;
            chain[join.at].token = join.joined;
            chain[join.at].after = after;
            if after != NONE {
                chain[after].before = join.at;
            }
            let before = chain[join.at].before;
            if before != NONE {
                offer(&mut joins, &chain, before);
            }
            offer(&mut joins, &chain, join.at);
        }
        chain.iter().filter(|symbol| !symbol.is_joined).for_each(|symbol| each(Some(symbol.token)));
    }

    fn candidate(&self, chain: &[Symbol], at: usize) -> Option<Reverse<Join>> {
        let left = chain[at].token;
        let right = chain.get(chain[at].after)?.token;
        let (rank, joined) = self.merge(left, right)?;
        Some(Reverse(Join { rank, at, joined, left, right }))
    }

    /// Returns the rank of a pair and the token it is joined to.
    fn merge(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        let (mut low, mut high) = (0, self.merges.len() / Self::MERGE_LEN);
        while low < high {
            let middle = low + (high - low) / 2;
            let field = |place: usize| u32_at(self.merges, middle * 4 + place);
            match (field(0)?, field(1)?).cmp(&(left, right)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some((field(2)?, field(3)?)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::VocabularyWriter;
    use super::*;

    /// Tokenizes with merges in the order of their ranks. Every token is a joined pair, a letter or a byte.
    fn tokens(letters: &[&str], pairs: &[(&str, &str)], text: &str) -> Vec<String> {
        let joined = pairs.iter().map(|(left, right)| format!("{left}{right}"));
        let mut strings = letters.iter().map(|letter| letter.to_string()).chain(joined).collect::<Vec<_>>();
        strings.sort();
        strings.dedup();
        let mut writer = VocabularyWriter::default();
        strings.iter().for_each(|string| writer.push(string));
        let vocabulary = VocabularyView::new(&writer.ends, &writer.strings);
        let number = |string: &str| vocabulary.find(string.as_bytes()).unwrap();
        let mut merges = (0..)
            .zip(pairs)
            .map(|(rank, (left, right))| {
                [number(left), number(right), rank, number(&format!("{left}{right}"))]
            })
            .collect::<Vec<_>>();
        merges.sort_unstable();
        let merges = merges.concat().into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
        let mut names = Vec::new();
        Bpe { vocabulary, merges: &merges }.tokens(text, |token| {
            names.push(token.map_or("?".to_owned(), |token| strings[token as usize].clone()));
        });
        names
    }

    #[test]
    fn the_pair_learned_first_is_joined_first_and_the_leftmost_of_equals() {
        let letters = ["a", "b", "c", "▁"];
        assert_eq!(tokens(&letters, &[("b", "c"), ("a", "b")], "abc"), ["▁", "a", "bc"]);
        assert_eq!(tokens(&letters, &[("a", "b"), ("b", "c")], "abc"), ["▁", "ab", "c"]);
        assert_eq!(tokens(&letters, &[("a", "a")], "aaa"), ["▁", "aa", "a"]);
        assert_eq!(tokens(&letters, &[("▁", "a"), ("▁a", "b")], "ab ab"), ["▁ab", "▁ab"]);
    }

    #[test]
    fn a_character_without_a_token_is_its_bytes_or_unknown() {
        let letters = ["<0xA9>", "<0xC3>", "a", "▁"];
        assert_eq!(tokens(&letters, &[], "aé"), ["▁", "a", "<0xC3>", "<0xA9>"]);
        assert_eq!(tokens(&letters, &[("a", "a")], "aèaa"), ["▁", "a", "?", "aa"]);
        assert_eq!(tokens(&letters, &[], ""), Vec::<String>::new());
    }
}
