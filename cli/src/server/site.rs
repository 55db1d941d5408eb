//! Which file does a path name? A file of the page in the binary, or a regular file within the served folders.

use super::encoding::ContentEncoding;
use super::version::FileVersion;
use super::{Refusal, page};
use crate::split::with_suffix;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The content type of a snapshot, and of files that have no better one.
const OCTETS: &str = "application/octet-stream";

const NO_PAGE: &str = "this snapseek was compiled without its page\n  run scripts/build-pkg and compile again, or name the \
                       folder of a page with --www";

/// The files that a server gives.
#[derive(Debug)]
pub enum Site {
    /// A page that searches a snapshot.
    Search(SearchSite),
    /// The pages in a folder, to which the hits lead.
    Pages(PathBuf),
}

/// A page at `/`, its scripts at `/pkg/`, and a snapshot at `/demo.snap`.
#[derive(Debug)]
pub struct SearchSite {
    page: Page,
    snapshot: PathBuf,
    is_watched: bool,
    pages: Option<String>,
}

/// Where the files of the page come from.
#[derive(Debug)]
enum Page {
    /// From the binary.
    Embedded,
    /// From a folder, and from the folder `pkg` next to it.
    Folder { www: PathBuf, pkg: PathBuf },
}

/// A file of a site, in the encoding that suits the client.
#[derive(Debug)]
pub struct SiteFile {
    /// The contents.
    pub content: SiteContent,
    /// Their number of bytes.
    pub len: u64,
    /// The value of the `Content-Type` header.
    pub content_type: &'static str,
    /// The version of these bytes.
    pub version: FileVersion,
    /// How the contents are compressed.
    pub encoding: Option<ContentEncoding>,
    /// Whether this is the snapshot itself.
    pub is_snapshot: bool,
}

/// The contents of a file.
#[derive(Debug)]
pub enum SiteContent {
    /// A file of the page that the binary carries.
    Embedded(&'static [u8]),
    /// An open regular file, at its start.
    File(File),
}

impl Site {
    /// Opens the file that a decoded path names, in the first of these encodings that it has.
    pub fn open(&self, path: &str, encodings: &[ContentEncoding]) -> Result<SiteFile, Refusal> {
        match self {
            Site::Search(search) => search.open(path, encodings),
            Site::Pages(folder) => page_in_folder(folder, &plain_path(path)?[1..], encodings),
        }
    }
}

impl SearchSite {
    /// Serves this snapshot with the page in the folder `www`, or with the page of the binary.
    ///
    /// # Errors
    /// When there is no folder `www`, or no page in the binary.
    pub fn new(www: Option<&Path>, snapshot: &Path) -> Result<SearchSite> {
        let page = match www {
            Some(www) => {
                let missing =
                    || format!("there is no folder {}; --www names the folder of a page", www.display());
                let www = fs::canonicalize(www).with_context(missing)?;
                let pkg = www.with_file_name("pkg");
                Page::Folder { www, pkg }
            }
            None => {
                ensure!(page::is_present(), NO_PAGE);
                Page::Embedded
            }
        };
        Ok(SearchSite { page, snapshot: snapshot.to_owned(), is_watched: false, pages: None })
    }

    /// Tells the page to ask now and then whether the snapshot has changed.
    pub fn watched(self) -> SearchSite {
        SearchSite { is_watched: true, ..self }
    }

    /// Tells the page the address at which the pages of the snapshot are served.
    pub fn with_pages(self, address: String) -> SearchSite {
        SearchSite { pages: Some(address), ..self }
    }

    /// Returns the address at which the pages of the snapshot are served.
    pub fn pages(&self) -> Option<&str> {
        self.pages.as_deref()
    }

    /// Whether the page has to ask for changes of the snapshot.
    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Returns the name of the snapshot's file.
    pub fn snapshot_name(&self) -> Option<&str> {
        self.snapshot.file_name()?.to_str()
    }

