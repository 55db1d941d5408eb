//! Opens any bytes as a snapshot whose documents are in other files, and runs every call without the documents, with supplied
//! documents, and with a source. It must not panic, hang or allocate much. If `verify` succeeds, no call may report damage.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::Engine;
use snapseek::document::{BlockSource, FileRange};
use snapseek_fuzz::{ask, forge, samples, seeds};
use std::io;

/// The document files of a sample, even if the forged snapshot claims other ones.
#[derive(Debug)]
struct Files(&'static [Vec<u8>]);

impl BlockSource for Files {
    fn read(&self, range: &FileRange) -> io::Result<Vec<u8>> {
        let file = self.0.get(range.file as usize).ok_or(io::ErrorKind::NotFound)?;
        let place = |place: u64| usize::try_from(place).map_err(|_| io::ErrorKind::UnexpectedEof);
        let bytes = file.get(place(range.bytes.start)?..place(range.bytes.end)?);
        bytes.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

fuzz_target!(
    init: seeds::write(|| forge::seeds(&samples::split().0)),
    |input: &[u8]| {
        let (snapshots, files) = samples::split();
        let Ok(mut engine) = Engine::open(forge::file(snapshots, input)) else { return };
        let own = &files[usize::from(*input.first().unwrap_or(&0)) % files.len()];
        let _ = ask::everything(&engine);
        if let Ok(Some(documents)) = engine.documents_outside() {
            let blocks = (0..u32::try_from(documents.block_count()).unwrap_or(u32::MAX)).collect::<Vec<_>>();
            let _ = (documents.file_lens(), documents.ranges(&blocks));
        }
        for (file, bytes) in (0..).zip(own) {
            let _ = engine.supply(file, 0, bytes);
        }
        let supplied = engine.verify();
        engine.set_document_cache(0);
        engine.attach(Files(own));
        let verified = engine.verify();
        assert!(supplied.is_err() || verified.is_ok(), "documents that verify when supplied also verify when read: {verified:?}");
        let asked = ask::everything(&engine);
        let copied = engine.snapshot();
        if verified.is_ok() {
            assert_eq!(asked, Ok(()), "no call reports damage after verify succeeded");
            let copy = Engine::open(copied.expect("a sound engine can be copied")).expect("a copy can be opened");
            assert_eq!(copy.verify(), Ok(()), "the copy of a sound engine is sound");
        }
    }
);
