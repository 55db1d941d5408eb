//! Which documents have a given value? Filters evaluate a whole column at once.

use super::column::NumberEncoding;
use super::{AttributeType, ColumnView};
use crate::bitmap::Bitmap;
use crate::codes::Codes;
use crate::wire::len32;
use std::cmp::Ordering;

impl ColumnView<'_> {
    /// Returns the documents below `len` that have at least one string whose code is in `wanted`.
    pub fn where_string(&self, len: usize, wanted: &Bitmap) -> Bitmap {
        if self.kind == AttributeType::Keywords {
            return Bitmap::where_true(len, |document| self.codes(document).any(|code| wanted.has(code)));
        }
        let first = wanted.iter().next().unwrap_or(0);
        match wanted.count() {
            0 => Bitmap::none(len),
            1 => self.codes.within(len, &(1 + len32(first)..2 + len32(first))),
            _ => self.codes.where_true(len, &|code| code > 0 && wanted.has(code as usize - 1)),
        }
    }

    /// Returns the documents below `len` whose number, or time in milliseconds, lies within a range.
    ///
    /// `place` compares a number with the range: `Less` is below it, `Equal` within it, `Greater` above it.
    pub fn where_number(&self, len: usize, place: impl Fn(f64) -> Ordering) -> Bitmap {
        match self.numbers {
            // Codes have the same order as the numbers they encode, so a range of numbers is a range of codes.
            NumberEncoding::Packed(least) => {
                let place_of = |code: u32| place(least + f64::from(code - 1));
                let start = self.codes.first_where(&|code| place_of(code) != Ordering::Less);
                let end = self.codes.first_where(&|code| place_of(code) == Ordering::Greater);
                self.codes.within(len, &(start..end))
            }
            NumberEncoding::Plain { presence, values } => {
                let (values, _) = values.as_chunks();
                let is_within = |value: &[u8; 8]| place(f64::from_le_bytes(*value)) == Ordering::Equal;
                let mut bitmap =
                    Bitmap::where_true(len, |document| values.get(document).is_some_and(is_within));
                bitmap.intersect(&Codes::new(presence, 1).within(len, &(1..2)));
                bitmap
            }
        }
    }

    /// Returns the documents below `len` that have a value.
    pub fn where_any(&self, len: usize) -> Bitmap {
        match (self.kind, self.numbers) {
            (AttributeType::Keywords, _) => {
                Bitmap::where_true(len, |document| self.codes(document).next().is_some())
            }
            (AttributeType::Bool, _) => self.codes.within(len, &(1..3)),
            (_, NumberEncoding::Plain { presence, .. }) => Codes::new(presence, 1).within(len, &(1..2)),
            (_, NumberEncoding::Packed(_)) => self.codes.within(len, &(1..u32::MAX)),
        }
    }

    /// Returns the documents below `len` whose boolean equals `wanted`.
    pub fn where_bool(&self, len: usize, wanted: bool) -> Bitmap {
        let code = 1 + u32::from(wanted);
        self.codes.within(len, &(code..code + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ColumnWriter, encode, parse};
    use super::*;
    use crate::json::Json;

    const KINDS: [AttributeType; 5] = [
        AttributeType::Keyword,
        AttributeType::Keywords,
        AttributeType::Number,
        AttributeType::Bool,
        AttributeType::Time,
    ];

    /// Returns a value out of `distinct` different ones; every seventh is null.
    fn value(kind: AttributeType, number: usize, distinct: usize, is_whole: bool) -> Json {
        let some = number * 40_503 % 65_536 % distinct;
        let text = match kind {
            _ if some.is_multiple_of(7) => "null".to_owned(),
            AttributeType::Keyword => format!("\"s{some}\""),
            AttributeType::Keywords => format!("[\"s{some}\",\"s{}\"]", number % distinct),
            AttributeType::Bool => some.is_multiple_of(3).to_string(),
            AttributeType::Number | AttributeType::Time if is_whole => format!("{}", some * 1000),
            AttributeType::Number | AttributeType::Time => format!("{some}.5"),
        };
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn all_at_once_give_what_each_document_says() {
        let shapes = [
            (0, 1, true),
            (3, 2, true),
            (1000, 3, false),
            (9000, 40, true),
            (9000, 5000, false),
            (9000, 9000, true),
        ];
        for (kind, (len, distinct, is_whole)) in
            KINDS.into_iter().flat_map(|kind| shapes.map(|shape| (kind, shape)))
        {
            let mut writer = ColumnWriter::new(kind);
            (0..len).for_each(|number| assert!(writer.push(Some(&value(kind, number, distinct, is_whole)))));
            let bytes = encode(&[writer], len);
            let column = parse(&bytes, len).unwrap()[0];
            let told = format!("{len} of {kind:?}, {distinct} distinct");
            let each = |test: &dyn Fn(usize) -> bool| Bitmap::where_true(len, test);
            for step in [1, 2, 1000, usize::MAX] {
                let wanted =
                    Bitmap::where_true(column.string_count(), |code| (code + 1).is_multiple_of(step));
                let naive = each(&|document| column.codes(document).any(|code| wanted.has(code)));
                assert_eq!(column.where_string(len, &wanted), naive, "{told}, every {step}");
            }
            for (least, most) in [(0.0, 0.0), (1.5, 2.5), (2000.0, 20_000.0), (5.0, 1.0), (-1.0, 1e9)] {
                let place = |number: f64| match number {
                    number if number < least => Ordering::Less,
                    number if number > most => Ordering::Greater,
                    _ => Ordering::Equal,
                };
                let naive =
                    each(&|document| column.number(document).is_some_and(|number| place(number).is_eq()));
                assert_eq!(column.where_number(len, place), naive, "{told}, {least} to {most}");
            }
            for wanted in [false, true] {
                let naive = each(&|document| column.bool(document) == Some(wanted));
                assert_eq!(column.where_bool(len, wanted), naive, "{told}, {wanted}");
            }
            let naive = each(&|document| match kind {
                AttributeType::Keyword | AttributeType::Keywords => column.codes(document).next().is_some(),
                AttributeType::Number | AttributeType::Time => column.number(document).is_some(),
                AttributeType::Bool => column.bool(document).is_some(),
            });
            assert_eq!(column.where_any(len), naive, "{told}");
        }
    }
}
