//! Are forged sections with valid checksums handled quickly and with little memory? Each test forges one value.
//! scripts/fuzz or a reader of the code found them. Any answer is accepted as long as it comes soon.

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::snapshot::{SectionKind, encode};
use snapseek::{Builder, Engine, MatchOptions, Record, Schema, SnapshotFault};
use std::time::Instant;

/// Builds a snapshot of these records and lets `alter` change its sections.
fn forged(
    schema: &str,
    records: impl IntoIterator<Item = String>,
    alter: impl Fn(SectionKind, &mut Vec<u8>),
) -> Vec<u8> {
    let schema: Schema = serde_json::from_str(schema).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    for text in records {
        builder.add(&Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap()).unwrap();
    }
    let mut sections = builder.finish_sections().unwrap();
    sections.iter_mut().for_each(|(kind, bytes)| alter(*kind, bytes));
    encode(&sections)
}

const ONE_FIELD: &str = r#"{"fields":{"t":{}}}"#;

fn record(id: usize, text: &str) -> String {
    format!(r#"{{"id":"{id}","t":"{text}"}}"#)
}

fn filtered(filter: &str) -> MatchOptions {
    MatchOptions { filter: Some(Json::parse(filter.as_bytes()).unwrap()), ..MatchOptions::default() }
}

#[test]
fn a_kind_that_the_file_does_not_name_is_the_kind_of_no_record() {
    let records = ["note", "page"].map(|kind| format!(r#"{{"id":"a","kind":"{kind}","t":"fox"}}"#));
    let bytes = forged(ONE_FIELD, records, |section, bytes| {
        if section == SectionKind::Keys {
            // u32 documents · varint kinds · two strings of four letters · the kind of each document
            assert_eq!(bytes[15..17], [0, 1]);
            bytes[15] = 200;
        }
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err());
    assert!(engine.matches("fox", &filtered(r#"{"kind":"note"}"#)).unwrap_or_default().is_empty());
}

#[test]
fn more_documents_than_the_blocks_can_hold_are_refused() {
    let bytes = forged(ONE_FIELD, [record(0, "")], |section, bytes| match section {
        SectionKind::DocumentTable | SectionKind::TotalLengths => {
            bytes[..4].copy_from_slice(&[0, 0, 0, 0x7f])
        }
        _ => {}
    });
    assert!(matches!(*Engine::open(bytes).unwrap_err(), SnapshotFault::Malformed(_)));
}

#[test]
fn positions_that_take_no_space_are_refused_where_a_term_occurs_twice() {
    let bytes = forged(ONE_FIELD, [record(0, "fox")], |section, bytes| {
        if section == SectionKind::Shapes {
            // varint shapes · varint fields · u8 field · varint count
            assert_eq!(bytes[..], [1, 1, 0, 1]);
            bytes[3] = 2;
        }
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err());
    assert!(engine.snapshot().is_err());
    assert!(engine.matches("^fox", &MatchOptions::default()).is_err());
}

#[test]
fn positions_are_not_read_twice() {
    // There are two blocks. The second block claims that its positions start where the first block's do.
    let bytes = forged(ONE_FIELD, (0..200).map(|i| record(i, "the quick fox")), |section, bytes| {
        if section == SectionKind::Postings {
            let (first, second) = bytes.split_at_mut(14);
            second[8..12].copy_from_slice(&first[8..12]);
        }
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err());
    assert!(engine.snapshot().is_err());
}

#[test]
fn a_count_that_no_text_has_is_not_counted_one_by_one() {
    let bytes = forged(r#"{"fields":{"t":{"weight":0.3}}}"#, [record(0, "fox")], |section, bytes| {
        if section == SectionKind::Shapes {
            *bytes = vec![1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f];
        }
    });
    let started = Instant::now();
    let _ = Engine::open(bytes).unwrap().matches("fo*", &MatchOptions::default());
    assert!(started.elapsed().as_millis() < 500, "{:?}", started.elapsed());
}

/// Encodes the lengths of one document: for each field, the total of all documents and the length of this one.
fn lengths(fields: &[(u64, u32)]) -> Vec<u8> {
    let mut out = vec![1, 0, 0, 0, u8::try_from(fields.len()).unwrap()];
    fields.iter().for_each(|(total, _)| out.extend([&total.to_le_bytes()[..], &[31]].concat()));
    fields.iter().for_each(|(_, length)| out.extend(length.to_le_bytes()));
    out
}

#[test]
fn lengths_that_do_not_add_up_do_not_overflow() {
    let three = r#"{"fields":{"t":{},"u":{},"v":{}}}"#;
    let long = (0, (1 << 31) - 1);
    let bytes = forged(three, [record(0, "fox")], |section, bytes| {
        if section == SectionKind::Lengths {
            *bytes = lengths(&[long, long, long]);
        }
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err(), "the sums are wrong");
    let _ = engine.snapshot();
    let bytes = forged(ONE_FIELD, [record(0, "fox")], |section, bytes| {
        match section {
            SectionKind::Lengths => *bytes = lengths(&[(u64::MAX, 1)]),
            // u32 documents · u64 tokens · u8 width · lengths
            SectionKind::TotalLengths => bytes[4..12].fill(0xff),
            _ => {}
        }
    });
    let mut engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err(), "the sum is wrong");
    let _ = engine.add(&[Record::from_json(Json::parse(record(1, "fox").as_bytes()).unwrap()).unwrap()]);
}

#[test]
fn blocks_whose_documents_do_not_ascend_are_refused() {
    let bytes = forged(ONE_FIELD, (0..200).map(|i| record(i, "fox")), |section, bytes| {
        if section == SectionKind::Postings {
            // Change the last document number of the first block.
            bytes[..4].copy_from_slice(&5u32.to_le_bytes());
        }
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err());
    assert!(engine.snapshot().is_err());
}

#[test]
fn blocks_of_the_dictionary_that_are_not_one_after_the_other_are_refused() {
    // There are twenty terms. The second block claims the offset of the first.
    let text = (10..30).map(|i| format!("w{i} ")).collect::<String>();
    let bytes = forged(ONE_FIELD, [record(0, &text)], |section, bytes| {
        if section == SectionKind::TermIndex {
            bytes[8..12].fill(0);
        }
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err());
    assert!(engine.suggest("w", 50).is_err());
}

#[test]
fn a_block_of_documents_that_crosses_the_end_of_a_group_is_refused() {
    // There are forty documents: thirty in the first block and ten in the second, instead of thirty-two and eight.
    let records = (0..40).map(|i| record(i, "fox")).collect::<Vec<_>>();
    let block = |records: &[String]| {
        let mut block = records.iter().map(|record| u8::try_from(record.len()).unwrap()).collect::<Vec<_>>();
        records.iter().for_each(|record| block.extend(record.as_bytes()));
        block
    };
    let blocks = [block(&records[..30]), block(&records[30..])];
    let lens = [0, 1].map(|block| u16::try_from(blocks[block].len()).unwrap());
    // u32 documents · u32 blocks · widths of 8, 16 and 16 bits · first documents · offsets · unpacked lengths
    let mut table = vec![40, 0, 0, 0, 2, 0, 0, 0, 8, 16, 16, 0, 30];
    [0, lens[0], lens[0], lens[1]].iter().for_each(|number: &u16| table.extend(number.to_le_bytes()));
    let bytes = forged(ONE_FIELD, records.clone(), |section, bytes| match section {
        SectionKind::DocumentTable => bytes.clone_from(&table),
        SectionKind::Documents => *bytes = blocks.concat(),
        _ => {}
    });
    let engine = Engine::open(bytes).unwrap();
    assert!(engine.verify().is_err());
    assert!(engine.snapshot().is_err());
}

#[test]
fn strings_and_codes_of_attributes_that_overlap_are_refused() {
    let schema = r#"{"fields":{"t":{}},"attributes":{"k":"keywords"}}"#;
    let records = [r#"["b","a"]"#, r#"["a"]"#].iter().zip(0..);
    let records = records.map(|(k, id)| format!(r#"{{"id":{id},"t":"fox","k":{k}}}"#)).collect::<Vec<_>>();
    // u32 documents · u32 columns · u8 type · u32 length · u32 length · u32 strings · offsets 0 1 2 · two letters · first codes
    for at in [25, 39] {
        let bytes = forged(schema, records.clone(), |section, bytes| {
            if section == SectionKind::Attributes {
                bytes[at] = 4;
            }
        });
        let engine = Engine::open(bytes).unwrap();
        assert!(engine.verify().is_err() && engine.snapshot().is_err(), "byte {at}");
        assert!(engine.matches("fox", &filtered(r#"{"k":"a"}"#)).is_err(), "byte {at}");
    }
}

#[test]
fn verify_reads_what_no_term_leads_to() {
    for wrong in [SectionKind::Shapes, SectionKind::Postings] {
        let bytes = forged(ONE_FIELD, [record(0, "")], |section, bytes| {
            if section == wrong {
                *bytes = vec![9, 9];
            }
        });
        assert!(Engine::open(bytes).unwrap().verify().is_err(), "{wrong:?}");
    }
}
