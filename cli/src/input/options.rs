//! How are inputs read? The arguments about inputs.

use super::format::Format;
use super::rows::VectorColumn;
use super::split::FieldSplit;

/// The arguments about inputs.
#[derive(Debug, Default, clap::Args)]
pub struct InputOptions {
    /// Reads every INPUT in this format, whatever its name
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Cuts the text of this field into chunks of SIZE characters; each chunk becomes a record
    ///
    /// A chunk ends at a heading, a blank line, a line end, a sentence end or a word end, whichever fits best, and
    /// starts OVERLAP characters before the end of the previous chunk. It is a copy of its record with the id ID#0,
    /// ID#1 and so on, and with parentId, chunkIndex, charOffset and tokenCount. SIZE is 1 to 6000 [default: 1200],
    /// OVERLAP is 0 to 1000 and less than SIZE [default: 200, or a sixth of SIZE].
    ///
    /// Documents (Markdown, HTML, text) are always cut; "text:800:100" sets their sizes.
    #[arg(long, value_name = "FIELD[:SIZE[:OVERLAP]]")]
    pub chunk: Option<FieldSplit>,

    /// The table to read from a SQLite database [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub table: Option<String>,

    /// The SQL query whose rows to read from a SQLite database
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,

    /// The id column of a database or a Parquet file [default: "id", or the primary key of a table]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// A column of vectors: little-endian float32 blobs, or JSON arrays; FIELD renames it
    ///
    /// Other blobs are left out. Lists of floats in a Parquet file need no --vector-column.
    #[arg(long = "vector-column", value_name = "COLUMN[=FIELD]")]
    pub vector_columns: Vec<VectorColumn>,
}

impl InputOptions {
    /// Returns the name of a given option that only tables use.
    pub fn for_tables(&self) -> Option<&'static str> {
        let given = [
            ("--table", self.table.is_some()),
            ("--query", self.query.is_some()),
            ("--id", self.id.is_some()),
            ("--vector-column", !self.vector_columns.is_empty()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}
