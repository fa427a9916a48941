//! Writes the output of ranks on other nodes, on a thread of its own. Its reader may be slow, and the job goes on
//! meanwhile.

use crate::error::LaunchError;
use crate::process::PollSet;
use rustix::event::PollFlags;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A stream of output.
pub(super) struct Printer {
    /// The queue to the thread; none when nothing more comes.
    texts: Option<Sender<Vec<u8>>>,
    /// From the thread: the length of each text that it has written. It is closed when the thread ends.
    written: UnixStream,
    /// The number of bytes that have not been written.
    backlog: usize,
    /// Set when something could not be written.
    lost: Arc<OnceLock<()>>,
}

impl Printer {
    /// The printer of a stream, with its name in messages.
    pub(super) fn new(name: &'static str, stream: impl Write + Send + 'static) -> Result<Self, LaunchError> {
        let (written, reports) = UnixStream::pair().map_err(LaunchError::Supervise)?;
        written.set_nonblocking(true).map_err(LaunchError::Supervise)?;
        let (texts, taken) = channel();
        let lost = Arc::new(OnceLock::new());
        let told = Arc::clone(&lost);
        let thread = std::thread::Builder::new().name("output".to_owned());
        let thread = thread.spawn(move || {
            print(stream, &taken, reports, |error| {
                if told.set(()).is_ok() {
                    crate::supervise::print(&format!("simurgh: {name}: {error}; what ranks write is lost\n"));
                }
            });
        });
        thread.map_err(LaunchError::Supervise)?;
        Ok(Self {
            texts: Some(texts),
            written,
            backlog: 0,
            lost,
        })
    }

    /// Queues a text.
    pub(super) fn print(&mut self, text: Vec<u8>) {
        self.backlog += text.len();
        if let Some(texts) = &self.texts {
            // If the thread has ended, the text cannot be written anyway.
            let _ = texts.send(text);
        }
    }

    pub(super) fn backlog(&self) -> usize {
        self.backlog
    }

    pub(super) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        if self.backlog > 0 {
            set.add(self.written.as_fd(), PollFlags::IN);
        }
    }

    /// Takes note of what has been written; false if nothing more will be.
    pub(super) fn update(&mut self) -> bool {
        let mut length = [0; 8];
        loop {
            match self.written.read(&mut length) {
                Ok(8) => self.backlog = self.backlog.saturating_sub(usize::from_le_bytes(length)),
                Ok(_) => {
                    self.backlog = 0;
                    return false;
                }
                Err(_) => return true,
            }
        }
    }

    /// Waits until everything has been written, or `patience` is over; false if something was lost before.
    pub(super) fn finish(mut self, patience: Option<Duration>) -> bool {
        self.texts = None;
        let until = patience.map(|patience| Instant::now() + patience);
        while self.update() && until.is_none_or(|until| Instant::now() < until) {
            let mut set = PollSet::default();
            set.add(self.written.as_fd(), PollFlags::IN);
            if set.wait(until).is_err() {
                break;
            }
        }
        self.lost.get().is_none()
    }
}

/// Writes the texts of the queue, on the thread. After an error it goes on reporting texts as written.
fn print(
    mut stream: impl Write,
    texts: &Receiver<Vec<u8>>,
    mut reports: UnixStream,
    lose: impl Fn(&std::io::Error),
) {
    for text in texts {
        if let Err(error) = stream.write_all(&text).and_then(|()| stream.flush()) {
            lose(&error);
        }
        if reports.write_all(&text.len().to_le_bytes()).is_err() {
            return;
        }
    }
}
