//! Where does a grapheme cluster, a user-perceived character, start? This module implements the rules of UAX #29.

use super::table::Table;

/// The grapheme class of a code point. `cargo xtask gen-unicode` uses the same numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Control,
    CarriageReturn,
    LineFeed,
    Extend,
    /// Extends a grapheme, and links the consonants of an Indic script.
    Linker,
    /// Extends a grapheme, but separates consonants.
    Apart,
    Joiner,
    Flag,
    Prepend,
    SpacingMark,
    Lead,
    Vowel,
    Trail,
    Pictograph,
    Consonant,
    /// Hangul syllables without and with a trailing consonant. They are computed and not in the table.
    Open,
    Closed,
}

use Class::{
    Apart, CarriageReturn, Closed, Consonant, Control, Extend, Flag, Joiner, Lead, LineFeed, Linker, Open,
    Other, Pictograph, Prepend, SpacingMark, Trail, Vowel,
};

const IN_TABLE: [Class; 16] = [
    Other,
    Control,
    CarriageReturn,
    LineFeed,
    Extend,
    Linker,
    Apart,
    Joiner,
    Flag,
    Prepend,
    SpacingMark,
    Lead,
    Vowel,
    Trail,
    Pictograph,
    Consonant,
];

impl Class {
    fn of(c: char) -> Class {
        match c {
            // Printable ASCII, the usual case.
            ' '..='~' => Other,
            '가'..='힣' if (u32::from(c) - u32::from('가')).is_multiple_of(28) => Open,
            '가'..='힣' => Closed,
            _ => IN_TABLE[usize::from(Table::get().class(c) & 15)],
        }
    }
}

/// Scans a text for grapheme boundaries, one character at a time.
#[derive(Default)]
pub struct Graphemes {
    before: Option<Class>,
    /// The scan is just after a pictograph and its extensions; then also just after a joiner.
    is_pictograph: bool,
    is_joined: bool,
    /// The scan is just after an odd number of regional indicators.
    is_half_flag: bool,
    /// The scan is just after a consonant and its extensions; then also after a linker among them.
    is_consonant: bool,
    is_linked: bool,
}

impl Graphemes {
    /// Takes the next character of the text, and returns whether a grapheme starts with it.
    pub fn starts(&mut self, c: char) -> bool {
        let class = Class::of(c);
        let starts = self.before.is_none_or(|before| self.parts(before, class));
        self.before = Some(class);
        self.is_joined = self.is_pictograph && class == Joiner;
        self.is_pictograph =
            class == Pictograph || self.is_pictograph && matches!(class, Extend | Linker | Apart);
        self.is_half_flag = class == Flag && !self.is_half_flag;
        self.is_consonant =
            class == Consonant || self.is_consonant && matches!(class, Extend | Linker | Joiner);
        self.is_linked = self.is_consonant && class != Consonant && (self.is_linked || class == Linker);
        starts
    }

    fn parts(&self, before: Class, after: Class) -> bool {
        match (before, after) {
            (CarriageReturn, LineFeed) => false,
            (Control | CarriageReturn | LineFeed, _) | (_, Control | CarriageReturn | LineFeed) => true,
            (Lead, Lead | Vowel | Open | Closed) => false,
            (Open | Vowel, Vowel | Trail) | (Closed | Trail, Trail) => false,
            (_, Extend | Linker | Apart | Joiner | SpacingMark) | (Prepend, _) => false,
            (_, Consonant) => !self.is_linked,
            (_, Pictograph) => !self.is_joined,
            (_, Flag) => !self.is_half_flag,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    fn check(text: &str) {
        let mut graphemes = Graphemes::default();
        let starts = text.char_indices().filter(|&(_, c)| graphemes.starts(c)).map(|(at, _)| at);
        assert!(starts.eq(text.grapheme_indices(true).map(|(at, _)| at)), "{}", text.escape_unicode());
    }

    /// One character of each class, and of each combination that other rules distinguish.
    const EACH: &str = "a \r\n\u{1}\u{300}\u{308}\u{94d}\u{9cd}\u{200c}\u{200d}\u{1f3fb}\u{fe0f}🇦🇩\u{600}\u{903}\u{1100}\u{1160}\u{11a8}가각©🛑कখ\u{d4e}\u{e33}";

    #[test]
    fn every_code_point_parts_from_every_other_as_in_the_reference() {
        for c in '\0'..=char::MAX {
            for beside in EACH.chars() {
                check(&String::from_iter([c, beside, c]));
            }
            check(&format!("क{c}\u{94d}क{c}क\u{94d}{c}©{c}\u{200d}©\u{200d}{c}"));
        }
    }

    #[test]
    fn every_four_of_all_classes_part_as_in_the_reference() {
        let each = EACH.chars().collect::<Vec<_>>();
        let count = each.len();
        for number in 0..count.pow(4) {
            let at = |place: u32| each[number / count.pow(place) % count];
            check(&String::from_iter([at(0), at(1), at(2), at(3)]));
        }
    }

    #[test]
    fn long_texts_of_all_classes_part_as_in_the_reference() {
        let each = EACH.chars().collect::<Vec<_>>();
        let mut state = 7_u32;
        for _ in 0..20_000 {
            let letters = (0..12).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                each[(state >> 16) as usize % each.len()]
            });
            check(&letters.collect::<String>());
        }
    }
}
