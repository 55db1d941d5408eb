//! How are inputs read? The part of the command line that says so.

use super::format::Format;
use super::rows::VectorColumn;
use super::split::Split;

/// What the command line says about inputs.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// Reads every INPUT as this, whatever its name
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Cuts the text of this field into chunks of SIZE characters; each is a record
    ///
    /// A chunk ends at a heading, a blank line, a line, a sentence or a word, whichever is best, and starts OVERLAP
    /// characters before the end of the one before. It is a copy of its record with the id ID#0, ID#1 and so on, and
    /// with parentId, chunkIndex, charOffset and tokenCount. SIZE is 1 to 6000 [default: 1200], OVERLAP 0 to 1000
    /// and less than SIZE [default: 200, or a sixth of SIZE].
    ///
    /// Documents (Markdown, HTML, text) are always cut; for them, "text:800:100" sets the sizes.
    #[arg(long, value_name = "FIELD[:SIZE[:OVERLAP]]")]
    pub chunk: Option<Split>,

    /// The table of a SQLite database to read [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub table: Option<String>,

    /// The query whose rows are read from a SQLite database
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,

    /// The column with the ids, in a database or a Parquet file [default: "id", or a table's key]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// A column of vectors: float32 blobs, little-endian, or JSON arrays; FIELD renames it
    ///
    /// Other blobs are left out. In a Parquet file, lists of floats need no mention.
    #[arg(long = "vector-column", value_name = "COLUMN[=FIELD]")]
    pub vector_columns: Vec<VectorColumn>,
}

impl Options {
    /// The options that only tables have a use for, where one is given.
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
