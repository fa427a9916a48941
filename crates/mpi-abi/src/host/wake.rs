//! How the ranks' threads and signal handlers reach the main thread: one byte at a time through a pipe.
//!
//! A write to a pipe is all that a signal handler can safely do, and a pipe is what the main thread can wait for with a
//! time limit.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::PipeFlags;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// What the main thread is woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The last rank has ended.
    Ended,
    /// A rank has crashed; the details are in [`super::crash`].
    Crash,
    /// A signal asks the job to end.
    Signal(u8),
}

const ENDED: u8 = 0;
const CRASH: u8 = 255;

/// The pipe.
#[derive(Debug)]
pub(super) struct Wake {
    reader: OwnedFd,
    writer: OwnedFd,
}

impl Wake {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { reader, writer })
    }

    /// Wakes the main thread; async-signal-safe. A full pipe means that it has enough reasons to wake up already.
    pub(super) fn send(&self, event: Event) {
        let byte = match event {
            Event::Ended => ENDED,
            Event::Crash => CRASH,
            Event::Signal(number) => number,
        };
        let _ = rustix::io::write(&self.writer, &[byte]);
    }

    /// Waits for the next event; none if it does not come before `deadline`.
    pub(super) fn receive(&self, deadline: Option<Instant>) -> Option<Event> {
        loop {
            let mut byte = [0];
            match rustix::io::read(&self.reader, &mut byte) {
                Ok(1) => return Some(event(byte[0])),
                _ => self.wait(deadline)?,
            }
        }
    }

    /// Sleeps until there may be something to read; none when the time is over.
    fn wait(&self, deadline: Option<Instant>) -> Option<()> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return None;
        }
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        let mut readable = [PollFd::from_borrowed_fd(self.reader.as_fd(), PollFlags::IN)];
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
        let wake = Wake::new().unwrap();
        for event in [Event::Signal(15), Event::Crash, Event::Ended] {
            wake.send(event);
        }
        assert_eq!(wake.receive(None), Some(Event::Signal(15)));
        assert_eq!(wake.receive(None), Some(Event::Crash));
        assert_eq!(wake.receive(None), Some(Event::Ended));
    }

    #[test]
    fn waiting_ends_at_the_deadline() {
        let wake = Wake::new().unwrap();
        assert_eq!(
            wake.receive(Some(Instant::now() + Duration::from_millis(20))),
            None
        );
    }
}
