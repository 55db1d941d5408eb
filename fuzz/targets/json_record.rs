//! Reads any bytes as JSON and as a record; it must not panic. The parser must accept what `serde_json` accepts, as the same
//! value. A written value must read back as the same value and be written the same way again. A stored record must read back
//! as the same record.

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
                assert!(others.is_err(), "serde_json accepts it: {error}");
                return;
            }
        };
        assert_eq!(others.ok().as_ref(), Some(&json), "serde_json reads another value, or refuses it");
        let written = json.to_text();
        let again = Json::parse(written.as_bytes()).expect("a written value is JSON");
        assert_eq!(again, json, "a written value reads back as the same value");
        assert_eq!(again.to_text(), written, "a value has one written form");
        let theirs = serde_json::to_vec(&json).expect("it is plain data");
        for written in [&theirs[..], text_of(&json).as_bytes()] {
            assert_eq!(Json::parse(written).ok().as_ref(), Some(&json), "both writers write the same value");
        }
        assert!(time_of(&json).is_none_or(f64::is_finite), "a time is a finite number");
        let Ok(record) = Record::from_json(json) else { return };
        assert_eq!(Record::from_json(again).as_ref(), Ok(&record), "a stored record is a record");
        assert!((1..=1024).contains(&record.id().len()) && (1..=1024).contains(&record.kind().len()));
        if let Ok(schema) = Schema::infer([&record]) {
            assert_eq!(schema.check(), Ok(()), "an inferred schema is valid");
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
