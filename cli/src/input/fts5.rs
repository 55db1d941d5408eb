//! An FTS5 table: which of its settings can a snapshot adopt?
//!
//! The settings are in the statement that created the table, and in its configuration table. FTS5's own parser splits the
//! arguments at commas outside of quotes; `name = value` is a setting, and everything else a column.

use anyhow::{Context, Result, bail};
use rusqlite::{Connection, OptionalExtension};
use snapseek::analysis::Analyzer;
use snapseek::{Record, Schema};

/// The tokenizer of a table that names none.
const DEFAULT_TOKENIZER: &str = "unicode61";

/// The settings of an FTS5 table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fts5Table {
    name: String,
    /// The columns that are searched, with their weights.
    columns: Vec<(String, f64)>,
    tokenizer: String,
    has_prefixes: bool,
    /// The table that holds the texts, and its rowid; `None` if the FTS5 table holds them.
    content: Option<(String, String)>,
    /// Whether the table knows which rows it indexes.
    has_sizes: bool,
    /// The settings that a snapshot does not adopt, with the reasons.
    remarks: Vec<String>,
}

impl Fts5Table {
    /// Reads the settings of a table; `None` if it is no FTS5 table.
    ///
    /// # Errors
    /// When the table does not hold its texts.
    pub fn read(connection: &Connection, name: &str) -> Result<Option<Fts5Table>> {
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let created =
            connection.query_row(sql, [name], |row| row.get::<_, Option<String>>(0)).optional()?.flatten();
        let Some(arguments) = created.as_deref().and_then(fts5_arguments) else { return Ok(None) };
        let mut table = Fts5Table {
            name: name.to_owned(),
            columns: Vec::new(),
            tokenizer: DEFAULT_TOKENIZER.to_owned(),
            has_prefixes: false,
            content: None,
            has_sizes: true,
            remarks: Vec::new(),
        };
        let (mut content, mut rowid) = (None, "rowid".to_owned());
        let mut is_searched = Vec::new();
        for argument in split_arguments(arguments) {
            let Some((setting, value)) = setting(argument) else {
                is_searched.push(!argument.trim_end().to_ascii_lowercase().ends_with("unindexed"));
                continue;
            };
            match setting.as_str() {
                "tokenize" => table.adopt_tokenizer(value),
                "prefix" => table.has_prefixes = true,
                "content" if value.is_empty() => {
                    bail!(
                        "the table \"{name}\" has no texts (content=''); pass --table with the table that has them"
                    )
                }
                "content" => content = Some(value),
                "content_rowid" => rowid = value,
                "columnsize" => table.has_sizes = value != "0",
                "detail" if value.eq_ignore_ascii_case("full") => {}
                "detail" => table.remarks.push(format!(
                    "detail={value} is not adopted: the snapshot has positions, so phrases and NEAR work, too"
                )),
                other => table.remarks.push(format!("the setting {other}={value} is not adopted")),
            }
        }
        table.content = content.map(|content| (content, rowid));
        let names = column_names(connection, name)?;
        let weights = table.weights(connection)?;
        let searched =
            names.into_iter().zip(is_searched).enumerate().filter(|(_, (_, is_searched))| *is_searched);
        let weight = |place: usize| weights.get(place).copied().unwrap_or(1.0);
        table.columns = searched.map(|(place, (name, _))| (name, weight(place))).collect();
        Ok(Some(table))
    }

    fn adopt_tokenizer(&mut self, tokenizer: String) {
        match Analyzer::parse(&tokenizer) {
            Ok(_) => self.tokenizer = tokenizer,
            Err(error) => self.remarks.push(format!(
                "the tokenizer \"{tokenizer}\" is not adopted ({error}); {DEFAULT_TOKENIZER} is used instead"
            )),
        }
    }

    /// Returns the weights in the table's rank setting, such as `bm25(10.0, 5.0)`, one for each column.
    fn weights(&mut self, connection: &Connection) -> Result<Vec<f64>> {
        let sql = format!("SELECT v FROM {} WHERE k = 'rank'", quoted(&format!("{}_config", self.name)));
        let rank = connection.query_row(&sql, [], |row| row.get::<_, String>(0)).optional()?;
        let Some(rank) = rank else { return Ok(Vec::new()) };
        let arguments = rank.trim().strip_suffix(')').and_then(|rank| rank.split_once('('));
        let (function, arguments) = arguments.unwrap_or((&rank, ""));
        let weights = arguments.split(',').filter(|weight| !weight.trim().is_empty());
        let weights = weights.map(|weight| weight.trim().parse::<f64>()).collect::<Result<Vec<_>, _>>();
        match weights {
            Ok(weights) if function.trim().eq_ignore_ascii_case("bm25") => Ok(weights),
            _ => {
                self.remarks.push(format!("the rank function {rank} is not adopted; bm25 ranks instead"));
                Ok(Vec::new())
            }
        }
    }

    /// Returns the table that holds the texts, and a condition that only indexed rows fulfil.
    pub fn texts(&self) -> (&str, Option<String>) {
        let Some((content, rowid)) = &self.content else { return (&self.name, None) };
        let sizes = quoted(&format!("{}_docsize", self.name));
        let condition = self.has_sizes.then(|| format!("{} IN (SELECT id FROM {sizes})", quoted(rowid)));
        (content, condition)
    }

