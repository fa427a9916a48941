//! From a command line to running hosts.

use crate::agent::Wishes;
use crate::agent::message::NodeJob;
use crate::args::Run;
use crate::binding::Seating;
use crate::describe::{Described, PRELOAD, describe};
use crate::error::LaunchError;
use crate::fit::{self, Wanted};
use crate::installation::Installation;
use crate::memories::Memories;
use crate::nodes::{self, Allocation, Launch, Launcher, Mapping, Room};
use crate::pmix::PmixService;
use crate::prefix::Prefix;
use crate::supervise::{Beginning, PmiSocket};
use crate::unique::unique_name;
use crate::universe::Universe;
use crate::{agent, binding, environment, openmp, supervise};
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use simurgh_image::number_in_proc;
use simurgh_net::control::Secret;
use simurgh_net::job::{
    self, Control, FD_VARIABLE, JobSpec, LIBRARY_VARIABLE, Mode, Origin, OutputFiles, Section, Text,
};
use simurgh_net::transport::HostId;
use simurgh_settings::Id;
use std::cell::{RefCell, RefMut};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

/// What a program that does not use MPI can know of its place in the job.
const RANK: &str = "SIMURGH_RANK";
/// The same of the number of ranks.
const SIZE: &str = "SIMURGH_SIZE";

/// Where the dynamic loader looks first.
const SEARCH: &str = "LD_LIBRARY_PATH";

/// What libraries of the hosts are told, unless the user does. rxm of libfabric looks at connections that others want
/// to make every 10 ms only, in which the hosts wait for each other; now every 100 us. It has 4096 buffers of 16 KiB
/// for what comes to each endpoint; a quarter of them takes 100 MiB less per host, and what comes is not slower.
const DEFAULTS: [(&str, &str); 2] = [
    ("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100"),
    ("FI_OFI_RXM_MSG_RX_SIZE", "1024"),
];

/// How many agents one process starts: three levels reach 32,768 nodes.
const TREE_WIDTH: u32 = 32;

/// Runs a job to its end; the status is the launcher's.
pub fn run(run: Run) -> Result<u8, LaunchError> {
    let allocation = Allocation::found(|name| std::env::var(name).ok())?;
    let nodes = nodes::of(&run.nodes, allocation.as_ref())?;
    let described = describe(&run, nodes)?;
    let Described { mut spec, nodes } = described;
    let universe = enroll(&mut spec)?;
    let mapping = Mapping::of(&run.settings, run.nodes.per_node);
    if let Some(nodes) = nodes {
        let launcher = run.nodes.launcher.resolved(allocation.as_ref());
        return run_on_nodes(&run, spec, universe, Room { nodes, mapping }, launcher);
    }
    if wants_tags(&spec) {
        // What processes write passes through an agent, which tags it.
        return run_on_nodes(&run, spec, universe, Room::here(), Launcher::Fork);
    }
    if let Some(cpus) = &run.nodes.cpus {
        binding::bind(cpus)?;
    }
    let starter = Starter::new(spec, run.host_wrapper, secret(universe.as_ref())?)?;
    supervise::supervise(&starter, Beginning::Here, universe)
}

/// Makes a job belong to the universe that the user wants it to belong to, if there is one.
fn enroll(spec: &mut JobSpec) -> Result<Option<Universe>, LaunchError> {
    let Some(file) = spec.settings.name(Id::Universe) else {
        return Ok(None);
    };
    let hosts = spec.hosts.len();
    let silence = spec.settings.time(Id::PeerTimeout);
    let universe = Universe::enroll(Path::new(file), hosts, silence)?;
    let realm = universe.realm();
    supervise::fits(realm, 0, spec.total_ranks()?)?;
    let first = realm.number(0);
    spec.origin = Origin {
        realm,
        world: first,
        first_host: first,
        first_process: first,
        shares: universe.shares()[..hosts].to_vec(),
        ..spec.origin.clone()
    };
    Ok(Some(universe))
}

/// The job's secret: the universe's, if it belongs to one.
fn secret(universe: Option<&Universe>) -> Result<Secret, LaunchError> {
    match universe {
        Some(universe) => Ok(universe.secret().clone()),
        None => Secret::random().map_err(LaunchError::Supervise),
    }
}

