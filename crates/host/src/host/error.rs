//! The reasons why a host cannot run its job.

use super::pmi::PmiError;
use super::policies::PolicyError;
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

/// The reason why a host cannot run its job.
#[derive(Debug, Error)]
pub(super) enum HostError {
    /// The descriptor of the job description is missing.
    #[error("{variable} is {value:?}, not the number of a descriptor: start jobs with mpiexec")]
    NoJob {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// The job description is not valid.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A descriptor that the job description names is missing.
    #[error("the channel to mpiexec is not open: does the command of --host-wrapper close descriptors?")]
    NoChannel,
    /// The launcher's messages cannot be understood, or the channel to it is broken.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The setting `transport` asks for shared memory between nodes.
    #[error(
        "host {host} is on another node, which shares no memory with this one: --transport auto uses the network"
    )]
    OtherNode {
        /// The other host.
        host: u32,
    },
    /// The address of another host is missing, or of an unknown kind.
    #[error(
        "the address of host {host} is missing or of an unknown kind: hosts may come from different installations"
    )]
    Unreachable {
        /// The other host.
        host: u32,
    },
    /// The engine refuses what the launcher has told.
    #[error(transparent)]
    Engine(#[from] simurgh_mpi::Error),
    /// Memory cannot be shared.
    #[error(transparent)]
    Shm(#[from] ShmError),
    /// libfabric has failed.
    #[error(transparent)]
    Ofi(#[from] OfiError),
    /// The setting `memory_limit` cannot be kept, since ranks have the C library's allocator.
    #[error(
        "--memory-limit needs heaps of ranks, for which this process has no addresses (ulimit -v limits them): \
         --mode processes can limit each rank's memory"
    )]
    NoHeaps,
    /// Ranks cannot have ranges of addresses, since the addresses for heaps cannot be had.
    #[error(
        "--relocatable needs addresses that this process cannot have: ulimit -v limits them, or something is mapped \
         from 0x300000000000 on; lift the limit, or leave the option out"
    )]
    NoRanges,
    /// Something is mapped where ranks are to have their ranges.
    #[error("the ranges of ranks cannot be reserved, which --relocatable needs: {0}; leave the option out")]
    RangesTaken(#[source] simurgh_alloc::RegionError),
    /// There are more ranks than ranges of addresses.
    #[error(
        "--relocatable has addresses for {ranges} ranks, and {ranks} are wanted: make their ranges shorter with \
         --rank-range"
    )]
    TooManyRanges {
        /// The ranks.
        ranks: usize,
        /// The ranges.
        ranges: usize,
    },
    /// The stacks of ranks do not fit into their ranges.
    #[error(
        "a stack of {} MiB does not fit into a rank's range of addresses, of which it may take a sixteenth: make the \
         range longer with --rank-range, or the stack smaller with --stack-size", stack >> 20
    )]
    StackTooLarge {
        /// The size of a stack.
        stack: usize,
    },
    /// A rank that is a process cannot be relocated.
    #[error(
        "--relocatable is for ranks that are threads of one process, and this one is a process: leave it out"
    )]
    NotThreads,
    /// `mpiexec` had ended before the host began.
    #[error("mpiexec has ended before the job began")]
    LauncherEnded,
    /// The process has no launcher, and its installation has no `mpiexec` to start.
    #[error(
        "the program was started without mpiexec, and {place} has no mpiexec to ask: start the program with \
         \"mpiexec -n 1\" and its name"
    )]
    NoLauncher {
        /// The folder that should have it.
        place: PathBuf,
    },
    /// The `mpiexec` that this process has started has ended without taking the process over.
    #[error(
        "mpiexec, which this process has started, has ended; start the program with \"mpiexec -n 1\" and its name"
    )]
    TakeoverFailed,
    /// A file for the output of ranks cannot be written.
    #[error("{path}: ranks' output cannot be written there: {source}; --output-dir names another directory")]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no scheduling policy where the user says.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The profile by which ranks are to be placed cannot be read.
    #[error("--place-by: {path} cannot be read: {source}; --profile-out FILE writes it in an earlier run")]
    NoProfile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The profile by which ranks are to be placed is none.
    #[error(
        "--place-by: {path} is no communication profile; --profile-out FILE writes one in an earlier run"
    )]
    BadProfile {
        /// The file.
        path: PathBuf,
    },
    /// The profile by which ranks are to be placed is that of another number of ranks.
    #[error(
        "--place-by: {path} is the profile of a run with {profiled} ranks, and this one has {ranks}; write one with \
         as many ranks by --profile-out FILE"
    )]
    OtherProfile {
        /// The file.
        path: PathBuf,
        /// The ranks of the profile.
        profiled: usize,
        /// The ranks of this job.
        ranks: usize,
    },
    /// Ranks are to be placed by a profile and bound at the same time.
    #[error(
        "--place-by chooses where ranks begin, and so do --bind-to and --map-by with a unit of hardware: leave one out"
    )]
    PlacedTwice,
    /// The user names a NUMA node that the machine does not have.
    #[error("--memory-placement names node {node}: this machine has {nodes}")]
    NoNode {
        /// The node.
        node: usize,
        /// Those of the machine.
        nodes: String,
    },
    /// A system call has failed.
    #[error("{what}: {source}")]
    System {
        /// The operation that failed.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Another launcher has started the program, but cannot serve it.
    #[error(transparent)]
    Pmi(#[from] PmiError),
    /// An environment variable has no valid value.
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
    /// For `map_err`: turns the error of a system call into a [`HostError`]; `what` says what the call was for.
    pub(super) fn system<E: Into<io::Error>>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::System {
            what,
            source: error.into(),
        }
    }
}
