//! Runs a function when the user or the system asks the program to end.
//!
//! tokio's signals need no framework of Apple, so the command line links for macOS on any machine.

use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::thread;
use tokio::runtime::Builder;

/// Calls `handler` on a thread of its own for each Ctrl-C, for SIGTERM and SIGHUP, and when Windows closes the console.
///
/// From its return on, these signals no longer end the program by themselves.
pub fn on_end(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let mut requests = {
        let _context = runtime.enter();
        platform::requests()?
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        loop {
            runtime.block_on(next(&mut requests));
            handler();
        }
    })?;
    Ok(())
}

/// Waits for the first of several requests to end.
async fn next(requests: &mut [platform::EndRequest]) {
    poll_fn(|context| {
        let has_come = requests.iter_mut().any(|request| request.poll_recv(context).is_ready());
        if has_come { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[cfg(unix)]
mod platform {
    use std::io;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub type EndRequest = Signal;

    pub fn requests() -> io::Result<Vec<EndRequest>> {
        [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
            .into_iter()
            .map(signal)
            .collect()
    }
}

#[cfg(windows)]
mod platform {
    use std::io;
    use std::task::{Context, Poll};
    use tokio::signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown,
    };

    /// tokio has a type for each kind of request.
    pub enum EndRequest {
        Interrupt(CtrlC),
        Break(CtrlBreak),
        Close(CtrlClose),
        Shutdown(CtrlShutdown),
    }

    impl EndRequest {
        pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Option<()>> {
            match self {
                EndRequest::Interrupt(request) => request.poll_recv(context),
                EndRequest::Break(request) => request.poll_recv(context),
                EndRequest::Close(request) => request.poll_recv(context),
                EndRequest::Shutdown(request) => request.poll_recv(context),
            }
        }
    }

    pub fn requests() -> io::Result<Vec<EndRequest>> {
        Ok(vec![
            EndRequest::Interrupt(ctrl_c()?),
            EndRequest::Break(ctrl_break()?),
            EndRequest::Close(ctrl_close()?),
            EndRequest::Shutdown(ctrl_shutdown()?),
        ])
    }
}
