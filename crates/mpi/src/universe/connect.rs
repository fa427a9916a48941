//! Accepting and connecting at ports.
//!
//! The launcher brings a root that accepts together with one that connects, and tells each which process the other is.
//! Then the roots meet like the leaders of two groups that make an inter-communicator.

use super::spawn::ROOT;
use super::unexpected_answer;
use crate::comm::{Comm, Purpose, RemoteLeader};
use crate::errhandler::ErrorHandler;
use crate::error::Result;
use simurgh_core::sync::Arc;
use simurgh_net::control::{Answer, Question};
use simurgh_settings::Id;
use std::time::Duration;

impl Comm {
    /// Waits for another group to connect to a port (`MPI_Comm_accept`); returns the inter-communicator with it. The
    /// port matters at the root only.
    ///
    /// # Errors
    ///
    /// [`Port`](crate::ErrorClass::Port) if there is no such port, [`Root`](crate::ErrorClass::Root) if there is no
    /// such root, [`Comm`](crate::ErrorClass::Comm) on an inter-communicator.
    pub fn accept_at(&self, root: i32, port: impl FnOnce() -> Result<String>) -> Result<Arc<Self>> {
        let process = self.process().id();
        self.connect_roots(root, || {
            Ok(Question::Accept {
                port: port()?,
                process,
            })
        })
    }

    /// Connects to a group that accepts at a port (`MPI_Comm_connect`), as soon as it does. `port` gives the name of
    /// the port, and the time to wait for it if the caller chooses one. It matters at the root only.
    ///
    /// # Errors
    ///
    /// As [`Comm::accept_at`]; and [`Port`](crate::ErrorClass::Port) if nobody accepts in time.
    pub fn connect_to(
        &self,
        root: i32,
        port: impl FnOnce() -> Result<(String, Option<Duration>)>,
    ) -> Result<Arc<Self>> {
        let process = self.process().id();
        self.connect_roots(root, || {
            let (port, patience) = port()?;
            Ok(Question::Connect {
                port,
                process,
                patience: patience.or_else(|| self.patience()),
            })
        })
    }

    /// How long to wait for somebody to connect to. If an error would end the job, there is no limit: a deadlock is
    /// found at once, and its report says more.
    fn patience(&self) -> Option<Duration> {
        match self.errhandler() {
            ErrorHandler::Fatal | ErrorHandler::Abort => None,
            ErrorHandler::Return | ErrorHandler::User(_) => {
                self.process().job().settings().time(Id::ConnectTimeout)
            }
        }
    }

    fn connect_roots(&self, root: i32, question: impl FnOnce() -> Result<Question>) -> Result<Arc<Self>> {
        self.check_intra()?;
        let remote_leader = || match self.process().job().ask(question()?)? {
            Answer::Partner { process, meeting } => Ok(RemoteLeader {
                other: process,
                purpose: Purpose::Meeting(meeting),
            }),
            other => Err(unexpected_answer(&other)),
        };
        let (shared, seat) = self.local_group(ROOT).connect(root, remote_leader)?;
        Ok(self.child(shared, seat))
    }
}
