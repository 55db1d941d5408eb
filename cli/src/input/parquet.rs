//! Records from a Parquet file: each row is a record, each column a field.
//!
//! Lists become arrays, structs and maps become objects, timestamps become ISO 8601 strings, decimals become numbers.

use super::options::InputOptions;
use super::rows::{
    Demand, RowSender, TableCell, TableColumns, TableReader, date_of_days, json_of_f32, time_of_millis,
};
use anyhow::{Context, Result, ensure};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::data_type::Decimal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use snapseek::json::Json;
use std::fs::File;
use std::path::Path;

/// The rows of a file, in order.
pub struct ParquetRows {
    reader: SerializedFileReader<File>,
    columns: TableColumns,
    meanings: Vec<Meaning>,
}

/// The properties of a column's type that its values do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Nothing,
    /// A timestamp, with this many units per millisecond.
    Time(i64),
    /// A timestamp in milliseconds.
    Millis,
    Json,
    /// Bytes that are no text, even if they are valid UTF-8.
    Vector,
}

impl ParquetRows {
    /// Opens a file, and checks that its columns can be read.
    pub fn open(path: &Path, options: &InputOptions) -> Result<ParquetRows> {
        let reader = SerializedFileReader::new(File::open(path)?).context("it is not a Parquet file")?;
        let schema = reader.metadata().file_metadata().schema();
        check(schema)?;
        let names = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        let columns = TableColumns::new(names, options.id.as_deref(), None, &options.vector_columns)?;
        let meanings =
            schema.get_fields().iter().enumerate().map(|(place, field)| {
                if columns.is_vector(place) { Meaning::Vector } else { meaning(field) }
            });
        let meanings = meanings.collect();
        Ok(ParquetRows { reader, columns, meanings })
    }

    fn count(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }
}

/// Refuses columns of types that the reader cannot convert.
fn check(column: &Type) -> Result<()> {
    let is_read = column.get_basic_info().converted_type() != ConvertedType::INTERVAL;
    ensure!(is_read, "column \"{}\" holds intervals, which cannot be read; leave it out", column.name());
    if column.is_group() {
        column.get_fields().iter().try_for_each(|inner| check(inner))?;
    }
    Ok(())
}

fn meaning(column: &Type) -> Meaning {
    let info = column.get_basic_info();
    if column.is_group() {
        return Meaning::Nothing;
    }
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::Timestamp(stamp)), _) => match stamp.unit {
            TimeUnit::MILLIS => Meaning::Millis,
            TimeUnit::MICROS => Meaning::Time(1000),
            TimeUnit::NANOS => Meaning::Time(1_000_000),
        },
        (_, ConvertedType::JSON) => Meaning::Json,
        _ => Meaning::Nothing,
    }
}

impl TableReader for ParquetRows {
    /// The uncompressed length.
    fn len(&self) -> Option<u64> {
        let groups = self.reader.metadata().row_groups().iter();
        Some(groups.map(|group| u64::try_from(group.total_byte_size()).unwrap_or(0)).sum())
    }

