//! How far is it? A bar on a terminal, nothing anywhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

const KNOWN: &str = "{msg} {wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{spinner} {msg} {bytes}, {bytes_per_sec}";
const STAGE: &str = "{spinner} {msg}, {elapsed}";
const TEXTS: &str = "{msg} {wide_bar} {human_pos}/{human_len}, {per_sec}, {eta} left";
const TICK: Duration = Duration::from_millis(100);

/// A bar, or nothing.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Nothing: something else shows how far it is.
    pub fn none() -> Progress {
        Progress(ProgressBar::hidden())
    }

    /// Reading `total` bytes, or nobody knows how many.
    pub fn reading(total: Option<u64>) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_style(style(if total.is_some() { KNOWN } else { UNKNOWN }));
        bar.set_message("reading");
        bar.enable_steady_tick(TICK);
        Progress(bar)
    }

    /// Embedding `total` texts.
    pub fn embedding(total: u64) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(total);
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_style(style(TEXTS));
        bar.set_message("embedding");
        bar.enable_steady_tick(TICK);
        Progress(bar)
    }

    /// So many bytes or texts more are done.
    pub fn advance(&self, count: u64) {
        self.0.inc(count);
    }

    /// So many need not be done: they say nothing about how long the others take.
    pub fn skip(&self, count: u64) {
        self.0.dec_length(count);
    }

    /// Something begins whose end cannot be foreseen.
    pub fn stage(&self, what: &'static str) {
        self.0.set_style(style(STAGE));
        self.0.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates above are well-formed")
}
