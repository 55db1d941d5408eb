//! Any bytes, applied as changes to a good engine: never a panic, a hang or a huge allocation. Either they are refused,
//! and the engine is as it was, or they are applied, and the engine is sound.

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
            Err(_) => assert_eq!(ask::export(&engine).expect("it is good"), before, "what is refused leaves no trace"),
            Ok(()) => {
                let after = ask::export(&engine).expect("what was applied can be read");
                assert_eq!(after.len(), engine.len(), "as many records as it says");
                assert_eq!(ask::everything(&engine), Ok(()), "what was applied is sound");
                assert_eq!(engine.verify(), Ok(()), "what was applied is sound");
                engine.snapshot().expect("what was applied can be copied");
            }
        }
    }
);
