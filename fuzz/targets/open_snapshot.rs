//! Opens any bytes as a snapshot and runs every call; it must not panic, hang or allocate much. If `verify` succeeds, no call
//! may report damage, and a new snapshot of the engine must verify, too.

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
            assert_eq!((asked, written), (Ok(()), Ok(())), "no call reports damage after verify succeeded");
            let copy = Engine::open(copied.expect("a sound engine can be copied")).expect("a copy can be opened");
            assert_eq!(copy.verify(), Ok(()), "the copy of a sound engine is sound");
        }
    }
);
