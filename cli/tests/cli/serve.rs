//! `serve`: what it gives, what it refuses, and how it ends.

#[cfg(unix)]
use crate::interrupt;
use crate::support::Folder;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

/// A server, ended with the test.
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

    /// The head and the body of the answer.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).unwrap();
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
    assert_eq!(server.ask("HEAD /main.js").1, b"");
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
