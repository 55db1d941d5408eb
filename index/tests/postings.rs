//! Compares posting lists and phrases over them with plain vectors of the same content.

use snapseek_index::bitmap::Bitmap;
use snapseek_index::ids::{FieldId, FieldSet, Spot};
use snapseek_index::inverted::{Cursor, ListRef, PostingList, PostingLists, Shape, ShapesWriter, postings};
use snapseek_index::scoring::{Eligible, PhraseForm, PositionCursor, phrase_list};

const FIELDS: u8 = 3;

/// A pseudo-random generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }
}

/// A document that contains a term, and the positions.
type Posting = (u32, Vec<Spot>);

/// The encoded posting lists of several terms.
struct Sample {
    bytes: Vec<u8>,
    positions: Vec<u8>,
    shapes: Vec<Shape>,
    refs: Vec<ListRef>,
    documents: u32,
}

impl Sample {
    fn new(lists: &[Vec<Posting>], documents: u32) -> Sample {
        let mut writer = ShapesWriter::default();
        let mut provisional = Vec::new();
        for postings in lists {
            let mut list = PostingList::default();
            for (document, spots) in postings {
                let counts = (0..FIELDS).map(FieldId).map(|field| {
                    let of_field = spots.iter().filter(|spot| spot.field() == field);
                    (field, u32::try_from(of_field.count()).unwrap())
                });
                let shape = writer.intern(&counts.filter(|(_, count)| *count > 0).collect::<Vec<_>>());
                writer.count_use(shape);
                list.documents.push(*document);
                list.shapes.push(shape);
                for (place, spot) in spots.iter().enumerate() {
                    let before = place.checked_sub(1).map(|before| spots[before]);
                    let next = before.filter(|before| before.field() == spot.field());
                    list.positions.push(spot.position() - next.map_or(0, |before| before.position() + 1));
                }
            }
            provisional.push(list);
        }
        let (shapes, numbers) = writer.finish();
        let (mut bytes, mut positions, mut refs) = (Vec::new(), Vec::new(), Vec::new());
        for list in &mut provisional {
            list.shapes.iter_mut().for_each(|shape| *shape = numbers[*shape as usize]);
            refs.push(postings::encode(list, &shapes, |_, _| 1.0, &mut bytes, &mut positions));
        }
        Sample { bytes, positions, shapes, refs, documents }
    }

    fn lists(&self) -> PostingLists<'_> {
        PostingLists {
            postings: (&self.bytes).into(),
            positions: Some((&self.positions).into()),
            shapes: &self.shapes,
            documents: self.documents,
        }
    }
}

/// Generates a list in which one of `rarity` documents contains the term, up to `most` times per field.
fn some_postings(random: &mut Random, documents: u32, rarity: u32, most: u32, length: u32) -> Vec<Posting> {
    let mut postings = Vec::new();
    for document in 0..documents {
        if random.below(rarity) > 0 {
            continue;
        }
        let mut spots = Vec::new();
        for field in (0..FIELDS).map(FieldId) {
            let count = random.below(most + 1);
            spots.extend((0..count).map(|_| Spot::new(field, random.below(length))));
        }
        if spots.is_empty() {
            spots.push(Spot::new(FieldId(0), random.below(length)));
        }
        spots.sort();
        spots.dedup();
        postings.push((document, spots));
    }
    postings
}

