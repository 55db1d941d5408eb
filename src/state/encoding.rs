//! Encodes a state as bytes, and reads it back. `docs/format.md` describes section 14.
//!
//! ```text
//! u8 stamps · strings · subjects · usages · feedback · writes
//! strings    varint n · n × (varint length · bytes), ascending, each once
//! subjects   varint n · n × (u8 1 record | 2 session | 3 link · texts · varint n · n × (text name · text JSON · stamp))
//! usages     varint n · n × (text record · f64 at · text session · text usage · text id · stamp)
//! feedback   varint n · n × (f64 at · text query · text entry · text action · text id · stamp)
//! writes     varint n · n × (text id · text kind · stamp)
//! text       varint, the index of a string
//! stamp      stamps = 0: nothing; 1: f64 at · varint sequence · u64 writer; 2: u8 0 | u8 1 · as for 1
//! ```
//!
//! All lists ascend, and no entry repeats. One order carries information: in snapshots (0 and 2), usages of the same
//! record and time stand in the order in which they were written. In changes (1) their stamps tell the order.

use super::stamp::WriteMark;
use super::{Cell, EXISTS, Feedback, Fields, Stamp, State, Subject, Usage, in_written_order};
use crate::bitmap::Bitmap;
use crate::json::Json;
use crate::order::Set;
use crate::wire::{Malformed, Reader, len32, put_bytes, put_varint};
use std::cmp::Ordering;

/// Which entries of an encoded state have stamps. The values are those in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// No entry has one: in snapshots.
    Left = 0,
    /// Every entry has one: in changes.
    Kept = 1,
    /// Entries that were written at run time have one: in the snapshots that a store compacts.
    Mixed = 2,
}

const WHAT: &str = "the state";

impl State {
    /// Encodes the state; [`State::parse`] reads the bytes.
    pub fn encode(&self, stamps: Stamps) -> Vec<u8> {
        // Two passes: the first one collects the strings.
        let mut writer = Writer { strings: Strings::Seen(Set::new()), stamps, out: Vec::new() };
        self.write(&mut writer);
        let strings = match writer.strings {
            Strings::Seen(strings) => strings.into_sorted(),
            Strings::Known(strings) => strings,
        };
        let mut out = vec![stamps as u8];
        put_varint(&mut out, len32(strings.len()));
        strings.iter().for_each(|text| put_bytes(&mut out, text.as_bytes()));
        let mut writer = Writer { strings: Strings::Known(strings), stamps, out };
        self.write(&mut writer);
        writer.out
    }

    fn write(&self, writer: &mut Writer) {
        writer.count(self.subjects.len());
        for (subject, fields) in &self.subjects {
            writer.subject(subject);
            let is_left_out = |name: &String| writer.stamps == Stamps::Left && is_existence(subject, name);
            let cells = fields.iter().filter(|(name, _)| !is_left_out(name)).collect::<Vec<_>>();
            writer.count(cells.len());
            for (name, cell) in cells {
                writer.texts(&[name, &cell.value.to_text()]);
                writer.stamp(cell.mark.stamp);
            }
        }
        let usages = match writer.stamps {
            Stamps::Kept => self.usages.iter().collect::<Vec<_>>(),
            Stamps::Left | Stamps::Mixed => in_written_order(self.usages.iter()),
        };
        writer.count(usages.len());
        for (usage, placed) in usages {
            writer.texts(&[&usage.record]);
            writer.number(usage.at);
            writer.texts(&[&usage.session, &usage.usage, &usage.id]);
            writer.stamp(placed.mark.stamp);
        }
        writer.count(self.feedback.len());
        for (feedback, mark) in &self.feedback {
            writer.number(feedback.created_at);
            writer.texts(&[&feedback.query, &feedback.entry_id, &feedback.action, &feedback.id]);
            writer.stamp(mark.stamp);
        }
        if writer.stamps == Stamps::Left {
            return writer.count(0);
        }
        writer.count(self.writes.len());
        for ((id, kind), mark) in &self.writes {
            writer.texts(&[id, kind]);
            writer.stamp(mark.stamp);
        }
    }

