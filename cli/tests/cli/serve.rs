//! `serve`: the files that it serves, the requests that it refuses, and how it ends.

#[cfg(unix)]
use crate::interrupt;
use crate::support::Folder;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Serves `a.snap` with the page in the folder www.
    fn start(folder: &Folder) -> Server {
        Server::start_with(folder, &["a.snap", "--www", "www"])
    }

    /// Runs `serve` with these arguments on a free port.
    fn start_with(folder: &Folder, args: &[&str]) -> Server {
        let mut child = folder.command(&[&["serve", "--port", "0"], args].concat()).spawn().unwrap();
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
        ask_at(&self.address, request, headers)
    }
}

fn ask_at(address: &str, request: &str, headers: &[(&str, &str)]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
    write!(stream, "{request} HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
}

/// Returns the value of a header.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    headers.find_map(|(other, value)| other.eq_ignore_ascii_case(name).then_some(value))
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
fn serve_takes_a_limited_number_of_connections_and_slow_ones_make_way() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "page");
    folder.write("www/large.bin", vec![7; 16 << 20]);
    let server = Server::start(&folder);
    // Each asks for a file and reads nothing of it.
    let mut slow = Vec::new();
    for _ in 0..250 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        write!(stream, "GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        slow.push(stream);
    }
    let started = Instant::now();
    assert_eq!(server.ask("GET /").1, b"page");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let proc = format!("/proc/{}", server.child.id());
    // Linux counts the threads of the server: one for connections, and those that read files.
    if let Ok(threads) = fs::read_dir(format!("{proc}/task")) {
        let count = threads.count();
        assert!(count <= 10, "{count} threads");
        let files = fs::read_dir(format!("{proc}/fd")).unwrap().count();
        assert!(files <= 2 * 100 + 20, "{files} open files and connections");
        let status = fs::read_to_string(format!("{proc}/status")).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak = peak.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap();
        assert!(peak <= 64 << 10, "{peak} KiB");
    }
    drop(slow);
    assert!(server.ask("GET /large.bin").1 == vec![7; 16 << 20]);
}

#[test]
fn serve_sends_compressed_copies_to_clients_that_take_them_and_no_parts_of_them() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/main.js", "0123456789");
    folder.write("www/main.js.br", "brotli");
    folder.write("www/main.js.gz", "gzip");
    let server = Server::start(&folder);
    let ask = |headers: &[(&str, &str)]| {
        server.ask_with("GET /main.js", &[&[("Host", "localhost")], headers].concat())
    };
    for (accepted, encoding, expected) in [
        ("gzip, deflate, br", Some("br"), "brotli"),
        ("gzip", Some("gzip"), "gzip"),
        ("br;q=0, identity", None, "0123456789"),
    ] {
        let (head, body) = ask(&[("Accept-Encoding", accepted)]);
        assert_eq!(String::from_utf8(body).unwrap(), expected);
        assert_eq!(header(&head, "Content-Encoding"), encoding, "{head}");
        assert_eq!(header(&head, "Content-Type"), Some("text/javascript; charset=utf-8"));
        assert_eq!(header(&head, "Vary"), Some("Accept-Encoding"));
    }
    let (head, body) = ask(&[("Accept-Encoding", "br"), ("Range", "bytes=-3")]);
    assert_eq!((header(&head, "Content-Encoding"), &body[..]), (None, &b"789"[..]));
    // A copy that is older than its file is out of date.
    let copy = fs::File::options().write(true).open(folder.path("www/main.js.br")).unwrap();
    copy.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_eq!(ask(&[("Accept-Encoding", "br")]).1, b"0123456789");
}

