//! The sorted dictionary: which terms are there, and where are their postings?
//!
//! Terms stand in blocks of sixteen, each but a block's first written as what it shares with the one before and
//! what is new. A lookup is a binary search over the blocks' first terms and a walk through one block; a prefix is a
//! range, walked term by term.
//!
//! ```text
//! u32 term count · u32 block offset × blocks · blocks
//! block: varint offset in the postings · 16 × (varint shared · varint new · new bytes · varint documents · varint postings length)
//! ```

use super::postings::ListRef;
use crate::wire::{Malformed, Reader, len32, put_varint, u32_at};

const TERMS_PER_BLOCK: usize = 16;

/// Writes terms in ascending order; [`TermsView`] reads them.
#[derive(Debug, Default)]
pub struct TermsWriter {
    blocks: Vec<u8>,
    offsets: Vec<u32>,
    count: usize,
    last: Vec<u8>,
}

impl TermsWriter {
    /// Appends a term that is greater than the last, with its list in the postings.
    pub fn push(&mut self, term: &[u8], list: ListRef) {
        let starts_block = self.count.is_multiple_of(TERMS_PER_BLOCK);
        let shared = if starts_block { 0 } else { shared_len(&self.last, term) };
        if starts_block {
            self.offsets.push(len32(self.blocks.len()));
            put_varint(&mut self.blocks, list.at);
        }
        put_varint(&mut self.blocks, len32(shared));
        put_varint(&mut self.blocks, len32(term.len() - shared));
        self.blocks.extend_from_slice(&term[shared..]);
        put_varint(&mut self.blocks, list.documents);
        put_varint(&mut self.blocks, list.len);
        self.last.clear();
        self.last.extend_from_slice(term);
        self.count += 1;
    }

    /// The section's bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4 + 4 * self.offsets.len() + self.blocks.len());
        out.extend_from_slice(&len32(self.count).to_le_bytes());
        self.offsets.iter().for_each(|offset| out.extend_from_slice(&offset.to_le_bytes()));
        out.extend_from_slice(&self.blocks);
        out
    }
}

/// The dictionary as it stands in the file; [`TermsWriter`] writes it.
#[derive(Clone, Copy, Debug)]
pub struct TermsView<'a> {
    count: usize,
    offsets: &'a [u8],
    blocks: &'a [u8],
}

const WHAT: &str = "the dictionary";

impl<'a> TermsView<'a> {
    /// Reads the section's head; the blocks are read when they are used.
    ///
    /// # Errors
    /// When the section is too short for the number of terms it claims.
    pub fn parse(bytes: &'a [u8]) -> Result<TermsView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, WHAT);
        let count = reader.len32()?;
        let offsets = reader.take(count.div_ceil(TERMS_PER_BLOCK).checked_mul(4).ok_or(Malformed(WHAT))?)?;
        Ok(TermsView { count, offsets, blocks: reader.rest() })
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The list of exactly this term; none where the dictionary lacks it.
    ///
    /// # Errors
    /// When the block that would hold it is malformed.
    pub fn find(&self, term: &[u8]) -> Result<Option<ListRef>, Malformed> {
        let mut walk = self.walk_from(term)?;
        Ok(walk.advance()?.then(|| walk.list()).filter(|_| walk.term() == term))
    }

    /// A walk over the terms from the first that is at least `term`.
    ///
    /// # Errors
    /// When a block on the way is malformed.
    pub fn walk_from(&self, term: &[u8]) -> Result<TermsWalk<'a>, Malformed> {
        let (mut low, mut high) = (0, self.offsets.len() / 4);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_term(middle)? <= term { low = middle + 1 } else { high = middle }
        }
        let mut walk = self.walk_at_block(low.saturating_sub(1));
        loop {
            let before = walk.clone();
            if !walk.advance()? || walk.term() >= term {
                return Ok(before);
            }
        }
    }

    /// A walk over all terms.
    pub fn walk(&self) -> TermsWalk<'a> {
        self.walk_at_block(0)
    }

    /// The term with this number, counted from 0 in dictionary order; none past the end.
    ///
    /// # Errors
    /// When its block is malformed.
    pub fn nth(&self, number: usize) -> Result<Option<(Vec<u8>, ListRef)>, Malformed> {
        let mut walk = self.walk_at_block(number / TERMS_PER_BLOCK);
        for _ in 0..=number % TERMS_PER_BLOCK {
            if !walk.advance()? {
                return Ok(None);
            }
        }
        Ok(Some((walk.term().to_vec(), walk.list())))
    }

    fn first_term(&self, block: usize) -> Result<&'a [u8], Malformed> {
        let mut reader = self.block(block)?;
        reader.varint()?;
        reader.varint()?;
        reader.bytes()
    }

    fn block(&self, block: usize) -> Result<Reader<'a>, Malformed> {
        let offset = u32_at(self.offsets, block).ok_or(Malformed(WHAT))?;
        let bytes = self.blocks.get(offset as usize..).ok_or(Malformed(WHAT))?;
        Ok(Reader::new(bytes, WHAT))
    }

    fn walk_at_block(&self, block: usize) -> TermsWalk<'a> {
        TermsWalk {
            terms: *self,
            reader: Reader::new(&[], WHAT),
            first: block * TERMS_PER_BLOCK,
            next: block * TERMS_PER_BLOCK,
            term: Vec::new(),
            list: ListRef::default(),
        }
    }
}