    /// Reads the bytes that [`State::encode`] wrote. The state counts all of them as held by the opened snapshot.
    ///
    /// # Errors
    /// When [`State::encode`] would not write these bytes.
    pub fn parse(bytes: &[u8]) -> Result<State, Malformed> {
        let mut reader = Reader::new(bytes, WHAT);
        let stamps = match reader.u8()? {
            0 => Stamps::Left,
            1 => Stamps::Kept,
            2 => Stamps::Mixed,
            _ => return Err(reader.malformed()),
        };
        let count = reader.varlen()?;
        let mut strings: Vec<&str> = Vec::new();
        for _ in 0..count {
            let text = reader.str()?;
            if strings.last().is_some_and(|last| *last >= text) {
                return Err(reader.malformed());
            }
            strings.push(text);
        }
        let used = Bitmap::none(strings.len());
        let mut parser = Parser { reader, strings, used, stamps, is_damaged: false };
        let mut state = State::default();
        parser.subjects(&mut state);
        parser.usages(&mut state);
        parser.feedback(&mut state);
        parser.writes(&mut state);
        let is_whole = parser.reader.remaining() == 0 && parser.used.count() == parser.strings.len();
        if is_whole && !parser.is_damaged { Ok(state) } else { Err(Malformed(WHAT)) }
    }
}

/// Whether a field is the one that says that a link or session exists.
fn is_existence(subject: &Subject, name: &str) -> bool {
    name == EXISTS && !matches!(subject, Subject::Record { .. })
}

struct Writer {
    strings: Strings,
    stamps: Stamps,
    out: Vec<u8>,
}

enum Strings {
    /// First pass: the strings that were written so far.
    Seen(Set<String>),
    /// Second pass: all strings, sorted.
    Known(Vec<String>),
}

impl Writer {
    fn count(&mut self, count: usize) {
        put_varint(&mut self.out, len32(count));
    }

    fn texts(&mut self, texts: &[&String]) {
        for &text in texts {
            match &mut self.strings {
                Strings::Seen(strings) if strings.contains(text) => {}
                Strings::Seen(strings) => {
                    strings.insert(text.clone());
                }
                Strings::Known(strings) => {
                    let place = strings.binary_search(text);
                    self.count(place.expect("every text of the state is among its strings"));
                }
            }
        }
    }

    fn number(&mut self, number: f64) {
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    fn stamp(&mut self, stamp: Stamp) {
        if self.stamps == Stamps::Mixed {
            self.out.push(u8::from(stamp.is_write()));
        }
        if self.stamps == Stamps::Kept || self.stamps == Stamps::Mixed && stamp.is_write() {
            self.number(stamp.at);
            put_varint(&mut self.out, stamp.sequence);
            self.out.extend_from_slice(&stamp.writer.to_le_bytes());
        }
    }

    fn subject(&mut self, subject: &Subject) {
        let (kind, texts): (u8, &[&String]) = match subject {
            Subject::Record { id, kind } => (1, &[id, kind]),
            Subject::Session { id } => (2, &[id]),
            Subject::Link { from, to, relation } => (3, &[from, to, relation]),
        };
        self.out.push(kind);
        self.texts(texts);
    }
}

/// Reads the lists of a state. After damage it goes on as if it read zeros; `goes_on` and `is_damaged` tell.
struct Parser<'a> {
    reader: Reader<'a>,
    strings: Vec<&'a str>,
    /// The strings that something named; a string that nothing names is damage.
    used: Bitmap,
    stamps: Stamps,
    is_damaged: bool,
}

