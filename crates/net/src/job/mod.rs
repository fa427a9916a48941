//! The job description, by which `mpiexec` tells a host what to run.
//!
//! # Protocol
//!
//! 1. `mpiexec` writes a [`JobSpec`] as JSON into a memfd and [`seal`]s it. It starts the host with that descriptor
//!    open, its number in the environment variable [`FD_VARIABLE`], and the path of the runtime in
//!    [`LIBRARY_VARIABLE`].
//! 2. The host takes the descriptor (which closes it), [`unseal`]s it, and runs the ranks in [`JobSpec::ranks`]. If
//!    there are several hosts, they find each other by the [control protocol](crate::control).
//!
//! A rank with a process of its own ([`Mode::Processes`]) is a host, too, and so is a process of a Rust program, whose
//! ranks are closures ([`Mode::Native`]). Then `mpiexec` starts the program itself, or a command that starts the
//! program. The description waits in its descriptor until MPI is initialised, and is never read if it is not.
//!
//! A memfd leaves nothing behind, whichever process dies first, and its length has no limit as that of an argument or
//! environment string has. Everything that is read is checked: first the version, so that the user is told of two
//! installations that do not fit together, then the shape, then the values ([`JobSpec::validate`]).

mod env;
mod error;
mod host;
mod memfd;
mod mode;
mod origin;
mod output;
mod ranks;
mod realm;
mod section;
mod settings;

pub use env::EnvChange;
pub use error::JobError;
pub use host::{Control, HostShare, processors};
pub use memfd::{FD_VARIABLE, LIBRARY_VARIABLE, TAKE_OVER, output_lock, seal, unseal};
pub use mode::Mode;
pub use origin::{Origin, Place};
pub use output::OutputFiles;
pub use ranks::RankRange;
pub use realm::Realm;
pub use section::Section;

use serde::{Deserialize, Serialize};
use simurgh_settings::{Id, Values};
use std::ops::Range;

use crate::HostId;
use crate::encoding::Text;

/// Version of the protocol. A host refuses all others.
pub const VERSION: u32 = 9;

/// Most ranks a job may have.
pub const MAX_RANKS: u32 = 1 << 24;

/// Longest job description that a host reads, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// The description of a job, for one of its hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSpec {
    /// Version of the protocol: [`VERSION`].
    pub version: u32,
    /// The programs of the job, in rank order, all hosts together.
    pub sections: Vec<Section>,
    /// All hosts, in rank order.
    pub hosts: Vec<HostShare>,
    /// The receiving host, as an index of `hosts`.
    pub host: HostId,
    /// The host's connection with the launcher; absent if it is the only host.
    pub control: Option<Control>,
    /// The settings of the job.
    #[serde(with = "settings")]
    pub settings: Values,
    /// The process that started the host: the host ends when it does.
    pub parent: Option<u32>,
    /// How the job came to be.
    pub origin: Origin,
}

impl JobSpec {
    /// Reads and checks a job description.
    pub fn parse(json: &[u8]) -> Result<Self, JobError> {
        /// The one field that all versions have in common.
        #[derive(Deserialize)]
        struct Header {
            version: u32,
        }
        if json.len() > MAX_BYTES {
            return Err(JobError::TooLong { bytes: json.len() });
        }
        let header: Header = serde_json::from_slice(json).map_err(JobError::Malformed)?;
        if header.version != VERSION {
            return Err(JobError::Version {
                found: header.version,
            });
        }
        let spec: Self = serde_json::from_slice(json).map_err(JobError::Malformed)?;
        spec.validate()?;
        Ok(spec)
    }

