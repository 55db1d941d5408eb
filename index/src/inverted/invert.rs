//! Inverts a batch of documents: from the term of each token to the tokens of each term.
//!
//! The tokens are sorted by term with a counting sort. Within a term they stay in document order.

use super::{Interner, PostingList, ShapesWriter};
use crate::bitmap::Bitmap;
use crate::ids::FieldId;
use crate::wire::len32;

/// The postings of a batch of documents, grouped by term.
#[derive(Debug, Default)]
pub struct InvertedBatch {
    /// The batch's term numbers, sorted by the bytes of the terms.
    pub order: Vec<u32>,
    /// The shapes under provisional numbers, with their uses.
    pub shapes: ShapesWriter,
    /// The start of each term's postings, in the order of `order`, and the end of the last.
    postings_at: Vec<u32>,
    positions_at: Vec<u32>,
    documents: Vec<u32>,
    shape_numbers: Vec<u32>,
    positions: Vec<u32>,
}

/// One occurrence: the document, and field and position packed into `slot`.
#[derive(Clone, Copy, Default)]
struct Occurrence {
    document: u32,
    slot: u32,
}

/// The number of low bits of a slot that hold the position; enough for any text within the record size limit.
const POSITION_BITS: u32 = 26;

impl InvertedBatch {
    /// Inverts the tokens of a batch.
    ///
    /// `tokens` holds the term number of each token, in order of document, field and position. `lengths` holds the
    /// number of tokens of each field of each document.
    pub fn of(tokens: &[u32], terms: &Interner, lengths: &[u32], field_count: usize) -> InvertedBatch {
        let order = terms.sorted();
        let (occurrences, starts) = by_term(tokens, lengths.chunks(field_count), &order);
        let mut inverted = InvertedBatch {
            shapes: ShapesWriter::default(),
            postings_at: Vec::with_capacity(order.len() + 1),
            positions_at: Vec::with_capacity(order.len() + 1),
            documents: Vec::new(),
            shape_numbers: Vec::new(),
            positions: Vec::with_capacity(occurrences.len()),
            order,
        };
        let mut usual = UsualShapes::default();
        for bounds in starts.windows(2) {
            inverted.start_term();
            let own = &occurrences[bounds[0] as usize..bounds[1] as usize];
            for document in own.chunk_by(|a, b| a.document == b.document) {
                inverted.push_document(document, &mut usual);
            }
        }
        inverted.start_term();
        inverted
    }

    /// Appends the live postings of the term at index `place` of `order` to `list`, with new document and shape
    /// numbers.
    pub fn append_to(&self, place: usize, renumbering: Renumbering, shapes: &[u32], list: &mut PostingList) {
        let postings = self.postings_at[place] as usize..self.postings_at[place + 1] as usize;
        let positions = self.positions_at[place] as usize..self.positions_at[place + 1] as usize;
        renumbering.append(
            &self.documents[postings.clone()],
            &self.shape_numbers[postings],
            &self.positions[positions],
            |shape| self.shapes.shapes()[shape as usize].total() as usize,
            shapes,
            list,
        );
    }

    /// Counts the uses of each shape by documents that are not in `dead`.
    pub fn live_uses(&self, dead: &Bitmap) -> Vec<u64> {
        let mut uses = vec![0; self.shapes.shapes().len()];
        for (&document, &shape) in self.documents.iter().zip(&self.shape_numbers) {
            uses[shape as usize] += u64::from(!dead.has(document as usize));
        }
        uses
    }

    /// Returns the number of postings of the terms before index `place` of `order`.
    pub fn postings_before(&self, place: usize) -> usize {
        self.postings_at[place] as usize
    }

    /// Returns the index in `order` of the first term with at least `postings` postings before it.
    pub fn place_after(&self, postings: usize) -> usize {
        self.postings_at.partition_point(|&before| (before as usize) < postings)
    }

    fn start_term(&mut self) {
        self.postings_at.push(len32(self.documents.len()));
        self.positions_at.push(len32(self.positions.len()));
    }

    fn push_document(&mut self, occurrences: &[Occurrence], usual: &mut UsualShapes) {
        let mut last = u32::MAX;
        for occurrence in occurrences {
            let is_first_of_field =
                last == u32::MAX || last >> POSITION_BITS != occurrence.slot >> POSITION_BITS;
            let position = occurrence.slot & ((1 << POSITION_BITS) - 1);
            self.positions.push(if is_first_of_field { position } else { occurrence.slot - last - 1 });
            last = occurrence.slot;
        }
        let shape = usual.number_of(occurrences, &mut self.shapes);
        self.shapes.count_use(shape);
        self.documents.push(occurrences[0].document);
        self.shape_numbers.push(shape);
    }
}

