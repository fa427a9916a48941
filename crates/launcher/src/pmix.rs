//! Programs that are linked with Open MPI: their processes find each other by PMIx, which the library of that name
//! serves in the process that starts them: each node's agent, or `mpiexec` where there is none.

use crate::agent::Wishes;
use crate::agent::message::NodeJob;
use crate::error::LaunchError;
use crate::fit;
use crate::mode::{Protocol, protocol};
use crate::supervise::WAITS;
use crate::unique::unique_name;
use simurgh_net::job::{JobSpec, Mode, Section};
use simurgh_pmix_sys::{Elsewhere, Event, Job, Process, Reply, Server, ServerError};
use simurgh_settings::Id;
use std::cell::OnceCell;
use std::ffi::{CString, OsString};
use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use thiserror::Error;

/// Why such programs cannot be started.
#[derive(Debug, Error)]
pub enum PmixError {
    /// The job has other programs.
    #[error("programs of Open MPI cannot be in a job with others, which they would not find")]
    Mixed,
    /// Running ranks have asked for it.
    #[error("programs of Open MPI cannot be spawned: they would not find the ranks that have done so")]
    Spawned,
    /// There is no place for their files.
    #[error("a directory for the files of Open MPI cannot be made: {}: {source}", path.display())]
    Files {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The library does not do it.
    #[error("programs of Open MPI find each other by PMIx, which cannot be served: {0}")]
    Server(#[from] ServerError),
}

/// PMIx for the processes of a job that are on a node.
pub(crate) struct PmixService {
    job: Job,
    /// Who takes up what concerns other nodes, if there are any.
    wishes: Option<Wishes>,
    /// What serves them, from when the first is started.
    server: OnceCell<Server>,
}

impl Drop for PmixService {
    fn drop(&mut self) {
        if self.server.get().is_some() {
            // What is not there any more has been removed by who has made it.
            let _ = std::fs::remove_dir_all(&self.job.files);
        }
    }
}

/// Where processes of a job keep files on a node.
fn files(name: &str, node: u32) -> PathBuf {
    std::env::temp_dir().join(format!("{name}-{node}"))
}

/// There are no other nodes.
struct Nowhere;

impl Elsewhere for Nowhere {
    fn meet(&self, _ranks: Vec<u32>, _shown: Vec<u8>, reply: Reply) {
        reply.give(None);
    }

    fn fetch(&self, _rank: u32, reply: Reply) {
        reply.give(None);
    }
}

impl PmixService {
    /// For a job, if it needs it; on this machine alone, as long as nothing else is said.
    pub(crate) fn of(spec: &JobSpec) -> Result<Option<Self>, LaunchError> {
        let is_wanted = spec.settings.show(Id::Pmi) == "pmix";
        let speaks =
            |section: &Section| section.mode == Mode::Processes && (is_wanted || speaks_pmix(section));
        let count = spec.sections.iter().filter(|section| speaks(section)).count();
        if count == 0 {
            return Ok(None);
        }
        if count < spec.sections.len() {
            return Err(PmixError::Mixed.into());
        }
        if spec.origin.parent.is_some() {
            return Err(PmixError::Spawned.into());
        }
        let machine = rustix::system::uname().nodename().to_owned();
        let name = unique_name();
        let job = Job {
            files: files(&name, 0),
            name: text(&name),
            nodes: vec![machine],
            here: 0,
            processes: processes(spec),
        };
        Ok(Some(Self {
            job,
            wishes: None,
            server: OnceCell::new(),
        }))
    }

    /// It is that of a node, whose agent takes up `wishes` that concern others.
    pub(crate) fn stand_on(&mut self, job: &NodeJob, wishes: Wishes) {
        if job.names.len() > 1 {
            self.job.name = text(&job.name);
            self.job.files = files(&job.name, job.nodes.0);
            self.job.nodes = job.names.iter().map(|name| text(name)).collect();
            self.job.here = job.nodes.0;
            self.wishes = Some(wishes);
        }
    }

    /// The node of a rank.
    pub(crate) fn node_of(&self, rank: u32) -> Option<u32> {
        let process = self.job.processes.get(rank as usize)?;
        Some(process.node)
    }

    /// Finds out what a rank of this node has shown, as soon as it has; false if there is no such rank.
    pub(crate) fn shown_by(&self, rank: u32, told: Box<dyn FnOnce(Option<Vec<u8>>) + Send>) -> bool {
        let server = self.server.get();
        server.is_some_and(|server| server.shown_by(rank, told).is_ok())
    }

    fn start(&self) -> Result<Server, PmixError> {
        self.make_files()?;
        let elsewhere: Box<dyn Elsewhere> = match &self.wishes {
            Some(wishes) => Box::new(wishes.clone()),
            None => Box::new(Nowhere),
        };
        Ok(Server::start(self.job.clone(), elsewhere)?)
    }

    /// Makes the directories of its processes, for this user alone.
    fn make_files(&self) -> Result<(), PmixError> {
        let ranks = (0..).zip(&self.job.processes);
        let own = ranks.filter(|(_, process)| process.node == self.job.here);
        let own = own.map(|(rank, _)| self.job.files_of(rank));
        let make = |path: PathBuf| {
            let made = DirBuilder::new().mode(0o700).create(&path);
            made.map_err(|source| PmixError::Files { path, source })
        };
        std::iter::once(self.job.files.clone())
            .chain(own)
            .try_for_each(make)
    }

    /// Lets a rank in, and gives the variables by which it finds its place. What it does is told at its end of the
    /// socket for PMI-1, in the words of that protocol; nobody reads the answers.
    pub(crate) fn admit(&self, rank: u32, end: OwnedFd) -> Result<Vec<(OsString, OsString)>, LaunchError> {
        let server = match self.server.get() {
            Some(server) => server,
            None => {
                let server = self.start()?;
                self.server.get_or_init(|| server)
            }
        };
        let tell = move |event| {
            let line = match event {
                Event::Began => "cmd=init pmi_version=1 pmi_subversion=1\n".to_owned(),
                Event::Finished => "cmd=finalize\n".to_owned(),
                Event::Aborted(status) => format!("cmd=abort exitcode={status} {WAITS}=yes\n"),
            };
            // If the launcher does not hear it any more, the job has ended.
            let _ = rustix::io::write(&end, line.as_bytes());
        };
        Ok(server.admit(rank, Box::new(tell)).map_err(PmixError::from)?)
    }
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// Where the ranks of a job are, each of which is a process, and which of its programs they run.
pub(crate) fn processes(spec: &JobSpec) -> Vec<Process> {
    let nodes = spec
        .hosts
        .iter()
        .flat_map(|host| std::iter::repeat_n(host.node, host.ranks as usize));
    let process = |(rank, node)| Process {
        node,
        program: u32::try_from(spec.section_of(rank).unwrap_or_default()).unwrap_or(u32::MAX),
    };
    (0..).zip(nodes).map(process).collect()
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
