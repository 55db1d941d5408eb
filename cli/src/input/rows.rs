//! How do the rows of a table become records? The shared part of databases and Parquet files.
//!
//! A thread of its own reads the rows, and waits while the queue is full.

use super::chunk::Row;
use super::fts5::Fts5Table;
use anyhow::{Result, anyhow, bail};
use snapseek::document::GROUP;
use snapseek::json::Json;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// The number of row groups that the queue holds.
const WAITING_GROUPS: usize = 4;

/// A table that is open.
pub trait TableReader: Send {
    /// The length of all rows in bytes, in the unit of [`RowSender::send`]; `None` if it is unknown.
    fn len(&self) -> Option<u64>;

    /// The settings of the table, if it is one of FTS5.
    fn fts5_table(&self) -> Option<&Fts5Table> {
        None
    }

    /// Reads all rows and sends them, until the receiver has enough.
    fn read(self: Box<Self>, rows: &mut RowSender) -> Result<()>;
}

/// Sends rows from the reading thread.
pub struct RowSender {
    group: Vec<Row>,
    out: SyncSender<Vec<Row>>,
    count: u64,
}

/// Whether the receiver accepts more rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    More,
    Enough,
}

impl RowSender {
    /// Sends the next row: its fields, or the fault in it.
    pub fn send(&mut self, len: usize, record: Result<Json, String>) -> Demand {
        self.count += 1;
        self.group.push(Row { number: self.count, len, record });
        if self.group.len() < GROUP { Demand::More } else { self.flush() }
    }

    fn flush(&mut self) -> Demand {
        let group = std::mem::take(&mut self.group);
        if self.out.send(group).is_ok() { Demand::More } else { Demand::Enough }
    }
}

/// Receives the rows of a table.
pub struct RowReader {
    name: Arc<str>,
    rows: Receiver<Vec<Row>>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl RowReader {
    /// Starts the reading thread.
    pub fn start(name: String, table: Box<dyn TableReader>) -> RowReader {
        let (out, rows) = sync_channel(WAITING_GROUPS);
        let thread = thread::spawn(move || {
            let mut sender = RowSender { group: Vec::new(), out, count: 0 };
            let read = table.read(&mut sender);
            // The rows before an error are valid.
            sender.flush();
            read
        });
        RowReader { name: name.into(), rows, thread: Some(thread) }
    }

    /// The name of the input.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the next rows, about `len` bytes; `None` at the end.
    pub fn next(&mut self, len: usize) -> Result<Option<Vec<Row>>> {
        let mut taken = Vec::new();
        let mut taken_len = 0;
        while taken_len < len {
            let Ok(group) = self.rows.recv() else { break };
            taken_len += group.iter().map(|row| row.len).sum::<usize>();
            taken.extend(group);
        }
        if !taken.is_empty() {
            return Ok(Some(taken));
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => bail!("{} cannot be read to the end; the file is damaged", self.name),
            Some(Ok(Err(error))) => Err(error.context(format!("{} cannot be read to the end", self.name))),
            Some(Ok(Ok(()))) | None => Ok(None),
        }
    }
}

/// A column of vectors, and the field that it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorColumn {
    pub column: String,
    pub field: String,
}

impl FromStr for VectorColumn {
    type Err = String;

    fn from_str(text: &str) -> Result<VectorColumn, String> {
        let (column, field) = text.split_once('=').unwrap_or((text, text));
        if column.is_empty() || field.is_empty() {
            return Err("it must be COLUMN, or COLUMN=FIELD".to_owned());
        }
        Ok(VectorColumn { column: column.to_owned(), field: field.to_owned() })
    }
}

/// The value of a cell.
#[derive(Debug)]
pub enum TableCell {
    Value(Json),
    Bytes(Vec<u8>),
}

/// How the columns of a table become fields.
#[derive(Debug)]
pub struct TableColumns {
    names: Vec<String>,
    /// The position of the id column.
    id: usize,
    vectors: Vec<VectorColumn>,
}