/// Whether lines are to be tagged that processes write, which do not know of it.
fn wants_tags(spec: &JobSpec) -> bool {
    let processes = spec
        .sections
        .iter()
        .any(|section| section.mode == Mode::Processes);
    processes && spec.settings.is_on(Id::TagOutput) && spec.settings.name(Id::OutputDir).is_none()
}

/// Runs a job whose hosts are started by agents.
fn run_on_nodes(
    run: &Run,
    spec: JobSpec,
    universe: Option<Universe>,
    room: Room,
    launcher: Launcher,
) -> Result<u8, LaunchError> {
    let secret = secret(universe.as_ref())?;
    let command = &run.nodes.command;
    let launch = match launcher {
        Launcher::Fork => Launch::Fork,
        _ => Launch::ssh(command),
    };
    let is_slurm = launcher == Launcher::Slurm;
    let job = NodeJob {
        version: agent::message::VERSION,
        secret: Some(secret.clone()),
        name: unique_name(),
        nodes: (0, u32::try_from(room.nodes.len()).unwrap_or(u32::MAX)),
        names: room.nodes.iter().map(|node| node.name.clone()).collect(),
        spec: spec.clone(),
        wrapper: run.host_wrapper.texts().ok_or_else(|| LaunchError::Nul {
            text: "--host-wrapper".to_owned(),
        })?,
        launch,
        width: run.nodes.width.unwrap_or(TREE_WIDTH),
        cpus: run.nodes.cpus.clone(),
        // srun brings the environment itself.
        environment: (!is_slurm).then(environment::of_this_process),
    };
    let tool = Installation::of_this_tool()?.tool()?;
    let nodes = Nodes {
        job,
        room,
        tool,
        srun: is_slurm.then(|| command.clone()),
    };
    // What is wrong with the programs is seen here, once, and not on each node.
    let starter = Starter::new(spec, run.host_wrapper.clone(), secret)?;
    supervise::supervise(&starter, Beginning::Nodes(Box::new(nodes)), universe)
}

/// What is needed to start the agents of a job.
pub(crate) struct Nodes {
    /// What they do: for all nodes.
    pub(crate) job: NodeJob,
    /// Where programs go that running ranks ask for.
    pub(crate) room: Room,
    /// The executable that is an agent.
    pub(crate) tool: PathBuf,
    /// The command for srun, if that starts them; none of its words if it is srun itself.
    pub(crate) srun: Option<Vec<String>>,
}

/// Where the standard streams of a host lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streams {
    /// Where those of this process do.
    Inherited,
    /// To this process.
    Piped,
}

/// What is needed to start the hosts of a job.
pub(crate) struct Starter {
    spec: JobSpec,
    executable: PathBuf,
    library: PathBuf,
    prefix: Prefix,
    wiring: Rc<Wiring>,
    /// What programs of Open MPI are served by, if there are such.
    pmix: Option<PmixService>,
    /// Where ranks live on this node.
    seating: Seating,
    /// The executable, if it is a copy made for this job.
    _patched: Option<File>,
    /// The environment of the hosts, if it is not that of this process.
    pub(crate) environment: Option<Vec<(Text, Text)>>,
}

/// What all hosts share, those of programs that running ranks ask for as well.
pub(crate) struct Wiring {
    secret: Secret,
    /// The file whose lock a host holds while it writes output.
    output: OwnedFd,
    memories: RefCell<Memories>,
    /// How many processors there are for them.
    processors: u32,
}

impl Starter {
    /// For a job whose hosts show the secret.
    pub(crate) fn new(spec: JobSpec, prefix: Prefix, secret: Secret) -> Result<Self, LaunchError> {
        Self::of(spec, prefix, Rc::new(Wiring::of(secret)?))
    }

    /// For a job whose hosts share these things.
    pub(crate) fn wired(spec: JobSpec, wiring: Wiring) -> Result<Self, LaunchError> {
        Self::of(spec, Prefix::default(), Rc::new(wiring))
    }

