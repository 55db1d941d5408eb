//! Requests to a server that may fail, throttle or stall.
//!
//! A request has three attempts with growing waits between them. When a key is throttled, the next key takes over at
//! once; an attempt fails when all keys are throttled. Messages of the server are shown without the keys that they may
//! quote.

pub mod address;
pub mod embeddings;
pub mod keys;
pub mod retry;
pub mod secret;

use super::cancel::Cancel;
use super::error::{AttemptFailure, ProviderError};
use keys::{KeyId, KeyPool, Next};
use retry::Patience;
use secret::Secret;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use ureq::Agent;
use ureq::http::header::RETRY_AFTER;

/// The largest length of a response: more than 2048 vectors of the largest width take.
const LONGEST_ANSWER: u64 = 512 << 20;

/// The largest length of an error message that is read.
const LONGEST_EXPLANATION: usize = 64 << 10;
/// The largest length of an error message that is shown, in characters.
const SHOWN_LEN: usize = 300;

/// The timeouts of a request.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// For the whole request, from the first byte sent to the last byte received.
    pub request: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { connect: Duration::from_secs(10), request: Duration::from_secs(60) }
    }
}

/// The server of one provider.
#[derive(Debug)]
pub struct Remote {
    provider: &'static str,
    agent: Agent,
    keys: KeyPool,
    patience: Patience,
}

