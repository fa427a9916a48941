//! What can go wrong before the ranks run.

mod args;
mod nodes;
mod pmix;
mod universe;

pub use args::ArgError;
pub use nodes::NodesError;
pub use pmix::PmixError;
pub use universe::UniverseError;

use simurgh_image::ImageError;
use simurgh_net::control::ControlError;
use simurgh_net::job::JobError;
use simurgh_net::transport::ShmError;
use simurgh_sched::SchedError;
use simurgh_settings::BadValue;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a job could not be started, or a tool not do its work.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The command line is wrong.
    #[error(transparent)]
    Arguments(#[from] ArgError),
    /// An environment variable has no usable value.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// The job description is wrong.
    #[error(transparent)]
    Job(#[from] JobError),
    /// There is no way to talk to a host.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The program is no program, or cannot run in threads mode.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Programs of Open MPI cannot be started.
    #[error(transparent)]
    Pmix(#[from] PmixError),
    /// The machine cannot be looked at.
    #[error(transparent)]
    Machine(#[from] SchedError),
    /// The tool does not know where it is.
    #[error("cannot find out where this program is installed ({0}); is /proc mounted?")]
    OwnPath(#[source] io::Error),
    /// A part of the installation is missing.
    #[error("{missing}: missing, the installation is incomplete; `./x install PREFIX` makes a complete one")]
    Incomplete {
        /// What should be there.
        missing: PathBuf,
    },
    /// The working directory is unusable.
    #[error("{directory}: cannot be the working directory: {source}")]
    WorkingDirectory {
        /// The directory.
        directory: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program is not there.
    #[error("{program}: no such file")]
    NotFound {
        /// The program.
        program: PathBuf,
    },
    /// No directory of `PATH` has the program.
    #[error("{program}: no such program in PATH{hint}")]
    NotInPath {
        /// Its name.
        program: String,
        /// Where it may be instead.
        hint: String,
    },
    /// The program is a directory.
    #[error("{program}: a directory, not a program")]
    Directory {
        /// The directory.
        program: PathBuf,
    },
    /// The program may not be executed.
    #[error("{program}: not executable; `chmod +x` makes a program so")]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The program's file cannot be looked at.
    #[error("{program}: {source}")]
    Unreadable {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A library of `LD_PRELOAD` is not there.
    #[error("{library}: named in LD_PRELOAD, but not found; give its path")]
    Preload {
        /// Its name.
        library: String,
    },
    /// A path or argument contains a NUL byte.
    #[error("{text:?}: contains a NUL byte")]
    Nul {
        /// The text.
        text: String,
    },
    /// The host does not start.
    #[error("{host}: the host process cannot be started: {source}")]
    Start {
        /// The host's executable.
        host: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Ranks have started too much.
    #[error(
        "{more} more hosts beside {there} are too many: there may be {} that ranks have started; those go whose ranks \
         have ended and called MPI_Comm_disconnect on what they had in common with others",
        simurgh_mpi::limits::MAX_LATER_HOSTS
    )]
    TooManyHosts {
        /// Hosts of spawned programs that are there.
        there: usize,
        /// How many more are wanted.
        more: usize,
    },
    /// A universe has no numbers for so many.
    #[error(
        "{more} more processes beside {there} are too many: in a universe one mpiexec can have {} processes",
        simurgh_net::job::Realm::SIZE
    )]
    FullRealm {
        /// Processes that have been started.
        there: u32,
        /// How many more are wanted.
        more: u32,
    },
    /// Those who know the job could not get to know more of it.
    #[error("{reason}: jobs of other mpiexecs, with which this one has met, could not reach new processes")]
    Strangers {
        /// What has happened to the universe.
        reason: String,
    },
    /// What ranks write cannot be kept.
    #[error("{path}: ranks' output cannot be written there: {source}; --output-dir names another directory")]
    OutputFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No compiler is installed.
    #[error("no compiler found ({candidates}); install one or name it in {variable}")]
    NoCompiler {
        /// What was looked for.
        candidates: String,
        /// The variable that names it.
        variable: &'static str,
    },
    /// The compiler does not start.
    #[error("{compiler}: the compiler cannot be started: {source}")]
    Compiler {
        /// Its name.
        compiler: String,
        /// Why.
        source: io::Error,
    },
    /// The answer cannot be printed.
    #[error("cannot write to the standard output: {0}")]
    Output(#[source] io::Error),
    /// There is no universe, or the job cannot belong to it.
    #[error(transparent)]
    Universe(#[from] UniverseError),
    /// What is said of nodes makes no sense.
    #[error(transparent)]
    Nodes(#[from] NodesError),
    /// The command that starts agents cannot be started.
    #[error("{what}; --launcher-exec names another command")]
    Launcher {
        /// What went wrong.
        what: String,
    },
    /// An agent does not reach the launcher.
    #[error("mpiexec cannot be reached at {caller}: {source}")]
    Call {
        /// Where it should be.
        caller: String,
        /// Why.
        source: io::Error,
    },
    /// An agent cannot do its work.
    #[error("the agent of a node: {0}")]
    Agent(String),
    /// A processor of `--cpu-list` is not there.
    #[error("--cpu-list: processor {cpu} is not among those that may be used here: {allowed}")]
    Processor {
        /// Its number.
        cpu: usize,
        /// Those that may be used.
        allowed: String,
    },
    /// More ranks than places, which is unwanted.
    #[error("{ranks} ranks are too many for {places} places; with --oversubscribe they share them")]
    Crowd {
        /// How many ranks.
        ranks: u32,
        /// How many places.
        places: usize,
    },
    /// No number of ranks will do.
    #[error(
        "info key soft: {soft:?} allows no number from 1 to {most}; it is a list such as 1,2:8 or 2:16:2"
    )]
    Soft {
        /// What it says.
        soft: String,
        /// How many are wanted.
        most: u32,
    },
    /// A process that runs cannot be taken over.
    #[error("{place}: the program that has started this mpiexec cannot be taken over: {source}")]
    TakeOver {
        /// What it has been found by.
        place: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The process that the user has started is gone.
    #[error("the mpiexec that the user has started is gone")]
    Orphan,
    /// The host cannot be watched.
    #[error("the host process cannot be supervised: {0}")]
    Supervise(#[source] io::Error),
    /// There is no memory for the hosts to share.
    #[error(transparent)]
    Memory(ShmError),
}

impl LaunchError {
    /// Exit status of the tool, as a shell's for the same error.
    pub fn status(&self) -> u8 {
        match self {
            Self::NotFound { .. } | Self::NotInPath { .. } => 127,
            Self::NotExecutable { .. } | Self::Directory { .. } => 126,
            Self::Arguments(_) | Self::Nodes(_) => 2,
            _ => 1,
        }
    }
}
