//! Converts every error to a JavaScript `Error` with a stable `code`.
//!
//! A code names an area and a fact, such as `query/no-such-column`. Callers may depend on codes, but not on messages.
//! `js/src/errors.ts` lists all codes for users.

use crate::analysis::AnalyzerError;
use crate::document::StoreFault;
use crate::query::QueryFault;
use crate::retrieval::FilterFault;
use crate::segment::{BatchFault, MergeFault};
use crate::{
    BuildError, BuildFault, RecordError, SchemaError, SchemaFault, SearchFault, SnapshotError, SnapshotFault,
    WriteError, WriteFault,
};
use js_sys::{Array, Error, Reflect, Uint32Array};
use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;
use wasm_bindgen::JsValue;

/// The error of a call, which becomes a JavaScript `Error`.
#[derive(Clone, Debug)]
pub struct Failure(Box<Told>);

/// The properties of the JavaScript `Error`.
#[derive(Clone, Debug)]
struct Told {
    code: Cow<'static, str>,
    message: String,
    /// The range in the expression, in UTF-16 code units.
    span: Option<Range<usize>>,
    remedy: Option<&'static str>,
    /// The blocks of documents that the host must supply before it repeats the call.
    blocks: Option<Vec<u32>>,
}

impl Failure {
    pub(super) fn new(code: impl Into<Cow<'static, str>>, message: impl Display) -> Failure {
        Failure::told(code.into(), &message)
    }

    fn told(code: Cow<'static, str>, message: &dyn Display) -> Failure {
        let message = message.to_string();
        Failure(Box::new(Told { code, message, span: None, remedy: None, blocks: None }))
    }

    /// Puts the place of the fault, such as `line 7`, before the message.
    #[cfg(feature = "write")]
    pub(super) fn at(mut self, place: &dyn Display) -> Failure {
        self.0.message = format!("{place}: {}", self.0.message);
        self
    }

    /// Converts the error of a search for `expression`.
    pub(super) fn of_search(error: &SearchFault, expression: &str) -> Failure {
        let code = match error {
            SearchFault::Query(error) => return Failure::of_query(error, expression),
            SearchFault::Filter(error) => Cow::Borrowed(filter_code(error)),
            SearchFault::Option { option, .. } => {
                // `highlight.column` is a part of the option `highlight`.
                Cow::Owned(format!("option/{}", option.split('.').next().unwrap_or_default()))
            }
            SearchFault::Options(error) => Cow::Owned(format!("option/{}", error.code())),
            SearchFault::Embedding { .. } => Cow::Borrowed("embed/failed"),
            SearchFault::UnknownCall { .. } => Cow::Borrowed("call/unknown"),
            SearchFault::NotFound { .. } => Cow::Borrowed("record/not-found"),
            SearchFault::Write(error) => return Failure::of_write(error),
            SearchFault::Snapshot(error) => return Failure::of_snapshot(error),
        };
        Failure::new(code, error)
    }

    fn of_query(error: &QueryFault, expression: &str) -> Failure {
        let mut failure = Failure::new(query_code(error), error);
        let units = |end: usize| expression.get(..end).map_or(0, |before| before.encode_utf16().count());
        let span = error.span();
        failure.0.span = Some(units(span.start)..units(span.end));
        failure.0.remedy = Some(error.remedy());
        failure
    }

    fn of_snapshot(error: &SnapshotFault) -> Failure {
        let mut failure = Failure::new(snapshot_code(error), error);
        if let SnapshotFault::Documents(error) = error
            && let StoreFault::Missing { blocks } = &**error
        {
            failure.0.blocks = Some(blocks.clone());
        }
        failure
    }

    fn of_write(error: &WriteFault) -> Failure {
        let code = match error {
            WriteFault::Snapshot(error) => return Failure::of_snapshot(error),
            WriteFault::Merge(error) => match &**error {
                MergeFault::Snapshot(error) => return Failure::of_snapshot(error),
                error => merge_code(error),
            },
            WriteFault::Record(error) => batch_code(error),
            WriteFault::Schema(error) => schema_code(error),
            WriteFault::Line(_) => "record/invalid-line",
            WriteFault::OtherSchema => "changes/other-schema",
            WriteFault::Files(_) => "option/maxFileSize",
        };
        Failure::new(code, error)
    }
}

