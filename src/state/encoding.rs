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
use crate::gather::Gather;
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
        let mut writer =
            Writer { strings: self.strings(stamps), stamps, out: vec![u8::from(stamps == Stamps::Kept)] };
        writer.count(writer.strings.len());
        for text in writer.strings.clone() {
            put_bytes(&mut writer.out, text.as_bytes());
        }
        writer.count(self.subjects.len());
        for (subject, fields) in &self.subjects {
            writer.subject(subject);
            writer.count(fields.len());
            for (name, cell) in fields {
                writer.text(name);
                writer.text(&cell.value.to_text());
                writer.stamp(cell.stamp);
            }
        }
        writer.count(self.usages.len());
        for (usage, stamp) in &self.usages {
            writer.text(&usage.record);
            writer.number(usage.at);
            [&usage.session, &usage.usage, &usage.id].into_iter().for_each(|text| writer.text(text));
            writer.stamp(*stamp);
        }
        writer.count(self.feedback.len());
        for (feedback, stamp) in &self.feedback {
            writer.number(feedback.created_at);
            let texts = [&feedback.query, &feedback.entry_id, &feedback.action, &feedback.id];
            texts.into_iter().for_each(|text| writer.text(text));
            writer.stamp(*stamp);
        }
        let writes = if stamps == Stamps::Kept { self.writes.iter().gather() } else { Vec::new() };
        writer.count(writes.len());
        for ((id, kind), stamp) in writes {
            writer.text(id);
            writer.text(kind);
            writer.stamp(*stamp);
        }
        writer.out
    }

    fn strings(&self, stamps: Stamps) -> Vec<String> {
        let mut strings = Set::new();
        let mut take = |texts: &[&String]| {
            for &text in texts {
                if !strings.contains(text) {
                    strings.insert(text.clone());
                }
            }
        };
        for (subject, fields) in &self.subjects {
            match subject {
                Subject::Record { id, kind } => take(&[id, kind]),
                Subject::Session { id } => take(&[id]),
                Subject::Link { from, to, relation } => take(&[from, to, relation]),
            }
            fields.iter().for_each(|(name, cell)| take(&[name, &cell.value.to_text()]));
        }
        for usage in self.usages.keys() {
            take(&[&usage.record, &usage.session, &usage.usage, &usage.id]);
        }
        for feedback in self.feedback.keys() {
            take(&[&feedback.query, &feedback.entry_id, &feedback.action, &feedback.id]);
        }
        if stamps == Stamps::Kept {
            self.writes.keys().for_each(|(id, kind)| take(&[id, kind]));
        }
        strings.into_sorted()
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
        let mut parser = Parser { reader, strings, used, stamps };
        let mut state = State::default();
        parser.subjects(&mut state)?;
        parser.usages(&mut state)?;
        parser.feedback(&mut state)?;
        parser.writes(&mut state)?;
        let is_whole = parser.reader.remaining() == 0 && parser.used.count() == parser.strings.len();
        if is_whole { Ok(state) } else { Err(Malformed(WHAT)) }
    }
}

struct Writer {
    strings: Vec<String>,
    stamps: Stamps,
    out: Vec<u8>,
}

impl Writer {
    fn count(&mut self, count: usize) {
        put_varint(&mut self.out, len32(count));
    }

    fn text(&mut self, text: &str) {
        let place = self.strings.binary_search_by(|known| known.as_str().cmp(text));
        self.count(place.expect("every text of the state is among its strings"));
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
        match subject {
            Subject::Record { id, kind } => {
                self.out.push(1);
                self.text(id);
                self.text(kind);
            }
            Subject::Session { id } => {
                self.out.push(2);
                self.text(id);
            }
            Subject::Link { from, to, relation } => {
                self.out.push(3);
                [from, to, relation].into_iter().for_each(|text| self.text(text));
            }
        }
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    strings: Vec<&'a str>,
    /// Which of them were read: none is there for nothing.
    used: Bitmap,
    stamps: Stamps,
}

impl Parser<'_> {
    fn text(&mut self) -> Result<String, Malformed> {
        let place = self.reader.varlen()?;
        let text = self.strings.get(place).ok_or(Malformed(WHAT))?;
        self.used.insert(place);
        Ok((*text).to_owned())
    }

    fn time(&mut self) -> Result<f64, Malformed> {
        let number = self.reader.f64()?;
        if number.is_finite() { Ok(number) } else { Err(Malformed(WHAT)) }
    }

    fn stamp(&mut self) -> Result<Stamp, Malformed> {
        if self.stamps == Stamps::Left {
            return Ok(Stamp::BASE);
        }
        let at = self.reader.f64()?;
        let (sequence, writer) = (self.reader.varint()?, self.reader.u64()?);
        if at.is_finite() { Ok(Stamp { at, sequence, writer }) } else { Err(Malformed(WHAT)) }
    }

    fn subjects(&mut self, state: &mut State) -> Result<(), Malformed> {
        for _ in 0..self.reader.varlen()? {
            let subject = match self.reader.u8()? {
                1 => Subject::Record { id: self.text()?, kind: self.text()? },
                2 => Subject::Session { id: self.text()? },
                3 => Subject::Link { from: self.text()?, to: self.text()?, relation: self.text()? },
                _ => return Err(Malformed(WHAT)),
            };
            if state.subjects.last_key_value().is_some_and(|(last, _)| *last >= subject) {
                return Err(Malformed(WHAT));
            }
            state.touch(&subject);
            let mut last = None;
            for _ in 0..self.reader.varlen()? {
                let (name, text, stamp) = (self.text()?, self.text()?, self.stamp()?);
                let value = Json::parse(text.as_bytes()).map_err(|_| Malformed(WHAT))?;
                if last.as_ref().is_some_and(|last| *last >= name) || value.to_text() != text {
                    return Err(Malformed(WHAT));
                }
                state.touch(&subject).insert(name.clone(), Cell { value, stamp });
                state.note(stamp);
                last = Some(name);
            }
        }
        Ok(())
    }

    fn usages(&mut self, state: &mut State) -> Result<(), Malformed> {
        for _ in 0..self.reader.varlen()? {
            let (record, at) = (self.text()?, self.time()?);
            let usage = Usage { record, at, session: self.text()?, usage: self.text()?, id: self.text()? };
            if state.usages.last_key_value().is_some_and(|(last, _)| *last >= usage) {
                return Err(Malformed(WHAT));
            }
            let stamp = self.stamp()?;
            state.add_usage(usage, stamp);
        }
        Ok(())
    }

    fn feedback(&mut self, state: &mut State) -> Result<(), Malformed> {
        for _ in 0..self.reader.varlen()? {
            let created_at = self.time()?;
            let (query, entry_id, action) = (self.text()?, self.text()?, self.text()?);
            let feedback = Feedback { created_at, query, entry_id, action, id: self.text()? };
            if state.feedback.last_key_value().is_some_and(|(last, _)| *last >= feedback) {
                return Err(Malformed(WHAT));
            }
            let stamp = self.stamp()?;
            state.add_feedback(feedback, stamp);
        }
        Ok(())
    }

    fn writes(&mut self, state: &mut State) -> Result<(), Malformed> {
        for _ in 0..self.reader.varlen()? {
            let key = (self.text()?, self.text()?);
            let is_ordered = state.writes.last_key_value().is_none_or(|(last, _)| *last < key);
            if !is_ordered || self.stamps == Stamps::Left {
                return Err(Malformed(WHAT));
            }
            let stamp = self.stamp()?;
            state.writes.insert(key, stamp);
            state.note(stamp);
        }
        Ok(())
    }
}
