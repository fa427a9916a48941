//! Groups that find each other by the name of a port.
//!
//! The launcher brings a root that accepts together with one that connects, and tells each who the other is. Then the
//! roots meet as the leaders of two groups do that make an inter-communicator.

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
    /// Waits for another group to connect to a port (`MPI_Comm_accept`); gives the inter-communicator with it. The port
    /// counts at the root only.
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

    /// Connects to a group that accepts at a port (`MPI_Comm_connect`), as soon as it does. `port` gives its name, and
    /// for how long that is waited for, if the caller has a say in it.
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

    /// For how long somebody to connect to is waited for. Where an error ends the job it is waited for ever: that all
    /// ranks wait is found at once, and said in better words.
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
