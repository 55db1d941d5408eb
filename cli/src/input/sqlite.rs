//! Records from a SQLite database: the rows of a table, or of a query.

use super::fts5::{Fts5Table, quoted};
use super::options::InputOptions;
use super::rows::{Demand, RowSender, TableCell, TableColumns, TableReader};
use anyhow::{Context, Result, bail, ensure};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Statement};
use snapseek::json::Json;
use std::path::Path;
use std::time::Duration;

/// How long to wait for a database that another process has locked.
const PATIENCE: Duration = Duration::from_secs(10);

/// The rows of a query, in order.
pub struct SqliteRows {
    connection: Connection,
    sql: String,
    columns: TableColumns,
    meanings: Vec<Meaning>,
    fts5: Option<Fts5Table>,
}

/// The properties of a column's declared type that its values do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Nothing,
    Bool,
    Json,
}

impl Meaning {
    fn of(declared: Option<&str>) -> Meaning {
        match declared.map(str::to_ascii_lowercase).as_deref() {
            Some("bool" | "boolean") => Meaning::Bool,
            Some("json" | "jsonb") => Meaning::Json,
            _ => Meaning::Nothing,
        }
    }
}

impl SqliteRows {
    /// Opens a database, and checks that the table or query exists.
    pub fn open(path: &Path, options: &InputOptions) -> Result<SqliteRows> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let mut fts5 = None;
        let (sql, fallback) = match (&options.query, &options.table) {
            (Some(query), _) => (query.clone(), None),
            (None, table) => {
                let table = chosen(&connection, table.as_deref())?;
                fts5 = Fts5Table::read(&connection, &table)?;
                let (texts, condition) = fts5.as_ref().map_or((table.as_str(), None), Fts5Table::texts);
                let (sql, fallback) =
                    selection(&connection, texts, condition.as_deref(), options.id.as_deref())?;
                let id_column = fts5.as_ref().and_then(Fts5Table::id_column).map(str::to_owned);
                (sql, fallback.or(id_column))
            }
        };
        let (columns, meanings) = {
            let statement = prepare(&connection, &sql)?;
            let names = statement.column_names().map(str::to_owned).collect::<Vec<_>>();
            let fallback = fallback.and_then(|fallback| names.iter().position(|name| *name == fallback));
            let columns = TableColumns::new(names, options.id.as_deref(), fallback, &options.vector_columns)?;
            let meanings = statement.columns().map(|column| Meaning::of(column.decl_type())).collect();
            (columns, meanings)
        };
        Ok(SqliteRows { connection, sql, columns, meanings, fts5 })
    }
}

fn prepare<'a>(connection: &'a Connection, sql: &str) -> Result<Statement<'a>> {
    let statement = connection.prepare(sql).map_err(|error| match error {
        rusqlite::Error::SqlInputError { msg, .. } => anyhow::anyhow!("the query cannot be used: {msg}"),
        rusqlite::Error::MultipleStatement => anyhow::anyhow!("the query must be one statement"),
        other => other.into(),
    })?;
    ensure!(
        statement.readonly() && statement.column_count() > 0,
        "the query must be a SELECT; build only reads databases"
    );
    Ok(statement)
}

/// Returns the name of the table to read.
fn chosen(connection: &Connection, named: Option<&str>) -> Result<String> {
    // Leave out the tables of SQLite itself and of full-text indexes.
    let mut statement = connection.prepare(
        "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type != 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let found = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
    let all = || found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    ensure!(!found.is_empty(), "the database has no tables");
    if let Some(named) = named {
        let table = found.iter().find(|(name, _)| name.eq_ignore_ascii_case(named));
        let table = table.with_context(|| format!("there is no table \"{named}\"; there are {}", all()))?;
        return Ok(table.0.clone());
    }
    let mut tables = found.iter().filter(|(_, kind)| kind != "view");
    match (tables.next(), tables.next()) {
        (Some((only, _)), None) => Ok(only.clone()),
        _ => bail!("the database has several tables; pass --table with one of {}, or --query", all()),
    }
}

/// Returns a query for the rows of a table that fulfil a condition, in row order, and the primary key, which is the id if
/// no column is named "id".
fn selection(
    connection: &Connection,
    table: &str,
    condition: Option<&str>,
    id: Option<&str>,
) -> Result<(String, Option<String>)> {
    let quoted = quoted(table);
    let mut statement =
        connection.prepare("SELECT name, pk FROM pragma_table_info(?1) WHERE name IS NOT NULL")?;
    let columns =
        statement.query_map([table], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    let columns = columns.collect::<rusqlite::Result<Vec<_>>>()?;
    let key = columns.iter().filter(|(_, place)| *place > 0).collect::<Vec<_>>();
    // Views and tables WITHOUT ROWID have no rowid.
    let has_rowid = connection.prepare(&format!("SELECT rowid FROM {quoted}")).is_ok()
        && !connection.query_row(
            "SELECT type = 'view' OR wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1",
            [table],
            |row| row.get::<_, bool>(0),
        )?;
    let has_id = columns.iter().any(|(name, _)| name.eq_ignore_ascii_case("id"));
    let order = if has_rowid { " ORDER BY rowid" } else { "" };
    let (ids, fallback) = match key[..] {
        _ if has_id || id.is_some() => ("", None),
        [(only, _)] => ("", Some(only.clone())),
        _ if has_rowid => ("rowid AS id, ", None),
        _ => ("", None),
    };
    let condition = condition.map_or_else(String::new, |condition| format!(" WHERE {condition}"));
    Ok((format!("SELECT {ids}* FROM {quoted}{condition}{order}"), fallback))
}

impl TableReader for SqliteRows {
    fn len(&self) -> Option<u64> {
        None
    }

    fn fts5_table(&self) -> Option<&Fts5Table> {
        self.fts5.as_ref()
    }

    fn read(self: Box<Self>, rows: &mut RowSender) -> Result<()> {
        let mut statement = prepare(&self.connection, &self.sql)?;
        let count = statement.column_count();
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let mut len = 0;
            let cells = (0..count).map(|place| {
                let value = row.get_ref(place).map_err(|error| error.to_string())?;
                len += len_of(value);
                cell(value, self.meanings[place]).map_err(|reason| {
                    format!("column \"{}\": {reason}", row.as_ref().column_name(place).unwrap_or_default())
                })
            });
            let cells = cells.collect::<Result<Vec<_>, _>>();
            let record = cells.and_then(|cells| self.columns.record(cells));
            if rows.send(len, record) == Demand::Enough {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn len_of(value: ValueRef) -> usize {
    match value {
        ValueRef::Null => 1,
        ValueRef::Integer(_) | ValueRef::Real(_) => 8,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
    }
}

fn cell(value: ValueRef, meaning: Meaning) -> Result<TableCell, String> {
    Ok(TableCell::Value(match (value, meaning) {
        (ValueRef::Null, _) => Json::Null,
        (ValueRef::Integer(number @ (0 | 1)), Meaning::Bool) => Json::Bool(number == 1),
        (ValueRef::Integer(number), _) => Json::Integer(number),
        (ValueRef::Real(number), _) if !number.is_finite() => {
            return Err("the number is infinite".to_owned());
        }
        (ValueRef::Real(number), _) => Json::from_f64(number),
        (ValueRef::Blob(bytes), _) => return Ok(TableCell::Bytes(bytes.to_vec())),
        (ValueRef::Text(bytes), _) => {
            let text = std::str::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned())?;
            let parsed = (meaning == Meaning::Json).then(|| Json::parse(bytes).ok()).flatten();
            parsed.unwrap_or_else(|| Json::String(text.to_owned()))
        }
    }))
}
