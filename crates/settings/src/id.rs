//! The names of settings in code.

use crate::{Preset, SETTINGS, Setting};

/// Which setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Id {
    /// Threads or processes.
    Mode,
    /// Time limit of the job.
    Timeout,
    /// Whether output is tagged.
    TagOutput,
    /// Where output goes.
    OutputDir,
    /// Whether statistics are printed at the end.
    Stats,
    /// What is checked.
    Check,
    /// The error handler that is there first.
    InitialErrhandler,
    /// Processes on each node.
    HostsPerNode,
    /// Time in which they have to find each other.
    StartTimeout,
    /// By what a process finds the others of its job under another launcher.
    Pmi,
    /// How they talk.
    Transport,
    /// Whether they read each other's memory.
    CrossMemory,
    /// libfabric's provider.
    Provider,
    /// The network interface.
    Interface,
    /// How much of what goes over it is protected.
    Authenticate,
    /// Silence after which a host is lost.
    PeerTimeout,
    /// Where jobs meet.
    Universe,
    /// For how long who connects waits for who accepts.
    ConnectTimeout,
    /// Virtual processors.
    Vps,
    /// Scheduling policy.
    Policy,
    /// Virtual processors dedicated to the network.
    NetworkVps,
    /// Where they run.
    NetworkCore,
    /// Where ranks go one after the other.
    MapBy,
    /// Which have which of the places.
    RankBy,
    /// What is bound to cores.
    BindTo,
    /// Whether ranks may outnumber places.
    Oversubscribe,
    /// Whether what is bound is told.
    ReportBindings,
    /// Stack of a rank.
    StackSize,
    /// Seed of the order of ranks.
    Seed,
    /// For how long a rank may keep its virtual processor.
    Patience,
    /// Messages kept inside their queue entry.
    InlineLimit,
    /// Messages sent before their receive.
    EagerLimit,
    /// Such messages waiting at a rank.
    BacklogLimit,
    /// Such messages under way to another host.
    EagerWindow,
    /// Queues scanned in order.
    ScanLimit,
    /// How collectives are done.
    Collectives,
}

impl Id {
    /// The setting.
    #[must_use]
    pub fn setting(self) -> &'static Setting {
        &SETTINGS[self as usize]
    }

    /// The value that holds if nobody sets the setting, if there is one.
    #[must_use]
    pub const fn preset(self) -> Option<u64> {
        match SETTINGS[self as usize].preset {
            Preset::Value(value) => Some(value),
            Preset::Absent(_) => None,
        }
    }
}