impl From<Failure> for JsValue {
    fn from(Failure(told): Failure) -> JsValue {
        let error = Error::new(&told.message);
        let set = |name: &str, value: JsValue| {
            assert!(Reflect::set(&error, &name.into(), &value).is_ok(), "a new Error takes properties");
        };
        set("code", told.code.as_ref().into());
        if let Some(Range { start, end }) = told.span {
            set("span", [start, end].map(JsValue::from).iter().collect::<Array>().into());
        }
        if let Some(remedy) = told.remedy {
            set("remedy", remedy.into());
        }
        if let Some(blocks) = told.blocks {
            set("blocks", Uint32Array::from(&blocks[..]).into());
        }
        error.into()
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Failure {
        Failure::of_snapshot(&error)
    }
}

impl From<SchemaError> for Failure {
    fn from(error: SchemaError) -> Failure {
        Failure::new(schema_code(&error), error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Failure {
        Failure::of_write(&error)
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
        Failure::new(code, error)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        let code = match &*error {
            BuildFault::Schema(error) => schema_code(error),
            BuildFault::Record(error) => batch_code(error),
            BuildFault::Merge(error) => merge_code(error),
        };
        Failure::new(code, error)
    }
}

fn query_code(error: &QueryFault) -> &'static str {
    match error {
        QueryFault::Syntax { .. } => "query/syntax",
        QueryFault::UnterminatedString { .. } => "query/unterminated-string",
        QueryFault::NoSuchColumn { .. } => "query/no-such-column",
        QueryFault::ExpectedInteger { .. } => "query/expected-integer",
        QueryFault::TooDeep { .. } => "query/too-deep",
        QueryFault::StackOverflow { .. } => "query/stack-overflow",
        QueryFault::UnknownSpecialQuery { .. } => "query/unknown-special-query",
    }
}

fn filter_code(error: &FilterFault) -> &'static str {
    match error {
        FilterFault::UnknownAttribute { .. } => "filter/unknown-attribute",
        FilterFault::UnknownOperator { .. } => "filter/unknown-operator",
        FilterFault::WrongType { .. } => "filter/wrong-type",
        FilterFault::TooDeep { .. } => "filter/too-deep",
    }
}

fn snapshot_code(error: &SnapshotFault) -> &'static str {
    match error {
        SnapshotFault::NotASnapshot | SnapshotFault::HtmlPage => "snapshot/not-a-snapshot",
        SnapshotFault::WrongLength { .. } => "snapshot/wrong-length",
        SnapshotFault::UnsupportedVersion { .. } => "snapshot/unsupported-version",
        SnapshotFault::Checksum { .. } | SnapshotFault::HeaderChecksum => "snapshot/checksum",
        SnapshotFault::Changed => "snapshot/changed",
        SnapshotFault::NoPieces => "snapshot/no-pieces",
        SnapshotFault::IsChanges => "snapshot/is-changes",
        SnapshotFault::MissingSection { .. } => "snapshot/missing-section",
        SnapshotFault::Documents(error) => match **error {
            StoreFault::Missing { .. } => "documents/missing",
            _ => "documents/foreign",
        },
        SnapshotFault::Malformed(_) | SnapshotFault::Schema { .. } | SnapshotFault::BadSchema(_) => {
            "snapshot/malformed"
        }
    }
}

fn schema_code(error: &SchemaFault) -> &'static str {
    match error {
        SchemaFault::NoFields => "schema/no-fields",
        SchemaFault::TooManyFields { .. } => "schema/too-many-fields",
        SchemaFault::TooManyAttributes { .. } => "schema/too-many-attributes",
        SchemaFault::BadName { .. } | SchemaFault::BadGroup { .. } => "schema/bad-name",
        SchemaFault::BadWeight { .. } => "schema/bad-weight",
        SchemaFault::TooManyModels { .. } => "schema/too-many-models",
        SchemaFault::BadModel { .. } => "schema/bad-model",
        SchemaFault::Tokenizer(error) => tokenizer_code(error),
        SchemaFault::Json(_) | SchemaFault::Entries(_) => "schema/invalid",
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

fn batch_code(error: &BatchFault) -> &'static str {
    match error {
        BatchFault::TooLong { .. } => "record/too-long",
        BatchFault::WrongType { .. } => "record/wrong-type",
        BatchFault::NotText { .. } => "record/not-text",
        BatchFault::Vector { .. } | BatchFault::NotAVector { .. } | BatchFault::NoModel { .. } => {
            "record/bad-vector"
        }
        BatchFault::TooManyKinds { .. } => "record/too-many-kinds",
    }
}

fn merge_code(error: &MergeFault) -> &'static str {
    match error {
        MergeFault::TooMuchText => "snapshot/too-large",
        MergeFault::Vectors { .. } => "record/bad-vector",
        MergeFault::TooManyKinds => "record/too-many-kinds",
        MergeFault::Snapshot(error) => snapshot_code(error),
    }
}
