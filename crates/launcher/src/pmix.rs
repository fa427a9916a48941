//! Programs that are linked with Open MPI: their processes find each other by PMIx, which the library of that name
//! serves in this process.

use crate::error::LaunchError;
use crate::fit;
use crate::mode::{Protocol, protocol};
use simurgh_net::job::{JobSpec, Mode, Section};
use simurgh_pmix_sys::{Event, Server, ServerError};
use simurgh_settings::Id;
use std::cell::OnceCell;
use std::ffi::{CString, OsString};
use std::os::fd::OwnedFd;
use thiserror::Error;

/// Why such programs cannot be started.
#[derive(Debug, Error)]
pub enum PmixError {
    /// There are several machines.
    #[error(
        "programs of Open MPI find each other by PMIx, which is served on one machine only: start them with Open MPI's \
         mpiexec"
    )]
    Machines,
    /// The job has other programs.
    #[error("programs of Open MPI cannot be in a job with others, which they would not find")]
    Mixed,
    /// Running ranks have asked for it.
    #[error("programs of Open MPI cannot be spawned: they would not find the ranks that have done so")]
    Spawned,
    /// The library does not do it.
    #[error("programs of Open MPI find each other by PMIx, which cannot be served: {0}")]
    Server(#[from] ServerError),
}

/// PMIx for the processes of a job.
pub(crate) struct PmixService {
    machine: CString,
    /// Which of the programs each rank runs.
    programs: Vec<u32>,
    /// What serves them, from when the first is started.
    server: OnceCell<Server>,
}

impl PmixService {
    /// For a job, if it needs it.
    pub(crate) fn of(spec: &JobSpec) -> Result<Option<Self>, LaunchError> {
        let is_wanted = spec.settings.show(Id::Pmi) == "pmix";
        let speaks =
            |section: &Section| section.mode == Mode::Processes && (is_wanted || speaks_pmix(section));
        let count = spec.sections.iter().filter(|section| speaks(section)).count();
        if count == 0 {
            return Ok(None);
        }
        let first = spec.hosts.first().map(|host| host.node);
        if spec.hosts.iter().any(|host| Some(host.node) != first) {
            return Err(PmixError::Machines.into());
        }
        if count < spec.sections.len() {
            return Err(PmixError::Mixed.into());
        }
        if spec.origin.first_host > 0 {
            return Err(PmixError::Spawned.into());
        }
        let programs = (0..spec.total_ranks()?).map(|rank| spec.section_of(rank).unwrap_or_default());
        let machine = rustix::system::uname().nodename().to_owned();
        Ok(Some(Self {
            machine,
            programs: programs
                .map(|program| u32::try_from(program).unwrap_or(u32::MAX))
                .collect(),
            server: OnceCell::new(),
        }))
    }

    /// Lets a rank in, and gives the variables by which it finds its place. What it does is told at its end of the
    /// socket for PMI-1, in the words of that protocol; nobody reads the answers.
    pub(crate) fn admit(&self, rank: u32, end: OwnedFd) -> Result<Vec<(OsString, OsString)>, LaunchError> {
        let server = match self.server.get() {
            Some(server) => server,
            None => {
                let server = Server::start(&self.machine, &self.programs).map_err(PmixError::from)?;
                self.server.get_or_init(|| server)
            }
        };
        let tell = move |event| {
            let line = match event {
                Event::Began => "cmd=init pmi_version=1 pmi_subversion=1\n".to_owned(),
                Event::Finished => "cmd=finalize\n".to_owned(),
                Event::Aborted(status) => format!("cmd=abort exitcode={status}\n"),
            };
            // If the launcher does not hear it any more, the job has ended.
            let _ = rustix::io::write(&end, line.as_bytes());
        };
        Ok(server.admit(rank, Box::new(tell)).map_err(PmixError::from)?)
    }
}

/// Whether the program of a section is linked with Open MPI.
fn speaks_pmix(section: &Section) -> bool {
    let preload: Vec<_> = section
        .preload
        .iter()
        .map(|library| library.as_path().into())
        .collect();
    match fit::check(section.program.as_path(), &preload) {
        Err(LaunchError::Image(error)) => protocol(&error) == Some(Protocol::Pmix),
        _ => false,
    }
}
