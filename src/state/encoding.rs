//! A state in bytes.
//!
//! ```text
//! u8 stamps · strings · subjects · usages · feedback · writes
//! strings    varint n · n × (varint length · bytes), ascending, each once
//! subjects   varint n · n × (u8 1 record | 2 session | 3 link · texts · varint n · n × (text name · text JSON · stamp))
//! usages     varint n · n × (text record · f64 at · text session · text usage · text id · stamp)
//! feedback   varint n · n × (f64 at · text query · text entry · text action · text id · stamp)
//! writes     varint n · n × (text id · text kind · stamp); none without stamps
//! text       varint, the place of a string
//! stamp      f64 at · varint sequence · u64 writer; nothing without stamps
//! ```
//!
//! Everything stands in ascending order, each once.

use super::{Cell, Feedback, Stamp, State, Subject, Usage};
use crate::bitmap::Bitmap;
use crate::json::Json;
use crate::order::Set;
use crate::wire::{Malformed, Reader, len32, put_bytes, put_varint};

/// Whether it is told when each thing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// It is: in changes.
    Kept,
    /// It is not: in snapshots.
    Left,
}

const WHAT: &str = "the state";

impl State {
    /// Its bytes; [`State::parse`] reads them.
    pub fn encode(&self, stamps: Stamps) -> Vec<u8> {
        // Written twice: the first time to see which strings there are.
        let mut writer = Writer { strings: Strings::Seen(Set::new()), stamps, out: Vec::new() };
        self.write(&mut writer);
        let strings = match writer.strings {
            Strings::Seen(strings) => strings.into_sorted(),
            Strings::Known(strings) => strings,
        };
        let mut out = vec![u8::from(stamps == Stamps::Kept)];
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
            writer.count(fields.len());
            for (name, cell) in fields {
                writer.texts(&[name, &cell.value.to_text()]);
                writer.stamp(cell.stamp);
            }
        }
        writer.count(self.usages.len());
        for (usage, stamp) in &self.usages {
            writer.texts(&[&usage.record]);
            writer.number(usage.at);
            writer.texts(&[&usage.session, &usage.usage, &usage.id]);
            writer.stamp(*stamp);
        }
        writer.count(self.feedback.len());
        for (feedback, stamp) in &self.feedback {
            writer.number(feedback.created_at);
            writer.texts(&[&feedback.query, &feedback.entry_id, &feedback.action, &feedback.id]);
            writer.stamp(*stamp);
        }
        if writer.stamps == Stamps::Left {
            return writer.count(0);
        }
        writer.count(self.writes.len());
        for ((id, kind), stamp) in &self.writes {
            writer.texts(&[id, kind]);
            writer.stamp(*stamp);
        }
    }

    /// Reads what [`State::encode`] wrote.
    ///
    /// # Errors
    /// When it did not write these bytes.
    pub fn parse(bytes: &[u8]) -> Result<State, Malformed> {
        let mut reader = Reader::new(bytes, WHAT);
        let stamps = match reader.u8()? {
            0 => Stamps::Left,
            1 => Stamps::Kept,
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

struct Writer {
    strings: Strings,
    stamps: Stamps,
    out: Vec<u8>,
}

enum Strings {
    /// Those that were written so far.
    Seen(Set<String>),
    /// All of them, sorted.
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
        if self.stamps == Stamps::Kept {
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

/// Reads on where something is damaged, as if there were zeros, until it is asked whether it may.
struct Parser<'a> {
    reader: Reader<'a>,
    strings: Vec<&'a str>,
    /// Which of them were read: none is there for nothing.
    used: Bitmap,
    stamps: Stamps,
    is_damaged: bool,
}

impl Parser<'_> {
    fn sound<T: Default>(&mut self, read: Result<T, Malformed>) -> T {
        self.is_damaged |= read.is_err();
        read.unwrap_or_default()
    }

    /// Whether all was sound so far, and this is as well.
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

    fn stamp(&mut self) -> Stamp {
        if self.stamps == Stamps::Left {
            return Stamp::BASE;
        }
        let at = self.time();
        let (sequence, writer) = (self.reader.varint(), self.reader.u64());
        Stamp { at, sequence: self.sound(sequence), writer: self.sound(writer) }
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
            state.touch(&subject);
            let mut last = None;
            for _ in 0..self.count() {
                let (name, text, stamp) = (self.text(), self.text(), self.stamp());
                let value = Json::parse(text.as_bytes()).unwrap_or(Json::Null);
                let is_next = last.is_none_or(|last| last < name);
                if !self.goes_on(is_next && value.to_text() == text) {
                    return;
                }
                state.touch(&subject).insert(name.clone(), Cell { value, stamp });
                state.note(stamp);
                last = Some(name);
            }
        }
    }

    fn usages(&mut self, state: &mut State) {
        for _ in 0..self.count() {
            let (record, at) = (self.text(), self.time());
            let usage = Usage { record, at, session: self.text(), usage: self.text(), id: self.text() };
            let stamp = self.stamp();
            let last = state.usages.last_key_value();
            if !self.goes_on(last.is_none_or(|(last, _)| *last < usage)) {
                return;
            }
            state.add_usage(usage, stamp);
        }
    }

    fn feedback(&mut self, state: &mut State) {
        for _ in 0..self.count() {
            let created_at = self.time();
            let (query, entry_id, action) = (self.text(), self.text(), self.text());
            let feedback = Feedback { created_at, query, entry_id, action, id: self.text() };
            let stamp = self.stamp();
            let last = state.feedback.last_key_value();
            if !self.goes_on(last.is_none_or(|(last, _)| *last < feedback)) {
                return;
            }
            state.add_feedback(feedback, stamp);
        }
    }

    fn writes(&mut self, state: &mut State) {
        for _ in 0..self.count() {
            let (key, stamp) = ((self.text(), self.text()), self.stamp());
            let is_next = state.writes.last_key_value().is_none_or(|(last, _)| *last < key);
            if !self.goes_on(is_next && self.stamps == Stamps::Kept) {
                return;
            }
            state.writes.insert(key, stamp);
            state.note(stamp);
        }
    }
}