impl Parser<'_> {
    fn sound<T: Default>(&mut self, read: Result<T, Malformed>) -> T {
        self.is_damaged |= read.is_err();
        read.unwrap_or_default()
    }

    /// Returns whether nothing is damaged so far, `is_sound` included.
    fn goes_on(&mut self, is_sound: bool) -> bool {
        self.is_damaged |= !is_sound;
        !self.is_damaged
    }

    fn count(&mut self) -> usize {
        let count = self.reader.varlen();
        self.sound(count)
    }

    fn text(&mut self) -> String {
        let place = self.count();
        match self.strings.get(place) {
            Some(text) => {
                self.used.insert(place);
                (*text).to_owned()
            }
            None => {
                self.is_damaged = true;
                String::new()
            }
        }
    }

    fn time(&mut self) -> f64 {
        let time = self.reader.f64();
        let time = self.sound(time);
        self.is_damaged |= !time.is_finite();
        time
    }

    fn mark(&mut self) -> WriteMark {
        let mut stamp = Stamp::BASE;
        let is_there = match self.stamps {
            Stamps::Left => false,
            Stamps::Kept => true,
            Stamps::Mixed => {
                let flag = self.reader.u8();
                let flag = self.sound(flag);
                self.is_damaged |= flag > 1;
                flag == 1
            }
        };
        if is_there {
            let at = self.time();
            let (sequence, writer) = (self.reader.varint(), self.reader.u64());
            stamp = Stamp { at, sequence: self.sound(sequence), writer: self.sound(writer) };
        }
        WriteMark { stamp, in_base: true }
    }

    fn subjects(&mut self, state: &mut State) {
        for _ in 0..self.count() {
            let kind = self.reader.u8();
            let subject = match self.sound(kind) {
                1 => Subject::Record { id: self.text(), kind: self.text() },
                2 => Subject::Session { id: self.text() },
                3 => Subject::Link { from: self.text(), to: self.text(), relation: self.text() },
                _ => {
                    self.is_damaged = true;
                    return;
                }
            };
            let last = state.subjects.last_key_value();
            if !self.goes_on(last.is_none_or(|(last, _)| *last < subject)) {
                return;
            }
            let mut fields = Fields::new();
            for _ in 0..self.count() {
                let (name, text, mark) = (self.text(), self.text(), self.mark());
                let value = Json::parse(text.as_bytes()).unwrap_or(Json::Null);
                let is_next = fields.last_key_value().is_none_or(|(last, _)| *last < name);
                // Existence is only worth a field with a stamp.
                let is_allowed = mark.stamp.is_write() || !is_existence(&subject, &name);
                if !self.goes_on(is_next && is_allowed && value.to_text() == text) {
                    return;
                }
                fields.insert(name, Cell { value, mark });
                state.advance(mark.stamp);
            }
            *state.touch(&subject) = fields;
        }
    }

    fn usages(&mut self, state: &mut State) {
        let mut last = None;
        for _ in 0..self.count() {
            let (record, at) = (self.text(), self.time());
            let usage = Usage { record, at, session: self.text(), usage: self.text(), id: self.text() };
            let mark = self.mark();
            let is_next = last.is_none_or(|(last, stamp): (Usage, Stamp)| {
                if self.stamps == Stamps::Kept {
                    return last < usage;
                }
                match last.moment_cmp(&usage).then(stamp.cmp(&mark.stamp)) {
                    Ordering::Less => true,
                    Ordering::Equal => !stamp.is_write() || last < usage,
                    Ordering::Greater => false,
                }
            });
            if !self.goes_on(is_next && !state.usages.contains_key(&usage)) {
                return;
            }
            last = Some((usage.clone(), mark.stamp));
            state.add_marked_usage(usage, mark);
        }
    }

    fn feedback(&mut self, state: &mut State) {
        for _ in 0..self.count() {
            let created_at = self.time();
            let (query, entry_id, action) = (self.text(), self.text(), self.text());
            let feedback = Feedback { created_at, query, entry_id, action, id: self.text() };
            let mark = self.mark();
            let last = state.feedback.last_key_value();
            if !self.goes_on(last.is_none_or(|(last, _)| *last < feedback)) {
                return;
            }
            state.feedback.insert(feedback, mark);
            state.advance(mark.stamp);
        }
    }

    fn writes(&mut self, state: &mut State) {
        for _ in 0..self.count() {
            let (key, mark) = ((self.text(), self.text()), self.mark());
            let is_next = state.writes.last_key_value().is_none_or(|(last, _)| *last < key);
            if !self.goes_on(is_next && mark.stamp.is_write()) {
                return;
            }
            state.writes.insert(key, mark);
            state.advance(mark.stamp);
        }
    }
}
