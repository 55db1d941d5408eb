//! How are the values of one attribute stored for all documents of a segment?
//!
//! ```text
//! keyword, keywords: u32 strings · u32 string offset × (strings + 1) · string bytes · codes
//! bool:              codes (1 false, 2 true)
//! number, time:      u8 1 · f64 minimum · codes (value − minimum + 1), if all values are integers in a small range
//!                    u8 0 · presence bitmap, 1 bit per document · f64 × documents, otherwise
//! codes:             keywords: u32 first code × (documents + 1) · u8 bits per code · packed codes
//!                    others:   u8 bits per code · packed codes, one per document; 0 means no value
//! ```

use super::{AttributeType, time_of};
use crate::bits::{self, BitWriter, width_of};
use crate::codes::Codes;
use crate::json::Json;
use crate::order::sort;
use crate::wire::{Malformed, Reader, len32, u32_at};

/// Collects the values of one attribute, in row order. [`ColumnView`] reads the encoded column.
#[derive(Clone, Debug)]
pub struct ColumnWriter {
    kind: AttributeType,
    values: ColumnValues,
}

#[derive(Clone, Debug)]
enum ColumnValues {
    Strings(Vec<Vec<String>>),
    Numbers(Vec<Option<f64>>),
    Bools(Vec<Option<bool>>),
}

/// Integers are packed when their maximum minus their minimum is below this, which keeps codes within 31 bits.
const PACKED_SPAN: f64 = 2_147_483_000.0;

impl ColumnWriter {
    /// Creates an empty column for an attribute of type `kind`.
    pub fn new(kind: AttributeType) -> ColumnWriter {
        let values = match kind {
            AttributeType::Keyword | AttributeType::Keywords => ColumnValues::Strings(Vec::new()),
            AttributeType::Number | AttributeType::Time => ColumnValues::Numbers(Vec::new()),
            AttributeType::Bool => ColumnValues::Bools(Vec::new()),
        };
        ColumnWriter { kind, values }
    }

    /// Returns the attribute's type.
    pub fn kind(&self) -> AttributeType {
        self.kind
    }

    /// Appends the value of the next document; a JSON null counts as no value.
    ///
    /// Returns false and appends nothing when the value has the wrong type.
    #[must_use]
    pub fn push(&mut self, value: Option<&Json>) -> bool {
        let value = value.filter(|value| **value != Json::Null);
        match (&mut self.values, value) {
            (ColumnValues::Strings(values), value) => match strings_of(value, self.kind) {
                Some(strings) => values.push(strings),
                None => return false,
            },
            (ColumnValues::Numbers(values), None) => values.push(None),
            (ColumnValues::Numbers(values), Some(value)) => {
                let number = if self.kind == AttributeType::Time { time_of(value) } else { value.as_f64() };
                if number.is_none() {
                    return false;
                }
                values.push(number);
            }
            (ColumnValues::Bools(values), None) => values.push(None),
            (ColumnValues::Bools(values), Some(Json::Bool(value))) => values.push(Some(*value)),
            (ColumnValues::Bools(_), Some(_)) => return false,
        }
        true
    }

    /// Appends the value that `document` has in `column`, which must have the same type.
    pub fn push_from(&mut self, column: &ColumnView, document: usize) {
        match &mut self.values {
            ColumnValues::Strings(values) => {
                values.push(column.strings(document).map(str::to_owned).collect::<Vec<_>>())
            }
            ColumnValues::Numbers(values) => values.push(column.number(document)),
            ColumnValues::Bools(values) => values.push(column.bool(document)),
        }
    }

    /// Appends the value that `document` has in another writer of the same type.
    pub fn push_from_writer(&mut self, other: &ColumnWriter, document: usize) {
        match (&mut self.values, &other.values) {
            (ColumnValues::Strings(to), ColumnValues::Strings(from)) => to.push(from[document].clone()),
            (ColumnValues::Numbers(to), ColumnValues::Numbers(from)) => to.push(from[document]),
            (ColumnValues::Bools(to), ColumnValues::Bools(from)) => to.push(from[document]),
            _ => unreachable!("columns of one schema have the same types"),
        }
    }

    /// Encodes the column, and returns also the length of its strings, which come first.
    pub(super) fn encode(&self) -> (Vec<u8>, usize) {
        match &self.values {
            ColumnValues::Strings(values) => encode_strings(values, self.kind),
            ColumnValues::Numbers(values) => (encode_numbers(values), 0),
            ColumnValues::Bools(values) => {
                let mut out = Vec::new();
                let code = |value: &Option<bool>| value.map_or(0, |value| 1 + u32::from(value));
                put_codes(&values.iter().map(code).collect::<Vec<_>>(), &mut out);
                (out, 0)
            }
        }
    }
}

