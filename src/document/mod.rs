//! How are documents read in and stored?

mod cache;
#[cfg(not(target_arch = "wasm32"))]
mod files;
mod keys;
mod outside;
mod record;
mod store;

#[cfg(not(target_arch = "wasm32"))]
pub use files::{DocumentFiles, DocumentFilesError};
pub use keys::{Key, KeysView, KeysWriter, MAX_KINDS};
pub use outside::{
    BlockSource, DEFAULT_CACHE, FILE_HEAD, FileRange, SeparateBlocks, StoreError, StoreFault, TooSmallFiles,
    divide, file_head, file_suffix, is_file_of_documents,
};
pub use record::{DEFAULT_KIND, MAX_ID_LEN, Record, RecordError, text_of};
pub use store::{DocumentsReader, DocumentsView, DocumentsWriter, GROUP, Group, TableFormat};
