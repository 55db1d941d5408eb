//! An HTTP server for a browser on the same machine: GET and HEAD requests for the files of a [`Site`].
//!
//! hyper reads requests and writes responses. This module decides who is answered, with which file and which part of it.

mod part;
mod site;

pub use site::Site;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use part::{ByteRange, FilePart, RangeHeader};
use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Connections that are served at a time. More wait in the queue of the operating system; a browser opens six.
const MAX_CONNECTIONS: usize = 64;
/// Threads that read files.
const FILE_THREADS: usize = 4;
/// A request line and its headers together have at most this many bytes.
const MAX_HEAD_LEN: usize = 16 << 10;
/// A client has this long to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// A client has this long to send its request and to receive the response.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(300);

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
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let permit = Arc::clone(&free).acquire_owned().await.expect("the semaphore is never closed");
        let connection = match listener.accept().await {
            Ok((connection, _)) => connection,
            Err(_) => {
                // The client went away, or the process has no free file descriptor: one may become free.
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            answer_connection(site, connection).await;
            drop(permit);
        });
    }
}

/// Answers one request of a connection, and closes it.
async fn answer_connection(site: Arc<Site>, connection: TcpStream) {
    let service = service_fn(|request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(answer(&site, &request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .max_buf_size(MAX_HEAD_LEN)
        .keep_alive(false)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(connection), service);
    // A client that goes away, or is too slow, concerns only its own connection.
    let _ = timeout(CONNECTION_TIMEOUT, served).await;
}

async fn answer<Body>(site: &Arc<Site>, request: &Request<Body>) -> Answer {
    let found = find(site, request).await;
    let mut answer = found.unwrap_or_else(Refusal::answer);
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
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
    let site = Arc::clone(site);
    let found = tokio::task::spawn_blocking(move || site.open(&path)).await;
    let found = found.expect("opening a file does not panic")?;
    let range = match range_header(request) {
        Some(range) => range.within(found.len).ok_or(Refusal::RangeNotSatisfiable(found.len))?.into(),
        None => None,
    };
    let part = range.unwrap_or(ByteRange { first: 0, len: found.len });
    let body = FilePart::open(found.file, part).await.map_err(|_| Refusal::NotFound)?;
    let mut answer = Response::new(Either::Right(body));
    if let Some(ByteRange { first, len }) = range {
        *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
        let place = format!("bytes {first}-{}/{}", first + len - 1, found.len);
        answer.headers_mut().insert(header::CONTENT_RANGE, header_value(place));
    }
    // hyper sends no body in response to HEAD, and leaves these headers as they are.
    answer.headers_mut().insert(header::CONTENT_LENGTH, part.len.into());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(found.content_type));
    Ok(answer)
}

/// Refuses requests that a page of another site made.
///
/// Such a page can reach this server through a name of its own that resolves to 127.0.0.1 (DNS rebinding). Its requests
/// then carry that name as their host.
fn check_host(headers: &HeaderMap, uri: &Uri, version: Version) -> Result<(), Refusal> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let is_local_header = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().is_ok_and(is_local),
        // HTTP/1.0 has no Host header, and no browser speaks it.
        (None, None) if version < Version::HTTP_11 => true,
        _ => return Err(Refusal::BadRequest),
    };
    let is_local_target = match (uri.scheme(), uri.authority()) {
        (_, None) => true,
        (Some(_), Some(authority)) => is_local(authority.as_str()),
        (None, Some(_)) => return Err(Refusal::BadRequest),
    };
    if is_local_header && is_local_target { Ok(()) } else { Err(Refusal::Forbidden) }
}

/// Whether a host is this machine: one of its loopback names, and possibly a port number.
fn is_local(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        let Some((start, rest)) = host.split_at_checked(name.len()) else { return false };
        let is_port =
            |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
    })
}

/// Returns the range that a request asks for; `None` asks for the whole file.
fn range_header<Body>(request: &Request<Body>) -> Option<RangeHeader> {
    // Ranges are defined for GET only. If-Range names a version of the file, and this server names none.
    if *request.method() != Method::GET || request.headers().contains_key(header::IF_RANGE) {
        return None;
    }
    RangeHeader::parse(request.headers().get(header::RANGE)?.to_str().ok()?)
}

fn header_value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("digits and ASCII letters make a header")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(target: &str, hosts: &[&str]) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_str(host).unwrap());
        }
        check_host(&headers, &target.parse().unwrap(), Version::HTTP_11)
    }

    #[test]
    fn only_loopback_names_with_an_optional_numeric_port_are_local() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:8080"] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost:evil.example",
            "localhost:80.evil.example",
            "localhost.evil.example",
            "localhost:",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "[::1",
            "[::1]x",
            "::1",
            "localhost@evil.example",
            "user@localhost",
            "localhosté",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }

    #[test]
    fn requests_for_another_host_are_refused() {
        assert_eq!(checked("/", &["localhost:80"]), Ok(()));
        assert_eq!(checked("http://localhost/", &["localhost"]), Ok(()));
        assert_eq!(checked("/", &["evil.example"]), Err(Refusal::Forbidden));
        assert_eq!(checked("http://evil.example/", &["localhost"]), Err(Refusal::Forbidden));
        assert_eq!(checked("/", &[]), Err(Refusal::BadRequest));
        assert_eq!(checked("/", &["localhost", "evil.example"]), Err(Refusal::BadRequest));
        assert_eq!(checked("secret.txt", &["localhost"]), Err(Refusal::BadRequest));
    }

    #[test]
    fn ranges_are_for_get_and_not_for_versions_of_a_file() {
        let request = |method: &str, if_range: bool| {
            let mut request = Request::builder().method(method).header("range", "bytes=1-2");
            if if_range {
                request = request.header("if-range", "\"v1\"");
            }
            range_header(&request.body(()).unwrap())
        };
        assert!(request("GET", false).is_some());
        assert!(request("GET", true).is_none());
        assert!(request("HEAD", false).is_none());
    }
}
