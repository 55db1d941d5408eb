//! Prints responses on stdout and notes on stderr.

use anyhow::Result;
use indicatif::HumanCount;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

/// Prints a response as JSON, with the milliseconds that it took as `elapsed`.
pub fn timed_json<T: Serialize>(answer: impl FnOnce() -> Result<T>) -> Result<()> {
    #[derive(Serialize)]
    struct Timed<T> {
        #[serde(flatten)]
        response: T,
        elapsed: f64,
    }
    let began = Instant::now();
    let response = answer()?;
    json(&Timed { response, elapsed: began.elapsed().as_secs_f64() * 1000.0 })
}

/// Prints one JSON document and a line end.
pub fn json(document: &impl Serialize) -> Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    json_line(&mut out, document)?;
    Ok(out.flush()?)
}

/// Writes one JSON document and a line end. Floats read back bit for bit.
pub fn json_line(out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

/// Prints a note on stderr.
pub fn note(text: impl Display) {
    // If stderr is closed, nobody reads notes.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Formats a count with its noun.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", HumanCount(count), if count == 1 { "" } else { "s" })
}

/// Replaces control characters, so that a record cannot control the terminal.
pub fn plain(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// How matches are marked in text for people.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    open: &'static str,
    close: &'static str,
}

impl Marks {
    /// Stands for the opening mark until the text is made [`plain`].
    pub const OPEN: &str = "\u{2}";
    /// See [`Marks::OPEN`].
    pub const CLOSE: &str = "\u{3}";

    /// Bold on a terminal, brackets elsewhere.
    pub fn for_stdout() -> Marks {
        let is_styled = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        if is_styled {
            Marks { open: "\u{1b}[1m", close: "\u{1b}[0m" }
        } else {
            Marks { open: "[", close: "]" }
        }
    }

    /// Returns the text, plain, with the marks inserted.
    pub fn apply(self, text: &str) -> String {
        let pieces = text.split_inclusive(['\u{2}', '\u{3}']).map(|piece| {
            let mark = match piece.chars().last() {
                Some('\u{2}') => self.open,
                Some('\u{3}') => self.close,
                _ => return plain(piece),
            };
            plain(&piece[..piece.len() - 1]) + mark
        });
        pieces.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_put_in_and_control_characters_are_taken_out() {
        let marks = Marks { open: "[", close: "]" };
        assert_eq!(marks.apply("a \u{2}b\u{3} c\n\u{1b}[2Jd"), "a [b] c  [2Jd");
    }
}
