//! Which tree does an expression become?

use crate::{FIELDS, analyzer, parse};
use snapseek::ids::{FieldId, FieldSet};
use snapseek::query::{Phrase, Query, QueryNode, QueryTerm};

/// Formats the tree with phrases by number, a bar, and the phrases: `or(0 1) | ant, title:bat*`.
fn shown(query: &Query) -> String {
    let phrases: Vec<String> = query.phrases.iter().map(shown_phrase).collect();
    format!("{} | {}", shown_node(&query.root), phrases.join(", "))
}

fn shown_node(node: &QueryNode) -> String {
    let all = |operands: &[QueryNode]| operands.iter().map(shown_node).collect::<Vec<_>>().join(" ");
    match node {
        QueryNode::Nothing => "nothing".into(),
        QueryNode::Near(near) => match near.phrases[..] {
            [place] => place.to_string(),
            _ => format!("near{:?}{}", near.phrases, near.distance),
        },
        QueryNode::And(operands) => format!("and({})", all(operands)),
        QueryNode::Or(operands) => format!("or({})", all(operands)),
        QueryNode::Not(wanted, unwanted) => format!("not({} {})", shown_node(wanted), shown_node(unwanted)),
    }
}

fn shown_phrase(phrase: &Phrase) -> String {
    let terms: Vec<String> = phrase.terms.iter().map(shown_term).collect();
    let caret = if phrase.is_initial { "^" } else { "" };
    format!(
        "{}{caret}{}",
        shown_fields(phrase.fields),
        if terms.is_empty() { "-".into() } else { terms.join("+") }
    )
}