    fn open(&self, path: &str, encodings: &[ContentEncoding]) -> Result<SiteFile, Refusal> {
        let snapshot_suffix = path.strip_prefix("/demo.snap").filter(|suffix| is_snapshot_suffix(suffix));
        if let Some(suffix) = snapshot_suffix {
            let file = SiteFile::open(&with_suffix(&self.snapshot, suffix), OCTETS)?;
            return Ok(SiteFile { is_snapshot: suffix.is_empty(), ..file });
        }
        let path = plain_path(path)?;
        match &self.page {
            Page::Embedded => embedded(&path, encodings),
            Page::Folder { www, pkg } => match path.strip_prefix("/pkg/") {
                Some(names) => in_folder(pkg, names, encodings),
                None => in_folder(www, &path[1..], encodings),
            },
        }
    }
}

/// Returns a path that starts with `/` and ends with the name of a file. Refuses names that systems treat specially.
fn plain_path(path: &str) -> Result<String, Refusal> {
    let names = path.strip_prefix('/').ok_or(Refusal::BadRequest)?;
    let is_plain = |name: &str| !name.starts_with('.') && !name.contains(['\\', ':', '\0']);
    if !names.split('/').all(is_plain) {
        return Err(Refusal::Forbidden);
    }
    let index = if path.ends_with('/') { "index.html" } else { "" };
    Ok(format!("{path}{index}"))
}

impl SiteFile {
    fn open(place: &Path, content_type: &'static str) -> Result<SiteFile, Refusal> {
        // Opening a named pipe would wait for its writer, so the kind of the file is checked first.
        let is_file = |metadata: &fs::Metadata| metadata.is_file();
        fs::metadata(place).ok().filter(is_file).ok_or(Refusal::NotFound)?;
        let file = File::open(place).map_err(|_| Refusal::NotFound)?;
        let metadata = file.metadata().ok().filter(is_file).ok_or(Refusal::NotFound)?;
        let version = FileVersion::of_file(metadata.len(), metadata.modified().ok());
        let content = SiteContent::File(file);
        Ok(SiteFile {
            content,
            len: metadata.len(),
            content_type,
            version,
            encoding: None,
            is_snapshot: false,
        })
    }

    /// Marks the file as a compressed one. Its version differs from that of the plain file.
    fn encoded(mut self, encoding: ContentEncoding) -> SiteFile {
        self.encoding = Some(encoding);
        self.version.tag.insert_str(1, encoding.name());
        self
    }
}

/// Returns a file of the page in the binary.
fn embedded(path: &str, encodings: &[ContentEncoding]) -> Result<SiteFile, Refusal> {
    let content_type = content_type(Path::new(path));
    let of_bytes = |bytes: &'static [u8]| SiteFile {
        content: SiteContent::Embedded(bytes),
        len: bytes.len() as u64,
        content_type,
        version: FileVersion::of_bytes(bytes),
        encoding: None,
        is_snapshot: false,
    };
    let plain = page::file(path).ok_or(Refusal::NotFound)?;
    for &encoding in encodings {
        if let Some(shorter) = page::file(&format!("{path}{}", encoding.suffix())) {
            return Ok(of_bytes(shorter).encoded(encoding));
        }
    }
    Ok(of_bytes(plain))
}

/// Opens a file in a folder, or its compressed copy next to it, if that is not older.
fn in_folder(root: &Path, names: &str, encodings: &[ContentEncoding]) -> Result<SiteFile, Refusal> {
    let root = fs::canonicalize(root).map_err(|_| Refusal::NotFound)?;
    let place = |names: &str| {
        let mut file = root.clone();
        file.extend(names.split('/').filter(|name| !name.is_empty()));
        let file = fs::canonicalize(file).map_err(|_| Refusal::NotFound)?;
        if file.starts_with(&root) { Ok(file) } else { Err(Refusal::Forbidden) }
    };
    let content_type = content_type(Path::new(names));
    let plain = SiteFile::open(&place(names)?, content_type)?;
    for &encoding in encodings {
        let copy = place(&format!("{names}{}", encoding.suffix()));
        let copy = copy.and_then(|copy| SiteFile::open(&copy, content_type));
        if let Ok(copy) = copy
            && copy.version.modified >= plain.version.modified
        {
            return Ok(copy.encoded(encoding));
        }
    }
    Ok(plain)
}

/// Opens a page in a folder, or a file that the page needs. Links within a site often leave out `.html`.
fn page_in_folder(root: &Path, names: &str, encodings: &[ContentEncoding]) -> Result<SiteFile, Refusal> {
    match in_folder(root, names, encodings) {
        Err(Refusal::NotFound) => in_folder(root, &format!("{names}.html"), encodings),
        opened => opened,
    }
}

/// Whether a snapshot's name may continue like this: not at all, or as the name of one of its document files.
fn is_snapshot_suffix(suffix: &str) -> bool {
    let number = suffix.strip_prefix(".docs.");
    matches!(suffix, "" | ".docs") || number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn content_type(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "xhtml" => "application/xhtml+xml",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "txt" | "text" | "md" | "markdown" | "mdx" | "rst" | "adoc" | "org" | "ts" | "jsonl" => {
            "text/plain; charset=utf-8"
        }
        _ => OCTETS,
    }
}
