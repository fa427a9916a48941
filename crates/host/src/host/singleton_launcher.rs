//! The launcher of a singleton: a process that was started without a launcher and then asks for something that only a
//! launcher can do.
//!
//! At its first question the process starts the `mpiexec` of its installation ([`takeover`]), which takes the process
//! over as if it were the rank of a command line. From then on the process is like any other rank in a process of its
//! own. The first question costs 15 ms; a program that never asks pays nothing.

use super::questions::{ControlLauncher, name_of};
use super::{error::HostError, own_process, takeover};
use simurgh_core::Mutex;
use simurgh_mpi::{Job, Launcher, Process};
use simurgh_net::auth::Secret;
use simurgh_net::control::{Answer, Question};
use std::sync::Arc;

/// Lets the only process of a job ask a launcher for help.
pub fn offer_launcher(job: &Job) {
    // Without random numbers no secret can be made, and a launcher could not be told from other processes.
    if let Ok(secret) = Secret::random() {
        let is_taken_over = Mutex::new(false);
        job.set_launcher(SingletonLauncher {
            secret,
            is_taken_over,
        });
    }
}

/// The launcher that such a process sees.
struct SingletonLauncher {
    /// The job's secret.
    secret: Secret,
    is_taken_over: Mutex<bool>,
}

impl SingletonLauncher {
    /// Starts a launcher that takes the process over, unless there is one.
    fn find_launcher(&self) -> Result<(), HostError> {
        let mut is_taken_over = self.is_taken_over.lock();
        let process = Process::with_current(|process| process.map(Arc::clone));
        if let (false, Some(process)) = (*is_taken_over, process) {
            let settings = process.job().settings().clone();
            let (spec, control) = takeover::begin(settings, &self.secret)?;
            own_process::continue_under_launcher(spec, control, process)?;
            *is_taken_over = true;
        }
        Ok(())
    }
}

impl Launcher for SingletonLauncher {
    fn ask(&self, question: Question) -> Answer {
        match self.find_launcher() {
            Ok(()) => ControlLauncher.ask(question),
            Err(error) => Answer::refused(question.refusal(), error.to_string()),
        }
    }

    fn universe(&self) -> u64 {
        name_of(&self.secret)
    }

    fn connected(&self, world: u32, so: bool) {
        ControlLauncher.connected(world, so);
    }
}
