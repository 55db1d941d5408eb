use super::*;

/// Numbers that look random, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Writes of one writer, at times of its own clock.
fn writes(seed: u64, writer: u64) -> State {
    let mut random = Random(seed);
    let mut state = State::default();
    for _ in 0..60 {
        let stamp = state.latest().next(random.below(50) as f64, writer);
        let (id, other) = (random.below(4).to_string(), random.below(4).to_string());
        let value = Json::Integer(i64::try_from(random.below(1000)).unwrap());
        match random.below(6) {
            0 => state.write_record(Key { id: &id, kind: "memory" }, stamp),
            1 | 2 => {
                let subject = Subject::Record { id, kind: "memory".to_owned() };
                state.set(&subject, ["salience", "validUntil"][random.below(2) as usize], value, stamp);
            }
            3 => {
                let subject = Subject::Link { from: id, to: other, relation: "related".to_owned() };
                state.set(&subject, "weight", value, stamp);
            }
            4 => {
                state.set(
                    &Subject::Session { id },
                    ["summary", "endedAt"][random.below(2) as usize],
                    value,
                    stamp,
                );
            }
            _ => {
                let usage = Usage {
                    record: id,
                    at: stamp.at,
                    session: other,
                    usage: "recalled".into(),
                    id: "".into(),
                };
                state.add_usage(usage, stamp);
            }
        };
    }
    state
}

#[test]
fn states_are_brought_together_in_any_order() {
    for seed in 0..200 {
        let [a, b, c] = [1, 2, 3].map(|writer| writes(seed * 7 + writer, writer));
        let together = |states: [&State; 3]| {
            let mut all = State::default();
            states.iter().for_each(|state| all.merge(state));
            all
        };
        let all = together([&a, &b, &c]);
        for other in [[&a, &c, &b], [&b, &a, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a]] {
            assert_eq!(together(other), all, "seed {seed}");
        }
        assert_eq!(together([&a, &a, &a]), {
            let mut once = State::default();
            once.merge(&a);
            once
        });
    }
}

#[test]
fn a_state_reads_back_with_its_stamps_and_without() {
    for seed in 0..50 {
        let state = writes(seed, 5);
        let again = State::parse(&state.encode(Stamps::Kept)).unwrap();
        assert!(again.encode(Stamps::Kept) == state.encode(Stamps::Kept));
        let bare = State::parse(&state.encode(Stamps::Left)).unwrap();
        assert_eq!(bare.lines(), state.lines());
        assert!(bare.since_snapshot().is_empty());
        assert_eq!(bare.encode(Stamps::Left), state.encode(Stamps::Left));
        let compacted = State::parse(&state.encode(Stamps::Mixed)).unwrap();
        assert!(compacted.since_snapshot().is_empty(), "the snapshot holds all of it");
        for stamps in [Stamps::Kept, Stamps::Left, Stamps::Mixed] {
            assert_eq!(compacted.encode(stamps), state.encode(stamps));
        }
        assert_eq!(compacted.since_first_snapshot().encode(Stamps::Kept), state.encode(Stamps::Kept));
    }
}

/// Entries that were built, of which some were written again, beside entries that were only written.
fn built_and_written() -> State {
    let built = State::parse(&writes(7, 1).encode(Stamps::Left)).unwrap();
    let mut state = writes(3, 5);
    state.merge(&built);
    for session in ["z", "m", "a"] {
        let usage = |at: f64| Usage {
            record: "0".into(),
            at,
            session: session.into(),
            usage: "recalled".into(),
            id: "".into(),
        };
        state.add_usage(usage(900.0), Stamp::BASE);
        let stamp = state.latest().next(0.0, 5);
        state.add_usage(usage(901.0), stamp);
    }
    state
}

