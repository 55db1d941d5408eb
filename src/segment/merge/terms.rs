//! How are dictionaries and posting lists merged? Term by term, in order, with new numbers for live postings.

use super::{MergeError, MergeSource, SourceRows};
use crate::bitmap::Bitmap;
use crate::bm25;
use crate::inverted::{
    Cursor, ListRef, PostingList, PostingLists, Renumbering, Shape, ShapesWriter, TermEntries, TermsWalk,
    TermsWriter, postings,
};
use crate::segment::Segment;
use crate::segment::batch::Batch;
use crate::segment::threads::on_threads;
use crate::wire::len32;

/// Returns the merged shapes by number, and for each source a map from its shape numbers to the merged ones.
pub(super) fn merge_shapes(sources: &[MergeSource]) -> Result<(Vec<Shape>, Vec<Vec<u32>>), MergeError> {
    let mut writer = ShapesWriter::default();
    let mut provisional = Vec::with_capacity(sources.len());
    for source in sources {
        provisional.push(match source {
            MergeSource::Batch(batch) => {
                let shapes = &batch.inverted.shapes;
                let uses = if batch.dead.count() > 0 {
                    &batch.inverted.live_uses(&batch.dead)
                } else {
                    shapes.uses()
                };
                writer.absorb(shapes.shapes(), uses)
            }
            MergeSource::Segment(segment, dead) => {
                writer.absorb(segment.shapes()?, &live_uses(segment, dead)?)
            }
        });
    }
    let (shapes, numbers) = writer.finish();
    for of_source in &mut provisional {
        of_source.iter_mut().for_each(|number| *number = numbers[*number as usize]);
    }
    Ok((shapes, provisional))
}

fn live_uses(segment: &Segment, dead: &Bitmap) -> Result<Vec<u64>, MergeError> {
    let lists = segment.lists()?;
    let mut uses = vec![0; lists.shapes.len()];
    let mut walk = segment.terms()?.walk();
    while walk.advance()? {
        let mut cursor = lists.cursor(walk.list())?;
        loop {
            let (documents, shapes) = cursor.run_until(Cursor::END);
            for (&document, &shape) in documents.iter().zip(shapes) {
                uses[shape as usize] += u64::from(!dead.has(document as usize));
            }
            if !cursor.enter_next_block()? {
                break;
            }
        }
    }
    Ok(uses)
}

/// The inputs for encoding the posting list of a term.
pub(super) struct TermEncoder<'a> {
    pub rows: SourceRows<'a>,
    pub shape_numbers: &'a [Vec<u32>],
    pub shapes: &'a [Shape],
    /// The frequency of each shape and the norm of each document, from which score upper bounds are computed.
    pub frequencies: Vec<f64>,
    pub norms: Vec<f64>,
}

/// The encoded terms of one range of the dictionary.
#[derive(Default)]
struct EncodedTerms {
    terms: Vec<(Vec<u8>, ListRef)>,
    postings: Vec<u8>,
    positions: Vec<u8>,
}

/// The sections of the dictionary and its posting lists.
pub(super) struct EncodedDictionary {
    pub index: Vec<u8>,
    pub blocks: Vec<u8>,
    pub postings: Vec<u8>,
    pub positions: Vec<u8>,
}

