//! `serve`: the files that it serves, the requests that it refuses, and how it ends.

#[cfg(unix)]
use crate::interrupt;
use crate::support::Folder;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Folder) -> Server {
        let mut child = folder.command(&["serve", "a.snap", "--port", "0"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"));
        Server { child, address }
    }

    /// Returns the head and the body of the response.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        self.ask_with(request, &[("Host", &self.address)])
    }

    /// Sends a request with these headers.
    fn ask_with(&self, request: &str, headers: &[(&str, &str)]) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
        write!(stream, "{request} HTTP/1.1\r\n{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serve_gives_the_page_the_package_and_the_snapshot_with_their_types() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "<!doctype html>");
    folder.write("www/main.js", "1;");
    folder.write("pkg/snapseek_bg.wasm", b"\0asm");
    let server = Server::start(&folder);
    let snapshot = folder.bytes("a.snap");
    let cases: [(&str, &str, &[u8]); 5] = [
        ("/", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/index.html", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/main.js?v=1", "text/javascript; charset=utf-8", b"1;"),
        ("/pkg/snapseek_bg.wasm", "application/wasm", b"\0asm"),
        ("/demo.snap", "application/octet-stream", &snapshot),
    ];
    for (path, kind, expected) in cases {
        let (head, body) = server.ask(&format!("GET {path}"));
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
        assert!(head.contains(&format!("\r\nContent-Type: {kind}\r\n")), "{path}: {head}");
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", expected.len())), "{path}: {head}");
        assert!(body == expected, "{path}");
    }
    let (head, body) = server.ask("HEAD /main.js");
    assert!(head.contains("\r\nContent-Length: 2\r\n"), "{head}");
    assert_eq!(body, b"");
}

#[test]
fn serve_gives_parts_of_files() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/digits.txt", "0123456789");
    folder.write("www/large.bin", vec![7; 300_000]);
    let server = Server::start(&folder);
    let part = |range: &str| server.ask_with("GET /digits.txt", &[("Host", "localhost"), ("Range", range)]);
    for (range, place, expected) in [
        ("bytes=2-4", "2-4/10", "234"),
        ("bytes=7-", "7-9/10", "789"),
        ("bytes=-3", "7-9/10", "789"),
        ("bytes=-30", "0-9/10", "0123456789"),
        ("bytes=8-99", "8-9/10", "89"),
    ] {
        let (head, body) = part(range);
        assert!(head.starts_with("HTTP/1.1 206 Partial Content\r\n"), "{range}: {head}");
        assert!(head.contains(&format!("\r\nContent-Range: bytes {place}\r\n")), "{range}: {head}");
        assert_eq!(String::from_utf8(body).unwrap(), expected, "{range}");
    }
    for range in ["bytes=10-", "bytes=-0"] {
        let (head, _) = part(range);
        assert!(head.starts_with("HTTP/1.1 416 Range Not Satisfiable\r\n"), "{range}: {head}");
        assert!(head.contains("\r\nContent-Range: bytes */10\r\n"), "{range}: {head}");
    }
    let (head, body) = part("bytes=0-1,4-5");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && body == b"0123456789", "{head}");
    assert!(server.ask("GET /large.bin").1 == vec![7; 300_000]);
    let large = server.ask_with("GET /large.bin", &[("Host", "localhost"), ("Range", "bytes=100000-299998")]);
    assert!(large.1 == vec![7; 199_999]);
}

#[test]
fn serve_answers_requests_for_this_machine_only() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "secret");
    let server = Server::start(&folder);
    for (host, status) in [
        ("localhost", "200"),
        ("localhost:8080", "200"),
        ("127.0.0.1:8080", "200"),
        ("[::1]:8080", "200"),
        ("evil.example", "403"),
        ("localhost:evil.example", "403"),
        ("localhost.evil.example", "403"),
        ("127.0.0.1.evil.example:8080", "403"),
    ] {
        let (head, body) = server.ask_with("GET /", &[("Host", host)]);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {head}");
        assert_eq!(body == b"secret", status == "200", "{host}");
    }
    assert!(server.ask_with("GET /", &[]).0.starts_with("HTTP/1.1 400 "));
    let (head, _) = server.ask_with("GET http://evil.example/", &[("Host", "localhost")]);
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
}

#[cfg(unix)]
#[test]
fn serve_gives_regular_files_only_and_does_not_wait_for_a_pipe() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/folder/a.txt", "a");
    let pipe = folder.path("www/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = Server::start(&folder);
    for path in ["/pipe", "/folder", "/folder/"] {
        assert!(server.ask(&format!("GET {path}")).0.starts_with("HTTP/1.1 404 "), "{path}");
    }
    assert_eq!(server.ask("GET /folder/a.txt").1, b"a");
}

#[test]
fn serve_takes_a_limited_number_of_connections_and_serves_those_that_wait() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "page");
    let server = Server::start(&folder);
    let mut silent = (0..150).map(|_| TcpStream::connect(&server.address).unwrap()).collect::<Vec<_>>();
    // On Linux, count the threads of the server: one for connections, and those that read files.
    if let Ok(threads) = fs::read_dir(format!("/proc/{}/task", server.child.id())) {
        let count = threads.count();
        assert!(count <= 10, "{count} threads");
        let files = fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap().count();
        assert!(files <= 64 + 20, "{files} open files and connections");
    }
    silent.clear();
    assert_eq!(server.ask("GET /").1, b"page");
}

#[test]
fn serve_refuses_what_lies_outside_of_its_folders() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "<!doctype html>");
    folder.write("www/.hidden", "secret");
    folder.write("secret.txt", "secret");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("secret.txt"), folder.path("www/link.txt")).unwrap();
    let server = Server::start(&folder);
    let cases = [
        ("GET /none.html", "404"),
        ("GET /none/", "404"),
        ("GET /pkg/none.js", "404"),
        ("GET /../secret.txt", "403"),
        ("GET /%2e%2e/secret.txt", "403"),
        ("GET /..%2fsecret.txt", "403"),
        ("GET /..%5csecret.txt", "403"),
        ("GET /pkg/../secret.txt", "403"),
        ("GET /.hidden", "403"),
        ("GET secret.txt", "400"),
        ("GET /%ff", "400"),
        ("POST /", "405"),
    ];
    for (request, status) in cases {
        let (head, body) = server.ask(request);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {head}");
        assert!(!body.windows(6).any(|bytes| bytes == b"secret"), "{request}");
    }
    #[cfg(unix)]
    assert!(server.ask("GET /link.txt").0.starts_with("HTTP/1.1 403 "));
}

#[cfg(unix)]
#[test]
fn serve_ends_well_when_it_is_interrupted() {
    let folder = Folder::with_snapshot(&[]);
    fs::create_dir(folder.path("www")).unwrap();
    let mut server = Server::start(&folder);
    interrupt(&server.child);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn serve_says_what_is_missing_before_it_starts() {
    let folder = Folder::with_snapshot(&[]);
    folder.run(&["serve", "a.snap"]).expect_code(1).expect_stderr("there is no folder www");
    fs::create_dir(folder.path("www")).unwrap();
    folder.run(&["serve", "none.snap"]).expect_code(1).expect_stderr("none.snap cannot be read");
    folder.run(&["serve", "a.snap", "--port", "x"]).expect_code(2);
}
