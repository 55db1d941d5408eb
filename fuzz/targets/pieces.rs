//! Opens any bytes as a snapshot in pieces, and supplies what calls lack; it must not panic, hang or ask without end. If the
//! whole file verifies, the calls succeed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::Engine;
use snapseek::snapshot::Header;
use snapseek_fuzz::{ask, forge, samples, seeds};

/// More rounds than all calls together need.
const MOST_ROUNDS: usize = 500;

fuzz_target!(
    init: seeds::write(|| forge::seeds(samples::snapshots())),
    |input: &[u8]| {
        let file = forge::file(samples::snapshots(), input);
        let Ok(header) = Header::parse(&file) else { return };
        let head = usize::try_from(header.head_len).unwrap_or(usize::MAX).min(file.len());
        let Ok(mut engine) = Engine::open_in_pieces(file[..head].to_vec()) else { return };
        for round in 0.. {
            assert!(round < MOST_ROUNDS, "the calls ask again and again");
            let asked = ask::everything(&engine);
            let missing = engine.take_missing();
            if missing.is_empty() {
                let is_sound = Engine::open(file.clone()).is_ok_and(|whole| whole.verify().is_ok());
                assert!(asked.is_ok() || !is_sound, "no call reports damage of a sound file: {asked:?}");
                return;
            }
            for piece in missing {
                let Some(bytes) = file.get(piece.parts.clone()) else { return };
                if engine.supply_piece(piece.wanted, piece.parts.start, bytes).is_err() {
                    return;
                }
            }
        }
    }
);
