//! How does a failure reach the user? One message on stderr, and an exit code.

use crate::embedding::EmbeddingError;
use crate::provider::ProviderError;
use crate::{output, print};
use std::io;
use std::process::ExitCode;

/// The command line is wrong, in a way that only shows after parsing it.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Says on stderr what went wrong, and how the process has to end.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // Whoever read our answers has had enough of them, as `head` does. That is no failure.
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