impl TableColumns {
    /// Takes the names of the columns. `id` names the id column; without it, the column "id" is taken, or else
    /// `fallback`.
    pub fn new(
        names: Vec<String>,
        id: Option<&str>,
        fallback: Option<usize>,
        vectors: &[VectorColumn],
    ) -> Result<TableColumns> {
        let find = |wanted: &str| {
            let exact = names.iter().position(|name| name == wanted);
            exact.or_else(|| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
        };
        let all = || names.join(", ");
        let id = match id {
            Some(id) => {
                find(id).ok_or_else(|| anyhow!("there is no column \"{id}\"; there are {}", all()))?
            }
            None => find("id")
                .or(fallback)
                .ok_or_else(|| anyhow!("there is no column \"id\"; pass --id with one of {}", all()))?,
        };
        let mut found = Vec::new();
        for vector in vectors {
            let column = find(&vector.column)
                .ok_or_else(|| anyhow!("there is no column \"{}\"; there are {}", vector.column, all()))?;
            // Use the spelling of the table.
            found.push(VectorColumn { column: names[column].clone(), field: vector.field.clone() });
        }
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                bail!("there are two columns \"{name}\"; rename one, with AS in a query");
            }
        }
        Ok(TableColumns { names, id, vectors: found })
    }

    /// Whether the column at this position holds vectors.
    pub fn is_vector(&self, place: usize) -> bool {
        self.vectors.iter().any(|vector| vector.column == self.names[place])
    }

    /// Converts a row to a record. Absent values, and bytes that are no vector, are left out.
    pub fn record(&self, cells: Vec<TableCell>) -> Result<Json, String> {
        let mut fields = Vec::with_capacity(cells.len() + 1);
        for (place, (name, cell)) in self.names.iter().zip(cells).enumerate() {
            if let Some(vector) = self.vectors.iter().find(|vector| vector.column == *name) {
                let value = vector_of(cell).map_err(|reason| format!("column \"{name}\": {reason}"))?;
                fields.extend(value.map(|value| (vector.field.clone(), value)));
                continue;
            }
            let value = match cell {
                TableCell::Value(Json::Null) | TableCell::Bytes(_) => continue,
                TableCell::Value(value) => value,
            };
            if place == self.id {
                fields.insert(0, ("id".to_owned(), value.clone()));
            }
            // The id is the first field already. A column named "id" that is not the id is dropped.
            if name != "id" && !(place == self.id && name.eq_ignore_ascii_case("id")) {
                fields.push((name.clone(), value));
            }
        }
        Ok(Json::Object(fields))
    }
}

/// Returns the vector in a cell; `None` if the cell is empty.
fn vector_of(cell: TableCell) -> Result<Option<Json>, String> {
    let value = match cell {
        TableCell::Bytes(bytes) => return vector_of_bytes(&bytes).map(Some),
        TableCell::Value(Json::Null) => return Ok(None),
        TableCell::Value(Json::String(text)) => Json::parse(text.as_bytes())
            .map_err(|_| "the text is not a JSON array of numbers, which a vector must be".to_owned())?,
        TableCell::Value(value) => value,
    };
    let is_vector = match &value {
        Json::Array(numbers) => !numbers.is_empty() && numbers.iter().all(|number| number.as_f64().is_some()),
        _ => false,
    };
    if is_vector { Ok(Some(value)) } else { Err(format!("{} is not a vector", value.kind())) }
}

fn vector_of_bytes(bytes: &[u8]) -> Result<Json, String> {
    if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes are not a vector of 32-bit floats", bytes.len()));
    }
    let numbers = bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let numbers = numbers.map(|number| number.is_finite().then(|| json_of_f32(number)));
    let numbers = numbers.collect::<Option<Vec<_>>>();
    numbers
        .map(Json::Array)
        .ok_or_else(|| "the vector contains a value that is not a finite number".to_owned())
}

/// Converts a number to the shortest decimal that reads back as the same `f32`.
pub fn json_of_f32(number: f32) -> Json {
    let exact = f64::from(number);
    let short = number.to_string().parse().unwrap_or(exact);
    // Rounding to `f64` and then to `f32` can end at a neighbouring number.
    Json::from_f64(if short as f32 == number { short } else { exact })
}