#[test]
fn serve_names_versions_and_sends_nothing_to_clients_that_have_them() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/digits.txt", "0123456789");
    folder.write("www/digits.txt.gz", "gzip");
    let server = Server::start(&folder);
    let ask = |headers: &[(&str, &str)]| {
        server.ask_with("GET /digits.txt", &[&[("Host", "localhost")], headers].concat())
    };
    let (head, _) = ask(&[]);
    let tag = header(&head, "ETag").unwrap();
    let date = header(&head, "Last-Modified").unwrap();
    assert_eq!(header(&head, "Cache-Control"), Some("no-cache"));
    for known in [("If-None-Match", tag), ("If-Modified-Since", date)] {
        let (head, body) = ask(&[known]);
        assert!(head.starts_with("HTTP/1.1 304 Not Modified\r\n") && body.is_empty(), "{head}");
        assert_eq!(header(&head, "ETag"), Some(tag));
    }
    let (head, _) = ask(&[("Accept-Encoding", "gzip"), ("If-None-Match", tag)]);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "another encoding is another version: {head}");
    for (if_range, expected) in [(tag, "01"), (date, "01"), ("\"other\"", "0123456789")] {
        let (_, body) = ask(&[("Range", "bytes=0-1"), ("If-Range", if_range)]);
        assert_eq!(String::from_utf8(body).unwrap(), expected, "{if_range}");
    }
    folder.write("www/digits.txt", "9876543210!");
    let (head, body) = ask(&[("If-None-Match", tag)]);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && body == b"9876543210!", "{head}");
}

#[test]
fn serve_carries_its_page_or_says_how_to_get_it() {
    let folder = Folder::with_snapshot(&[]);
    // Whether this binary has a page depends on whether the package was built before it.
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join("page/index.html").exists() {
        folder.run(&["serve", "a.snap"]).expect_code(1).expect_stderr("compiled without its page");
        return;
    }
    let server = Server::start_with(&folder, &["a.snap"]);
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/main.js", "text/javascript; charset=utf-8"),
        ("/pkg/web.js", "text/javascript; charset=utf-8"),
        ("/pkg/snapseek.wasm", "application/wasm"),
    ] {
        let (head, plain) = server.ask(&format!("GET {path}"));
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
        assert_eq!(header(&head, "Content-Type"), Some(kind), "{path}");
        let tag = header(&head, "ETag").unwrap();
        let (head, _) =
            server.ask_with(&format!("GET {path}"), &[("Host", "localhost"), ("If-None-Match", tag)]);
        assert!(head.starts_with("HTTP/1.1 304 "), "{path}: {head}");
        for encoding in ["br", "gzip"] {
            let headers = [("Host", "localhost"), ("Accept-Encoding", encoding)];
            let (head, packed) = server.ask_with(&format!("GET {path}"), &headers);
            assert_eq!(header(&head, "Content-Encoding"), Some(encoding), "{path}");
            assert!(packed.len() < plain.len(), "{path}");
        }
        let (head, body) =
            server.ask_with(&format!("GET {path}"), &[("Host", "localhost"), ("Range", "bytes=-3")]);
        assert!(head.starts_with("HTTP/1.1 206 ") && body == plain[plain.len() - 3..], "{path}: {head}");
    }
    for (request, status) in [
        ("GET /a.snap", "404"),
        ("GET /main.js/", "404"),
        ("GET /../a.snap", "403"),
        ("GET /%2e%2e/a.snap", "403"),
        ("GET /pkg/../../a.snap", "403"),
        ("GET //etc/passwd", "404"),
        ("GET /demo.snap.docs", "404"),
        ("GET /demo.snap.docs.+1", "404"),
    ] {
        assert!(server.ask(request).0.starts_with(&format!("HTTP/1.1 {status} ")), "{request}");
    }
}

