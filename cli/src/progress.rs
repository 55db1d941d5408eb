//! Shows progress: a bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

const KNOWN: &str = "{msg} {wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{spinner} {msg} {bytes}, {bytes_per_sec}";
const STAGE: &str = "{spinner} {msg}, {elapsed}";
const TEXTS: &str = "{msg} {wide_bar} {human_pos}/{human_len}, {per_sec}, {eta} left";
const SEARCHES: &str = "{spinner} {msg} {human_pos} searches, {per_sec}, {elapsed}";
const TICK: Duration = Duration::from_millis(100);

/// A progress bar, or nothing.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Shows nothing, because something else shows progress.
    pub fn none() -> Progress {
        Progress(ProgressBar::hidden())
    }

    /// Shows the reading of `total` bytes, or of an unknown number.
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

    /// Shows the embedding of `total` texts.
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

    /// Shows searches, of which nobody knows the number.
    pub fn searching() -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_style(style(SEARCHES));
        bar.set_message("tuning");
        bar.enable_steady_tick(TICK);
        Progress(bar)
    }

    /// Advances by this many bytes, texts or searches.
    pub fn advance(&self, count: u64) {
        self.0.inc(count);
    }

    /// Advances by texts that needed no work. They do not count for the estimate of the remaining time.
    pub fn skip(&self, count: u64) {
        self.0.dec_length(count);
    }

    /// Shows a stage of unknown duration.
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
