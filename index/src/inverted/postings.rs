//! Which documents hold a term, how often, and where?
//!
//! A term's list is cut into blocks of 128 documents. A block holds gaps between documents and the numbers of their
//! [shapes](super::shapes), bit-packed; positions stand apart, so that a query without phrases never touches them. A list
//! of several blocks opens with a table that allows skipping: by document, or because a block cannot
//! score high enough.
//!
//! ```text
//! list:   blocks > 1: blocks × (u32 last document · u32 documents at · u32 positions at · u16 worth)
//!         documents part of each block, then positions part of each block
//! documents part: u16 widths (gap | shape << 5 | position << 10) · gaps · shapes
//! positions part: packed positions: the first of a field as it is, each further one as the gap minus one
//! ```

mod cursor;

pub use cursor::Cursor;

use super::shapes::Shape;
use crate::bits::{self, BLOCK, BitWriter, widest, width_of};
use crate::wire::len32;

/// Where a term's list stands in the postings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListRef {
    /// Its first byte.
    pub at: u32,
    /// Its bytes.
    pub len: u32,
    /// How many documents it holds.
    pub documents: u32,
}

/// A term's postings, unpacked: what the writer takes.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The documents, ascending.
    pub documents: Vec<u32>,
    /// The number of each document's shape.
    pub shapes: Vec<u32>,
    /// The positions of all documents in order, as they are stored: within a document and field the first as it is,
    /// then gaps minus one.
    pub positions: Vec<u32>,
}

impl List {
    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.documents.clear();
        self.shapes.clear();
        self.positions.clear();
    }
}

const SKIP_ENTRY: usize = 14;
const WHAT: &str = "a list of postings";

/// Appends `list` to the postings; [`Cursor`] reads it.
///
/// `shapes` are the shapes by number; `worth` is what a shape is worth to a score in a document, from 0 to [`MOST_WORTH`].
pub fn encode(list: &List, shapes: &[Shape], worth: impl Fn(u32, u32) -> f64, out: &mut Vec<u8>) -> ListRef {
    let at = out.len();
    let blocks = cut(list, shapes);
    let skips = if blocks.len() > 1 { blocks.len() * SKIP_ENTRY } else { 0 };
    out.resize(at + skips, 0);
    let mut documents_at = Vec::with_capacity(blocks.len());
    for block in &blocks {
        documents_at.push(out.len() - at);
        encode_documents(block, out);
    }
    for (i, block) in blocks.iter().enumerate() {
        let positions_at = out.len() - at;
        encode_positions(block, out);
        if skips > 0 {
            let entry = skip_entry(block, documents_at[i], positions_at, &worth);
            out[at + i * SKIP_ENTRY..][..SKIP_ENTRY].copy_from_slice(&entry);
        }
    }
    ListRef { at: len32(at), len: len32(out.len() - at), documents: len32(list.documents.len()) }
}

struct Block<'a> {
    before: Option<u32>,
    documents: &'a [u32],
    shapes: &'a [u32],
    positions: &'a [u32],
    widths: Widths,
}

#[derive(Clone, Copy, Debug)]
struct Widths {
    gap: u32,
    shape: u32,
    position: u32,
}

impl Widths {
    fn encode(self) -> [u8; 2] {
        let packed = self.gap | self.shape << 5 | self.position << 10;
        u16::try_from(packed).expect("three widths of five bits").to_le_bytes()
    }

    fn parse(bytes: [u8; 2]) -> Widths {
        let packed = u32::from(u16::from_le_bytes(bytes));
        Widths { gap: packed & 31, shape: packed >> 5 & 31, position: packed >> 10 & 31 }
    }
}

fn cut<'a>(list: &'a List, shapes: &[Shape]) -> Vec<Block<'a>> {
    let mut positions = &list.positions[..];
    let mut before = None;
    let mut blocks = Vec::with_capacity(list.documents.len().div_ceil(BLOCK));
    for (documents, block_shapes) in list.documents.chunks(BLOCK).zip(list.shapes.chunks(BLOCK)) {
        let occurrences = block_shapes.iter().map(|&shape| shapes[shape as usize].total() as usize).sum();
        let (mine, others) = positions.split_at(occurrences);
        positions = others;
        // Where a field has the term more than once, a position takes a bit at least: so a reader need not believe in
        // more of them than the file has room for.
        let repeats = |numbers: &[u32]| numbers.iter().any(|&shape| shapes[shape as usize].repeats());
        let widths = Widths {
            gap: gaps(before, documents).map(width_of).max().unwrap_or(0),
            shape: widest(block_shapes),
            position: widest(mine).max(u32::from(repeats(block_shapes))),
        };
        blocks.push(Block { before, documents, shapes: block_shapes, positions: mine, widths });
        before = documents.last().copied();
    }
    blocks
}

fn gaps(before: Option<u32>, documents: &[u32]) -> impl Iterator<Item = u32> {
    let mut next = before.map_or(0, |last| last + 1);
    documents.iter().map(move |&document| {
        let gap = document - next;
        next = document + 1;
        gap
    })
}

fn encode_documents(block: &Block, out: &mut Vec<u8>) {
    out.extend_from_slice(&block.widths.encode());
    let mut block_gaps = [0; BLOCK];
    block_gaps.iter_mut().zip(gaps(block.before, block.documents)).for_each(|(to, gap)| *to = gap);
    if let Ok(shapes) = <&[u32; BLOCK]>::try_from(block.shapes) {
        bits::pack_block(&block_gaps, block.widths.gap, out);
        bits::pack_block(shapes, block.widths.shape, out);
    } else {
        let mut writer = BitWriter::new(out);
        writer.put(&block_gaps[..block.documents.len()], block.widths.gap);
        writer.put(block.shapes, block.widths.shape);
        writer.finish();
    }
}

fn encode_positions(block: &Block, out: &mut Vec<u8>) {
    let mut writer = BitWriter::new(out);
    writer.put(block.positions, block.widths.position);
    writer.finish();
}

fn skip_entry(
    block: &Block,
    documents_at: usize,
    positions_at: usize,
    worth: impl Fn(u32, u32) -> f64,
) -> [u8; SKIP_ENTRY] {
    let last = block.documents.last().copied().unwrap_or(0);
    let worths = block.documents.iter().zip(block.shapes).map(|(&document, &shape)| worth(shape, document));
    let mut entry = [0; SKIP_ENTRY];
    entry[..4].copy_from_slice(&last.to_le_bytes());
    entry[4..8].copy_from_slice(&len32(documents_at).to_le_bytes());
    entry[8..12].copy_from_slice(&len32(positions_at).to_le_bytes());
    entry[12..].copy_from_slice(&encode_worth(worths.fold(0.0, f64::max)).to_le_bytes());
    entry
}

/// No posting is worth more: bm25's saturation stays below 2.2.
pub const MOST_WORTH: f64 = 2.2;

/// The worth as a fraction of [`MOST_WORTH`], rounded up: a bound must not become too low.
fn encode_worth(worth: f64) -> u16 {
    let steps = (worth / MOST_WORTH * f64::from(u16::MAX)).ceil();
    if steps >= f64::from(u16::MAX) || steps.is_nan() { u16::MAX } else { steps.max(0.0) as u16 }
}
