//! Which terms exist, and where are their posting lists?
//!
//! The dictionary is sorted. Terms are front-coded in blocks of 16: each term except a block's first is stored as the
//! length of the prefix it shares with the term before, and the remaining bytes. A lookup is a binary search over the
//! first terms of the blocks, then a scan of one block. A prefix query is a scan of a range.
//!
//! ```text
//! u32 term count · u32 block offset × blocks · blocks
//! block: varint offset in the postings
//!        16 × (varint shared · varint new · new bytes · varint documents · varint postings length)
//! ```

use super::postings::ListRef;
use crate::wire::{Malformed, Reader, len32, put_varint, u32_at};

const TERMS_PER_BLOCK: usize = 16;

/// Writes terms in ascending order. [`TermsView`] reads them.
///
/// ```
/// use snapseek_index::inverted::{ListRef, TermsView, TermsWriter};
///
/// let mut writer = TermsWriter::default();
/// writer.push(b"fox", ListRef { at: 0, len: 10, documents: 2 });
/// writer.push(b"foxes", ListRef { at: 10, len: 6, documents: 1 });
/// writer.push(b"quick", ListRef { at: 16, len: 8, documents: 3 });
/// let bytes = writer.finish();
///
/// let terms = TermsView::parse(&bytes)?;
/// assert_eq!(terms.find(b"foxes")?.map(|list| list.documents), Some(1));
/// assert_eq!(terms.find(b"foxy")?, None);
///
/// let mut walk = terms.walk_from(b"fo")?;
/// let mut found = Vec::new();
/// while walk.advance()? && walk.term().starts_with(b"fo") {
///     found.push(walk.term().to_vec());
/// }
/// assert_eq!(found, [&b"fox"[..], b"foxes"]);
/// # Ok::<(), snapseek_index::wire::Malformed>(())
/// ```
#[derive(Debug, Default)]
pub struct TermsWriter {
    blocks: Vec<u8>,
    /// The offset of each block in `blocks`.
    offsets: Vec<u32>,
    count: usize,
    /// The last term written.
    last: Vec<u8>,
}

impl TermsWriter {
    /// Appends a term with its posting list. Terms must ascend, and each list must start where the last one ended.
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

    /// Returns the bytes of the section.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4 + 4 * self.offsets.len() + self.blocks.len());
        out.extend_from_slice(&len32(self.count).to_le_bytes());
        self.offsets.iter().for_each(|offset| out.extend_from_slice(&offset.to_le_bytes()));
        out.extend_from_slice(&self.blocks);
        out
    }
}

/// The dictionary of a segment, read in place. [`TermsWriter`] writes it.
#[derive(Clone, Copy, Debug)]
pub struct TermsView<'a> {
    count: usize,
    offsets: &'a [u8],
    blocks: &'a [u8],
}

/// The name of the dictionary in error messages.
const LABEL: &str = "the dictionary";

impl<'a> TermsView<'a> {
    /// Reads the header of the section. Blocks are read when they are used.
    ///
    /// # Errors
    /// Returns an error when the section is too short for its number of terms.
    pub fn parse(bytes: &'a [u8]) -> Result<TermsView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, LABEL);
        let count = reader.len32()?;
        let offsets = reader.take(count.div_ceil(TERMS_PER_BLOCK).checked_mul(4).ok_or(Malformed(LABEL))?)?;
        Ok(TermsView { count, offsets, blocks: reader.rest() })
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Reports whether the dictionary is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the posting list of exactly this term, or `None` when the dictionary lacks it.
    ///
    /// # Errors
    /// Returns an error when the block that would hold the term is malformed.
    pub fn find(&self, term: &[u8]) -> Result<Option<ListRef>, Malformed> {
        let mut walk = self.walk_from(term)?;
        Ok(walk.advance()?.then(|| walk.list()).filter(|_| walk.term() == term))
    }

    /// Returns a walk that starts at the first term that is at least `term`.
    ///
    /// # Errors
    /// Returns an error when a block on the way is malformed.
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

    /// Returns a walk over all terms.
    pub fn walk(&self) -> TermsWalk<'a> {
        self.walk_at_block(0)
    }

    /// Returns the term with this number and its posting list, or `None` past the end. Numbers start at 0.
    ///
    /// # Errors
    /// Returns an error when the term's block is malformed.
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
        let offset = u32_at(self.offsets, block).ok_or(Malformed(LABEL))?;
        let bytes = self.blocks.get(offset as usize..).ok_or(Malformed(LABEL))?;
        Ok(Reader::new(bytes, LABEL))
    }

    fn walk_at_block(&self, block: usize) -> TermsWalk<'a> {
        TermsWalk {
            terms: *self,
            reader: Reader::new(&[], LABEL),
            first: block * TERMS_PER_BLOCK,
            next: block * TERMS_PER_BLOCK,
            term: Vec::new(),
            list: ListRef::default(),
        }
    }
}

/// A walk over terms in order. It starts before its first term; [`TermsWalk::advance`] moves it.
#[derive(Clone, Debug)]
pub struct TermsWalk<'a> {
    terms: TermsView<'a>,
    reader: Reader<'a>,
    /// The number of the first term of the walk.
    first: usize,
    /// The number of the next term.
    next: usize,
    term: Vec<u8>,
    list: ListRef,
}

impl TermsWalk<'_> {
    /// Moves to the next term. Returns false at the end.
    ///
    /// # Errors
    /// Returns an error when the block is malformed.
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
            return Err(Malformed(LABEL));
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(new);
        let at = self.list.at.checked_add(self.list.len).ok_or(Malformed(LABEL))?;
        self.list = ListRef { at, documents: self.reader.varint()?, len: self.reader.varint()? };
        self.next += 1;
        Ok(true)
    }

    fn enter_block(&mut self) -> Result<(), Malformed> {
        let mut reader = self.terms.block(self.next / TERMS_PER_BLOCK)?;
        let len = reader.remaining();
        let at = reader.varint()?;
        // Each block must follow the one before it, and so must its lists, so that a walk reads no byte twice.
        let follows =
            || len == self.reader.remaining() && Some(at) == self.list.at.checked_add(self.list.len);
        if self.next > self.first && !follows() {
            return Err(Malformed(LABEL));
        }
        self.reader = reader;
        self.list = ListRef { at, len: 0, documents: 0 };
        self.term.clear();
        Ok(())
    }

    /// Returns the current term.
    pub fn term(&self) -> &[u8] {
        &self.term
    }

    /// Returns the posting list of the current term.
    pub fn list(&self) -> ListRef {
        self.list
    }

    /// Returns the number of the current term.
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
