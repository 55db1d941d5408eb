//! Where do tokens start and end by the rules of unicode61?
//!
//! A token starts at a token character and ends before the next separator. A combining mark continues a token but never
//! starts one.

use super::Span;
use super::tables::{FAR_SEPARATORS, FIRST_MARK, MARKS, SEPARATOR_INDEX, SEPARATOR_WORDS};
use crate::order::sort;

/// The effect of a code point on tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Separator,
    TokenChar,
    Mark,
}

/// The classes of all code points, after the changes of `tokenchars` and `separators`.
#[derive(Clone)]
pub(super) struct Unicode61 {
    /// For each byte, whether it is an ASCII token character. No byte of a longer code point is.
    ascii: [bool; 256],
    /// The classes of code points of one or two bytes. Most text of Europe and the Middle East needs no other table.
    low: Box<[Class; Unicode61::LOW]>,
    /// The code points beyond `low` whose class is the opposite of the default, sorted.
    exceptions: Vec<char>,
}

impl Unicode61 {
    const LOW: usize = 0x800;

    /// Creates unicode61 with the classes of some characters overridden.
    pub fn new(overrides: &[(char, Class)]) -> Unicode61 {
        let class = |at| char::from_u32(at as u32).map_or(Class::Separator, default_class);
        let mut tokenizer = Unicode61 {
            ascii: [false; 256],
            low: Box::new(std::array::from_fn(class)),
            exceptions: Vec::new(),
        };
        for &(c, class) in overrides {
            tokenizer.override_class(c, class);
        }
        sort(&mut tokenizer.exceptions);
        for (is_token_char, class) in tokenizer.ascii.iter_mut().zip(&tokenizer.low[..0x80]) {
            *is_token_char = *class == Class::TokenChar;
        }
        tokenizer
    }

    fn override_class(&mut self, c: char, class: Class) {
        let default = default_class(c);
        // SQLite keeps a list of exceptions for characters beyond ASCII and never removes one, so beyond ASCII the
        // first override wins, and within ASCII the last. No option changes the class of a mark.
        if !c.is_ascii() && (default == class || default == Class::Mark) {
            return;
        }
        match self.low.get_mut(c as usize) {
            Some(low) => *low = class,
            // SQLite's decoder reads these two noncharacters as the replacement character.
            None if ('\u{fffd}'..='\u{ffff}').contains(&c) => self.exceptions.extend('\u{fffd}'..='\u{ffff}'),
            None => self.exceptions.push(c),
        }
    }

    /// Returns the first token that starts at `from` or later. `from` must be a character boundary.
    pub fn next_token(&self, text: &str, from: usize) -> Option<Span> {
        let start = self.token_start(text, from)?;
        let bytes = text.as_bytes();
        let mut end = start;
        loop {
            while let Some(&byte) = bytes.get(end)
                && self.ascii[usize::from(byte)]
            {
                end += 1;
            }
            match text[end..].chars().next() {
                Some(c) if !c.is_ascii() && self.class(c) != Class::Separator => end += c.len_utf8(),
                _ => return Some(Span { start, end }),
            }
        }
    }

    fn token_start(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = from;
        loop {
            let byte = *bytes.get(at)?;
            if self.ascii[usize::from(byte)] {
                return Some(at);
            }
            if byte.is_ascii() {
                at += 1;
                continue;
            }
            let c = text[at..].chars().next()?;
            if self.class(c) == Class::TokenChar {
                return Some(at);
            }
            at += c.len_utf8();
        }
    }

    fn class(&self, c: char) -> Class {
        if let Some(&class) = self.low.get(c as usize) {
            return class;
        }
        let is_exception = !self.exceptions.is_empty() && self.exceptions.binary_search(&c).is_ok();
        if is_separator(c) != is_exception { Class::Separator } else { Class::TokenChar }
    }
}

#[inline(never)]
fn default_class(c: char) -> Class {
    if is_mark(c) {
        Class::Mark
    } else if is_separator(c) {
        Class::Separator
    } else {
        Class::TokenChar
    }
}

/// Reports whether `c` is a combining mark. All marks are below [`Unicode61::LOW`].
pub(super) fn is_mark(c: char) -> bool {
    let place = u32::from(c).wrapping_sub(FIRST_MARK);
    place < u64::BITS && MARKS >> place & 1 == 1
}

fn is_separator(c: char) -> bool {
    let c = u32::from(c);
    match SEPARATOR_INDEX.get((c / u64::BITS) as usize) {
        Some(&word) => SEPARATOR_WORDS[usize::from(word)] >> (c % u64::BITS) & 1 == 1,
        None => FAR_SEPARATORS.iter().any(|range| range.contains(&c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_in_the_low_table() {
        assert!((FIRST_MARK + u64::BITS - MARKS.leading_zeros()) as usize <= Unicode61::LOW);
    }

    #[test]
    fn beyond_ascii_the_first_override_wins_and_within_it_the_last() {
        let (tokenchar, separator) = (Class::TokenChar, Class::Separator);
        let both = [('-', tokenchar), ('→', tokenchar), ('-', separator), ('→', separator)];
        let tokenizer = Unicode61::new(&both);
        assert_eq!(tokenizer.class('-'), separator);
        assert_eq!(tokenizer.class('→'), tokenchar);
    }

    #[test]
    fn no_option_changes_a_mark() {
        let tokenizer = Unicode61::new(&[('\u{301}', Class::TokenChar), ('\u{301}', Class::Separator)]);
        assert_eq!(tokenizer.class('\u{301}'), Class::Mark);
    }
}
