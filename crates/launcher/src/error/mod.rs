//! Why a job cannot be started or supervised, or a tool cannot do its work.

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

/// Why a job cannot be started or supervised, or a tool cannot do its work.
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
    /// There is no channel to a host.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The program is not an executable, or cannot run in threads mode.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Programs of Open MPI cannot be started.
    #[error(transparent)]
    Pmix(#[from] PmixError),
    /// The topology of the machine cannot be read.
    #[error(transparent)]
    Machine(#[from] SchedError),
    /// There is no such job to model.
    #[error(
        "a job of {ranks} ranks on {hosts} hosts: the ranks must be a multiple of the hosts, and at most 16777216"
    )]
    Model {
        /// Its ranks.
        ranks: u32,
        /// Its hosts.
        hosts: u32,
    },
    /// A constant of the model cannot be measured.
    #[error("a constant of the model cannot be measured: {0}; give it as an option (simurgh model --help)")]
    Measure(#[source] io::Error),
    /// The tool cannot find its own executable.
    #[error("cannot find out where this program is installed ({0}); is /proc mounted?")]
    OwnPath(#[source] io::Error),
    /// A part of the installation is missing.
    #[error("{missing}: missing, the installation is incomplete; `./x install PREFIX` makes a complete one")]
    Incomplete {
        /// The missing file.
        missing: PathBuf,
    },
    /// The working directory is unusable.
    #[error("{directory}: cannot be the working directory: {source}")]
    WorkingDirectory {
        /// The directory.
        directory: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The program does not exist.
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
        /// A hint where it may be instead.
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
    /// The file of the program cannot be read.
    #[error("{program}: {source}")]
    Unreadable {
        /// The program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A library of `LD_PRELOAD` does not exist.
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
    /// The host cannot be started.
    #[error("{host}: the host process cannot be started: {source}")]
    Start {
        /// The host's executable.
        host: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Ranks have spawned too many programs.
    #[error(
        "{more} more hosts beside {there} are too many: there may be {} of spawned programs; a host goes when its \
         ranks have ended and have disconnected (MPI_Comm_disconnect) from all others",
        simurgh_mpi::limits::MAX_LATER_HOSTS
    )]
    TooManyHosts {
        /// The number of hosts of spawned programs.
        there: usize,
        /// The number of further hosts.
        more: usize,
    },
    /// A universe has no numbers for so many processes of one `mpiexec`.
    #[error(
        "{more} more processes beside {there} are too many: in a universe one mpiexec can have {} processes",
        simurgh_net::job::Realm::SIZE
    )]
    FullRealm {
        /// The number of processes that have been started.
        there: u32,
        /// The number of further processes.
        more: u32,
    },
    /// The universe is lost, so jobs that know this one could not be told of new hosts.
    #[error("{reason}: jobs of other mpiexecs, with which this one has met, could not reach new processes")]
    UniverseLost {
        /// Why the universe is lost.
        reason: String,
    },
    /// The file for the output of a rank cannot be written.
    #[error("{path}: ranks' output cannot be written there: {source}; --output-dir names another directory")]
    OutputFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No compiler is installed.
    #[error("no compiler found ({candidates}); install one or name it in {variable}")]
    NoCompiler {
        /// The compilers that were looked for.
        candidates: String,
        /// The variable that names a compiler.
        variable: &'static str,
    },
    /// The compiler cannot be started.
    #[error("{compiler}: the compiler cannot be started: {source}")]
    Compiler {
        /// Its name.
        compiler: String,
        /// The cause.
        source: io::Error,
    },
    /// The Fortran compiler does not say what it is.
    #[error("{compiler}: says neither its name nor its version when it is called with --version: {message}")]
    UnknownCompiler {
        /// Its name.
        compiler: String,
        /// Its output.
        message: String,
    },
    /// The Fortran compiler is older than the modules allow.
    #[error(
        "{compiler}: version {version} is too old for the modules mpi and mpi_f08, which need {least} or newer"
    )]
    OldCompiler {
        /// Its name.
        compiler: String,
        /// Its version.
        version: u32,
        /// The oldest version that can be used.
        least: u32,
    },
    /// The Fortran compiler has failed with an option that gives INTEGER 8 bytes.
    #[error(
        "{option} gives INTEGER 8 bytes, but MPI's have 4: leave it out, or use mpi_f08 or mpi and declare what is \
         passed to MPI as INTEGER(4)"
    )]
    WideIntegers {
        /// The option.
        option: String,
        /// The exit status of the compiler.
        status: u8,
    },
    /// The Fortran modules cannot be compiled.
    #[error("{compiler} cannot compile the modules mpi and mpi_f08:\n{message}")]
    Modules {
        /// The name of the compiler.
        compiler: String,
        /// The messages of the compiler.
        message: String,
    },
    /// There is no directory for the compiled Fortran modules.
    #[error(
        "{directory}: the Fortran modules cannot be put there: {source}; XDG_CACHE_HOME can name another directory"
    )]
    ModulesDirectory {
        /// The directory.
        directory: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The answer cannot be printed.
    #[error("cannot write to the standard output: {0}")]
    Output(#[source] io::Error),
    /// There is no universe, or it does not accept the job.
    #[error(transparent)]
    Universe(#[from] UniverseError),
    /// The nodes of the job are not named correctly.
    #[error(transparent)]
    Nodes(#[from] NodesError),
    /// The command that starts agents cannot be started.
    #[error("{what}; --launcher-exec names another command")]
    Launcher {
        /// The cause.
        what: String,
    },
    /// An agent cannot connect to `mpiexec`.
    #[error("mpiexec cannot be reached at {caller}: {source}")]
    ConnectBack {
        /// The address of `mpiexec`.
        caller: String,
        /// The cause.
        source: io::Error,
    },
    /// An agent cannot do its work.
    #[error("the agent of a node: {0}")]
    Agent(String),
    /// A processor of `--cpu-list` does not exist, or may not be used.
    #[error("--cpu-list: processor {cpu} is not among those that may be used here: {allowed}")]
    Processor {
        /// Its number.
        cpu: usize,
        /// The processors that may be used.
        allowed: String,
    },
    /// There are more ranks than slots or cores, and `--oversubscribe` is off.
    #[error("{ranks} ranks are too many for {places} places; --oversubscribe lets them share")]
    Oversubscribed {
        /// The number of ranks.
        ranks: u32,
        /// The number of slots or cores.
        places: usize,
    },
    /// The ranks of a program are processes, and are to be relocatable.
    #[error(
        "{}: --relocatable needs ranks that are threads (--mode threads), and those of this program are \
         processes: leave it out", program.display()
    )]
    NotRelocatable {
        /// The program.
        program: PathBuf,
    },
    /// The info key `soft` allows no number of ranks.
    #[error(
        "info key soft: {soft:?} allows no number from 1 to {most}; it is a list such as 1,2:8 or 2:16:2"
    )]
    Soft {
        /// The value of the key.
        soft: String,
        /// The number of ranks that is asked for.
        most: u32,
    },
    /// A singleton, the program that has started this `mpiexec`, cannot be adopted.
    #[error("{place}: the program that has started this mpiexec cannot be adopted: {source}")]
    Adopt {
        /// The path of its job description.
        place: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The monitor has ended.
    #[error("the mpiexec that the user has started is gone")]
    Orphan,
    /// A system call has failed that starting or watching processes needs.
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
            Self::WideIntegers { status, .. } => *status,
            _ => 1,
        }
    }
}
