//! PMIx for programs that are linked with Open MPI.
//!
//! The library of that name is the server. It runs in the process that starts the programs of a node: in the node's
//! agent, or in `mpiexec` where there is none.

use super::WAITS;
use super::unique::unique_name;
use crate::error::{LaunchError, PmixError};
use crate::program::fit;
use crate::program::mode::{PmiProtocol, pmi_protocol};
use simurgh_net::job::{JobSpec, Mode, Section};
use simurgh_pmix_sys::{Event, Job, Process, RemoteNodes, Reply, Server};
use simurgh_settings::Id;
use std::cell::{Cell, OnceCell};
use std::ffi::{CString, OsString};
use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// The PMIx server for the processes of a job on one node.
pub(crate) struct PmixService {
    job: Job,
    /// The way to the servers of other nodes, until the server has it; none if there are no other nodes.
    remote_nodes: Cell<Option<Box<dyn RemoteNodes>>>,
    /// The server, from the start of its first process on.
    server: OnceCell<Server>,
}

impl Drop for PmixService {
    fn drop(&mut self) {
        if self.server.get().is_some() {
            // Files that are there no more have been removed by the processes that made them.
            let _ = std::fs::remove_dir_all(&self.job.files);
        }
    }
}

/// Where processes of a job keep files on a node.
fn files(name: &str, node: u32) -> PathBuf {
    std::env::temp_dir().join(format!("{name}-{node}"))
}

/// The servers of other nodes, where there are none.
struct Nowhere;

impl RemoteNodes for Nowhere {
    fn fence(&self, _ranks: Vec<u32>, _shown: Vec<u8>, reply: Reply) {
        reply.give(None);
    }

    fn fetch(&self, _rank: u32, reply: Reply) {
        reply.give(None);
    }
}

impl PmixService {
    /// The service of a job, if its programs need it. It is that of a job on this machine alone, until
    /// [`PmixService::join_nodes`] is called.
    ///
    /// # Errors
    ///
    /// When only some of the programs need it, or when they are spawned.
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
            remote_nodes: Cell::new(None),
            server: OnceCell::new(),
        }))
    }

    /// Makes it the service of node number `here` of a job of this name. `remote_nodes` leads to the servers of the
    /// other nodes.
    pub(crate) fn join_nodes(
        &mut self,
        name: &str,
        nodes: &[String],
        here: u32,
        remote_nodes: Box<dyn RemoteNodes>,
    ) {
        if nodes.len() > 1 {
            self.job.name = text(name);
            self.job.files = files(name, here);
            self.job.nodes = nodes.iter().map(|node| text(node)).collect();
            self.job.here = here;
            self.remote_nodes.set(Some(remote_nodes));
        }
    }

    /// The node of a rank.
    pub(crate) fn node_of(&self, rank: u32) -> Option<u32> {
        let process = self.job.processes.get(rank as usize)?;
        Some(process.node)
    }

    /// Calls `told` with the data that a rank of this node publishes, as soon as it has; false if there is no such
    /// rank.
    pub(crate) fn published_by(&self, rank: u32, told: Box<dyn FnOnce(Option<Vec<u8>>) + Send>) -> bool {
        let server = self.server.get();
        server.is_some_and(|server| server.published_by(rank, told).is_ok())
    }

    fn start(&self) -> Result<Server, PmixError> {
        self.make_files()?;
        let remote_nodes = self.remote_nodes.take().unwrap_or_else(|| Box::new(Nowhere));
        Ok(Server::start(self.job.clone(), remote_nodes)?)
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

    /// Admits a rank, and returns the variables by which it finds the server. The server writes the events of the rank
    /// to `end`, its end of the socket for PMI-1, in the words of that protocol; nobody reads the answers.
    ///
    /// # Errors
    ///
    /// When the server cannot be started, or refuses.
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
        Ok(server
            .register_client(rank, Box::new(tell))
            .map_err(PmixError::from)?)
    }
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The node and the program of each rank of a job whose ranks are processes.
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
        Err(LaunchError::Image(error)) => pmi_protocol(&error) == Some(PmiProtocol::Pmix),
        _ => false,
    }
}