    /// For another job beside this one, whose ranks have asked for it.
    pub(crate) fn beside(&self, spec: JobSpec) -> Result<Self, LaunchError> {
        let mut starter = Self::of(spec, self.prefix.clone(), Rc::clone(&self.wiring))?;
        starter.environment = self.environment.clone();
        Ok(starter)
    }

    fn of(spec: JobSpec, prefix: Prefix, wiring: Rc<Wiring>) -> Result<Self, LaunchError> {
        let installation = Installation::of_this_tool()?;
        let library = installation.library()?;
        let reservation = fit::reservation(&wanted_as_threads(&spec))?;
        let host = installation.host()?;
        let patched = reservation.map(|need| patched_copy(&host, need)).transpose()?;
        Ok(Self {
            executable: patched.as_ref().map_or(host, path_of),
            library,
            wiring,
            prefix,
            pmix: PmixService::of(&spec)?,
            spec,
            seating: Seating::default(),
            _patched: patched,
            environment: None,
        })
    }

    /// This process is the agent of a node of a job, and takes up `wishes` that concern others.
    pub(crate) fn stand_on(&mut self, job: &NodeJob, wishes: Wishes) {
        if let Some(pmix) = &mut self.pmix {
            pmix.stand_on(job, wishes);
        }
    }

    /// What programs of Open MPI are served by, if there are such.
    pub(crate) fn pmix(&self) -> Option<&PmixService> {
        self.pmix.as_ref()
    }

    /// The job.
    pub(crate) fn spec(&self) -> &JobSpec {
        &self.spec
    }

    /// What the hosts are started through.
    pub(crate) fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The secret that hosts have to show.
    pub(crate) fn secret(&self) -> &Secret {
        &self.wiring.secret
    }