    fn read(self: Box<Self>, rows: &mut RowSender) -> Result<()> {
        let len = self.len().and_then(|len| len.checked_div(self.count())).unwrap_or(0);
        let len = usize::try_from(len).unwrap_or(usize::MAX).max(1);
        let ParquetRows { reader, columns, meanings } = *self;
        for row in RowIter::from_file_into(Box::new(reader)) {
            let record = cells(row?, &meanings).and_then(|cells| columns.record(cells));
            if rows.send(len, record) == Demand::Enough {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn cells(row: Row, meanings: &[Meaning]) -> Result<Vec<TableCell>, String> {
    let columns = row.into_columns().into_iter().zip(meanings);
    let cells = columns.map(|((name, field), meaning)| {
        cell(field, *meaning).map_err(|reason| format!("column \"{name}\": {reason}"))
    });
    cells.collect()
}

fn cell(field: Field, meaning: Meaning) -> Result<TableCell, String> {
    Ok(match (field, meaning) {
        (Field::Long(number), Meaning::Time(per_milli)) => {
            TableCell::Value(time_of_millis(number.div_euclid(per_milli)))
        }
        (Field::Long(millis), Meaning::Millis) => TableCell::Value(time_of_millis(millis)),
        (Field::Str(text), Meaning::Json) => {
            let parsed = Json::parse(text.as_bytes());
            TableCell::Value(parsed.unwrap_or(Json::String(text)))
        }
        (Field::Bytes(bytes), Meaning::Vector) => TableCell::Bytes(bytes.data().to_vec()),
        // Old writers do not mark which bytes are text.
        (Field::Bytes(bytes), _) => match std::str::from_utf8(bytes.data()) {
            Ok(text) if !text.contains('\0') => TableCell::Value(Json::String(text.to_owned())),
            _ => TableCell::Bytes(bytes.data().to_vec()),
        },
        (field, _) => TableCell::Value(json_of(&field)?),
    })
}

fn json_of(field: &Field) -> Result<Json, String> {
    Ok(match field {
        Field::Null => Json::Null,
        Field::Bool(value) => Json::Bool(*value),
        Field::Byte(number) => Json::Integer((*number).into()),
        Field::Short(number) => Json::Integer((*number).into()),
        Field::Int(number) => Json::Integer((*number).into()),
        Field::Long(number) => Json::Integer(*number),
        Field::UByte(number) => Json::Integer((*number).into()),
        Field::UShort(number) => Json::Integer((*number).into()),
        Field::UInt(number) => Json::Integer((*number).into()),
        Field::ULong(number) => i64::try_from(*number).map_or(Json::Float(*number as f64), Json::Integer),
        Field::Float16(number) => finite(f64::from(number.to_f32()), Json::from_f64)?,
        Field::Float(number) => finite(f64::from(*number), |_| json_of_f32(*number))?,
        Field::Double(number) => finite(*number, Json::from_f64)?,
        Field::Decimal(number) => decimal(number)?,
        Field::Str(text) => Json::String(text.clone()),
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => Json::String(text.to_owned()),
            Err(_) => Json::Null,
        },
        Field::Date(days) => {
            let days = i64::from(*days);
            date_of_days(days).map_or(Json::Integer(days * 86_400_000), Json::String)
        }
        Field::TimeMillis(millis) => Json::Integer((*millis).into()),
        Field::TimeMicros(micros) => Json::Integer(micros / 1000),
        Field::TimestampMillis(millis) => time_of_millis(*millis),
        Field::TimestampMicros(micros) => time_of_millis(micros.div_euclid(1000)),
        Field::Group(row) => {
            let entries = row.get_column_iter().map(|(name, field)| Ok((name.clone(), json_of(field)?)));
            Json::Object(entries.collect::<Result<_, String>>()?)
        }
        Field::ListInternal(list) => {
            Json::Array(list.elements().iter().map(json_of).collect::<Result<_, String>>()?)
        }
        Field::MapInternal(map) => {
            let entries = map.entries().iter().map(|(key, value)| {
                let key = json_of(key)?;
                let key = key.as_str().map_or_else(|| key.to_text(), str::to_owned);
                Ok((key, json_of(value)?))
            });
            Json::Object(entries.collect::<Result<_, String>>()?)
        }
    })
}

/// Converts a number to JSON. NaN becomes null, which is an absent value; JSON has no infinities, so they are errors.
fn finite(number: f64, json: impl Fn(f64) -> Json) -> Result<Json, String> {
    if number.is_nan() {
        return Ok(Json::Null);
    }
    if number.is_infinite() {
        return Err("the number is infinite".to_owned());
    }
    Ok(json(number))
}

/// Returns the number nearest to a decimal.
fn decimal(number: &Decimal) -> Result<Json, String> {
    let bytes = number.data();
    let scale = u32::try_from(number.scale()).map_err(|_| "the decimal has a negative scale".to_owned())?;
    if bytes.is_empty() || bytes.len() > 16 {
        return Err(format!("a decimal of {} bytes is too large", bytes.len()));
    }
    // The bytes are big-endian and of any length; the sign extends them.
    let sign = if bytes[0] & 0x80 == 0 { 0 } else { 0xff };
    let mut whole = [sign; 16];
    whole[16 - bytes.len()..].copy_from_slice(bytes);
    let text = format!("{}e-{scale}", i128::from_be_bytes(whole));
    let parsed = text.parse::<f64>().map_err(|_| "the decimal is not a number".to_owned())?;
    Ok(Json::from_f64(parsed))
}
