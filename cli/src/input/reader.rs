//! How is a text cut into chunks of whole entries, without parsing it?

use super::chunk::{EntryChunk, Fault, InputPlace, count_lines};
use super::{Framing, Step};
use anyhow::{Context, Result, bail};
use snapseek::document::GROUP;
use snapseek::segment::MAX_RECORD_LEN;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// The largest length of an entry. A record of the largest allowed length may be this long while its characters are
/// escaped (`\u0041`, six bytes for one).
const MAX_ENTRY_LEN: usize = 6 * MAX_RECORD_LEN;

/// Cuts one input into chunks.
pub struct ChunkReader {
    name: Arc<str>,
    bytes: Box<dyn Read + Send>,
    framing: Box<dyn Framing>,
    /// The text that was read and not given out, the number of its first line, and the ranges of its entries.
    text: Vec<u8>,
    line: u64,
    entries: Vec<Range<usize>>,
    /// Where to look for the next entry.
    at: usize,
    has_started: bool,
    is_at_end: bool,
    /// A fault that makes the rest unreadable. It is reported after the entries before it.
    obstacle: Option<Fault>,
}

impl ChunkReader {
    pub fn new(name: String, bytes: Box<dyn Read + Send>, framing: Box<dyn Framing>) -> ChunkReader {
        ChunkReader {
            name: name.into(),
            bytes,
            framing,
            text: Vec::new(),
            line: 1,
            entries: Vec::new(),
            at: 0,
            has_started: false,
            is_at_end: false,
            obstacle: None,
        }
    }

    /// Returns about `len` bytes of whole entries; `None` at the end of the input.
    pub fn next(&mut self, len: usize) -> Result<Option<EntryChunk>> {
        let mut wanted = len.max(1);
        loop {
            self.fill(wanted)?;
            self.scan();
            // Records are stored in groups. The builder copies a batch of whole groups into the snapshot unchanged.
            let is_enough =
                self.entries.len() >= GROUP || !self.entries.is_empty() && self.text.len() >= 2 * len;
            if is_enough || self.is_at_end || self.obstacle.is_some() {
                break;
            }
            if self.text.len() - self.at > MAX_ENTRY_LEN {
                let reason = format!(
                    "the record that starts here has more than {MAX_ENTRY_LEN} bytes; at most {MAX_RECORD_LEN} are allowed: split it"
                );
                bail!(self.fault(self.at, reason));
            }
            if self.entries.is_empty() {
                // There are only blanks so far. Drop them.
                self.line += count_lines(&self.text[..self.at]);
                self.text.drain(..self.at);
                self.at = 0;
            }
            // Double the buffer each time, so that a long entry is not scanned over and over.
            wanted = 2 * self.text.len().max(len);
        }
        let whole_groups = self.entries.len() - self.entries.len() % GROUP;
        let is_last = self.is_at_end || self.obstacle.is_some() || whole_groups == 0;
        let count = if is_last { self.entries.len() } else { whole_groups };
        match self.obstacle.take_if(|_| count == 0) {
            Some(obstacle) => bail!(obstacle),
            None => Ok((count > 0).then(|| self.cut(count, len))),
        }
    }

    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.text.len());
        self.text.reserve(missing);
        let mut bytes = (&mut self.bytes).take(missing as u64);
        let read =
            bytes.read_to_end(&mut self.text).with_context(|| format!("{} cannot be read", self.name))?;
        self.is_at_end = read < missing;
        if !self.has_started {
            self.has_started = true;
            self.start()?;
        }
        Ok(())
    }

    /// Skips a byte order mark, and refuses UTF-16 and compressed input.
    fn start(&mut self) -> Result<()> {
        let what = match &self.text[..] {
            [0xef, 0xbb, 0xbf, ..] => {
                self.at = 3;
                return Ok(());
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16; save it as UTF-8",
            [0x1f, 0x8b, ..] => "compressed; unpack it first",
            _ => return Ok(()),
        };
        bail!(self.fault(0, format!("the input is {what}")))
    }

    fn scan(&mut self) {
        while self.obstacle.is_none() {
            match self.framing.step(&self.text, self.at, self.is_at_end) {
                Ok(Step::Entry(entry, next)) => {
                    self.entries.push(entry);
                    self.at = next;
                }
                Ok(Step::More(from)) => {
                    self.at = from;
                    return;
                }
                Err(misplaced) => self.obstacle = Some(self.fault(misplaced.at, misplaced.reason)),
            }
        }
    }

    /// Gives out the first `count` entries, and keeps the rest.
    fn cut(&mut self, count: usize, len: usize) -> EntryChunk {
        let end = self.entries[count - 1].end;
        let mut rest = Vec::with_capacity(len.min(self.text.capacity()));
        rest.extend_from_slice(&self.text[end..]);
        let mut text = std::mem::replace(&mut self.text, rest);
        text.truncate(end);
        let first_line = self.line;
        self.line += count_lines(&text);
        self.at -= end;
        let later = self.entries.split_off(count).into_iter().map(|entry| entry.start - end..entry.end - end);
        let entries = std::mem::replace(&mut self.entries, later.collect());
        let (name, grammar) = (Arc::clone(&self.name), self.framing.grammar());
        EntryChunk::of_entries(name, grammar, text, entries, first_line)
    }

    fn fault(&self, at: usize, reason: String) -> Fault {
        let line = self.line + count_lines(&self.text[..at]);
        Fault { name: Arc::clone(&self.name), place: InputPlace::Line(line), reason }
    }
}
