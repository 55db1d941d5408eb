//! Do the embedders return the same bits natively as in wasm?

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/embeddings.rs"]
mod embeddings;

#[test]
fn the_vectors_have_the_bits_that_were_recorded() {
    let found = embeddings::found();
    assert_eq!(found, embeddings::GOLDEN, "{found:#018x?}");
}

#[test]
fn every_code_point_has_the_forms_that_were_recorded() {
    let found = embeddings::found_forms();
    assert_eq!(found, embeddings::GOLDEN_FORMS, "{found:#018x?}");
}
