//! Which terms exist, and where are their posting lists?
//!
//! The dictionary is sorted. Terms are front-coded in blocks of 16: each term except a block's first is stored as the
//! length of the prefix it shares with the term before, and the remaining bytes. Eight blocks are a run. A lookup is a
//! binary search over the first terms of the runs, then of the blocks of one run, then a scan of one block. A prefix
//! query is a scan of a range.
//!
//! The first terms of the runs are in the index, which is always in memory. So a lookup in a file that is read in pieces
//! needs one piece, the run.
//!
//! ```text
//! index:  u32 term count · u32 block offset × blocks · u32 end of first term × runs · first terms of runs
//! blocks: varint offset in the postings · varint offset in the positions
//!         16 × (varint shared · varint new · new bytes · varint documents · varint postings length
//!               · varint positions length)
//! ```
//!
//! A dictionary without positions, such as that of forms, leaves out the two numbers about them. In format 1 no dictionary
//! had them, and one section held term count, block offsets and blocks.

use super::postings::ListRef;
use crate::bytes::{ABSENT, Bytes};
use crate::wire::{Malformed, Reader, len32, put_varint, u32_at};
use std::ops::Range;

const TERMS_PER_BLOCK: usize = 16;
const BLOCKS_PER_RUN: usize = 8;

/// Whether the entries of a dictionary say where positions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermEntries {
    /// They do: the dictionary of terms.
    WithPositions,
    /// They do not: the dictionary of forms, and every dictionary of format 1.
    WithoutPositions,
}

/// Writes terms in ascending order. [`TermsView`] reads them.
///
/// ```
/// use snapseek_index::inverted::{TermEntries, ListRef, TermsView, TermsWriter};
///
/// let mut writer = TermsWriter::new(TermEntries::WithoutPositions);
/// writer.push(b"fox", ListRef { at: 0, len: 10, documents: 2, ..ListRef::default() });
/// writer.push(b"foxes", ListRef { at: 10, len: 6, documents: 1, ..ListRef::default() });
/// writer.push(b"quick", ListRef { at: 16, len: 8, documents: 3, ..ListRef::default() });
/// let (index, blocks) = writer.finish();
///
/// let terms = TermsView::parse(&index, (&blocks).into(), TermEntries::WithoutPositions)?;
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
#[derive(Debug)]
pub struct TermsWriter {
    entries: TermEntries,
    blocks: Vec<u8>,
    /// The offset of each block in `blocks`.
    offsets: Vec<u32>,
    /// The first terms of the runs, one after the other, and the end of each.
    run_terms: Vec<u8>,
    run_ends: Vec<u32>,
    count: usize,
    /// The last term written.
    last: Vec<u8>,
}

impl TermsWriter {
    /// Creates a writer of a dictionary with these entries.
    pub fn new(entries: TermEntries) -> TermsWriter {
        TermsWriter {
            entries,
            blocks: Vec::new(),
            offsets: Vec::new(),
            run_terms: Vec::new(),
            run_ends: Vec::new(),
            count: 0,
            last: Vec::new(),
        }
    }

    /// Appends a term with its posting list. Terms must ascend, and each list must start where the last one ended.
    pub fn push(&mut self, term: &[u8], list: ListRef) {
        let starts_block = self.count.is_multiple_of(TERMS_PER_BLOCK);
        let shared = if starts_block { 0 } else { shared_len(&self.last, term) };
        if starts_block {
            if self.offsets.len().is_multiple_of(BLOCKS_PER_RUN) {
                self.run_terms.extend_from_slice(term);
                self.run_ends.push(len32(self.run_terms.len()));
            }
            self.offsets.push(len32(self.blocks.len()));
            put_varint(&mut self.blocks, list.at);
            if self.entries == TermEntries::WithPositions {
                put_varint(&mut self.blocks, list.positions_at);
            }
        }
        put_varint(&mut self.blocks, len32(shared));
        put_varint(&mut self.blocks, len32(term.len() - shared));
        self.blocks.extend_from_slice(&term[shared..]);
        put_varint(&mut self.blocks, list.documents);
        put_varint(&mut self.blocks, list.len);
        if self.entries == TermEntries::WithPositions {
            put_varint(&mut self.blocks, list.positions_len);
        }
        self.last.clear();
        self.last.extend_from_slice(term);
        self.count += 1;
    }

    /// Returns the bytes of the index and of the blocks.
    pub fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let mut index = len32(self.count).to_le_bytes().to_vec();
        let numbers = self.offsets.iter().chain(&self.run_ends);
        numbers.for_each(|number| index.extend_from_slice(&number.to_le_bytes()));
        index.extend_from_slice(&self.run_terms);
        (index, self.blocks)
    }
}