fn shown_term(term: &QueryTerm) -> String {
    match term {
        QueryTerm::Exact(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        QueryTerm::Prefix(bytes) => format!("{}*", String::from_utf8_lossy(bytes)),
        QueryTerm::AnyOf(_) => panic!("the language cannot say this"),
    }
}

fn shown_fields(fields: FieldSet) -> String {
    let names: Vec<&str> =
        (0..3u8).filter(|&i| fields.has(FieldId(i))).map(|i| FIELDS[usize::from(i)]).collect();
    if names.len() == 3 { String::new() } else { names.join("/") + ":" }
}

fn assert_trees(table: &[(&str, &str)]) {
    for (expression, expected) in table {
        let query = parse(expression).unwrap_or_else(|error| panic!("{expression:?}: {error}"));
        assert_eq!(shown(&query), *expected, "{expression:?}");
    }
}

#[test]
fn adjacency_binds_tighter_than_not_then_and_then_or() {
    assert_trees(&[
        ("ant", "0 | ant"),
        ("ant bat", "and(0 1) | ant, bat"),
        ("ant bat NOT cat dog", "not(and(0 1) and(2 3)) | ant, bat, cat, dog"),
        ("ant AND bat NOT cat", "and(0 not(1 2)) | ant, bat, cat"),
        ("ant OR bat AND cat OR dog", "or(0 and(1 2) 3) | ant, bat, cat, dog"),
        ("ant NOT bat NOT cat", "not(not(0 1) 2) | ant, bat, cat"),
        ("ant NOT (bat NOT cat)", "not(0 not(1 2)) | ant, bat, cat"),
        ("(ant OR bat) AND cat", "and(or(0 1) 2) | ant, bat, cat"),
        ("and or not", "and(0 1 2) | and, or, not"),
        ("AND_ OR ORB", "or(0 1) | and, orb"),
    ]);
}

#[test]
fn runs_of_and_and_of_or_become_one_node() {
    assert_trees(&[
        ("ant AND bat AND cat", "and(0 1 2) | ant, bat, cat"),
        ("ant OR (bat OR cat) OR dog", "or(0 1 2 3) | ant, bat, cat, dog"),
        ("ant bat AND cat dog", "and(0 1 2 3) | ant, bat, cat, dog"),
        ("(ant OR bat) AND (cat AND dog)", "and(or(0 1) 2 3) | ant, bat, cat, dog"),
    ]);
}

#[test]
fn a_phrase_is_strings_joined_by_plus_and_a_star_makes_its_last_term_so_far_a_prefix() {
    assert_trees(&[
        ("\"ant bat\"", "0 | ant+bat"),
        ("ant + \"bat cat\"", "0 | ant+bat+cat"),
        ("\"ant bat\" *", "0 | ant+bat*"),
        ("ant + bat*", "0 | ant+bat*"),
        ("ant* + bat", "0 | ant*+bat"),
        ("ant* + \"\"", "0 | ant"),
        ("ant + \"\" *", "0 | ant*"),
        ("\"ant \"\"bat\"\"\"", "0 | ant+bat"),
        ("fox_eel", "0 | fox+eel"),
        ("\"ant\"\"bat\"", "0 | ant+bat"),
        ("ant\0) bat", "0 | ant"),
    ]);
}

#[test]
fn with_bigrams_a_lone_cjk_character_is_a_prefix_and_longer_text_a_phrase() {
    let analyzer = analyzer().with_cjk_bigrams();
    for (expression, expected) in [
        ("漢", "0 | 漢*"),
        ("漢字", "0 | 漢字"),
        ("漢字典", "0 | 漢字+字典"),
        ("a漢", "0 | a+漢*"),
        ("ant é 漢 + 字典", "and(0 1 2) | ant, e, 漢*+字典"),
    ] {
        assert_eq!(shown(&Query::parse(expression, &FIELDS, &analyzer).unwrap()), expected, "{expression:?}");
    }
    assert_trees(&[("漢", "0 | 漢"), ("漢字典", "0 | 漢字典")]);
}

#[test]
fn a_caret_makes_a_phrase_initial() {
    assert_trees(&[
        ("^ant", "0 | ^ant"),
        ("^ ant + bat", "0 | ^ant+bat"),
        ("ant ^bat", "and(0 1) | ant, ^bat"),
        ("title : ^ant*", "0 | title:^ant*"),
        ("^\"\"", "nothing | -"),
    ]);
}

#[test]
fn near_groups_phrases_within_a_distance() {
    assert_trees(&[
        ("NEAR(ant bat)", "near[0, 1]10 | ant, bat"),
        ("NEAR(ant \"bat cat\", 3)", "near[0, 1]3 | ant, bat+cat"),
        ("cat NEAR(ant bat, 007) dog", "and(0 near[1, 2]7 3) | cat, ant, bat, dog"),
        ("NEAR(ant)", "0 | ant"),
        ("NEAR ant", "and(0 1) | near, ant"),
        ("NEAR(ant bat, 99999999999)", "near[0, 1]999999999 | ant, bat"),
        ("NEAR(ant bat, 2147483628999)", "near[0, 1]2147483628 | ant, bat"),
    ]);
}

#[test]
fn column_filters_narrow_the_fields_and_nested_ones_intersect() {
    assert_trees(&[
        ("title : ant", "0 | title:ant"),
        ("TITLE:ant bat", "and(0 1) | title:ant, bat"),
        ("{title c} : NEAR(ant bat)", "near[0, 1]10 | title/c:ant, title/c:bat"),
        ("- title : ant", "0 | body/c:ant"),
        ("- {title c} : ant", "0 | body:ant"),
        ("\"body\" : ant", "0 | body:ant"),
        ("{title title} : ant", "0 | title:ant"),
        ("title : (ant OR bat NOT cat)", "or(0 not(1 2)) | title:ant, title:bat, title:cat"),
        ("{title body} : (ant OR - title : bat)", "or(0 1) | title/body:ant, body:bat"),
        ("{title body} : (ant AND {body c} : (bat))", "and(0 1) | title/body:ant, body:bat"),
    ]);
}

#[test]
fn what_cannot_match_is_nothing_and_keeps_its_phrase() {
    assert_trees(&[
        ("\"\"", "nothing | -"),
        ("ant AND \"\"", "and(0 nothing) | ant, -"),
        ("\"\" OR ant", "or(nothing 1) | -, ant"),
        ("\"-\" NOT ant", "not(nothing 1) | -, ant"),
        ("title : (ant OR body : bat)", "or(0 nothing) | title:ant, :bat"),
        ("- {title body c} : ant", "nothing | :ant"),
        ("- {title body c} : ant bat", "and(nothing 1) | :ant, bat"),
        ("NEAR(\"\" \"-\") OR ant", "or(nothing 1) | -, ant"),
    ]);
}

#[test]
fn a_phrase_without_tokens_disappears_from_a_run_that_has_others() {
    assert_trees(&[
        ("ant \"\" bat", "and(0 1) | ant, bat"),
        ("\"\" ant", "0 | ant"),
        ("\"\" \"-\" ant bat", "and(0 1) | ant, bat"),
        ("\"\" NEAR(ant bat) cat", "and(near[0, 1]10 2) | ant, bat, cat"),
        ("dog OR \"\" NEAR(ant bat) ^\"\" cat", "or(0 and(near[1, 2]10 3)) | dog, ant, bat, cat"),
        ("\"\" \"-\"", "nothing | -"),
        ("title : \"\" ant", "0 | ant"),
        ("NEAR(\"\" ant \"-\" bat \"\")", "near[0, 1]10 | ant, bat"),
        ("NEAR(\"\" ant)", "0 | ant"),
    ]);
}