    /// Returns the column of the content table that is the rowid, if the table names one.
    pub fn id_column(&self) -> Option<&str> {
        self.content
            .as_ref()
            .map(|(_, rowid)| rowid.as_str())
            .filter(|rowid| !rowid.eq_ignore_ascii_case("rowid"))
    }

    /// Returns a schema with the table's columns, weights and tokenizer. The other columns become attributes if the sample
    /// shows a type that can be filtered.
    ///
    /// # Errors
    /// When a column's name cannot be used.
    pub fn schema(&self, sample: &[Record]) -> Result<Schema> {
        let fields = self.columns.iter().map(|(name, weight)| (name.as_str(), *weight));
        let schema =
            Schema::of_fields(fields).with_context(|| format!("\"{}\" cannot be adopted", self.name))?;
        let mut schema = schema.with_tokenizer(&self.tokenizer)?;
        if self.has_prefixes {
            schema = schema.with_forms();
        }
        let Ok(inferred) = Schema::infer(sample) else { return Ok(schema) };
        for (name, kind) in inferred.attributes() {
            let is_column = self.columns.iter().any(|(column, _)| column.eq_ignore_ascii_case(name));
            if !is_column {
                schema = schema.with_attribute(name, kind)?;
            }
        }
        Ok(schema)
    }

    /// Describes what a snapshot adopts of the table, and what it does not.
    pub fn notes(&self) -> Vec<String> {
        let columns = self.columns.iter().map(|(name, weight)| match weight {
            weight if weight.to_bits() == 1f64.to_bits() => name.clone(),
            weight => format!("{name} (weight {weight})"),
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let mut notes =
            vec![format!("adopted from \"{}\": columns {columns}; tokenizer {}", self.name, self.tokenizer)];
        if let Some((content, _)) = &self.content {
            notes.push(format!("texts and further columns come from its content table \"{content}\""));
        }
        if self.has_prefixes {
            let reason =
                "prefix queries need no prefix index; words are kept as written, for search as you type";
            notes.push(reason.to_owned());
        }
        notes.extend(self.remarks.iter().cloned());
        notes
    }
}

/// Quotes a name for SQL.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn column_names(connection: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<Vec<_>>>()?)
}

/// Returns the text between the brackets of `CREATE VIRTUAL TABLE x USING fts5(...)`.
fn fts5_arguments(sql: &str) -> Option<&str> {
    let (at, end) = (sql.find('(')?, sql.rfind(')')?);
    // The name of the table may contain brackets within quotes; the module is the word before the first bracket that
    // follows the word USING.
    let mut start = at;
    loop {
        let before = sql[..start].trim_end().to_ascii_lowercase();
        if before.ends_with("fts5") && before.contains("using") {
            return sql.get(start + 1..end);
        }
        start += 1 + sql[start + 1..end].find('(')?;
    }
}

/// Splits arguments at commas outside of quotes.
fn split_arguments(arguments: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, letter) in arguments.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '[') => quote = Some(']'),
            (Some(end), letter) if letter == end => quote = None,
            (None, ',') => {
                parts.push(arguments[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(arguments[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Splits `name = value`; `None` for a column.
fn setting(argument: &str) -> Option<(String, String)> {
    let (name, value) = argument.split_once('=')?;
    let name = name.trim();
    let is_word = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_word.then(|| (name.to_ascii_lowercase(), unquoted(value.trim())))
}

fn unquoted(value: &str) -> String {
    let mut letters = value.chars();
    match (letters.next(), letters.next_back()) {
        (Some(open @ ('\'' | '"' | '`')), Some(close)) if open == close => {
            letters.as_str().replace(&format!("{open}{open}"), &open.to_string())
        }
        (Some('['), Some(']')) => letters.as_str().to_owned(),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(sql: &str) -> Result<Option<Fts5Table>> {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(sql).unwrap();
        Fts5Table::read(&connection, "t")
    }

    #[test]
    fn settings_are_read_as_fts5_reads_them() {
        let sql = r#"CREATE VIRTUAL TABLE t USING FTS5("ti,tle", body, tag UNINDEXED, tokenize = "unicode61 tokenchars '-_'", prefix='2 3', content='co''nt', content_rowid=nr, detail=column);
            INSERT INTO t(t, rank) VALUES('rank', 'bm25(10.0, 5, 2)');"#;
        let found = table(sql).unwrap().unwrap();
        assert_eq!(found.columns, [("ti,tle".to_owned(), 10.0), ("body".to_owned(), 5.0)]);
        assert_eq!((found.tokenizer.as_str(), found.has_prefixes), ("unicode61 tokenchars '-_'", true));
        assert_eq!(found.texts(), ("co'nt", Some("\"nr\" IN (SELECT id FROM \"t_docsize\")".to_owned())));
        assert_eq!(found.id_column(), Some("nr"));
        assert!(found.notes().iter().any(|note| note.starts_with("detail=column is not adopted")));
    }

    #[test]
    fn settings_that_cannot_be_adopted_are_said() {
        let found = table("CREATE VIRTUAL TABLE t USING fts5(a, tokenize=trigram)").unwrap().unwrap();
        assert_eq!(found.tokenizer, "unicode61");
        assert!(
            found.notes()[1].starts_with("the tokenizer \"trigram\" is not adopted"),
            "{:?}",
            found.notes()
        );
        let bare = table("CREATE VIRTUAL TABLE t USING fts5(a, content='')").unwrap_err().to_string();
        assert!(bare.contains("has no texts"), "{bare}");
        assert_eq!(table("CREATE TABLE t (a, b)").unwrap(), None);
    }
}