#[test]
fn a_cursor_agrees_with_a_search_in_the_plain_list() {
    let mut random = Random(3);
    // Short lists; lists of one and two blocks, exact and with one document over; long lists.
    for (documents, rarity) in
        [(1, 1), (5, 1), (127, 1), (128, 1), (129, 1), (256, 1), (257, 1), (5_000, 3), (20_000, 40)]
    {
        let expected = some_postings(&mut random, documents, rarity, 3, 50);
        if expected.is_empty() {
            continue;
        }
        let sample = Sample::new(std::slice::from_ref(&expected), documents);
        for far in [1, 2, 7, 60, 700] {
            let mut cursor = sample.lists().cursor(sample.refs[0]).unwrap();
            let mut target = 0;
            loop {
                cursor.seek(target).unwrap();
                let place = expected.partition_point(|(document, _)| *document < target);
                let Some((document, spots)) = expected.get(place) else { break };
                assert_eq!(cursor.doc(), *document, "{documents} documents, sought {target}");
                // Skip some documents, so that the cursor must count positions it has not read.
                if random.below(3) > 0 {
                    let mut found = Vec::new();
                    cursor.positions(&mut found).unwrap();
                    assert_eq!(&found, spots, "{documents} documents, in {document}");
                }
                if random.below(4) == 0 {
                    cursor.advance().unwrap();
                    let next = expected.get(place + 1).map_or(Cursor::END, |(document, _)| *document);
                    assert_eq!(cursor.doc(), next, "after {document}");
                    target = document + 1;
                } else {
                    target = document + 1 + random.below(far);
                }
            }
            assert_eq!(cursor.doc(), Cursor::END);
            cursor.seek(u32::MAX).unwrap();
            assert_eq!(cursor.doc(), Cursor::END, "and stays there");
        }
    }
}

#[test]
fn phrases_are_found_where_their_terms_are_consecutive() {
    let mut random = Random(5);
    let documents = 3_000;
    // The rare term comes last, first, or in the middle; the last case is a single term.
    for rarities in [vec![1, 9], vec![9, 1], vec![2, 30, 1], vec![1, 2, 1], vec![2]] {
        let lists = rarities.iter().map(|rarity| some_postings(&mut random, documents, *rarity, 4, 12));
        let lists = lists.collect::<Vec<_>>();
        let sample = Sample::new(&lists, documents);
        let dead = Bitmap::where_true(documents as usize, |document| document % 11 == 3);
        for (is_initial, fields, dead) in [
            (false, FieldSet::ALL, None),
            (true, FieldSet::ALL, None),
            (false, FieldSet::only(FieldId(1)), None),
            (false, FieldSet::ALL, Some(&dead)),
        ] {
            let form = PhraseForm { terms: lists.len(), fields, is_initial };
            let term = |list: &ListRef| PositionCursor::new(sample.lists(), vec![*list], None).unwrap();
            let mut terms = sample.refs.iter().map(term).collect::<Vec<_>>();
            let eligible = Eligible { first_row: 0, dead, allowed: None };
            let weights = [1.0, 10.0, 0.5];
            let list = phrase_list(form, &mut terms, &eligible, &weights).unwrap();
            let found = list.documents.into_iter().zip(list.frequencies).collect::<Vec<_>>();
            let expected = naive_phrase(&lists, form, dead, &weights);
            assert!(found == expected, "{rarities:?} {is_initial} {fields:?}: {found:?} {expected:?}");
            assert!(!expected.is_empty(), "{rarities:?}: the case has no match and so tests nothing");
        }
    }
}

/// Finds the documents of a phrase with their weighted frequencies, by searching every list for every term.
fn naive_phrase(
    lists: &[Vec<Posting>],
    form: PhraseForm,
    dead: Option<&Bitmap>,
    weights: &[f64],
) -> Vec<(u32, f64)> {
    let has = |list: &Vec<Posting>, document: u32, spot: Spot| {
        list.iter().any(|(of, spots)| *of == document && spots.contains(&spot))
    };
    let mut found = Vec::new();
    for (document, spots) in &lists[0] {
        if dead.is_some_and(|dead| dead.has(*document as usize)) {
            continue;
        }
        let starts = spots.iter().filter(|start| {
            let follows = |(list, offset): (&Vec<Posting>, u32)| {
                has(list, *document, Spot::new(start.field(), start.position() + offset))
            };
            form.fields.has(start.field())
                && (!form.is_initial || start.position() == 0)
                && lists[1..].iter().zip(1..).all(follows)
        });
        let frequency = starts.map(|start| weights[start.field().index()]).sum::<f64>();
        if frequency > 0.0 {
            found.push((*document, frequency));
        }
    }
    found
}