    /// The memory that hosts share which this one, or another beside it, has started.
    pub(crate) fn memories(&self) -> RefMut<'_, Memories> {
        self.wiring.memories.borrow_mut()
    }

    /// What the user has said in a variable of the hosts.
    fn variable(&self, name: &str) -> Option<OsString> {
        let Some(variables) = &self.environment else {
            return std::env::var_os(name);
        };
        let set = variables.iter().find(|(set, _)| set.as_os_str() == name);
        set.map(|(_, value)| value.as_os_str().to_owned())
    }

    /// What the programs of the job are given for a variable.
    fn values(&self, name: &str) -> Vec<OsString> {
        let inherited = self.variable(name);
        let of_program = |section: &Section| {
            let changes = section.env.iter().rev();
            let mut changes = changes.filter(|change| change.name.as_os_str() == name);
            match changes.next() {
                Some(change) => change.value.as_ref().map(|value| value.as_os_str().to_owned()),
                None => inherited.clone(),
            }
        };
        self.spec.sections.iter().filter_map(of_program).collect()
    }

    /// Variables that the user has not set: for libraries of the hosts, and for threads of ranks.
    fn defaults(&self, spec: &JobSpec) -> Result<Vec<(&'static str, &'static str)>, LaunchError> {
        let of_hosts = DEFAULTS
            .into_iter()
            .filter(|(name, _)| self.variable(name).is_none());
        let of_ranks = openmp::variables(self.seating.room(spec)?, |name| self.values(name));
        Ok(of_hosts.chain(of_ranks.iter().copied()).collect())
    }

    /// Starts a host of the job, with its end of its channel; a program may be linked with another MPI, so it
    /// is offered a socket for PMI, whose other end is the launcher's.
    ///
    /// No other thread may start processes meanwhile: descriptors are made to survive `exec` for this host alone.
    pub(crate) fn start(
        &self,
        host: HostId,
        channel: &OwnedFd,
        streams: Streams,
    ) -> Result<(Child, Option<PmiSocket>), LaunchError> {
        let mut spec = self.spec.clone();
        spec.host = host;
        let wiring = &self.wiring;
        inherit(channel, true)?;
        inherit(&wiring.output, true)?;
        let memory = self.memories().of_node(&spec)?;
        memory.iter().try_for_each(|memory| inherit(memory, true))?;
        spec.control = Some(Control {
            channel: channel.as_raw_fd(),
            output: wiring.output.as_raw_fd(),
            memory: memory.as_ref().map(AsRawFd::as_raw_fd),
            secret: wiring.secret.clone(),
            processors: wiring.processors,
        });
        if self.prefix.is_given() || spec.mode_of(host) == Mode::Processes {
            // Whatever stands between may be the host's parent; the channel tells of our end.
            spec.parent = None;
        }
        spec.validate()?;
        let description = job::seal(&spec)?;
        let mut command = match (spec.mode_of(host), spec.section_of(spec.ranks().first)) {
            (Mode::Processes, Some(section)) => self.own_process(host, &spec.sections[section]),
            _ => self.shared_process(host),
        };
        command.env(FD_VARIABLE, description.as_raw_fd().to_string());
        command.envs(self.defaults(&spec)?);
        let pmi = match spec.mode_of(host) {
            Mode::Processes => Some(offer_pmi(&spec, &mut command)?),
            Mode::Threads => None,
        };
        if let (Some(pmix), Some((_, end))) = (&self.pmix, &pmi) {
            let end = end.try_clone().map_err(LaunchError::Supervise)?;
            command.envs(pmix.admit(spec.ranks().first, end)?);
        }
        if streams == Streams::Piped {
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
        }
        let files = OutputFiles::of(&spec, spec.ranks().first);
        if let (Mode::Processes, Some(files)) = (spec.mode_of(host), files) {
            let made = files.create();
            let [output, errors] = made.map_err(|(path, source)| LaunchError::OutputFile { path, source })?;
            command.stdout(output).stderr(errors);
        }
        if spec.host > 0 || spec.origin.parent.is_some() {
            // Only rank 0 of the command line's job reads.
            command.stdin(Stdio::null());
        }
        let bound = self.seating.bind(&spec)?;
        let child = command.spawn().map_err(|source| LaunchError::Start {
            host: command.get_program().into(),
            source,
        })?;
        drop(bound);
        inherit(&wiring.output, false)?;
        memory.iter().try_for_each(|memory| inherit(memory, false))?;
        Ok((child, pmi.map(|(socket, _)| socket)))
    }

    /// What is to be told of the processors of a host, if the user wants to know.
    pub(crate) fn report(&self, host: HostId) -> Result<Option<String>, LaunchError> {
        if !self.spec.settings.is_on(Id::ReportBindings) {
            return Ok(None);
        }
        let mut spec = self.spec.clone();
        spec.host = host;
        self.seating.report(&spec)
    }

    /// What starts an executable, in the environment of the job.
    fn command(&self, host: HostId, executable: &Path) -> Command {
        let Origin {
            realm, first_host, ..
        } = &self.spec.origin;
        let number = first_host + host;
        let mut command = self
            .prefix
            .command(realm.local(number).unwrap_or(number), executable);
        if let Some(environment) = &self.environment {
            let pair =
                |(name, value): &(Text, Text)| (name.as_os_str().to_owned(), value.as_os_str().to_owned());
            command.env_clear().envs(environment.iter().map(pair));
        }
        command
    }

    /// A process for ranks that are threads.
    fn shared_process(&self, host: HostId) -> Command {
        let mut command = self.command(host, &self.executable);
        if !self.prefix.is_given() {
            command.arg0("simurgh-host");
        }
        command.env_remove(PRELOAD).env(LIBRARY_VARIABLE, &self.library);
        command
    }

    /// A process for a single rank: its program.
    fn own_process(&self, host: HostId, section: &Section) -> Command {
        let mut command = self.command(host, section.program.as_path());
        if let (false, Some(name)) = (self.prefix.is_given(), section.argv.first()) {
            command.arg0(name.as_path());
        }
        command.args(section.argv.iter().skip(1).map(|argument| argument.as_path()));
        if let Some(wdir) = &section.wdir {
            command.current_dir(wdir.as_path());
        }
        let ranks: u32 = self.spec.hosts.iter().map(|host| host.ranks).sum();
        command
            .env(RANK, self.spec.ranks_of(host).first.to_string())
            .env(SIZE, ranks.to_string());
        for change in &section.env {
            match &change.value {
                Some(value) => command.env(change.name.as_path(), value.as_path()),
                None => command.env_remove(change.name.as_path()),
            };
        }
        if !section.preload.is_empty() {
            command.env(
                PRELOAD,
                joined(section.preload.iter().map(|library| library.as_path().into())),
            );
        }
        // The runtime of this installation comes before others that the program may have been linked with.
        let own = self.library.parent().map(Path::to_path_buf);
        let changed = command.get_envs().find(|(name, _)| *name == SEARCH);
        let others = match changed {
            Some((_, value)) => value.map(OsStr::to_owned),
            None if self.environment.is_some() => None,
            None => std::env::var_os(SEARCH),
        };
        // An empty list is none: an empty path would be the working directory.
        let others = others.filter(|others| !others.is_empty());
        let others = others.iter().flat_map(std::env::split_paths);
        command.env(SEARCH, joined(own.into_iter().chain(others)));
        command
    }
}

