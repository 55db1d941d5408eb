//! Reads any bytes as a state; it must not panic, and an accepted state must be written as the same bytes again. Merging two
//! states must give the same result in either order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::json::Json;
use snapseek::state::{Stamp, Stamps, State};
use snapseek_fuzz::seeds;

fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let Ok(state) = State::parse(input) else { return };
        let stamps = [Stamps::Left, Stamps::Kept, Stamps::Mixed][usize::from(input[0])];
        assert_eq!(state.encode(stamps), input);
        if stamps == Stamps::Kept {
            let (mut one, mut other) = (sample(), State::default());
            one.merge(&state);
            other.merge(&state);
            other.merge(&sample());
            assert_eq!(one.encode(Stamps::Kept), other.encode(Stamps::Kept));
        }
    }
);

fn sample() -> State {
    let mut state = State::default();
    for (number, line) in [
        r#"{"$":"link","from":"a","to":"b","relation":"cites","weight":0.5}"#,
        r#"{"$":"session","id":"s","projectId":"p","startedAt":5}"#,
        r#"{"$":"usage","session":"s","record":"a","usage":"created","at":5}"#,
        r#"{"$":"feedback","query":"q","entryId":"a","action":"accepted","createdAt":6}"#,
    ]
    .iter()
    .enumerate()
    {
        let json = Json::parse(line.as_bytes()).expect("it is JSON");
        let what = json.get("$").and_then(Json::as_str).expect("the line has a type");
        let stamp = Stamp { at: number as f64, sequence: 0, writer: 7 };
        state.take_line(what, &json, stamp).expect("the line is valid");
    }
    state
}

fn seeds() -> Vec<Vec<u8>> {
    [Stamps::Left, Stamps::Kept, Stamps::Mixed].map(|stamps| sample().encode(stamps)).to_vec()
}