pub(super) fn strings_of(value: Option<&Json>, kind: AttributeType) -> Option<Vec<String>> {
    let scalar = |value: &Json| match value {
        Json::String(text) => Some(text.clone()),
        Json::Integer(_) | Json::Float(_) | Json::Bool(_) => Some(value.to_text()),
        _ => None,
    };
    match value {
        None => Some(Vec::new()),
        Some(Json::Array(values)) if kind == AttributeType::Keywords => {
            // Keep each string once: filters and counts only ask whether a document has it.
            let mut distinct = Vec::with_capacity(values.len());
            for value in values {
                let text = scalar(value)?;
                if !distinct.contains(&text) {
                    distinct.push(text);
                }
            }
            Some(distinct)
        }
        Some(value) => scalar(value).map(|text| vec![text]),
    }
}

fn encode_strings(values: &[Vec<String>], kind: AttributeType) -> (Vec<u8>, usize) {
    let mut distinct = values.iter().flatten().map(String::as_str).collect::<Vec<_>>();
    sort(&mut distinct);
    distinct.dedup();
    let mut out = len32(distinct.len()).to_le_bytes().to_vec();
    let mut end = 0;
    out.extend_from_slice(&0u32.to_le_bytes());
    for text in &distinct {
        end += text.len();
        out.extend_from_slice(&len32(end).to_le_bytes());
    }
    distinct.iter().for_each(|text| out.extend_from_slice(text.as_bytes()));
    let strings_len = out.len();
    let code = |text: &String| 1 + len32(distinct.partition_point(|known| *known < text.as_str()));
    if kind == AttributeType::Keywords {
        let mut first = 0;
        out.extend_from_slice(&0u32.to_le_bytes());
        for strings in values {
            first += strings.len();
            out.extend_from_slice(&len32(first).to_le_bytes());
        }
        put_codes(&values.iter().flatten().map(code).collect::<Vec<_>>(), &mut out);
    } else {
        put_codes(
            &values.iter().map(|strings| strings.first().map_or(0, code)).collect::<Vec<_>>(),
            &mut out,
        );
    }
    (out, strings_len)
}

fn encode_numbers(values: &[Option<f64>]) -> Vec<u8> {
    let present = values.iter().flatten();
    let least = present.clone().copied().fold(f64::INFINITY, f64::min);
    let most = present.clone().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_whole = present.clone().all(|number| number.fract() == 0.0 && number.abs() < 9e15);
    // Adding 0.0 turns −0.0 into 0.0. The two compare equal, so they must encode to the same bytes.
    if is_whole && most - least < PACKED_SPAN || most < least {
        let least = if most < least { 0.0 } else { least + 0.0 };
        let mut out = vec![1];
        out.extend_from_slice(&least.to_le_bytes());
        let code = |number: f64| (number - least) as u32 + 1;
        put_codes(&values.iter().map(|value| value.map_or(0, code)).collect::<Vec<_>>(), &mut out);
        return out;
    }
    let mut out = vec![0];
    let mut presence = BitWriter::new(&mut out);
    values.iter().for_each(|value| presence.put(&[u32::from(value.is_some())], 1));
    presence.finish();
    values.iter().for_each(|value| out.extend_from_slice(&(value.unwrap_or(0.0) + 0.0).to_le_bytes()));
    out
}

fn put_codes(codes: &[u32], out: &mut Vec<u8>) {
    // The bitwise OR of all codes is as wide as the widest code.
    let width = width_of(codes.iter().fold(0, |bits, code| bits | code));
    out.push(width.to_le_bytes()[0]);
    let mut writer = BitWriter::new(out);
    writer.put(codes, width);
    writer.finish();
}

/// Reads one encoded attribute column; [`ColumnWriter`] writes it.
#[derive(Clone, Copy, Debug)]
pub struct ColumnView<'a> {
    pub(super) kind: AttributeType,
    strings: Strings<'a>,
    /// For `keywords` columns only: the index of each document's first code, one u32 per document and a final one.
    firsts: &'a [u8],
    pub(super) numbers: NumberEncoding<'a>,
    pub(super) codes: Codes<'a>,
}

#[derive(Clone, Copy, Debug)]
struct Strings<'a> {
    count: usize,
    offsets: &'a [u8],
    bytes: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(super) enum NumberEncoding<'a> {
    Packed(f64),
    Plain { presence: &'a [u8], values: &'a [u8] },
}

const WHAT: &str = "an attribute";

