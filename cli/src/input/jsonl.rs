//! JSON lines: one object per line. Blank lines are skipped.

use super::{Framing, Misplaced, Step};
use memchr::memchr;

/// Finds lines that are not blank.
pub struct Lines;

impl Framing for Lines {
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced> {
        let mut start = from;
        loop {
            let (end, next) = match memchr(b'\n', &text[start..]) {
                Some(len) => (start + len, start + len + 1),
                None if is_end && start < text.len() => (text.len(), text.len()),
                None => return Ok(Step::More(start)),
            };
            if !text[start..end].iter().all(u8::is_ascii_whitespace) {
                return Ok(Step::Entry(start..end, next));
            }
            start = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_passed_over_and_the_last_line_needs_no_end() {
        let text = b"\n{a}\r\n  \n{b}";
        assert_eq!(Lines.step(text, 0, false).unwrap(), Step::Entry(1..5, 6));
        assert_eq!(Lines.step(text, 6, false).unwrap(), Step::More(9));
        assert_eq!(Lines.step(text, 6, true).unwrap(), Step::Entry(9..12, 12));
        assert_eq!(Lines.step(text, 12, true).unwrap(), Step::More(12));
    }
}
