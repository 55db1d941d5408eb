//! Any bytes, read as JSON and as a record: never a panic. What `serde_json` takes, this takes, as the same value; what was
//! written reads back as the same value and is written the same; and a record is the same record once it was stored.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::attributes::time_of;
use snapseek::json::{Json, text_of};
use snapseek::{Record, Schema};
use snapseek_fuzz::{samples, seeds};

fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let others = serde_json::from_slice::<Json>(input);
        let json = match Json::parse(input) {
            Ok(json) => json,
            Err(error) => {
                assert!(others.is_err(), "it is JSON to others: {error}");
                return;
            }
        };
        assert_eq!(others.ok().as_ref(), Some(&json), "it is another value to others, or not JSON");
        let written = json.to_text();
        let again = Json::parse(written.as_bytes()).expect("what was written is JSON");
        assert_eq!(again, json, "what was written is the same value");
        assert_eq!(again.to_text(), written, "a value has one written form");
        let theirs = serde_json::to_vec(&json).expect("it is plain data");
        for written in [&theirs[..], text_of(&json).as_bytes()] {
            assert_eq!(Json::parse(written).ok().as_ref(), Some(&json), "however it was written");
        }
        assert!(time_of(&json).is_none_or(f64::is_finite), "a moment is a number");
        let Ok(record) = Record::from_json(json) else { return };
        assert_eq!(Record::from_json(again).as_ref(), Ok(&record), "a stored record is a record");
        assert!((1..=1024).contains(&record.id().len()) && (1..=1024).contains(&record.kind().len()));
        if let Ok(schema) = Schema::infer([&record]) {
            assert_eq!(schema.check(), Ok(()), "a schema that was inferred can be used");
            samples::snapshot(&schema, &[record]);
        }
    }
);

fn seeds() -> Vec<Vec<u8>> {
    let files =
        [seeds::files("tests/golden"), seeds::files("tests/cases"), seeds::files("www/corpus")].concat();
    let lines = files.iter().flat_map(|file| file.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
    let mut seeds = lines.filter(|line| Json::parse(line).is_ok()).collect::<Vec<_>>();
    let numbers = [
        "1e16",
        "-0.0",
        "9223372036854775807",
        "18446744073709551615",
        "1e-7",
        "2.5e-324",
        "123456789012345678",
    ];
    seeds.extend(numbers.map(|number| number.as_bytes().to_vec()));
    seeds.extend(files.into_iter().filter(|file| Json::parse(file).is_ok()));
    seeds
}