impl<'a> ColumnView<'a> {
    pub(super) fn parse(
        kind: AttributeType,
        bytes: &'a [u8],
        documents: usize,
    ) -> Result<ColumnView<'a>, Malformed> {
        let mut reader = Reader::new(bytes, WHAT);
        let mut view = ColumnView {
            kind,
            strings: Strings { count: 0, offsets: &[], bytes: &[] },
            firsts: &[],
            numbers: NumberEncoding::Packed(0.0),
            codes: Codes::new(&[], 0),
        };
        let words = |count: usize| count.checked_mul(4).ok_or(Malformed(WHAT));
        let mut code_count = documents;
        match kind {
            AttributeType::Keyword | AttributeType::Keywords => {
                let count = reader.len32()?;
                let offsets = reader.take(words(count.checked_add(1).ok_or(Malformed(WHAT))?)?)?;
                let end = u32_at(offsets, count).ok_or(Malformed(WHAT))? as usize;
                view.strings = Strings { count, offsets, bytes: reader.take(end)? };
                if kind == AttributeType::Keywords {
                    view.firsts = reader.take(words(documents + 1)?)?;
                    code_count = u32_at(view.firsts, documents).ok_or(Malformed(WHAT))? as usize;
                }
            }
            AttributeType::Number | AttributeType::Time => match reader.u8()? {
                1 => view.numbers = NumberEncoding::Packed(reader.f64()?),
                0 => {
                    let presence = reader.take(documents.div_ceil(8))?;
                    let values = reader.take(documents.checked_mul(8).ok_or(Malformed(WHAT))?)?;
                    view.numbers = NumberEncoding::Plain { presence, values };
                    return view.when_done(&reader);
                }
                _ => return Err(Malformed(WHAT)),
            },
            AttributeType::Bool => {}
        }
        let width = u32::from(reader.u8()?);
        if width > bits::MAX_WIDTH {
            return Err(Malformed(WHAT));
        }
        let bits = code_count.checked_mul(width as usize).ok_or(Malformed(WHAT))?;
        view.codes = Codes::new(reader.take(bits.div_ceil(8))?, width);
        view.when_done(&reader)
    }

    fn when_done(self, reader: &Reader) -> Result<ColumnView<'a>, Malformed> {
        if reader.remaining() == 0 { Ok(self) } else { Err(Malformed(WHAT)) }
    }

    /// Returns whether the string offsets and the first-code table are sorted, so that no range in them is negative.
    ///
    /// The check reads both tables completely. It runs once per opened file.
    pub fn is_ordered(&self) -> bool {
        let numbers = |bytes: &'a [u8]| bytes.as_chunks().0.iter().map(|chunk| u32::from_le_bytes(*chunk));
        numbers(self.strings.offsets).is_sorted() && numbers(self.firsts).is_sorted()
    }

    /// Returns the attribute's type.
    pub fn kind(&self) -> AttributeType {
        self.kind
    }

    /// Returns the length of the encoded strings, which come before everything else; 0 for a column without strings.
    pub(super) fn strings_len(&self) -> usize {
        match self.kind {
            AttributeType::Keyword | AttributeType::Keywords => {
                4 + self.strings.offsets.len() + self.strings.bytes.len()
            }
            AttributeType::Number | AttributeType::Bool | AttributeType::Time => 0,
        }
    }

    /// Returns the number of distinct strings. They are sorted, and a string's code is its index, counted from 0.
    pub fn string_count(&self) -> usize {
        self.strings.count
    }

    /// Returns the string with this code, or `None` if the code is out of range.
    pub fn string(&self, code: usize) -> Option<&'a str> {
        let start = u32_at(self.strings.offsets, code)? as usize;
        let end = u32_at(self.strings.offsets, code + 1)? as usize;
        std::str::from_utf8(self.strings.bytes.get(start..end)?).ok()
    }

    /// Returns the code of a string, or `None` if no document has it.
    pub fn code_of(&self, text: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.strings.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.string(middle)? < text { low = middle + 1 } else { high = middle }
        }
        Some(low).filter(|&code| self.string(code) == Some(text))
    }

    /// Returns the codes of a document's strings.
    pub fn codes(&self, document: usize) -> impl Iterator<Item = usize> + use<'a> {
        let codes = self.codes;
        let (first, end) = if self.kind == AttributeType::Keywords {
            let at = |place| u32_at(self.firsts, place).unwrap_or(0) as usize;
            (at(document), at(document + 1))
        } else {
            (document, document + 1)
        };
        (first..end.min(codes.count())).filter_map(move |place| (codes.get(place) as usize).checked_sub(1))
    }

    /// Returns a document's strings.
    pub fn strings(&self, document: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let view = *self;
        self.codes(document).filter_map(move |code| view.string(code))
    }

    /// Returns a document's number, or its time in milliseconds since 1970.
    pub fn number(&self, document: usize) -> Option<f64> {
        match self.numbers {
            NumberEncoding::Packed(least) => {
                self.codes.get(document).checked_sub(1).map(|offset| least + f64::from(offset))
            }
            NumberEncoding::Plain { presence, values } => {
                let chunk = values.get(document.checked_mul(8)?..)?.first_chunk()?;
                (bits::get(presence, document, 1) == 1).then(|| f64::from_le_bytes(*chunk))
            }
        }
    }

    /// Returns a document's boolean.
    pub fn bool(&self, document: usize) -> Option<bool> {
        match self.codes.get(document) {
            1 => Some(false),
            2 => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{encode, parse};
    use super::*;

    fn section(kind: AttributeType, values: &[&str]) -> Vec<u8> {
        let mut writer = ColumnWriter::new(kind);
        for value in values {
            assert!(writer.push(Some(&Json::parse(value.as_bytes()).unwrap())), "{value}");
        }
        encode(&[writer], values.len())
    }

    fn parsed(bytes: &[u8]) -> ColumnView<'_> {
        let documents = u32_at(bytes, 0).unwrap() as usize;
        assert!(parse(bytes, documents + 1).is_err());
        parse(bytes, documents).unwrap()[0]
    }

    #[test]
    fn strings_come_back_and_are_found_by_code() {
        let bytes =
            section(AttributeType::Keywords, &[r#"["b","a","b"]"#, "[]", r#""c""#, "null", r#"["a"]"#]);
        let column = parsed(&bytes);
        let strings = |document| column.strings(document).collect::<Vec<_>>();
        assert_eq!(
            [strings(0), strings(1), strings(2), strings(3), strings(4)],
            [vec!["b", "a"], vec![], vec!["c"], vec![], vec!["a"]]
        );
        assert_eq!((column.code_of("b"), column.code_of("x")), (Some(1), None));
        let bytes = section(AttributeType::Keyword, &[r#""web""#, "null", "7"]);
        let column = parsed(&bytes);
        assert_eq!(column.strings(2).collect::<Vec<_>>(), ["7"]);
        assert_eq!(column.strings(1).count(), 0);
    }

    #[test]
    fn numbers_come_back_packed_or_plain() {
        for values in
            [["5", "-3", "null", "1000000"], ["0.5", "1e300", "null", "-7"], ["null", "null", "null", "null"]]
        {
            let bytes = section(AttributeType::Number, &values);
            let column = parsed(&bytes);
            for (document, value) in values.iter().enumerate() {
                assert_eq!(column.number(document), value.parse().ok(), "{values:?}");
            }
        }
    }

    #[test]
    fn booleans_come_back() {
        let bytes = section(AttributeType::Bool, &["true", "null", "false"]);
        let column = parsed(&bytes);
        assert_eq!([column.bool(0), column.bool(1), column.bool(2)], [Some(true), None, Some(false)]);
    }

    #[test]
    fn values_of_the_wrong_type_are_not_taken() {
        let wrong = [
            (AttributeType::Keyword, "[\"a\"]"),
            (AttributeType::Keywords, "{}"),
            (AttributeType::Number, "\"5\""),
            (AttributeType::Bool, "1"),
            (AttributeType::Time, "\"soon\""),
        ];
        for (kind, value) in wrong {
            assert!(!ColumnWriter::new(kind).push(Some(&Json::parse(value.as_bytes()).unwrap())), "{value}");
        }
    }

    #[test]
    fn strings_and_codes_that_overlap_are_out_of_order() {
        let bytes = section(AttributeType::Keywords, &[r#"["b","a"]"#, r#"["a"]"#]);
        assert!(parsed(&bytes).is_ordered());
        // u32 documents · u32 columns · u8 type · u32 length · u32 length · u32 strings · offsets 0 1 2 · two letters · first codes
        for at in [25, 39] {
            let mut bytes = bytes.clone();
            bytes[at] = 4;
            assert!(!parsed(&bytes).is_ordered(), "byte {at}");
        }
    }

    #[test]
    fn truncated_columns_are_errors() {
        for (kind, values) in [
            (AttributeType::Keywords, ["[\"a\",\"b\"]", "\"c\""]),
            (AttributeType::Number, ["0.5", "7"]),
            (AttributeType::Bool, ["true", "false"]),
        ] {
            let bytes = section(kind, &values);
            for len in 5..bytes.len() {
                assert!(parse(&bytes[..len], values.len()).is_err(), "accepted {len} bytes of {kind:?}");
            }
        }
    }
}
