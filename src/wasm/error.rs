//! Each error as a JavaScript `Error` with a stable `code`.
//!
//! A code is a boundary and a fact, `query/no-such-column`: callers may depend on it, while messages may be reworded.
//! Which codes there are is listed for users in `js/src/errors.ts`.

use crate::analysis::AnalyzerError;
use crate::document::StoreError;
use crate::query::QueryError;
use crate::retrieval::FilterError;
use crate::segment::{BatchError, MergeError};
use crate::{BuildError, RecordError, SchemaError, SearchError, SnapshotError, WriteError};
use js_sys::{Array, Error, Reflect, Uint32Array};
use std::borrow::Cow;
use std::ops::Range;
use wasm_bindgen::JsValue;

/// Why a call failed, as JavaScript sees it.
#[derive(Clone, Debug)]
pub struct Failure {
    code: Cow<'static, str>,
    message: String,
    /// Where in the expression, in UTF-16 code units.
    span: Option<Range<usize>>,
    remedy: Option<&'static str>,
    /// The blocks of documents that have to be supplied first.
    blocks: Option<Vec<u32>>,
}

impl Failure {
    pub(super) fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Failure {
        Failure { code: code.into(), message: message.into(), span: None, remedy: None, blocks: None }
    }

    /// The same failure, its message led by the place at fault.
    #[cfg(not(search_only))]
    pub(super) fn at(mut self, place: impl std::fmt::Display) -> Failure {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Why `expression` has no answer.
    pub(super) fn of_search(error: &SearchError, expression: &str) -> Failure {
        let code = match error {
            SearchError::Query(error) => return Failure::of_query(error, expression),
            SearchError::Filter(error) => Cow::Borrowed(filter_code(error)),
            SearchError::Option { option, .. } => Cow::Owned(format!("option/{option}")),
            SearchError::Options(error) => {
                Cow::Owned(format!("option/{}", error.option().unwrap_or("invalid")))
            }
            SearchError::UnknownCall { .. } => Cow::Borrowed("call/unknown"),
            SearchError::NotFound { .. } => Cow::Borrowed("record/not-found"),
            SearchError::Write(error) => return error.into(),
            SearchError::Snapshot(error) => return Failure::from(error.clone()),
        };
        Failure::new(code, error.to_string())
    }

    fn of_query(error: &QueryError, expression: &str) -> Failure {
        let span = error.span();
        let units = |end: usize| expression.get(..end).map_or(0, |before| before.encode_utf16().count());
        Failure {
            code: Cow::Borrowed(query_code(error)),
            message: error.to_string(),
            span: Some(units(span.start)..units(span.end)),
            remedy: Some(error.remedy()),
            blocks: None,
        }
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        let error = Error::new(&failure.message);
        let set = |name: &str, value: JsValue| {
            Reflect::set(&error, &name.into(), &value).expect("a new Error takes properties");
        };
        set("code", failure.code.as_ref().into());
        if let Some(Range { start, end }) = failure.span {
            set("span", Array::of2(&start.into(), &end.into()).into());
        }
        if let Some(remedy) = failure.remedy {
            set("remedy", remedy.into());
        }
        if let Some(blocks) = failure.blocks {
            set("blocks", Uint32Array::from(&blocks[..]).into());
        }
        error.into()
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Failure {
        let failure = Failure::new(snapshot_code(&error), error.to_string());
        match error {
            SnapshotError::Documents(StoreError::Missing { blocks }) => {
                Failure { blocks: Some(blocks), ..failure }
            }
            _ => failure,
        }
    }
}

impl From<SchemaError> for Failure {
    fn from(error: SchemaError) -> Failure {
        Failure::new(schema_code(&error), error.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        let code = match error {
            RecordError::NotAnObject { .. } => "record/not-an-object",
            RecordError::MissingId => "record/missing-id",
            RecordError::WrongType { .. } => "record/wrong-type",
            RecordError::BadLength { .. } => "record/bad-length",
        };
        Failure::new(code, error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        let code = match &error {
            BuildError::Schema(error) => schema_code(error),
            BuildError::Record(error) => batch_code(error),
            BuildError::Merge(error) => merge_code(error),
        };
        Failure::new(code, error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Failure {
        Failure::from(&error)
    }
}

impl From<&WriteError> for Failure {
    fn from(error: &WriteError) -> Failure {
        let code = match &error {
            WriteError::Snapshot(error) | WriteError::Merge(MergeError::Snapshot(error)) => {
                return Failure::from(error.clone());
            }
            WriteError::Record(error) => batch_code(error),
            WriteError::Merge(error) => merge_code(error),
            WriteError::Schema(error) => schema_code(error),
            WriteError::Line(_) => "record/invalid-line",
            WriteError::OtherSchema => "changes/other-schema",
            WriteError::Files(_) => "option/maxFileSize",
        };
        Failure::new(code, error.to_string())
    }
}

fn query_code(error: &QueryError) -> &'static str {
    match error {
        QueryError::Syntax { .. } => "query/syntax",
        QueryError::UnterminatedString { .. } => "query/unterminated-string",
        QueryError::NoSuchColumn { .. } => "query/no-such-column",
        QueryError::ExpectedInteger { .. } => "query/expected-integer",
        QueryError::TooDeep { .. } => "query/too-deep",
        QueryError::StackOverflow { .. } => "query/stack-overflow",
        QueryError::UnknownSpecialQuery { .. } => "query/unknown-special-query",
    }
}

fn filter_code(error: &FilterError) -> &'static str {
    match error {
        FilterError::UnknownAttribute { .. } => "filter/unknown-attribute",
        FilterError::UnknownOperator { .. } => "filter/unknown-operator",
        FilterError::WrongType { .. } => "filter/wrong-type",
        FilterError::TooDeep { .. } => "filter/too-deep",
    }
}

fn snapshot_code(error: &SnapshotError) -> &'static str {
    match error {
        SnapshotError::NotASnapshot => "snapshot/not-a-snapshot",
        SnapshotError::WrongLength { .. } => "snapshot/wrong-length",
        SnapshotError::UnsupportedVersion { .. } => "snapshot/unsupported-version",
        SnapshotError::Checksum { .. } | SnapshotError::HeaderChecksum => "snapshot/checksum",
        SnapshotError::IsChanges => "snapshot/is-changes",
        SnapshotError::MissingSection { .. } => "snapshot/missing-section",
        SnapshotError::Documents(StoreError::Missing { .. }) => "documents/missing",
        SnapshotError::Documents(_) => "documents/foreign",
        SnapshotError::Malformed(_) | SnapshotError::Schema { .. } | SnapshotError::BadSchema(_) => {
            "snapshot/malformed"
        }
    }
}

fn schema_code(error: &SchemaError) -> &'static str {
    match error {
        SchemaError::NoFields => "schema/no-fields",
        SchemaError::TooManyFields { .. } => "schema/too-many-fields",
        SchemaError::TooManyAttributes { .. } => "schema/too-many-attributes",
        SchemaError::BadName { .. } => "schema/bad-name",
        SchemaError::BadWeight { .. } => "schema/bad-weight",
        SchemaError::TooManyModels { .. } => "schema/too-many-models",
        SchemaError::BadModel { .. } => "schema/bad-model",
        SchemaError::Tokenizer(error) => tokenizer_code(error),
        SchemaError::Json(_) | SchemaError::Entries(_) => "schema/invalid",
    }
}

fn tokenizer_code(error: &AnalyzerError) -> &'static str {
    match error {
        AnalyzerError::UnknownTokenizer { .. } | AnalyzerError::UnsupportedTokenizer { .. } => {
            "schema/unknown-tokenizer"
        }
        _ => "schema/bad-tokenizer",
    }
}

fn batch_code(error: &BatchError) -> &'static str {
    match error {
        BatchError::TooLong { .. } => "record/too-long",
        BatchError::WrongType { .. } => "record/wrong-type",
        BatchError::NotText { .. } => "record/not-text",
        BatchError::Vector { .. } | BatchError::NotAVector { .. } => "record/bad-vector",
        BatchError::TooManyKinds { .. } => "record/too-many-kinds",
    }
}

fn merge_code(error: &MergeError) -> &'static str {
    match error {
        MergeError::TooMuchText => "snapshot/too-large",
        MergeError::Vectors { .. } => "record/bad-vector",
        MergeError::TooManyKinds => "record/too-many-kinds",
        MergeError::Snapshot(error) => snapshot_code(error),
    }
}
