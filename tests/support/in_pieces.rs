//! Reads a snapshot in pieces, as a host over HTTP does, and counts what it fetches.

use snapseek::Engine;
use snapseek::snapshot::Header;

/// An engine over a file of which only pieces are in memory.
pub struct InPieces {
    file: Vec<u8>,
    pub engine: Engine,
    /// The bytes fetched after the head.
    pub fetched: usize,
    /// The rounds of requests of the last call.
    pub rounds: usize,
}

impl InPieces {
    pub fn open(file: Vec<u8>) -> InPieces {
        let head_len = usize::try_from(Header::parse(&file).unwrap().head_len).unwrap();
        let engine = Engine::open_in_pieces(file[..head_len].to_vec()).unwrap();
        InPieces { file, engine, fetched: 0, rounds: 0 }
    }

    /// Calls the engine until it lacks no piece.
    pub fn call<T>(&mut self, mut work: impl FnMut(&mut Engine) -> T) -> T {
        self.rounds = 0;
        loop {
            let result = work(&mut self.engine);
            let missing = self.engine.take_missing();
            if missing.is_empty() {
                return result;
            }
            self.rounds += 1;
            assert!(self.rounds < 100, "the call asks again and again: {missing:?}");
            for piece in missing {
                self.fetched += piece.parts.len();
                let bytes = &self.file[piece.parts.clone()];
                self.engine.supply_piece(piece.wanted, piece.parts.start, bytes).unwrap();
            }
        }
    }
}