/// A walk through the dictionary in order; [`TermsWalk::advance`] moves it.
#[derive(Clone, Debug)]
pub struct TermsWalk<'a> {
    terms: TermsView<'a>,
    reader: Reader<'a>,
    /// The number of the term it starts with.
    first: usize,
    next: usize,
    term: Vec<u8>,
    list: ListRef,
}

impl TermsWalk<'_> {
    /// Moves to the next term; false at the end.
    ///
    /// # Errors
    /// When the block is malformed.
    pub fn advance(&mut self) -> Result<bool, Malformed> {
        if self.next >= self.terms.count {
            return Ok(false);
        }
        if self.next.is_multiple_of(TERMS_PER_BLOCK) {
            self.enter_block()?;
        }
        let shared = self.reader.varlen()?;
        let new = self.reader.bytes()?;
        if shared > self.term.len() {
            return Err(Malformed(WHAT));
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(new);
        let at = self.list.at.checked_add(self.list.len).ok_or(Malformed(WHAT))?;
        self.list = ListRef { at, documents: self.reader.varint()?, len: self.reader.varint()? };
        self.next += 1;
        Ok(true)
    }

    fn enter_block(&mut self) -> Result<(), Malformed> {
        let mut reader = self.terms.block(self.next / TERMS_PER_BLOCK)?;
        let len = reader.remaining();
        let at = reader.varint()?;
        // Blocks follow each other, and so do their lists: a walk reads no byte twice.
        let follows =
            || len == self.reader.remaining() && Some(at) == self.list.at.checked_add(self.list.len);
        if self.next > self.first && !follows() {
            return Err(Malformed(WHAT));
        }
        self.reader = reader;
        self.list = ListRef { at, len: 0, documents: 0 };
        self.term.clear();
        Ok(())
    }

    /// The term it stands on.
    pub fn term(&self) -> &[u8] {
        &self.term
    }

    /// That term's list in the postings.
    pub fn list(&self) -> ListRef {
        self.list
    }

    /// That term's number in dictionary order.
    pub fn number(&self) -> usize {
        self.next - 1
    }
}

fn shared_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(terms: &[&str]) -> Vec<u8> {
        let mut writer = TermsWriter::default();
        for (i, term) in terms.iter().enumerate() {
            writer.push(term.as_bytes(), ListRef { at: 10 * len32(i), len: 10, documents: len32(i) + 1 });
        }
        writer.finish()
    }

    fn words() -> Vec<String> {
        let mut words =
            (0..500).map(|i: u32| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect::<Vec<_>>();
        words.sort();
        words.dedup();
        words
    }

    #[test]
    fn every_term_is_found_with_its_list_and_no_other_is() {
        let words = words();
        let bytes = dictionary(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let terms = TermsView::parse(&bytes).unwrap();
        for (i, word) in words.iter().enumerate() {
            let list = terms.find(word.as_bytes()).unwrap().unwrap();
            assert_eq!(list, ListRef { at: 10 * len32(i), len: 10, documents: len32(i) + 1 });
            assert_eq!(terms.nth(i).unwrap().unwrap().0, word.as_bytes());
            assert_eq!(terms.find(format!("{word}!").as_bytes()).unwrap(), None);
        }
        assert_eq!(terms.find(b"").unwrap(), None);
        assert_eq!(terms.find(b"zz").unwrap(), None);
    }

    #[test]
    fn a_walk_from_a_prefix_starts_at_its_first_term() {
        let words = words();
        let bytes = dictionary(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let terms = TermsView::parse(&bytes).unwrap();
        for prefix in ["", "0", "7", "a", "ff", "fff", "zz"] {
            let mut walk = terms.walk_from(prefix.as_bytes()).unwrap();
            let mut found = Vec::new();
            while walk.advance().unwrap() && walk.term().starts_with(prefix.as_bytes()) {
                found.push(String::from_utf8(walk.term().to_vec()).unwrap());
            }
            let expected = words.iter().filter(|word| word.starts_with(prefix)).cloned().collect::<Vec<_>>();
            assert_eq!(found, expected, "prefix {prefix:?}");
        }
    }

    #[test]
    fn truncated_dictionaries_are_errors_and_never_panics() {
        let bytes = dictionary(&["alpha", "beta", "gamma"]);
        for len in 0..bytes.len() {
            let Ok(terms) = TermsView::parse(&bytes[..len]) else { continue };
            assert!(terms.find(b"gamma").is_err(), "accepted {len} bytes");
        }
    }
}
