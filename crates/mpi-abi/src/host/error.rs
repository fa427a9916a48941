//! Why a host cannot run its job.

use super::pmi::PmiError;
use simurgh_image::ImageError;
use simurgh_net::control::ControlError;
use simurgh_net::job::JobError;
use simurgh_net::transport::ShmError;
use simurgh_net::transport::ofi::OfiError;
use simurgh_sched::SchedError;
use simurgh_settings::BadValue;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a host cannot run its job.
#[derive(Debug, Error)]
pub(super) enum HostError {
    /// The descriptor of the job description is not there.
    #[error("{variable} is {value:?}, not the number of a descriptor: start jobs with mpiexec")]
    NoJob {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// The job description is refused.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A descriptor that the job description names is not there.
    #[error("the channel to mpiexec is not open: does the command of --host-wrapper close descriptors?")]
    NoChannel,
    /// The launcher cannot be understood.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// Shared memory is asked for between nodes.
    #[error(
        "host {host} is on another node, which shares no memory with this one: --transport auto uses the network"
    )]
    OtherNode {
        /// The other host.
        host: u32,
    },
    /// Another host's address is missing or of a kind that this one does not know.
    #[error(
        "host {host} cannot be reached by what it says of itself: hosts may come from different installations"
    )]
    Unreachable {
        /// The other host.
        host: u32,
    },
    /// The engine cannot take up what it is told.
    #[error(transparent)]
    Engine(#[from] simurgh_mpi::Error),
    /// Memory cannot be shared.
    #[error(transparent)]
    Shm(#[from] ShmError),
    /// libfabric does not do it.
    #[error(transparent)]
    Ofi(#[from] OfiError),
    /// `mpiexec` has ended already.
    #[error("mpiexec has ended before the job began")]
    LauncherEnded,
    /// There is no launcher, and none that could be started.
    #[error(
        "the program has been started without mpiexec, and there is none in {place} to ask: start the program with \
         \"mpiexec -n 1\" and its name"
    )]
    NoLauncher {
        /// Where it should be.
        place: PathBuf,
    },
    /// The launcher that this process has started does not take it over.
    #[error(
        "mpiexec, which this process has started, has ended; start the program with \"mpiexec -n 1\" and its name"
    )]
    TakeoverFailed,
    /// What ranks write cannot be kept.
    #[error("{path}: ranks' output cannot be written there: {source}; --output-dir names another directory")]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A system call has failed.
    #[error("{what}: {source}")]
    System {
        /// What did not work.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Another launcher has started the program, in a way that does not serve it.
    #[error(transparent)]
    Pmi(#[from] PmiError),
    /// An environment variable has no usable value.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// The runtime does not start.
    #[error(transparent)]
    Sched(#[from] SchedError),
    /// A program cannot be prepared.
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl HostError {
    /// For `map_err`: a failed system call, and what it was for.
    pub(super) fn system<E: Into<io::Error>>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::System {
            what,
            source: error.into(),
        }
    }
}
