//! An HTTP server for a browser on the same machine: GET and HEAD requests for the files of a [`Site`].
//!
//! hyper reads requests and writes responses. This module decides who is answered, with which file and which part of it.

mod connections;
mod encoding;
mod host;
mod page;
mod part;
mod site;
mod version;

pub use site::{SearchSite, Site};

use bytes::Bytes;
use connections::Connections;
use encoding::ContentEncoding;
use host::check_host;
use http_body_util::{Either, Full};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use part::{ByteRange, FilePart, RangeHeader};
use site::{SiteContent, SiteFile};
use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// Threads that read files.
const FILE_THREADS: usize = 4;
/// A request line and its headers together have at most this many bytes.
const MAX_HEAD_LEN: usize = 16 << 10;
/// A client has this long to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// A client may take no byte of the response for this long.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// A client has this long to send its request and to receive the response.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(300);

/// The page asks for changes of a snapshot whose response has this header.
const WATCHED: HeaderName = HeaderName::from_static("snapseek-watch");
/// The address at which the pages of a snapshot are served. Hits link to them.
const PAGES: HeaderName = HeaderName::from_static("snapseek-pages");

type Answer = Response<Either<Full<Bytes>, FilePart>>;

/// Why a request is not answered with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request makes no sense: no usable path, or no single host.
    BadRequest,
    /// The host is another machine, or the file lies outside of the served folders.
    Forbidden,
    /// There is no such file.
    NotFound,
    /// The method is neither GET nor HEAD.
    MethodNotAllowed,
    /// The range starts after the end of the file, which has this many bytes.
    RangeNotSatisfiable(u64),
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Refusal::BadRequest => StatusCode::BAD_REQUEST,
            Refusal::Forbidden => StatusCode::FORBIDDEN,
            Refusal::NotFound => StatusCode::NOT_FOUND,
            Refusal::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::RangeNotSatisfiable(_) => StatusCode::RANGE_NOT_SATISFIABLE,
        }
    }

    fn answer(self) -> Answer {
        let text = Bytes::from(self.status().to_string());
        let len = text.len();
        let mut answer = Response::new(Either::Left(Full::new(text)));
        *answer.status_mut() = self.status();
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_LENGTH, len.into());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        match self {
            Refusal::MethodNotAllowed => {
                headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            }
            Refusal::RangeNotSatisfiable(len) => {
                headers.insert(header::CONTENT_RANGE, header_value(format!("bytes */{len}")));
            }
            _ => {}
        }
        answer
    }
}

/// Serves the files of `site` to the clients of `listener`, until the process ends.
///
/// # Errors
/// When the system gives no resources to start.
pub fn serve(site: Site, listener: TcpListener) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(FILE_THREADS)
        .build()?;
    listener.set_nonblocking(true)?;
    runtime.block_on(accept(Arc::new(site), listener))
}

async fn accept(site: Arc<Site>, listener: TcpListener) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut connections = Connections::default();
    loop {
        connections.make_room().await;
        match listener.accept().await {
            Ok((connection, _)) => connections.spawn(answer_connection(Arc::clone(&site), connection)),
            // The client went away, or the process has no free file descriptor: one may become free.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Answers one request of a connection, and closes it.
async fn answer_connection(site: Arc<Site>, connection: TcpStream) {
    let service = service_fn(|request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(answer(&site, &request).await) }
    });
    let mut connection = TimeoutStream::new(connection);
    connection.set_write_timeout(Some(STALL_TIMEOUT));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .max_buf_size(MAX_HEAD_LEN)
        .keep_alive(false)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(Box::pin(connection)), service);
    // A client that goes away, or is too slow, concerns only its own connection.
    let _ = timeout(CONNECTION_TIMEOUT, served).await;
}

async fn answer<Body>(site: &Arc<Site>, request: &Request<Body>) -> Answer {
    let found = find(site, request).await;
    let mut answer = found.unwrap_or_else(Refusal::answer);
    let headers = answer.headers_mut();
    // Browsers may keep files, and ask each time whether there is a newer version.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

async fn find<Body>(site: &Arc<Site>, request: &Request<Body>) -> Result<Answer, Refusal> {
    check_host(request.headers(), request.uri(), request.version())?;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(Refusal::MethodNotAllowed);
    }
    let path = percent_encoding::percent_decode_str(request.uri().path()).decode_utf8();
    let path = path.map_err(|_| Refusal::BadRequest)?.into_owned();
    let range = range_header(request);
    // A range counts the bytes of the plain file.
    let is_accepted = |encoding: &ContentEncoding| range.is_none() && encoding.is_accepted(request.headers());
    let encodings = ContentEncoding::ALL.into_iter().filter(is_accepted).collect::<Vec<_>>();
    let opener = Arc::clone(site);
    let found = tokio::task::spawn_blocking(move || opener.open(&path, &encodings)).await;
    let found = found.expect("opening a file does not panic")?;
    let headers = file_headers(site, &found);
    if found.version.is_known(request.headers()) {
        let mut answer = Response::new(Either::Left(Full::new(Bytes::new())));
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        *answer.headers_mut() = headers;
        return Ok(answer);
    }
    let range = match range.filter(|_| found.version.continues(request.headers())) {
        Some(range) => range.within(found.len).ok_or(Refusal::RangeNotSatisfiable(found.len))?.into(),
        None => None,
    };
    let part = range.unwrap_or(ByteRange { first: 0, len: found.len });
    let body = match found.content {
        SiteContent::Embedded(bytes) => Either::Left(Full::new(part.of(bytes))),
        SiteContent::File(file) => {
            Either::Right(FilePart::open(file, part).await.map_err(|_| Refusal::NotFound)?)
        }
    };
    let mut answer = Response::new(body);
    *answer.headers_mut() = headers;
    if let Some(ByteRange { first, len }) = range {
        *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
        let place = format!("bytes {first}-{}/{}", first + len - 1, found.len);
        answer.headers_mut().insert(header::CONTENT_RANGE, header_value(place));
    }
    // hyper sends no body in response to HEAD, and leaves this header as it is.
    answer.headers_mut().insert(header::CONTENT_LENGTH, part.len.into());
    Ok(answer)
}

/// Returns the headers that describe a file.
fn file_headers(site: &Site, file: &SiteFile) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    headers.insert(header::ETAG, header_value(file.version.tag.clone()));
    if let Some(modified) = file.version.modified {
        headers.insert(header::LAST_MODIFIED, header_value(httpdate::fmt_http_date(modified)));
    }
    if let Some(encoding) = file.encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    }
    if let Site::Search(search) = site
        && file.is_snapshot
    {
        // The page shows this name, and a browser saves the file under it.
        if let Some(name) = search.snapshot_name() {
            let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
            headers.insert(
                header::CONTENT_DISPOSITION,
                header_value(format!("inline; filename*=UTF-8''{name}")),
            );
        }
        if search.is_watched() {
            headers.insert(WATCHED, HeaderValue::from_static("1"));
        }
        if let Some(address) = search.pages() {
            headers.insert(PAGES, header_value(address.to_owned()));
        }
    }
    headers
}

/// Returns the range that a request asks for; `None` asks for the whole file. Ranges are defined for GET only.
fn range_header<Body>(request: &Request<Body>) -> Option<RangeHeader> {
    if *request.method() != Method::GET {
        return None;
    }
    RangeHeader::parse(request.headers().get(header::RANGE)?.to_str().ok()?)
}

fn header_value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("the text is printable ASCII")
}
