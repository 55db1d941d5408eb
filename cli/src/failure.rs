//! Reports a failure: one message on stderr, and an exit code.

use crate::embedding::EmbeddingError;
use crate::provider::ProviderError;
use crate::{output, print};
use std::io;
use std::process::ExitCode;

/// A mistake on the command line that only shows after parsing.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Prints the error, and returns the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // The reader of stdout has closed it, as `head` does. That is no failure.
        return ExitCode::SUCCESS;
    }
    print::note(format_args!("snapseek: {error:#}"));
    ExitCode::from(if error.is::<UsageError>() {
        2
    } else if is_interrupted(error) {
        output::INTERRUPTED
    } else {
        1
    })
}

fn is_interrupted(error: &anyhow::Error) -> bool {
    use EmbeddingError::{Interrupted, Provider};
    matches!(error.downcast_ref(), Some(Interrupted { .. } | Provider(ProviderError::Cancelled)))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(is_broken)
}
