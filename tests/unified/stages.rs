//! The stages that run after scoring.

use crate::{RECORDS, engine, found, search, sorted};
use snapseek::Engine;

#[test]
fn stages_work_on_the_hits_of_this_recipe() {
    let mut engine = engine();
    let keys = |engine: &mut Engine, more: &str| {
        found(&search(engine, &format!(r#"{{"query":"ledger tickets",{more}}}"#)))
    };
    assert_eq!(keys(&mut engine, r#""pinned":["6"]"#)[0], "6/s");
    assert!(!keys(&mut engine, r#""pinned":["6"],"project":"api""#).contains(&"6/s".to_owned()));
    assert_eq!(sorted(keys(&mut engine, r#""asOf":600"#)), ["4/o", "5/o", "7/p"]);
    assert_eq!(keys(&mut engine, r#""minRelevance":1"#), [""; 0]);
    let all = keys(&mut engine, r#""limit":100"#).len();
    assert!((1..all).contains(&keys(&mut engine, r#""maxTokens":20"#).len()));
    // Without a query, every record is relevant.
    assert_eq!(found(&search(&mut engine, r#"{"minRelevance":1}"#)).len(), RECORDS.len());
}
