//! The events that wake the main thread: from ranks' threads and signal handlers through a pipe (the self-pipe trick),
//! from the launcher through its channel.
//!
//! A write to a pipe is all that a signal handler can safely do, and a pipe is something that the main thread can wait
//! for with a time limit.

use super::control::Control;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::PipeFlags;
use simurgh_net::control::{ControlError, Received, ToHost};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// An event of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The last rank has ended.
    Ended,
    /// A rank has crashed; [`super::crash`] has the details.
    Crash,
    /// A signal asks the job to end.
    Signal(u8),
}

/// An event that the main thread handles.
#[derive(Debug)]
pub(super) enum News {
    /// From this process.
    Event(Event),
    /// From the launcher.
    Launcher(Received<ToHost>),
    /// The launcher is gone, or its message cannot be understood.
    ChannelFailed(ControlError),
    /// The deadline has passed.
    TimedOut,
}

const ENDED: u8 = 0;
const CRASH: u8 = 255;

/// The pipe.
#[derive(Debug)]
pub(super) struct SelfPipe {
    reader: OwnedFd,
    writer: OwnedFd,
}

impl SelfPipe {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { reader, writer })
    }

    /// Wakes the main thread; async-signal-safe. If the pipe is full, the main thread has enough reasons to wake up
    /// already.
    pub(super) fn send(&self, event: Event) {
        let byte = match event {
            Event::Ended => ENDED,
            Event::Crash => CRASH,
            Event::Signal(number) => number,
        };
        let _ = rustix::io::write(&self.writer, &[byte]);
    }

    /// Waits for the next event of this process or message of the launcher, until `deadline`.
    pub(super) fn receive(&self, control: Option<&Control>, deadline: Option<Instant>) -> News {
        loop {
            let mut byte = [0];
            if let Ok(1) = rustix::io::read(&self.reader, &mut byte) {
                return News::Event(event(byte[0]));
            }
            match control.map_or(Ok(None), Control::hear) {
                Ok(Some(received)) => return News::Launcher(received),
                Err(error) => return News::ChannelFailed(error),
                Ok(None) if self.wait(control, deadline).is_none() => return News::TimedOut,
                Ok(None) => {}
            }
        }
    }

    /// Sleeps until there may be something to read; `None` when the time is over.
    fn wait(&self, control: Option<&Control>, deadline: Option<Instant>) -> Option<()> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return None;
        }
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        let fds = std::iter::once(self.reader.as_fd()).chain(control.map(AsFd::as_fd));
        let mut readable: Vec<_> = fds
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        // An interrupted wait is repeated by the caller.
        let _ = poll(&mut readable, limit.as_ref());
        Some(())
    }
}

fn event(byte: u8) -> Event {
    match byte {
        ENDED => Event::Ended,
        CRASH => Event::Crash,
        number => Event::Signal(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_arrive_in_order() {
        let wake = SelfPipe::new().unwrap();
        for event in [Event::Signal(15), Event::Crash, Event::Ended] {
            wake.send(event);
        }
        let next = || match wake.receive(None, None) {
            News::Event(event) => event,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            [next(), next(), next()],
            [Event::Signal(15), Event::Crash, Event::Ended]
        );
    }

    #[test]
    fn waiting_ends_at_the_deadline() {
        let wake = SelfPipe::new().unwrap();
        let deadline = Instant::now() + Duration::from_millis(20);
        assert!(matches!(wake.receive(None, Some(deadline)), News::TimedOut));
    }
}