#[test]
fn serve_builds_inputs_and_builds_again_when_they_change() {
    let folder = Folder::new();
    folder.write("notes/a.md", "# First\n\nA text about foxes.\n");
    folder.write("www/index.html", "page");
    folder.write("schema.toml", "[fields]\ntitle = {}\ntext = {}\n");
    let args = ["--watch", "--www", "www", "notes", "--", "--schema", "schema.toml"];
    let server = Server::start_with(&folder, &args);
    let snapshot = || {
        let (head, body) = server.ask("GET /demo.snap");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert_eq!(header(&head, "Snapseek-Watch"), Some("1"));
        assert_eq!(header(&head, "Content-Disposition"), Some("inline; filename*=UTF-8''notes%2Esnap"));
        folder.write("served.snap", body);
        folder.run(&["export", "served.snap"]).expect_code(0).stdout
    };
    let wait_for = |text: &str| {
        let started = Instant::now();
        while !snapshot().contains(text) {
            assert!(started.elapsed() < Duration::from_secs(60), "{text}");
            sleep(Duration::from_millis(100));
        }
    };
    assert!(snapshot().contains("foxes"));
    folder.write("notes/b.md", "# Second\n\nA text about badgers.\n");
    wait_for("badgers");
    // A build that fails leaves the snapshot that was there, and the next change is built.
    folder.write("schema.toml", "[fields\n");
    sleep(Duration::from_secs(2));
    wait_for("badgers");
    folder.write("schema.toml", "[fields]\ntext = {}\n");
    folder.write("notes/a.md", "# First\n\nA text about otters.\n");
    wait_for("otters");
    #[cfg(unix)]
    {
        let mut server = server;
        interrupt(&server.child);
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn serve_gives_the_pages_of_a_folder_at_an_address_that_the_snapshot_names() {
    let folder = Folder::new();
    folder.write("site/index.html", "<h1>Start</h1><p>A text about foxes.</p>");
    folder.write("site/guide/use.html", "<h1>Use</h1><p>A text about badgers.</p>");
    folder.write("site/style.css", "h1 { color: red }");
    folder.write("site/.secret", "secret");
    folder.write("secret.txt", "secret");
    folder.write("www/index.html", "page");
    folder.run(&["build", "site", "-o", "a.snap"]).expect_code(0);
    let pages_of = |server: &Server| {
        let address = header(&server.ask("HEAD /demo.snap").0, "Snapseek-Pages").map(str::to_owned);
        address.map(|address| address.trim_start_matches("http://").trim_end_matches('/').to_owned())
    };
    for args in [&["site"][..], &["a.snap", "--pages", "site"]] {
        let server = Server::start_with(&folder, &[args, &["--www", "www"]].concat());
        let pages = pages_of(&server).unwrap();
        let ask = |path: &str| ask_at(&pages, &format!("GET {path}"), &[("Host", &pages)]);
        for (path, text) in [
            ("/", "foxes"),
            ("/index.html", "foxes"),
            ("/guide/use.html", "badgers"),
            ("/guide/use", "badgers"),
            ("/style.css", "red"),
        ] {
            let (head, body) = ask(path);
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
            assert!(String::from_utf8(body).unwrap().contains(text), "{path}");
        }
        for (path, status) in
            [("/none", "404"), ("/demo.snap", "404"), ("/.secret", "403"), ("/../secret.txt", "403")]
        {
            assert!(ask(path).0.starts_with(&format!("HTTP/1.1 {status} ")), "{path}");
        }
        let (head, _) = ask_at(&pages, "GET /", &[("Host", "evil.example")]);
        assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
    }
    assert_eq!(pages_of(&Server::start_with(&folder, &["a.snap", "--www", "www"])), None);
    folder
        .run(&["serve", "a.snap", "--www", "www", "--pages", "none"])
        .expect_code(1)
        .expect_stderr("--pages");
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
    folder.run(&["serve", "a.snap", "--www", "www"]).expect_code(1).expect_stderr("there is no folder www");
    fs::create_dir(folder.path("www")).unwrap();
    let serve = |args: &[&str]| folder.run(&[&["serve", "--www", "www"], args].concat());
    serve(&["none.snap"]).expect_code(1).expect_stderr("none.snap cannot be read");
    serve(&["none.md"]).expect_code(1).expect_stderr("none.md cannot be read");
    serve(&["www"]).expect_code(1).expect_stderr("the build failed");
    serve(&["-"]).expect_code(2).expect_stderr("stdin cannot be served");
    serve(&["a.snap", "--", "--forms"]).expect_code(2).expect_stderr("build options are for inputs");
    folder.run(&["serve", "a.snap", "--port", "x"]).expect_code(2);
}
