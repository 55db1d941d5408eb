//! What was the document? Records as they come in, and as they are kept.

mod keys;
mod lz4;
mod record;
mod store;

pub use keys::{Key, KeysView, KeysWriter, MAX_KINDS};
pub use record::{DEFAULT_KIND, MAX_ID_LEN, Record, RecordError, text_of};
pub use store::{DocumentsReader, DocumentsView, DocumentsWriter, GROUP, Group};