    /// Writes the description as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a job description has no map keys and no failing serializer")
    }

    /// Checks every value that the shape alone does not guarantee.
    pub fn validate(&self) -> Result<(), JobError> {
        if self.sections.is_empty() {
            return Err(JobError::NoProgram);
        }
        for (index, section) in self.sections.iter().enumerate() {
            section.validate(index)?;
        }
        let total = self.total_ranks()?;
        host::validate(self, total)?;
        self.origin.validate(&self.hosts, total)
    }

    /// The number of ranks of the whole job: the size of `MPI_COMM_WORLD`.
    pub fn total_ranks(&self) -> Result<u32, JobError> {
        let total = self
            .sections
            .iter()
            .map(|section| u64::from(section.ranks))
            .sum::<u64>();
        match u32::try_from(total) {
            Ok(total) if total <= MAX_RANKS => Ok(total),
            _ => Err(JobError::TooManyRanks { ranks: total }),
        }
    }

    /// The ranks that the receiving host runs.
    pub fn ranks(&self) -> RankRange {
        self.ranks_of(self.host)
    }

    /// The ranks that a host runs.
    ///
    /// # Panics
    ///
    /// When there is no such host.
    pub fn ranks_of(&self, host: HostId) -> RankRange {
        let (before, rest) = self.hosts.split_at(host as usize);
        RankRange {
            first: before.iter().map(|host| host.ranks).sum(),
            count: rest[0].ranks,
        }
    }

    /// How the ranks of a host live.
    ///
    /// # Panics
    ///
    /// When there is no such host.
    pub fn mode_of(&self, host: HostId) -> Mode {
        self.first_section_of(host)
            .map_or(Mode::Threads, |section| section.mode)
    }

    /// The working directory of the ranks of a host; if absent, the one in which the host is started.
    ///
    /// # Panics
    ///
    /// When there is no such host.
    pub fn wdir_of(&self, host: HostId) -> Option<&Text> {
        self.first_section_of(host)?.wdir.as_ref()
    }

    /// The section of the first rank of a host.
    fn first_section_of(&self, host: HostId) -> Option<&Section> {
        let section = self.section_of(self.ranks_of(host).first)?;
        self.sections.get(section)
    }

    /// The name of a rank for users: its number, after that of its world if it is not the launcher's first.
    pub fn name_of(&self, rank: u32) -> String {
        match self.origin.realm.local(self.origin.world).unwrap_or_default() {
            0 => rank.to_string(),
            world => format!("{world}.{rank}"),
        }
    }

    /// The name of ranks that follow each other: that of the only one, or those of the first and the last.
    pub fn names_of(&self, ranks: RankRange) -> String {
        let first = self.name_of(ranks.first);
        match ranks.count {
            0 | 1 => first,
            count => format!("{first}-{}", self.name_of(ranks.first.saturating_add(count - 1))),
        }
    }

    /// The number of the receiving host in the universe.
    pub fn host_in_universe(&self) -> HostId {
        self.origin.first_host + self.host
    }

    /// The place of each host of the job in the universe.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let mut first = self.origin.first_process;
        (0..).zip(&self.hosts).map(move |(host, share)| {
            let place = Place {
                node: self.origin.realm.number(share.node),
                world: self.origin.world,
                first,
                processes: share.ranks,
                share: self.origin.shares.get(host).copied().unwrap_or(host as u32),
            };
            first += share.ranks;
            place
        })
    }

    /// The number of the receiving host's node in the universe.
    pub fn node_in_universe(&self) -> u32 {
        self.origin.realm.number(self.hosts[self.host as usize].node)
    }

    /// The index of the receiving host among those of its node, and their number.
    pub fn place_on_node(&self) -> (usize, usize) {
        let node = self.hosts[self.host as usize].node;
        let on_node = |hosts: &[HostShare]| hosts.iter().filter(|host| host.node == node).count();
        (on_node(&self.hosts[..self.host as usize]), on_node(&self.hosts))
    }

    /// Whether hosts of a node share memory.
    pub fn shares_memory(&self) -> bool {
        self.settings.show(Id::Transport) != "ofi"
    }

    /// The hosts of the job on a node, by their numbers in the universe.
    pub fn hosts_on(&self, node: u32) -> Vec<HostId> {
        let numbered = (self.origin.first_host..).zip(&self.hosts);
        let on_node = numbered.filter(|(_, share)| share.node == node);
        on_node.map(|(host, _)| host).collect()
    }

    /// The receiving host's ranks among those of its node, counted from 0, and the number of ranks there.
    pub fn ranks_on_node(&self) -> (Range<usize>, usize) {
        let node = self.hosts[self.host as usize].node;
        let on_node = |hosts: &[HostShare]| -> usize {
            let hosts = hosts.iter().filter(|host| host.node == node);
            hosts.map(|host| host.ranks as usize).sum()
        };
        let first = on_node(&self.hosts[..self.host as usize]);
        let own = self.hosts[self.host as usize].ranks as usize;
        (first..first + own, on_node(&self.hosts))
    }

    /// The section of a rank, as an index of [`JobSpec::sections`] (MPI's application number).
    pub fn section_of(&self, rank: u32) -> Option<usize> {
        let mut first_of_next = 0u64;
        self.sections.iter().position(|section| {
            first_of_next += u64::from(section.ranks);
            u64::from(rank) < first_of_next
        })
    }
}

fn absolute(path: &Text) -> Result<(), JobError> {
    if path.as_path().is_absolute() {
        Ok(())
    } else {
        Err(JobError::RelativePath {
            path: path.to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
