//! The preset answers the questions about its sample.

use crate::{call, engine_of, items, json, text};
use snapseek::Schema;
use snapseek::json::Json;

#[test]
fn the_sample_of_the_preset_answers_its_questions() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let lines = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let sample = lines("unified.jsonl");
    let records = sample.lines().filter(|line| json(line).get("$").is_none());
    let mut engine = engine_of(&Schema::preset("unified").unwrap(), records);
    let mut asked = 0;
    for question in
        lines("questions.jsonl").lines().map(json).filter(|line| text(line, "preset") == "unified")
    {
        let Some(Json::Array(expected)) = question.get("expect") else { panic!("no answer: {question:?}") };
        let options = [("query", question.get("query").unwrap().clone()), ("limit", Json::Integer(3))];
        let options = Json::Object(options.map(|(name, value)| (name.to_owned(), value)).to_vec());
        let response = json(&engine.call("unified.search", &options, None).unwrap());
        let ids = items(&response).iter().map(|hit| hit.get("id").unwrap().clone()).collect::<Vec<_>>();
        assert!(expected.iter().all(|id| ids.contains(id)), "{question:?}: {ids:?}");
        asked += 1;
    }
    assert!(asked >= 5);
    let decisions = call(
        &mut engine,
        "unified.decisions",
        r#"{"query":"ledger","obsType":"decision","project":"ferry-api"}"#,
    );
    assert!(items(&decisions).iter().any(|hit| text(hit, "id") == "obs-3"));
}
