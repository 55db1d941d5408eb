//! Where do graphemes start, and which code points have a lower case? Generates `src/unicode/table.bin`.
//!
//! The generator asks unicode-segmentation and the standard library about each code point. `src/unicode/table.rs` reads the
//! bytes and documents them.

use unicode_segmentation::UnicodeSegmentation;

/// The generated file, from the root of the repository.
pub(crate) const FILE: &str = "src/unicode/table.bin";

/// One code point of each class that the table has, in the order of their numbers.
const EACH: &str = "a\u{1}\r\n\u{300}\u{94d}\u{200c}\u{200d}🇦\u{600}\u{903}\u{1100}\u{1160}\u{11a8}©क";
const SYLLABLES: std::ops::RangeInclusive<char> = '가'..='힣';

/// The bytes of [`FILE`].
pub(crate) fn table() -> Vec<u8> {
    let mut out = Vec::new();
    put_classes(&mut out);
    put_cases(&mut out);
    out
}

fn put_classes(out: &mut Vec<u8>) {
    let signatures = EACH.chars().map(signature).collect::<Vec<_>>();
    let mut runs: Vec<(u32, u32, u8)> = Vec::new();
    for c in '\0'..=char::MAX {
        let found = signatures.iter().position(|of_class| *of_class == signature(c));
        let to_grapheme = match found {
            Some(class) => class as u8,
            None if SYLLABLES.contains(&c) => 0,
            None => panic!("U+{:04X} is of no class that src/unicode/graphemes.rs knows", u32::from(c)),
        };
        let class = to_grapheme | to_sigma(c) << 4;
        match runs.last_mut() {
            _ if class == 0 => {}
            Some((first, count, same)) if *first + *count == u32::from(c) && *same == class => *count += 1,
            _ => runs.push((u32::from(c), 1, class)),
        }
    }
    put_varint(out, runs.len() as u32);
    let mut end = 0;
    for &(first, count, _) in &runs {
        put_varint(out, first - end);
        put_varint(out, count);
        end = first + count;
    }
    out.extend(runs.iter().map(|run| run.2));
}

/// Where graphemes start around the code point, in every company that a rule speaks of.
fn signature(c: char) -> Vec<bool> {
    let c = c.to_string();
    let starts = |before: &[&str], after: &str| {
        let before = before.concat();
        let text = format!("{before}{after}");
        text.grapheme_indices(true).any(|(at, _)| at == before.len())
    };
    let beside =
        EACH.chars().map(String::from).flat_map(|other| [starts(&[&other], &c), starts(&[&c], &other)]);
    let in_company = [
        starts(&["©", &c, "\u{200d}"], "©"),
        starts(&["©", &c], "©"),
        starts(&[&c, "\u{200d}"], "©"),
        starts(&["©\u{200d}"], &c),
        starts(&["क", &c, "\u{94d}"], "क"),
        starts(&["क", &c], "क"),
        starts(&[&c, "\u{94d}"], "क"),
        starts(&["क\u{94d}"], &c),
    ];
    beside.chain(in_company).collect()
}

/// 1 where it is cased, 2 where a sigma that looks for something cased passes it over.
fn to_sigma(c: char) -> u8 {
    let ends_word = |text: String| text.to_lowercase().ends_with('ς');
    match (ends_word(format!("{c}Σ")), ends_word(format!("A{c}Σ"))) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    }
}

/// Runs of code points whose lower case is equally far, each or every second one.
fn put_cases(out: &mut Vec<u8>) {
    let distance = |code: u32| {
        let c = char::from_u32(code)?;
        let lower = u32::from(c.to_lowercase().next()?);
        (lower != code).then_some(lower.wrapping_sub(code).cast_signed())
    };
    let mut runs: Vec<(u32, u32, u32)> = Vec::new();
    let (mut gaps, mut counts, mut distances) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = 0;
    for first in 0..=0x10FFFF {
        let done = runs.last().map_or(0, |&(first, count, step)| first + (count - 1) * step + 1);
        if first < done || distance(first).is_none() {
            continue;
        }
        let length = |step: u32| {
            // What lies between must not change: a run is found by where it starts, and no other is looked at.
            let belongs = |&code: &u32| {
                distance(code) == distance(first)
                    && (step == 1 || code == first || distance(code - 1).is_none())
            };
            (first..).step_by(step as usize).take_while(belongs).count() as u32
        };
        let (count, step) = if length(2) > length(1) { (length(2), 2) } else { (length(1), 1) };
        put_varint(&mut gaps, first - last);
        put_varint(&mut counts, count << 1 | (step - 1));
        let far = distance(first).expect("the first of a run changes");
        put_varint(&mut distances, (far << 1 ^ far >> 31).cast_unsigned());
        last = first + (count - 1) * step;
        runs.push((first, count, step));
    }
    put_varint(out, runs.len() as u32);
    out.extend(gaps.into_iter().chain(counts).chain(distances));
}

fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