/// Offers PMI to a program: the launcher's end, and the program's.
fn offer_pmi(spec: &JobSpec, command: &mut Command) -> Result<(PmiSocket, OwnedFd), LaunchError> {
    let (own, end) = PmiSocket::pair().map_err(|error| LaunchError::Supervise(error.into()))?;
    inherit(&end, true)?;
    let (place, on_node) = spec.place_on_node();
    let variables = [
        ("PMI_FD", end.as_raw_fd().to_string()),
        ("PMI_RANK", spec.ranks().first.to_string()),
        ("PMI_SIZE", spec.total_ranks()?.to_string()),
        // What programs of MPICH and Intel MPI look for.
        ("MPI_LOCALRANKID", place.to_string()),
        ("MPI_LOCALNRANKS", on_node.to_string()),
    ];
    command.env_remove("PMI_PORT").envs(variables);
    Ok((own, end))
}

/// Paths as a list; none has a colon in it, as they could not be in such a list before.
fn joined(paths: impl IntoIterator<Item = PathBuf>) -> OsString {
    let paths: Vec<_> = paths.into_iter().map(PathBuf::into_os_string).collect();
    paths.join(OsStr::new(":"))
}

impl Wiring {
    fn of(secret: Secret) -> Result<Self, LaunchError> {
        let output = job::output_lock().map_err(LaunchError::Supervise)?;
        Ok(Self::with(secret, output, Memories::default()))
    }

    /// What there is.
    pub(crate) fn with(secret: Secret, output: OwnedFd, memories: Memories) -> Self {
        Self {
            secret,
            output,
            memories: RefCell::new(memories),
            processors: job::processors(),
        }
    }
}

/// Decides whether a descriptor survives `exec`.
fn inherit(fd: impl AsFd, inherited: bool) -> Result<(), LaunchError> {
    let flags = if inherited {
        FdFlags::empty()
    } else {
        FdFlags::CLOEXEC
    };
    rustix::io::fcntl_setfd(fd, flags).map_err(|error| LaunchError::Supervise(error.into()))
}

/// The programs of a job that hosts are to load, each with its libraries.
fn wanted_as_threads(spec: &JobSpec) -> Vec<Wanted<'_>> {
    let libraries = |preload: &[job::Text]| {
        preload
            .iter()
            .map(|library| library.as_path().to_path_buf())
            .collect()
    };
    spec.sections
        .iter()
        .filter(|section| section.mode == Mode::Threads)
        .map(|section| Wanted {
            program: section.program.as_path(),
            preload: libraries(&section.preload),
        })
        .collect()
}

/// The host with a larger room for thread-local storage, in a memory file that only this process can reach.
fn patched_copy(host: &Path, need: simurgh_image::TlsNeed) -> Result<File, LaunchError> {
    let start = |source| LaunchError::Start {
        host: host.to_path_buf(),
        source,
    };
    let elf = std::fs::read(host).map_err(start)?;
    let elf = simurgh_image::reserve_tls(&elf, need)?;
    let copy =
        rustix::fs::memfd_create("simurgh-host", MemfdFlags::CLOEXEC).map_err(|error| start(error.into()))?;
    let mut copy = File::from(copy);
    copy.write_all(&elf).map_err(start)?;
    Ok(copy)
}

/// Where other processes find an open file of this one.
fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/{}/fd/{}", number_in_proc(), file.as_raw_fd()))
}