/// The dictionary of a segment, read in place. [`TermsWriter`] writes it.
#[derive(Clone, Copy, Debug)]
pub struct TermsView<'a> {
    entries: TermEntries,
    count: usize,
    offsets: &'a [u8],
    /// The first terms of the runs; empty in format 1.
    run_terms: &'a [u8],
    run_ends: &'a [u8],
    blocks: Bytes<'a>,
}

/// The name of the dictionary in error messages.
const LABEL: &str = "the dictionary";

impl<'a> TermsView<'a> {
    /// Reads the index. Blocks are read when they are used.
    ///
    /// # Errors
    /// Returns an error when the index is too short for its number of terms.
    pub fn parse(
        index: &'a [u8],
        blocks: Bytes<'a>,
        entries: TermEntries,
    ) -> Result<TermsView<'a>, Malformed> {
        let mut reader = Reader::new(index, LABEL);
        let count = reader.len32()?;
        let block_count = count.div_ceil(TERMS_PER_BLOCK);
        let words = |count: usize| count.checked_mul(4).ok_or(Malformed(LABEL));
        let offsets = reader.take(words(block_count)?)?;
        let run_ends = reader.take(words(block_count.div_ceil(BLOCKS_PER_RUN))?)?;
        Ok(TermsView { entries, count, offsets, run_ends, run_terms: reader.rest(), blocks })
    }

    /// Reads a dictionary of format 1, which is one section.
    ///
    /// # Errors
    /// Returns an error when the section is too short for its number of terms.
    pub fn parse_format_1(bytes: &'a [u8]) -> Result<TermsView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, LABEL);
        let count = reader.len32()?;
        let offsets = reader.take(count.div_ceil(TERMS_PER_BLOCK).checked_mul(4).ok_or(Malformed(LABEL))?)?;
        let blocks = Bytes::Whole(reader.rest());
        let entries = TermEntries::WithoutPositions;
        Ok(TermsView { entries, count, offsets, run_terms: &[], run_ends: &[], blocks })
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
        let block = self.block_of(term)?;
        let mut walk = self.walk_at_block(block);
        // Only this block can contain the term, and the next one may not be in memory.
        for _ in 0..TERMS_PER_BLOCK {
            if !walk.advance()? || walk.term() > term {
                return Ok(None);
            }
            if walk.term() == term {
                return Ok(Some(walk.list()));
            }
        }
        Ok(None)
    }

    /// Checks that the index names the first term of every run.
    ///
    /// # Errors
    /// Returns an error when the index contradicts the blocks.
    pub fn verify_index(&self) -> Result<(), Malformed> {
        let runs = self.run_ends.len() / 4;
        for run in 0..runs {
            if self.run_term(run) != Some(self.first_term(run * BLOCKS_PER_RUN)?) {
                return Err(Malformed(LABEL));
            }
        }
        let end = runs.checked_sub(1).map_or(Some(0), |last| u32_at(self.run_ends, last));
        let is_complete = end.is_some_and(|end| end as usize == self.run_terms.len());
        if is_complete { Ok(()) } else { Err(Malformed(LABEL)) }
    }

    /// Reports whether looking up this term needs no further piece of the file.
    pub fn has_run_of(&self, term: &[u8]) -> bool {
        let run = self.run_of(term);
        run.is_ok_and(|run| self.run_range(run).is_some_and(|range| self.blocks.has(range)))
    }

    /// Reports whether walking over all terms with this prefix needs no further piece of the file.
    pub fn has_runs_with(&self, prefix: &[u8]) -> bool {
        let Ok(first) = self.run_of(prefix) else { return true };
        let runs = self.run_ends.len() / 4;
        // The walk ends at the first term without the prefix, which may be in the run after the last one with it.
        let is_past =
            |run: usize| self.run_term(run).is_none_or(|term| term > prefix && !term.starts_with(prefix));
        let last = (first + 1..runs).find(|run| is_past(*run)).unwrap_or(runs.saturating_sub(1));
        let (Some(first), Some(last)) = (self.run_range(first), self.run_range(last)) else { return true };
        self.blocks.has(first.start..last.end)
    }

    /// Returns a walk that starts at the first term that is at least `term`.
    ///
    /// # Errors
    /// Returns an error when a block on the way is malformed.
    pub fn walk_from(&self, term: &[u8]) -> Result<TermsWalk<'a>, Malformed> {
        let mut walk = self.walk_at_block(self.block_of(term)?);
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

    /// Returns the only block that can contain a term.
    fn block_of(&self, term: &[u8]) -> Result<usize, Malformed> {
        let blocks = self.offsets.len() / 4;
        let (mut low, mut high) = if self.run_ends.is_empty() {
            (0, blocks)
        } else {
            let run = self.run_of(term)?;
            (run * BLOCKS_PER_RUN, blocks.min((run + 1) * BLOCKS_PER_RUN))
        };
        let first = low;
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_term(middle)? <= term { low = middle + 1 } else { high = middle }
        }
        Ok(low.saturating_sub(1).max(first))
    }

    /// Returns the only run that can contain a term.
    fn run_of(&self, term: &[u8]) -> Result<usize, Malformed> {
        let (mut low, mut high) = (0, self.run_ends.len() / 4);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.run_term(middle).ok_or(Malformed(LABEL))? <= term {
                low = middle + 1
            } else {
                high = middle
            }
        }
        Ok(low.saturating_sub(1))
    }

    /// Returns the first term of a run.
    fn run_term(&self, run: usize) -> Option<&'a [u8]> {
        let start = run.checked_sub(1).map_or(Some(0), |before| u32_at(self.run_ends, before))?;
        self.run_terms.get(start as usize..u32_at(self.run_ends, run)? as usize)
    }

    /// Returns the range of a run in the blocks. In format 1, all blocks are one run.
    fn run_range(&self, run: usize) -> Option<Range<usize>> {
        if self.run_ends.is_empty() {
            return Some(0..self.blocks.len());
        }
        let offset = |run: usize| u32_at(self.offsets, run * BLOCKS_PER_RUN).map(|offset| offset as usize);
        let start = offset(run)?;
        let end = offset(run + 1).unwrap_or(self.blocks.len());
        (start <= end && end <= self.blocks.len()).then_some(start..end)
    }

    fn first_term(&self, block: usize) -> Result<&'a [u8], Malformed> {
        let (mut reader, _) = self.block(block)?;
        reader.varint()?;
        if self.entries == TermEntries::WithPositions {
            reader.varint()?;
        }
        reader.varint()?;
        reader.bytes()
    }

    /// Returns a reader from the start of a block to the end of its run, and the offset of that end.
    fn block(&self, block: usize) -> Result<(Reader<'a>, usize), Malformed> {
        let offset = u32_at(self.offsets, block).ok_or(Malformed(LABEL))? as usize;
        let run = self.run_range(block / BLOCKS_PER_RUN).ok_or(Malformed(LABEL))?;
        let bytes = self.blocks.get(run.clone()).ok_or(ABSENT)?;
        let rest =
            offset.checked_sub(run.start).and_then(|from| bytes.get(from..)).ok_or(Malformed(LABEL))?;
        Ok((Reader::new(rest, LABEL), run.end))
    }

    fn walk_at_block(&self, block: usize) -> TermsWalk<'a> {
        TermsWalk {
            terms: *self,
            reader: Reader::new(&[], LABEL),
            run_end: 0,
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
    /// The offset in the blocks at which the reader ends.
    run_end: usize,
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
        let (at, positions_at) = self.list.end().ok_or(Malformed(LABEL))?;
        let (documents, len) = (self.reader.varint()?, self.reader.varint()?);
        let positions_len = match self.terms.entries {
            TermEntries::WithPositions => self.reader.varint()?,
            TermEntries::WithoutPositions => 0,
        };
        self.list = ListRef { at, len, documents, positions_at, positions_len };
        self.next += 1;
        Ok(true)
    }

    fn enter_block(&mut self) -> Result<(), Malformed> {
        let (mut reader, run_end) = self.terms.block(self.next / TERMS_PER_BLOCK)?;
        let start = run_end - reader.remaining();
        let at = reader.varint()?;
        let positions_at = match self.terms.entries {
            TermEntries::WithPositions => reader.varint()?,
            TermEntries::WithoutPositions => 0,
        };
        // Each block must follow the one before it, and so must its lists, so that a walk reads no byte twice.
        let follows =
            || start == self.run_end - self.reader.remaining() && Some((at, positions_at)) == self.list.end();
        if self.next > self.first && !follows() {
            return Err(Malformed(LABEL));
        }
        (self.reader, self.run_end) = (reader, run_end);
        self.list = ListRef { at, positions_at, ..ListRef::default() };
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
    use crate::bytes::Pieces;
    use std::sync::Mutex;

    const ENTRIES: TermEntries = TermEntries::WithPositions;

    /// The list of the term with this number.
    fn list(number: usize) -> ListRef {
        let number = len32(number);
        ListRef {
            at: 10 * number,
            len: 10,
            documents: number + 1,
            positions_at: 3 * number,
            positions_len: 3,
        }
    }

    fn dictionary<T: AsRef<[u8]>>(terms: &[T]) -> (Vec<u8>, Vec<u8>) {
        let mut writer = TermsWriter::new(ENTRIES);
        terms.iter().enumerate().for_each(|(i, term)| writer.push(term.as_ref(), list(i)));
        writer.finish()
    }

    fn words() -> Vec<String> {
        let mut words =
            (0..3000).map(|i: u32| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect::<Vec<_>>();
        words.sort();
        words.dedup();
        words
    }

    #[test]
    fn every_term_is_found_with_its_list_and_no_other_is() {
        let words = words();
        let (index, blocks) = dictionary(&words);
        let terms = TermsView::parse(&index, (&blocks).into(), ENTRIES).unwrap();
        for (i, word) in words.iter().enumerate() {
            assert_eq!(terms.find(word.as_bytes()).unwrap(), Some(list(i)));
            assert_eq!(terms.nth(i).unwrap().unwrap().0, word.as_bytes());
            assert_eq!(terms.find(format!("{word}!").as_bytes()).unwrap(), None);
        }
        assert_eq!(terms.find(b"").unwrap(), None);
        assert_eq!(terms.find(b"zz").unwrap(), None);
    }

    #[test]
    fn a_walk_from_a_prefix_starts_at_its_first_term() {
        let words = words();
        let (index, blocks) = dictionary(&words);
        let terms = TermsView::parse(&index, (&blocks).into(), ENTRIES).unwrap();
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
        let (index, blocks) = dictionary(&["alpha", "beta", "gamma"]);
        for len in 0..index.len() {
            let Ok(terms) = TermsView::parse(&index[..len], (&blocks).into(), ENTRIES) else { continue };
            assert!(terms.find(b"gamma").is_err(), "accepted {len} bytes of the index");
        }
        for len in 0..blocks.len() {
            let terms = TermsView::parse(&index, blocks[..len].into(), ENTRIES).unwrap();
            assert!(terms.find(b"gamma").is_err(), "accepted {len} bytes of the blocks");
        }
    }

    /// Blocks of which a reader has fetched only some ranges.
    #[derive(Debug, Default)]
    struct Fetched {
        blocks: Vec<u8>,
        ranges: Vec<Range<usize>>,
        missing: Mutex<Vec<Range<usize>>>,
    }

    impl Pieces for Fetched {
        fn piece(&self, range: Range<usize>) -> Option<&[u8]> {
            if self.ranges.iter().any(|own| own.start <= range.start && range.end <= own.end) {
                return self.blocks.get(range);
            }
            self.missing.lock().unwrap().push(range);
            None
        }
    }

    #[test]
    fn a_lookup_needs_one_run_and_a_prefix_the_runs_that_hold_it() {
        let words = words();
        let (index, blocks) = dictionary(&words);
        for (i, word) in words.iter().enumerate().step_by(37) {
            let mut fetched = Fetched { blocks: blocks.clone(), ..Fetched::default() };
            let find = |fetched: &Fetched, term: &[u8]| {
                let bytes = Bytes::InPieces { pieces: fetched, start: 0, len: fetched.blocks.len() };
                let terms = TermsView::parse(&index, bytes, ENTRIES).unwrap();
                (terms.has_run_of(term), terms.find(term))
            };
            assert_eq!(find(&fetched, word.as_bytes()), (false, Err(ABSENT)));
            fetched.ranges = fetched.missing.lock().unwrap().clone();
            assert_eq!(find(&fetched, word.as_bytes()), (true, Ok(Some(list(i)))));
            assert_eq!(find(&fetched, format!("{word}!").as_bytes()).1, Ok(None));
        }
        for prefix in ["", "0", "7", "a", "ff", "fff", "zz"] {
            let mut fetched = Fetched { blocks: blocks.clone(), ..Fetched::default() };
            let walk = |fetched: &Fetched| {
                let bytes = Bytes::InPieces { pieces: fetched, start: 0, len: fetched.blocks.len() };
                let terms = TermsView::parse(&index, bytes, ENTRIES).unwrap();
                if !terms.has_runs_with(prefix.as_bytes()) {
                    return None;
                }
                let mut walk = terms.walk_from(prefix.as_bytes()).unwrap();
                let mut found = 0;
                while walk.advance().unwrap() && walk.term().starts_with(prefix.as_bytes()) {
                    found += 1;
                }
                Some(found)
            };
            assert_eq!(walk(&fetched), None);
            fetched.ranges = fetched.missing.lock().unwrap().clone();
            let expected = words.iter().filter(|word| word.starts_with(prefix)).count();
            assert_eq!(walk(&fetched), Some(expected), "prefix {prefix:?}");
        }
    }
}