/// The response to one request.
struct Reply {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

/// Why a request failed.
enum Trouble {
    /// Another attempt may succeed.
    Passing { failure: AttemptFailure, asked: Option<Duration> },
    /// The server throttles this key.
    Throttled { failure: AttemptFailure, asked: Option<Duration> },
    /// The server refuses this key.
    KeyRefused { status: u16, said: String },
    /// Another attempt would fail in the same way.
    Final(ProviderError),
}

impl Remote {
    /// Creates the server at `url`.
    pub fn new(
        provider: &'static str,
        url: &str,
        keys: Vec<Secret>,
        timeouts: Timeouts,
        patience: Patience,
    ) -> Result<Remote, ProviderError> {
        if keys.iter().any(|key| key.bearer().is_none()) {
            return Err(ProviderError::UnusableKey { provider });
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // Send keys only to the address that the user named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("snapseek/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(timeouts.connect.min(timeouts.request)))
            .timeout_global(Some(timeouts.request));
        if address::is_this_machine(url) {
            config = config.proxy(None);
        }
        let agent = Agent::new_with_config(config.build());
        Ok(Remote { provider, agent, keys: KeyPool::new(keys), patience })
    }

    /// Sends `question` as JSON, and reads the response as JSON.
    pub fn post<Answer: DeserializeOwned>(
        &self,
        url: &str,
        question: &impl Serialize,
        cancel: &Cancel,
    ) -> Result<Answer, ProviderError> {
        let body = serde_json::to_vec(question).expect("texts and names can be written as JSON");
        self.ask(url, Some(Arc::new(body)), cancel)
    }

    /// Requests `url`, and reads the response as JSON.
    pub fn get<Answer: DeserializeOwned>(&self, url: &str, cancel: &Cancel) -> Result<Answer, ProviderError> {
        self.ask(url, None, cancel)
    }

    fn ask<Answer: DeserializeOwned>(
        &self,
        url: &str,
        body: Option<Arc<Vec<u8>>>,
        cancel: &Cancel,
    ) -> Result<Answer, ProviderError> {
        let mut last = None;
        for attempt in 0..self.patience.attempts {
            let mut wait = Duration::ZERO;
            // Each attempt tries every key.
            for _ in 0..self.keys.len() {
                let (key, secret) = self.awake_key(cancel)?;
                match self.ask_once(url, body.clone(), secret, cancel) {
                    Ok(answer) => return Ok(answer),
                    Err(Trouble::Final(error)) => return Err(error),
                    Err(Trouble::Passing { failure, asked }) => {
                        wait = self.patience.wait(attempt, asked);
                        last = Some(failure);
                        break;
                    }
                    Err(Trouble::Throttled { failure, asked }) => {
                        last = Some(failure);
                        let now = Instant::now();
                        self.keys.rest(key, now + self.patience.wait(attempt, asked));
                        if let Next::Resting(_) = self.keys.next(now) {
                            break;
                        }
                    }
                    Err(Trouble::KeyRefused { status, said }) => {
                        self.keys.refuse(key);
                        let failure = AttemptFailure::Status { status, said };
                        if self.keys.next(Instant::now()) == Next::Refused {
                            return Err(self.without_keys(Some(failure)));
                        }
                        last = Some(failure);
                    }
                }
            }
            if attempt + 1 < self.patience.attempts {
                cancel.sleep(wait)?;
            }
        }
        let last = last.expect("an attempt that gave no answer left a reason");
        let (provider, attempts) = (self.provider, self.patience.attempts);
        Err(ProviderError::Unreachable { provider, url: url.to_owned(), attempts, last })
    }

    /// Waits for a key that is not throttled.
    fn awake_key(&self, cancel: &Cancel) -> Result<(KeyId, Option<Secret>), ProviderError> {
        loop {
            cancel.check()?;
            match self.keys.next(Instant::now()) {
                Next::Ready(key, secret) => return Ok((key, secret)),
                Next::Resting(until) => cancel.sleep(until.saturating_duration_since(Instant::now()))?,
                // Another request has reported the details.
                Next::Refused => return Err(self.without_keys(None)),
            }
        }
    }

    fn without_keys(&self, last: Option<AttemptFailure>) -> ProviderError {
        ProviderError::KeysRefused { provider: self.provider, last }
    }

    fn ask_once<Answer: DeserializeOwned>(
        &self,
        url: &str,
        body: Option<Arc<Vec<u8>>>,
        secret: Option<Secret>,
        cancel: &Cancel,
    ) -> Result<Answer, Trouble> {
        let reply = self.send(url, body, secret, cancel)?;
        match reply.status {
            200..300 => serde_json::from_slice(&reply.body).map_err(|error| {
                let failure = AttemptFailure::NotTheAnswer {
                    reason: self.shown(&error.to_string()),
                    said: self.said(&reply),
                };
                Trouble::Passing { failure, asked: None }
            }),
            status @ (401 | 403) => Err(Trouble::KeyRefused { status, said: self.said(&reply) }),
            status @ (408 | 409 | 425 | 429 | 500..) => {
                let failure = AttemptFailure::Status { status, said: self.said(&reply) };
                let asked = reply.retry_after;
                Err(match status {
                    429 => Trouble::Throttled { failure, asked },
                    _ => Trouble::Passing { failure, asked },
                })
            }
            status => Err(Trouble::Final(ProviderError::Refused {
                provider: self.provider,
                url: url.to_owned(),
                status,
                said: self.said(&reply),
            })),
        }
    }

    /// Sends one request on a thread of its own. The thread cannot be stopped, but it can be abandoned.
    fn send(
        &self,
        url: &str,
        body: Option<Arc<Vec<u8>>>,
        secret: Option<Secret>,
        cancel: &Cancel,
    ) -> Result<Reply, Trouble> {
        let (agent, url) = (self.agent.clone(), url.to_owned());
        let (sender, receiver) = mpsc::sync_channel(1);
        thread::spawn(move || {
            // After a cancellation, nobody receives the response.
            let _ = sender.send(exchange(&agent, &url, body.as_ref().map(|body| body.as_slice()), secret));
        });
        let received = cancel.receive(&receiver).map_err(|cancelled| Trouble::Final(cancelled.into()))?;
        let failure = match received.expect("a request ends with a reply or an error") {
            Ok(reply) => return Ok(reply),
            Err(ureq::Error::Timeout(ureq::Timeout::Connect)) => AttemptFailure::NoConnection,
            Err(ureq::Error::Timeout(_)) => AttemptFailure::TooSlow,
            Err(error) => AttemptFailure::Broken { reason: self.shown(&error.to_string()) },
        };
        Err(Trouble::Passing { failure, asked: None })
    }

    /// Returns the error message in a response.
    fn said(&self, reply: &Reply) -> String {
        let body = &reply.body[..reply.body.len().min(LONGEST_EXPLANATION)];
        let body = String::from_utf8_lossy(body);
        let message = serde_json::from_str(&body).ok().and_then(|json| message_of(&json));
        self.shown(&message.unwrap_or(body.into_owned()))
    }

    /// Returns `text` in one line, without keys and control characters, and shortened.
    fn shown(&self, text: &str) -> String {
        // Remove keys before shortening, which could leave a part of one.
        let text = self.keys.redact(text);
        let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
        let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(SHOWN_LEN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

fn exchange(
    agent: &Agent,
    url: &str,
    body: Option<&[u8]>,
    secret: Option<Secret>,
) -> Result<Reply, ureq::Error> {
    let bearer = secret.as_ref().and_then(Secret::bearer);
    let mut response = match body {
        Some(body) => {
            let mut request = agent.post(url).content_type("application/json");
            if let Some(bearer) = bearer {
                request = request.header("Authorization", bearer);
            }
            request.send(body)?
        }
        None => {
            let mut request = agent.get(url);
            if let Some(bearer) = bearer {
                request = request.header("Authorization", bearer);
            }
            request.call()?
        }
    };
    let asked = response.headers().get(RETRY_AFTER).and_then(|header| header.to_str().ok());
    let retry_after = asked.and_then(|asked| retry::retry_after(asked, SystemTime::now()));
    let status = response.status().as_u16();
    let mut body = Vec::new();
    match response.status().is_success() {
        true => body = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec()?,
        false => {
            let mut explanation = response.body_mut().as_reader().take(LONGEST_EXPLANATION as u64);
            // Use as much of the message as arrived.
            let _ = explanation.read_to_end(&mut body);
        }
    }
    Ok(Reply { status, retry_after, body })
}

/// Returns the message in the JSON of an error, in any of the usual places.
fn message_of(json: &serde_json::Value) -> Option<String> {
    let places = ["/error/message", "/error", "/detail", "/message"];
    places.iter().find_map(|place| json.pointer(place)?.as_str()).map(str::to_owned)
}
