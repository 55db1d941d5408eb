//! Applies any bytes as changes to a valid engine; it must not panic, hang or allocate much. Either the engine refuses them
//! and stays unchanged, or it applies them and is sound.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::Engine;
use snapseek_fuzz::{ask, forge, samples, seeds};

fuzz_target!(
    init: seeds::write(|| forge::seeds(samples::changes())),
    |input: &[u8]| {
        let choice = usize::from(input.first().copied().unwrap_or(0)) % samples::snapshots().len();
        let mut engine = Engine::open(samples::snapshots()[choice].clone()).expect("it is good");
        let before = ask::export(&engine).expect("it is good");
        match engine.apply(forge::file(samples::changes(), input)) {
            Err(_) => assert_eq!(ask::export(&engine).expect("it is good"), before, "refused changes leave the engine unchanged"),
            Ok(()) => {
                let after = ask::export(&engine).expect("applied changes can be read");
                assert_eq!(after.len(), engine.len(), "the length is the number of records");
                assert_eq!(ask::everything(&engine), Ok(()), "the engine is sound after the changes");
                assert_eq!(engine.verify(), Ok(()), "the engine is sound after the changes");
                engine.snapshot().expect("a snapshot can be made after the changes");
            }
        }
    }
);