impl TermEncoder<'_> {
    pub fn encode_terms(&self, threads: usize) -> Result<EncodedDictionary, MergeError> {
        let cuts = if threads > 1 { self.cuts(8 * threads)? } else { Vec::new() };
        let mut bounds = vec![None];
        bounds.extend(cuts.into_iter().map(Some));
        bounds.push(None);
        let ranges =
            bounds.windows(2).map(|pair| (pair[0].as_deref(), pair[1].as_deref())).collect::<Vec<_>>();
        let parts = on_threads(threads, ranges.len(), |i| self.encode_range(ranges[i]));
        let mut terms = TermsWriter::new(TermEntries::WithPositions);
        let (mut postings, mut positions) = (Vec::new(), Vec::new());
        for part in parts {
            let part = part?;
            let (base, positions_base) = (len32(postings.len()), len32(positions.len()));
            append(&mut postings, part.postings);
            append(&mut positions, part.positions);
            for (term, list) in part.terms {
                let (at, positions_at) = (base + list.at, positions_base + list.positions_at);
                terms.push(&term, ListRef { at, positions_at, ..list });
            }
        }
        let (index, blocks) = terms.finish();
        Ok(EncodedDictionary { index, blocks, postings, positions })
    }

    /// Returns terms that cut the dictionary into about `parts` ranges of similar work, taken from the largest source.
    fn cuts(&self, parts: usize) -> Result<Vec<Vec<u8>>, MergeError> {
        let largest = self.rows.sources.iter().max_by_key(|source| source.dead().len());
        let mut cuts = match largest {
            None => Vec::new(),
            Some(MergeSource::Batch(batch)) => {
                let inverted = &batch.inverted;
                let all = inverted.postings_before(inverted.order.len());
                let place = |part: usize| inverted.place_after(all * part / parts);
                let term =
                    |place: usize| inverted.order.get(place).map(|&term| batch.terms.get(term).to_vec());
                (1..parts).filter_map(|part| term(place(part))).collect::<Vec<_>>()
            }
            // Locating each list would take a walk, so cut into ranges with similar numbers of terms.
            Some(MergeSource::Segment(segment, _)) => {
                let terms = segment.terms()?;
                let mut cuts = Vec::new();
                for part in 1..parts {
                    cuts.extend(terms.nth(terms.len() * part / parts)?.map(|(term, _)| term));
                }
                cuts
            }
        };
        cuts.dedup();
        Ok(cuts)
    }

    fn encode_range(
        &self,
        (from, until): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<EncodedTerms, MergeError> {
        let from = from.unwrap_or(&[]);
        let mut streams = Vec::with_capacity(self.rows.sources.len());
        for (place, source) in self.rows.sources.iter().enumerate() {
            streams.push((place, TermStream::new(source, from)?));
        }
        let mut encoded = EncodedTerms::default();
        let mut list = PostingList::default();
        let mut scratch = PostingList::default();
        loop {
            let least = streams.iter().filter_map(|(_, stream)| stream.term()).min();
            let Some(term) = least.filter(|term| until.is_none_or(|until| *term < until)) else { break };
            let term = term.to_vec();
            list.clear();
            for (place, stream) in &mut streams {
                if stream.term() == Some(&term) {
                    let renumbering = self.rows.renumbering(*place);
                    stream.take(renumbering, &self.shape_numbers[*place], &mut list, &mut scratch)?;
                }
            }
            // The list is empty if all its documents are dead.
            if !list.documents.is_empty() {
                let score_bound = |shape: u32, document: u32| {
                    bm25::saturation(self.frequencies[shape as usize], self.norms[document as usize])
                };
                let EncodedTerms { postings, positions, .. } = &mut encoded;
                let at = postings::encode(&list, self.shapes, score_bound, postings, positions);
                encoded.terms.push((term, at));
            }
        }
        Ok(encoded)
    }
}

/// Appends the bytes of a range. The first range, often the only one, is not copied.
fn append(all: &mut Vec<u8>, bytes: Vec<u8>) {
    if all.is_empty() {
        *all = bytes;
    } else {
        all.extend_from_slice(&bytes);
    }
}

/// Iterates over the terms of one source in order, from a given term on.
enum TermStream<'a> {
    Batch { batch: &'a Batch, place: usize },
    Segment { lists: PostingLists<'a>, walk: Box<TermsWalk<'a>>, is_done: bool },
}

impl<'a> TermStream<'a> {
    fn new(source: &MergeSource<'a>, from: &[u8]) -> Result<TermStream<'a>, MergeError> {
        Ok(match *source {
            MergeSource::Batch(batch) => {
                let place = batch.inverted.order.partition_point(|&term| batch.terms.get(term) < from);
                TermStream::Batch { batch, place }
            }
            MergeSource::Segment(segment, _) => {
                let mut walk = Box::new(segment.terms()?.walk_from(from)?);
                let is_done = !walk.advance()?;
                TermStream::Segment { lists: segment.lists()?, walk, is_done }
            }
        })
    }

    fn term(&self) -> Option<&[u8]> {
        match self {
            TermStream::Batch { batch, place } => {
                batch.inverted.order.get(*place).map(|&term| batch.terms.get(term))
            }
            TermStream::Segment { walk, is_done, .. } => (!is_done).then(|| walk.term()),
        }
    }

    /// Appends the live postings of the current term to `list`, and moves to the next term.
    fn take(
        &mut self,
        renumbering: Renumbering,
        shapes: &[u32],
        list: &mut PostingList,
        scratch: &mut PostingList,
    ) -> Result<(), MergeError> {
        match self {
            TermStream::Batch { batch, place } => {
                batch.inverted.append_to(*place, renumbering, shapes, list);
                *place += 1;
            }
            TermStream::Segment { lists, walk, is_done } => {
                scratch.clear();
                lists.cursor(walk.list())?.drain_to(scratch)?;
                let total = |shape: u32| lists.shapes[shape as usize].total() as usize;
                renumbering.append(
                    &scratch.documents,
                    &scratch.shapes,
                    &scratch.positions,
                    total,
                    shapes,
                    list,
                );
                *is_done = !walk.advance()?;
            }
        }
        Ok(())
    }
}
