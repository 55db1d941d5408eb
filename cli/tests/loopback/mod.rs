//! An embedding server on this machine that answers, fails, throttles, stalls or lies, as a test says.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server does with a request.
pub enum Act {
    /// Answers correctly.
    Answer,
    /// Answers with this status, these header lines and this body.
    Status(u16, &'static str, String),
    /// Answers with this text.
    Instead(String),
    /// Sends nothing until the test is over.
    Stall,
    /// Announces an answer, and closes the connection in the middle of it.
    HangUp,
}

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number from 0, in the order of arrival.
    pub number: usize,
    pub method: String,
    pub path: String,
    pub authorization: Option<String>,
    pub body: Value,
}

impl Request {
    /// Returns the texts of the request.
    pub fn texts(&self) -> Vec<String> {
        let input = self.body["input"].as_array().cloned().unwrap_or_default();
        input.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the correct answer.
    pub fn answer(&self) -> Value {
        let texts = self.texts();
        let vectors = texts.iter().map(|text| vector_of(text));
        match self.path.as_str() {
            "/v1/embeddings" => {
                let embedding =
                    |(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector});
                json!({"object": "list", "data": vectors.enumerate().map(embedding).collect::<Vec<_>>()})
            }
            "/api/embed" => json!({"embeddings": vectors.collect::<Vec<_>>()}),
            "/api/tags" => json!({"models": [{"name": "nomic-embed-text:latest", "digest": "0a109f"}]}),
            other => panic!("nobody should ask for {other}"),
        }
    }
}

/// Returns the vector of a text; different texts have different vectors.
pub fn vector_of(text: &str) -> Vec<f32> {
    let sum = text.bytes().enumerate().map(|(at, byte)| (at + 1) as f32 * f32::from(byte)).sum::<f32>();
    vec![text.len() as f32, sum, 0.5, -1.0]
}

/// The server; it ends when it is dropped.
pub struct Loopback {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    is_over: Arc<AtomicBool>,
}

impl Loopback {
    /// Starts a server that calls `decide` for each request.
    pub fn start(decide: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Loopback {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, is_over, decide) = (Arc::default(), Arc::default(), Arc::new(decide));
        let server = Loopback { address, requests, is_over };
        let (requests, is_over) = (server.requests.clone(), server.is_over.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let (requests, is_over, decide) = (requests.clone(), is_over.clone(), decide.clone());
                thread::spawn(move || serve(stream.unwrap(), &requests, &is_over, &*decide));
            }
        });
        server
    }

    /// Starts a server that always answers correctly.
    pub fn honest() -> Loopback {
        Loopback::start(|_| Act::Answer)
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns the keys of the requests so far; `-` stands for none.
    pub fn keys(&self) -> Vec<String> {
        let key = |request: Request| match request.authorization {
            Some(header) => header.strip_prefix("Bearer ").unwrap().to_owned(),
            None => "-".to_owned(),
        };
        self.requests().into_iter().map(key).collect()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wake the listener, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(
    mut stream: TcpStream,
    requests: &Mutex<Vec<Request>>,
    is_over: &AtomicBool,
    decide: &(dyn Fn(&Request) -> Act + Send + Sync),
) {
    // A client that was cancelled may have left without a request.
    let Some(mut request) = read(&stream) else { return };
    {
        let mut requests = requests.lock().unwrap();
        request.number = requests.len();
        requests.push(request.clone());
    }
    let reply = |status: u16, headers: &str, body: &str| {
        let len = body.len();
        format!(
            "HTTP/1.1 {status} Told So\r\nContent-Length: {len}\r\nConnection: close\r\n{headers}\r\n{body}"
        )
    };
    let reply = match decide(&request) {
        Act::Answer => reply(200, "", &request.answer().to_string()),
        Act::Instead(body) => reply(200, "", &body),
        Act::Status(status, headers, body) => reply(status, headers, &body),
        Act::HangUp => {
            let whole = reply(200, "", &request.answer().to_string());
            whole[..whole.len() - 7].to_owned()
        }
        Act::Stall => {
            while !is_over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(5));
            }
            return;
        }
    };
    // The client may have left.
    let _ = stream.write_all(reply.as_bytes());
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut len, mut authorization) = (0, None);
    loop {
        let header = line()?;
        let Some((name, value)) = header.split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => len = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; len];
    reader.read_exact(&mut body).ok()?;
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).ok()? };
    Some(Request { number: 0, method, path, authorization, body })
}
