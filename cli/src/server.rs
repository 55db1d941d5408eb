//! A server of a few files, for a browser on the same machine: GET and HEAD, one range, one request a connection.

use crate::split::with_suffix;
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A request's first line and headers are at most this long.
const MAX_HEAD: u64 = 16 << 10;
/// Whoever says nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is served: a folder, the folder `pkg` beside it, and a snapshot.
#[derive(Debug)]
pub struct Site {
    www: PathBuf,
    pkg: PathBuf,
    snapshot: PathBuf,
}

#[derive(Debug)]
struct Request {
    is_head: bool,
    path: String,
    /// The first and the last byte that are wanted, where not all are.
    range: Option<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RangeNotSatisfiable,
}

impl Refusal {
    fn status(self) -> &'static str {
        match self {
            Refusal::BadRequest => "400 Bad Request",
            Refusal::Forbidden => "403 Forbidden",
            Refusal::NotFound => "404 Not Found",
            Refusal::MethodNotAllowed => "405 Method Not Allowed",
            Refusal::RangeNotSatisfiable => "416 Range Not Satisfiable",
        }
    }
}

impl Site {
    /// A site of these folders; the first has to be there.
    pub fn new(www: &Path, snapshot: &Path) -> Result<Site> {
        let missing = || format!("there is no folder {}; name the page's folder with --www", www.display());
        let www = fs::canonicalize(www).with_context(missing)?;
        let pkg = www.with_file_name("pkg");
        Ok(Site { www, pkg, snapshot: snapshot.to_owned() })
    }

    /// Answers the one request of a connection.
    pub fn answer(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_write_timeout(Some(PATIENCE))?;
        let request = read_request(&mut BufReader::new((&connection).take(MAX_HEAD)));
        let is_head = request.as_ref().is_ok_and(|request| request.is_head);
        let answer = request.and_then(|request| self.find(&request));
        let (status, kind, place, body) = match answer {
            Ok((kind, None, body)) => ("200 OK", kind, String::new(), body),
            Ok((kind, Some(place), body)) => {
                ("206 Partial Content", kind, format!("Content-Range: bytes {place}\r\n"), body)
            }
            Err(refusal) => {
                let body = refusal.status().as_bytes().to_vec();
                (refusal.status(), "text/plain; charset=utf-8", String::new(), body)
            }
        };
        write!(
            connection,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
             {place}Accept-Ranges: bytes\r\nX-Content-Type-Options: nosniff\r\nAllow: GET, HEAD\r\n\
             Connection: close\r\n\r\n",
            body.len()
        )?;
        if !is_head {
            connection.write_all(&body)?;
        }
        connection.flush()
    }

    /// The type of what a path names, which part of it is wanted, and the bytes.
    fn find(&self, request: &Request) -> Result<(&'static str, Option<String>, Vec<u8>), Refusal> {
        let file = self.place(&request.path)?;
        let kind = content_type(&file);
        let Some((first, last)) = request.range else {
            return Ok((kind, None, fs::read(&file).map_err(|_| Refusal::NotFound)?));
        };
        let mut opened = File::open(&file).map_err(|_| Refusal::NotFound)?;
        let len = opened.metadata().map_err(|_| Refusal::NotFound)?.len();
        let last = last.min(len.saturating_sub(1));
        if first > last || first >= len {
            return Err(Refusal::RangeNotSatisfiable);
        }
        let mut bytes = Vec::new();
        opened.seek(SeekFrom::Start(first)).map_err(|_| Refusal::NotFound)?;
        opened.take(last - first + 1).read_to_end(&mut bytes).map_err(|_| Refusal::NotFound)?;
        Ok((kind, Some(format!("{first}-{last}/{len}")), bytes))
    }

    /// The file that a path names, which has to lie in one of the folders, links included.
    fn place(&self, path: &str) -> Result<PathBuf, Refusal> {
        if let Some(suffix) = path.strip_prefix("/demo.snap").filter(|suffix| is_of_a_snapshot(suffix)) {
            return Ok(with_suffix(&self.snapshot, suffix));
        }
        let names = path.strip_prefix('/').ok_or(Refusal::BadRequest)?;
        let is_plain = |name: &str| !name.starts_with('.') && !name.contains(['\\', ':', '\0']);
        if !names.split('/').all(is_plain) {
            return Err(Refusal::Forbidden);
        }
        let (root, names) = match names.strip_prefix("pkg/") {
            Some(names) => (&self.pkg, names),
            None => (&self.www, names),
        };
        let root = fs::canonicalize(root).map_err(|_| Refusal::NotFound)?;
        let mut file = root.clone();
        file.extend(names.split('/').filter(|name| !name.is_empty()));
        if names.is_empty() || names.ends_with('/') {
            file.push("index.html");
        }
        let file = fs::canonicalize(file).map_err(|_| Refusal::NotFound)?;
        if file.starts_with(&root) { Ok(file) } else { Err(Refusal::Forbidden) }
    }
}

