//! The lines of a file, with their numbers for messages.

use crate::input::{Fault, InputPlace};
use std::sync::Arc;

/// Returns the lines that are not blank, with their numbers from 1, without byte order mark and carriage returns.
pub fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// Creates a fault in a line.
pub fn fault(name: &str, line: u64, reason: impl Into<String>) -> Fault {
    Fault { name: Arc::from(name), place: InputPlace::Line(line), reason: reason.into() }
}