#[test]
fn every_truncation_and_flipped_byte_is_an_error_or_another_state_and_never_a_panic() {
    let encodings = [
        (writes(3, 5).encode(Stamps::Kept), Stamps::Kept),
        (built_and_written().encode(Stamps::Left), Stamps::Left),
        (built_and_written().encode(Stamps::Mixed), Stamps::Mixed),
    ];
    for (bytes, stamps) in encodings {
        for len in 0..bytes.len() {
            assert!(State::parse(&bytes[..len]).is_err(), "accepted {len} bytes");
        }
        // The first byte says which encoding it is.
        for at in 1..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                if let Ok(read) = State::parse(&damaged) {
                    assert_eq!(read.encode(stamps), damaged, "byte {at}, bit {bit}");
                }
            }
        }
    }
}

#[test]
fn usages_of_one_moment_stand_in_the_order_in_which_they_were_written() {
    let state = built_and_written();
    let sessions = |state: &State| {
        let last = state.usages_of("0").filter(|usage| usage.at >= 900.0);
        last.map(|usage| usage.session.clone()).collect::<Vec<_>>()
    };
    assert_eq!(sessions(&state), ["z", "m", "a", "z", "m", "a"]);
    for stamps in [Stamps::Left, Stamps::Mixed] {
        let again = State::parse(&state.encode(stamps)).unwrap();
        assert_eq!(sessions(&again), sessions(&state));
        assert_eq!(again.latest_usage_of("0").unwrap().session, "a");
    }
}

#[test]
fn lines_read_back_as_the_same_state() {
    let mut state = State::default();
    for line in [
        r#"{"$":"session","id":"s1","projectId":"p","startedAt":"2026-01-01","summary":"first"}"#,
        r#"{"$":"link","from":"a","to":"b","relation":"cites","weight":0.5,"at":7,"validUntil":9}"#,
        r#"{"$":"link","from":"b","to":"b"}"#,
        r#"{"$":"usage","session":"s1","record":"a","usage":"created","at":5}"#,
        r#"{"$":"feedback","query":"q","entryId":"a","action":"accepted","createdAt":6}"#,
    ] {
        let json = Json::parse(line.as_bytes()).unwrap();
        state.take_line(json.get("$").unwrap().as_str().unwrap(), &json, Stamp::BASE).unwrap();
    }
    let mut again = State::default();
    for line in state.lines() {
        again.take_line(line.get("$").unwrap().as_str().unwrap(), &line, Stamp::BASE).unwrap();
    }
    assert_eq!(again, state);
    assert_eq!(state.session("s1").unwrap().started_at, Some(1_767_225_600_000.0));
    let links = state.links_of("b").map(|link| (link.from, link.to)).collect::<Vec<_>>();
    assert_eq!(links, [("b", "b"), ("a", "b")], "a link from b to b is there once");
    assert!(state.links_of("a").next().unwrap().is_live(8.0));
    assert!(!state.links_of("a").next().unwrap().is_live(9.0));
    assert_eq!(state.used_in("s1").collect::<Vec<_>>(), ["a"]);
}

#[test]
fn a_line_that_cannot_be_taken_says_why() {
    let cases = [
        ("link", r#"{"from":"a"}"#, r#"a link's "to" is missing; a string is wanted"#),
        (
            "session",
            r#"{"id":"s","startedAt":"soon"}"#,
            r#"a session's "startedAt" is "soon"; a time: milliseconds, or an ISO 8601 date is wanted"#,
        ),
        (
            "usage",
            r#"{"session":"s","record":"r","usage":"eaten"}"#,
            r#"a usage's "usage" is "eaten"; one of created, recalled, updated, reinforced is wanted"#,
        ),
        (
            "feedback",
            r#"{"entryId":[],"action":"accepted"}"#,
            r#"a feedback's "entryId" is an array; a string is wanted"#,
        ),
    ];
    for (what, line, message) in cases {
        let json = Json::parse(line.as_bytes()).unwrap();
        let mut state = State::default();
        assert_eq!(state.take_line(what, &json, Stamp::BASE).unwrap_err().to_string(), message);
        assert!(state.is_empty());
    }
}