/// Whether a snapshot's name goes on like this: not at all, or as that of a file of its documents.
fn is_of_a_snapshot(suffix: &str) -> bool {
    let number = suffix.strip_prefix(".docs.");
    matches!(suffix, "" | ".docs") || number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn read_request(head: &mut impl BufRead) -> Result<Request, Refusal> {
    let mut line = || {
        let mut line = String::new();
        head.read_line(&mut line).map_err(|_| Refusal::BadRequest)?;
        // Nothing at all: the head was cut off, here or at its limit.
        if line.ends_with('\n') { Ok(line.trim_end().to_owned()) } else { Err(Refusal::BadRequest) }
    };
    let first = line()?;
    let mut range = None;
    loop {
        let header = line()?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or(Refusal::BadRequest)?;
        // Another name that leads here belongs to a page that has no business with this machine's files.
        if name.eq_ignore_ascii_case("host") && !is_local(value.trim()) {
            return Err(Refusal::Forbidden);
        }
        if name.eq_ignore_ascii_case("range") {
            // What is no single range from here to there may be answered whole.
            range = value.trim().strip_prefix("bytes=").and_then(|range| {
                let (first, last) = range.split_once('-')?;
                let last = if last.is_empty() { u64::MAX } else { last.parse().ok()? };
                Some((first.parse().ok()?, last))
            });
        }
    }
    let mut parts = first.split(' ');
    let (Some(method), Some(target), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Refusal::BadRequest);
    };
    if !matches!(method, "GET" | "HEAD") {
        return Err(Refusal::MethodNotAllowed);
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    Ok(Request { is_head: method == "HEAD", path: percent_decoded(path).ok_or(Refusal::BadRequest)?, range })
}

fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost")
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.get(..2)?.iter().map(|&digit| char::from(digit).to_digit(16));
        let value =
            digits.collect::<Option<Vec<_>>>()?.into_iter().fold(0, |value, digit| value * 16 + digit);
        bytes.push(u8::try_from(value).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

fn content_type(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "ts" | "jsonl" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<(bool, String), Refusal> {
        read_request(&mut text.as_bytes()).map(|request| (request.is_head, request.path))
    }

    #[test]
    fn requests_are_read_and_paths_decoded() {
        let get = request("GET /a%20b.js?x=%2e HTTP/1.1\r\nHost: localhost:80\r\n\r\n");
        assert_eq!(get, Ok((false, "/a b.js".to_owned())));
        assert_eq!(request("HEAD / HTTP/1.0\r\n\r\n"), Ok((true, "/".to_owned())));
    }

    #[test]
    fn a_single_range_is_read_and_others_are_passed_over() {
        let range = |value: &str| {
            let text = format!("GET / HTTP/1.1\r\nRange: {value}\r\n\r\n");
            read_request(&mut text.as_bytes()).unwrap().range
        };
        assert_eq!(range("bytes=5-9"), Some((5, 9)));
        assert_eq!(range("bytes=5-"), Some((5, u64::MAX)));
        for other in ["bytes=-5", "bytes=1-2,4-5", "lines=1-2", "bytes=a-b", ""] {
            assert_eq!(range(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_request_for_us_is_refused() {
        let cases = [
            ("", Refusal::BadRequest),
            ("GET /\r\n\r\n", Refusal::BadRequest),
            ("GET / HTTP/1.1\r\nHost: localhost", Refusal::BadRequest),
            ("GET /%zz HTTP/1.1\r\n\r\n", Refusal::BadRequest),
            ("GET /%+1 HTTP/1.1\r\n\r\n", Refusal::BadRequest),
            ("POST / HTTP/1.1\r\n\r\n", Refusal::MethodNotAllowed),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", Refusal::Forbidden),
        ];
        for (text, refusal) in cases {
            assert_eq!(request(text), Err(refusal), "{text:?}");
        }
    }
}
