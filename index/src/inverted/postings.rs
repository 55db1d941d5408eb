//! Which documents contain a term, how often, and at which positions?
//!
//! A term's posting list is cut into blocks of 128 documents. A block holds the gaps between document numbers and the
//! [shape](super::shapes) numbers, both bit-packed. Positions are stored in a section of their own, so that a query
//! without phrases never touches them, and a reader that fetches pieces of a file does not fetch them. A list of several blocks starts with a skip table. It lets a cursor skip a block by its last
//! document, or by the upper bound of its impacts, when no document of the block can score high enough. The *impact* of
//! a posting is its bm25 saturation: its contribution to a score before idf.
//!
//! ```text
//! list:      blocks > 1: blocks × (u32 last document · u32 documents at · u32 positions at · u16 maximum impact)
//!            blocks × (u16 widths (gap | shape << 5 | position << 10) · gaps · shapes)
//! positions: blocks × packed positions: the first of a field as it is, each further one as the gap minus one
//! ```
//!
//! Format 1 had no section of positions: the positions of a list followed its last block.

mod cursor;

pub use cursor::Cursor;

use super::shapes::Shape;
use crate::bits::{self, BLOCK, BitWriter, widest, width_of};
use crate::wire::len32;

/// The location of a posting list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListRef {
    /// The offset of its first byte in the postings.
    pub at: u32,
    /// Its length in bytes.
    pub len: u32,
    /// The number of documents in it.
    pub documents: u32,
    /// The offset of the first byte of its positions in their section; 0 in format 1.
    pub positions_at: u32,
    /// The length of its positions in bytes; 0 in format 1.
    pub positions_len: u32,
}

impl ListRef {
    /// Returns the offsets after the list and after its positions, or `None` when they overflow.
    pub(super) fn end(self) -> Option<(u32, u32)> {
        Some((self.at.checked_add(self.len)?, self.positions_at.checked_add(self.positions_len)?))
    }
}

/// An unpacked posting list, the input of [`encode`].
#[derive(Clone, Debug, Default)]
pub struct PostingList {
    /// The documents, ascending.
    pub documents: Vec<u32>,
    /// The shape number of each document.
    pub shapes: Vec<u32>,
    /// The positions of all documents in order, encoded as they are stored: within a document and field, the first
    /// position as it is, then the gaps minus one.
    pub positions: Vec<u32>,
}

impl PostingList {
    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.documents.clear();
        self.shapes.clear();
        self.positions.clear();
    }
}

/// The bytes per entry of the skip table.
const SKIP_ENTRY: usize = 14;
/// The name of a posting list in error messages.
const LABEL: &str = "a posting list";

/// Appends a posting list to `out` and its positions to `positions`, and returns its location. [`Cursor`] reads it.
///
/// `shapes` holds the shapes by number. `impact(shape, document)` returns the impact of a posting, from 0 to
/// [`MAX_IMPACT`].
///
/// ```
/// use snapseek_index::ids::FieldId;
/// use snapseek_index::inverted::{PostingList, PostingLists, ShapesWriter, postings};
///
/// // The term occurs once in document 3, and twice in document 7, at positions 0 and 5.
/// let mut writer = ShapesWriter::default();
/// let once = writer.intern(&[(FieldId(0), 1)]);
/// let twice = writer.intern(&[(FieldId(0), 2)]);
/// [once, twice].into_iter().for_each(|shape| writer.count_use(shape));
/// let (shapes, numbers) = writer.finish();
/// let list = PostingList {
///     documents: vec![3, 7],
///     shapes: vec![numbers[once as usize], numbers[twice as usize]],
///     positions: vec![2, 0, 4],
/// };
/// let (mut bytes, mut positions) = (Vec::new(), Vec::new());
/// let location = postings::encode(&list, &shapes, |_, _| 1.0, &mut bytes, &mut positions);
///
/// let (postings, positions) = ((&bytes).into(), Some((&positions).into()));
/// let lists = PostingLists { postings, positions, shapes: &shapes, documents: 10 };
/// let mut cursor = lists.cursor(location)?;
/// assert_eq!(cursor.doc(), 3);
/// cursor.seek(5)?;
/// assert_eq!((cursor.doc(), cursor.shape().total()), (7, 2));
/// let mut positions = Vec::new();
/// cursor.positions(&mut positions)?;
/// assert_eq!(positions.iter().map(|spot| spot.position()).collect::<Vec<_>>(), [0, 5]);
/// # Ok::<(), snapseek_index::wire::Malformed>(())
/// ```
pub fn encode(
    list: &PostingList,
    shapes: &[Shape],
    impact: impl Fn(u32, u32) -> f64,
    out: &mut Vec<u8>,
    positions: &mut Vec<u8>,
) -> ListRef {
    let (at, positions_at) = (out.len(), positions.len());
    let blocks = cut(list, shapes);
    let skips = if blocks.len() > 1 { blocks.len() * SKIP_ENTRY } else { 0 };
    out.resize(at + skips, 0);
    let mut documents_at = Vec::with_capacity(blocks.len());
    for block in &blocks {
        documents_at.push(out.len() - at);
        encode_documents(block, out);
    }
    for (i, block) in blocks.iter().enumerate() {
        if skips > 0 {
            let entry = skip_entry(block, documents_at[i], positions.len() - positions_at, &impact);
            out[at + i * SKIP_ENTRY..][..SKIP_ENTRY].copy_from_slice(&entry);
        }
        encode_positions(block, positions);
    }
    ListRef {
        at: len32(at),
        len: len32(out.len() - at),
        documents: len32(list.documents.len()),
        positions_at: len32(positions_at),
        positions_len: len32(positions.len() - positions_at),
    }
}