/// Formats a day as `2024-05-01`; `None` if its year does not have four digits.
pub fn date_of_days(days: i64) -> Option<String> {
    // Years start in March here, so that a leap day is the last day of its year.
    let days = days.checked_add(719_468)?;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + carry;
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Formats a moment as ISO 8601 in UTC, or as milliseconds since 1970 if its year does not have four digits.
pub fn time_of_millis(millis: i64) -> Json {
    const DAY: i64 = 86_400_000;
    let Some(date) = date_of_days(millis.div_euclid(DAY)) else { return Json::Integer(millis) };
    let of_day = millis.rem_euclid(DAY);
    let (seconds, millis) = (of_day / 1000, of_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = if millis == 0 { String::new() } else { format!(".{millis:03}") };
    Json::String(format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapseek::attributes::time_of;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn text(text: &str) -> TableCell {
        TableCell::Value(Json::String(text.to_owned()))
    }

    #[test]
    fn moments_are_written_as_the_library_reads_them() {
        let mut millis = -62_135_596_800_000_i64;
        while millis < 253_402_300_799_999 {
            assert_eq!(time_of(&time_of_millis(millis)), Some(millis as f64), "{millis}");
            millis += 86_399_999 * 357;
        }
        assert_eq!(time_of_millis(1_714_566_615_250).as_str(), Some("2024-05-01T12:30:15.250Z"));
        assert_eq!(time_of_millis(-1).as_str(), Some("1969-12-31T23:59:59.999Z"));
        assert_eq!(time_of_millis(i64::MAX), Json::Integer(i64::MAX));
        assert_eq!(date_of_days(19_782).as_deref(), Some("2024-02-29"));
        assert_eq!(date_of_days(i64::MAX), None);
    }

    #[test]
    fn floats_have_few_digits_and_keep_every_bit() {
        assert_eq!(json_of_f32(0.1).to_text(), "0.1");
        for bits in (0..0x7f80_0000_u32).step_by(99_991) {
            let number = f32::from_bits(bits);
            let read = json_of_f32(number).as_f64().unwrap() as f32;
            assert_eq!(read.to_bits(), bits, "{number}");
        }
    }

    #[test]
    fn the_id_is_the_named_column_or_the_one_called_id_or_the_fallback() {
        let record = |columns: &[&str], id, fallback| {
            let columns = TableColumns::new(names(columns), id, fallback, &[])?;
            let cells = columns.names.iter().map(|name| text(&format!("{name}!"))).collect();
            anyhow::Ok(columns.record(cells).unwrap().to_text())
        };
        assert_eq!(record(&["a", "id"], None, None).unwrap(), r#"{"id":"id!","a":"a!"}"#);
        assert_eq!(record(&["ID", "a"], None, None).unwrap(), r#"{"id":"ID!","a":"a!"}"#);
        assert_eq!(record(&["id", "a"], Some("a"), None).unwrap(), r#"{"id":"a!","a":"a!"}"#);
        assert_eq!(record(&["a", "b"], None, Some(1)).unwrap(), r#"{"id":"b!","a":"a!","b":"b!"}"#);
        let missing = record(&["a", "b"], None, None).unwrap_err().to_string();
        assert_eq!(missing, "there is no column \"id\"; pass --id with one of a, b");
        let unknown = record(&["a", "b"], Some("c"), None).unwrap_err().to_string();
        assert_eq!(unknown, "there is no column \"c\"; there are a, b");
        assert!(record(&["id", "a", "a"], None, None).unwrap_err().to_string().contains("two columns \"a\""));
    }

    #[test]
    fn vectors_are_bytes_or_json_and_nothing_else() {
        let vector = "v=minilm".parse::<VectorColumn>().unwrap();
        let columns = TableColumns::new(names(&["id", "v", "blob"]), None, None, &[vector]).unwrap();
        let record = |cell| {
            columns.record(vec![text("1"), cell, TableCell::Bytes(vec![1])]).map(|json| json.to_text())
        };
        let bytes = [1.5_f32, -0.1].iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(record(TableCell::Bytes(bytes)).unwrap(), r#"{"id":"1","minilm":[1.5,-0.1]}"#);
        assert_eq!(record(text("[1, 2.5]")).unwrap(), r#"{"id":"1","minilm":[1,2.5]}"#);
        assert_eq!(record(TableCell::Value(Json::Null)).unwrap(), r#"{"id":"1"}"#);
        let nan = f32::NAN.to_le_bytes().to_vec();
        for bad in [
            TableCell::Bytes(vec![0; 5]),
            TableCell::Bytes(vec![]),
            TableCell::Bytes(nan),
            text("x"),
            text("[\"a\"]"),
            text("{}"),
        ] {
            assert!(record(bad).unwrap_err().starts_with("column \"v\": "));
        }
    }
}
