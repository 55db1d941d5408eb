//! How does typed text become an expression that matches any of its words? P2.

use crate::Sqlite;
use crate::ours::Ours;
use crate::random::{Random, almost_sentence, soup};
use snapseek::query::any_word;

#[test]
fn p2_any_word_asks_for_each_of_the_first_twenty_words_of_two_characters_or_more() {
    let numbers: Vec<String> = (10..40).map(|number| number.to_string()).collect();
    let quoted: Vec<String> = numbers.iter().take(20).map(|number| format!("\"{number}\"")).collect();
    for (query, expected) in [
        ("ant", "\"ant\""),
        ("ant  bat\tcat\u{3000}dog", "\"ant\" OR \"bat\" OR \"cat\" OR \"dog\""),
        ("say \"ant\" (or) bat* -cat ^dog", "\"say\" OR \"ant\" OR \"or\" OR \"bat\" OR \"cat\" OR \"dog\""),
        ("a é 漢 漢字 I/O", "\"漢字\" OR \"I/O\""),
        ("AND NEAR title:ant", "\"AND\" OR \"NEAR\" OR \"title:ant\""),
        ("ant\0bat", "\"ant\" OR \"bat\""),
        ("a b c", "\"\""),
        ("", "\"\""),
        (&format!("a {}", numbers.join(" ")), &quoted.join(" OR ")),
    ] {
        assert_eq!(any_word(query), expected, "{query:?}");
    }
}

#[test]
fn p2_any_word_makes_an_expression_of_whatever_is_typed() {
    let (sqlite, ours, mut random) = (Sqlite::new(), Ours::new(), Random(0x853c_49e6_748f_ea9b));
    for _ in 0..20_000 {
        let typed = match random.below(3) {
            0 => soup(&mut random),
            1 => almost_sentence(&mut random),
            _ => (0..random.below(40)).map(|_| any_char(&mut random)).collect(),
        };
        let expression = any_word(&typed);
        let answer = ours.answer(&expression);
        assert!(answer.is_ok(), "{typed:?} became {expression:?}: {answer:?}");
        assert_eq!(answer, sqlite.answer(&expression), "{typed:?} became {expression:?}");
    }
}

/// Returns a character of any plane, with more ASCII than a uniform choice would give.
fn any_char(random: &mut Random) -> char {
    let limit = [0x80, 0x80, 0x800, 0x11_0000][random.below(4)];
    char::from_u32(random.below(limit) as u32).unwrap_or(' ')
}
