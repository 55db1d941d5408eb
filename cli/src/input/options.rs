//! How are inputs read? The arguments about inputs.

use super::address::Addresses;
use super::document::DocumentRules;
use super::format::Format;
use super::globs::PathGlob;
use super::html::HtmlRules;
use super::rows::VectorColumn;
use super::slug::SlugStyle;
use super::split::FieldSplit;
use scraper::Selector;

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
    ///
    /// An FTS5 table also sets the schema: its columns, tokenizer and weights, unless --schema or --preset is given.
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub table: Option<String>,

    /// The SQL query whose rows to read from a SQLite database
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,

    /// The field or column that is the id of a record [default: "id", or the primary key of a table]
    #[arg(long, value_name = "FIELD")]
    pub id: Option<String>,

    /// A column of vectors: little-endian float32 blobs, or JSON arrays; FIELD renames it
    ///
    /// Other blobs are left out. Lists of floats in a Parquet file need no --vector-column.
    #[arg(long = "vector-column", value_name = "COLUMN[=FIELD]")]
    pub vector_columns: Vec<VectorColumn>,

    #[command(flatten)]
    pub documents: DocumentOptions,
}

/// The arguments about documents.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Documents")]
pub struct DocumentOptions {
    /// The address of the folder: the start of every "url" [default: each page's canonical link, or /]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// Drops .html from addresses; index.html is always dropped
    #[arg(long)]
    pub clean_urls: bool,

    /// The generator that renders the Markdown: it decides anchors of headings without an id, and addresses
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    pub slugs: SlugStyle,

    /// Reads only the elements of HTML pages that match this CSS selector
    ///
    /// Without it, the elements with data-pagefind-body count, or else the main element, role="main" or articles, or else
    /// the part of the page with most of its text.
    #[arg(long, value_name = "CSS", value_parser = parse_selector)]
    pub root_selector: Option<Selector>,

    /// Leaves out the elements of HTML pages that match this CSS selector, beside navigation and the like
    #[arg(long, value_name = "CSS", value_parser = parse_selector)]
    pub exclude_selector: Vec<Selector>,

    /// Reads only files of a folder that match this pattern, such as 'guide/**' or '*.html'
    ///
    /// A pattern without / matches names at any depth, and everything in folders that it matches.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<PathGlob>,

    /// Leaves out files and folders of a folder that match this pattern
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<PathGlob>,
}

impl InputOptions {
    /// Returns the name of a given option that only tables use.
    pub fn for_tables(&self) -> Option<&'static str> {
        let given = [
            ("--table", self.table.is_some()),
            ("--query", self.query.is_some()),
            ("--vector-column", !self.vector_columns.is_empty()),
        ];
        first_given(&given)
    }
}

impl DocumentOptions {
    /// Returns the name of a given option that only documents use.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--base-url", self.base_url.is_some()),
            ("--clean-urls", self.clean_urls),
            ("--slugs", self.slugs != SlugStyle::default()),
            ("--root-selector", self.root_selector.is_some()),
            ("--exclude-selector", !self.exclude_selector.is_empty()),
            ("--include", !self.include.is_empty()),
            ("--exclude", !self.exclude.is_empty()),
        ];
        first_given(&given)
    }

    /// Returns the rules that these options set.
    pub fn rules(&self) -> DocumentRules {
        DocumentRules {
            html: HtmlRules { root: self.root_selector.clone(), excluded: self.exclude_selector.clone() },
            addresses: Addresses::new(self.base_url.as_deref(), self.clean_urls, self.slugs),
            slugs: self.slugs,
        }
    }
}

fn first_given(given: &[(&'static str, bool)]) -> Option<&'static str> {
    given.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name)
}

fn parse_selector(text: &str) -> Result<Selector, String> {
    Selector::parse(text).map_err(|error| format!("this is not a CSS selector: {error}"))
}