/// A block of a list to be encoded.
struct Block<'a> {
    /// The last document of the block before it.
    before: Option<u32>,
    documents: &'a [u32],
    shapes: &'a [u32],
    positions: &'a [u32],
    widths: Widths,
}

/// The bits per gap, shape number and position of a block.
#[derive(Clone, Copy, Debug)]
struct Widths {
    gap: u32,
    shape: u32,
    position: u32,
}

impl Widths {
    fn encode(self) -> [u8; 2] {
        let packed = self.gap | self.shape << 5 | self.position << 10;
        u16::try_from(packed).expect("three widths of five bits fit 16 bits").to_le_bytes()
    }

    fn parse(bytes: [u8; 2]) -> Widths {
        let packed = u32::from(u16::from_le_bytes(bytes));
        Widths { gap: packed & 31, shape: packed >> 5 & 31, position: packed >> 10 & 31 }
    }
}

/// Cuts a list into blocks and determines their widths.
fn cut<'a>(list: &'a PostingList, shapes: &[Shape]) -> Vec<Block<'a>> {
    let mut positions = &list.positions[..];
    let mut before = None;
    let mut blocks = Vec::with_capacity(list.documents.len().div_ceil(BLOCK));
    for (documents, block_shapes) in list.documents.chunks(BLOCK).zip(list.shapes.chunks(BLOCK)) {
        let occurrences = block_shapes.iter().map(|&shape| shapes[shape as usize].total() as usize).sum();
        let (mine, others) = positions.split_at(occurrences);
        positions = others;
        // When a field contains the term more than once, a position takes at least one bit. The size of the file
        // therefore limits the number of positions that a reader has to expect.
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

/// Returns the gaps between documents: 0 for consecutive ones.
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
    impact: impl Fn(u32, u32) -> f64,
) -> [u8; SKIP_ENTRY] {
    let last = block.documents.last().copied().unwrap_or(0);
    let impacts = block.documents.iter().zip(block.shapes).map(|(&document, &shape)| impact(shape, document));
    let mut entry = [0; SKIP_ENTRY];
    entry[..4].copy_from_slice(&last.to_le_bytes());
    entry[4..8].copy_from_slice(&len32(documents_at).to_le_bytes());
    entry[8..12].copy_from_slice(&len32(positions_at).to_le_bytes());
    entry[12..].copy_from_slice(&encode_impact(impacts.fold(0.0, f64::max)).to_le_bytes());
    entry
}

/// The maximum impact of a posting: bm25's saturation stays below 2.2.
pub const MAX_IMPACT: f64 = 2.2;

/// Encodes an impact as a fraction of [`MAX_IMPACT`], rounded up, because an upper bound must not become too low.
fn encode_impact(impact: f64) -> u16 {
    let steps = (impact / MAX_IMPACT * f64::from(u16::MAX)).ceil();
    if steps >= f64::from(u16::MAX) || steps.is_nan() { u16::MAX } else { steps.max(0.0) as u16 }
}
