//! Any bytes, opened as a snapshot and asked everything: never a panic, a hang or a huge allocation. And where `verify`
//! finds nothing wrong, nothing else does: no answer tells of damage, and the snapshot of it can be verified, too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::Engine;
use snapseek_fuzz::{ask, forge, samples, seeds};

fuzz_target!(
    init: seeds::write(|| forge::seeds(samples::snapshots())),
    |input: &[u8]| {
        let Ok(mut engine) = Engine::open(forge::file(samples::snapshots(), input)) else { return };
        let verified = engine.verify();
        let asked = ask::everything(&engine);
        let copied = engine.snapshot();
        let written = ask::after_writing(&mut engine);
        if verified.is_ok() {
            assert_eq!((asked, written), (Ok(()), Ok(())), "verify found nothing wrong");
            let copy = Engine::open(copied.expect("what is sound can be copied")).expect("a copy can be opened");
            assert_eq!(copy.verify(), Ok(()), "the copy of what is sound is sound");
        }
    }
);
