//! Where does an input come from? A file, or stdin.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

/// The largest length of a document. A document is read into memory.
const MAX_DOCUMENT_LEN: u64 = 256 << 20;

/// A file, or stdin.
pub enum InputSource {
    Stdin,
    File(PathBuf),
}

impl InputSource {
    /// The name in messages.
    pub fn name(&self) -> String {
        match self {
            InputSource::Stdin => "stdin".to_owned(),
            InputSource::File(path) => path.display().to_string(),
        }
    }

    /// The length in bytes; `None` if it is unknown.
    pub fn len(&self) -> Result<Option<u64>> {
        let InputSource::File(path) = self else { return Ok(None) };
        let metadata = fs::metadata(path).with_context(|| format!("{} cannot be read", self.name()))?;
        Ok(metadata.is_file().then_some(metadata.len()))
    }

    /// The name of the file, without its folders.
    pub fn file_name(&self) -> String {
        match self {
            InputSource::Stdin => "stdin".to_owned(),
            InputSource::File(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            }
        }
    }

    /// Reads all bytes.
    pub fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut input = self.open()?.take(MAX_DOCUMENT_LEN + 1);
        input.read_to_end(&mut bytes).with_context(|| format!("{} cannot be read", self.name()))?;
        let is_short = bytes.len() as u64 <= MAX_DOCUMENT_LEN;
        ensure!(is_short, "{} is longer than {MAX_DOCUMENT_LEN} bytes; split it", self.name());
        Ok(bytes)
    }

    /// Opens it for reading.
    pub fn open(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match self {
            InputSource::Stdin => Box::new(std::io::stdin()),
            InputSource::File(path) => {
                Box::new(File::open(path).with_context(|| format!("{} cannot be read", self.name()))?)
            }
        })
    }
}