/// The new numbers of the documents of a merge source.
#[derive(Clone, Copy, Debug)]
pub enum Renumbering<'a> {
    /// All documents are live. They are numbered consecutively, starting with this number.
    From(u32),
    /// Some documents are dead. Holds the new number of each document, `None` for a dead one.
    Each(&'a [Option<u32>]),
}

impl Renumbering<'_> {
    /// Appends the postings of live documents to `list`, with new document and shape numbers.
    ///
    /// `total` returns the number of occurrences of a shape, and `shapes` maps old shape numbers to new ones.
    pub fn append(
        self,
        documents: &[u32],
        shape_numbers: &[u32],
        positions: &[u32],
        total: impl Fn(u32) -> usize,
        shapes: &[u32],
        list: &mut PostingList,
    ) {
        self.append_all((documents, shape_numbers, positions), &total, shapes, list);
    }

    // Takes `total` as a trait object, so that the binary contains this code once.
    #[inline(never)]
    fn append_all(
        self,
        (documents, shape_numbers, mut positions): (&[u32], &[u32], &[u32]),
        total: &dyn Fn(u32) -> usize,
        shapes: &[u32],
        list: &mut PostingList,
    ) {
        match self {
            Renumbering::From(first) => {
                list.documents.extend(documents.iter().map(|&old| first + old));
                list.shapes.extend(shape_numbers.iter().map(|&shape| shapes[shape as usize]));
                list.positions.extend_from_slice(positions);
            }
            Renumbering::Each(numbers) => {
                for (&old, &shape) in documents.iter().zip(shape_numbers) {
                    let (own, rest) = positions.split_at(total(shape));
                    positions = rest;
                    if let Some(number) = numbers[old as usize] {
                        list.documents.push(number);
                        list.shapes.push(shapes[shape as usize]);
                        list.positions.extend_from_slice(own);
                    }
                }
            }
        }
    }
}

/// Numbers the documents that are not in `dead` consecutively, starting with `first`.
pub fn renumber(dead: &Bitmap, first: u32) -> Vec<Option<u32>> {
    let mut numbers = first..;
    (0..dead.len()).map(|document| if dead.has(document) { None } else { numbers.next() }).collect()
}

/// A cache of the shapes with one field and few occurrences, which avoids most hash lookups.
#[derive(Default)]
struct UsualShapes {
    numbers: Vec<Option<u32>>,
    counts: Vec<(FieldId, u32)>,
}

impl UsualShapes {
    const MOST: usize = 16;

    fn number_of(&mut self, occurrences: &[Occurrence], shapes: &mut ShapesWriter) -> u32 {
        let field = |occurrence: &Occurrence| (occurrence.slot >> POSITION_BITS) as usize;
        let (first, last) = (field(&occurrences[0]), field(&occurrences[occurrences.len() - 1]));
        if first == last && occurrences.len() < UsualShapes::MOST {
            let place = first * UsualShapes::MOST + occurrences.len();
            self.numbers.resize(self.numbers.len().max(place + 1), None);
            if let Some(number) = self.numbers[place] {
                return number;
            }
            let number = self.intern(occurrences, shapes);
            self.numbers[place] = Some(number);
            return number;
        }
        self.intern(occurrences, shapes)
    }

    fn intern(&mut self, occurrences: &[Occurrence], shapes: &mut ShapesWriter) -> u32 {
        self.counts.clear();
        for same_field in occurrences.chunk_by(|a, b| a.slot >> POSITION_BITS == b.slot >> POSITION_BITS) {
            let field = u8::try_from(same_field[0].slot >> POSITION_BITS).expect("at most 64 fields");
            self.counts.push((FieldId(field), len32(same_field.len())));
        }
        shapes.intern(&self.counts)
    }
}

/// Sorts all occurrences by term with a counting sort. Returns them with the start of each term and the final end.
fn by_term<'a>(
    tokens: &[u32],
    lengths: impl Iterator<Item = &'a [u32]>,
    order: &[u32],
) -> (Vec<Occurrence>, Vec<u32>) {
    let mut counts = vec![0u32; order.len()];
    tokens.iter().for_each(|&term| counts[term as usize] += 1);
    let mut starts = Vec::with_capacity(order.len() + 1);
    let mut next = vec![0u32; order.len()];
    let mut at = 0;
    for &term in order {
        starts.push(at);
        next[term as usize] = at;
        at += counts[term as usize];
    }
    starts.push(at);
    let mut occurrences = vec![Occurrence::default(); tokens.len()];
    let mut tokens = tokens.iter();
    for (document, lengths) in lengths.enumerate() {
        for (field, &length) in lengths.iter().enumerate() {
            for (position, &term) in tokens.by_ref().take(length as usize).enumerate() {
                let slot = len32(field) << POSITION_BITS | len32(position);
                let at = &mut next[term as usize];
                occurrences[*at as usize] = Occurrence { document: len32(document), slot };
                *at += 1;
            }
        }
    }
    (occurrences, starts)
}
