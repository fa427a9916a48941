//! The hosts of a job.

use super::{JobError, JobSpec, Mode};
use crate::auth::Secret;
use serde::{Deserialize, Serialize};

/// One host of a job, and its share of the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostShare {
    /// The number of its node.
    pub node: u32,
    /// The number of its ranks, which follow those of the hosts before it.
    pub ranks: u32,
}

/// A host's connection with the launcher, and with the other hosts of its node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The descriptor of the host's end of its channel to the launcher.
    pub channel: i32,
    /// The descriptor of a file whose lock a host of the node holds while it writes output.
    pub output: i32,
    /// The descriptor of the memory that the hosts of the job on this node share; absent if they share none.
    pub memory: Option<i32>,
    /// The job's secret.
    pub secret: Secret,
    /// The number of processors that the hosts of the node may use together.
    pub processors: u32,
}

/// The number of processors that this process, and the processes that it starts, may use.
#[must_use]
pub fn processors() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(processors).unwrap_or(u32::MAX)
}

/// Whether the ranks of a host, from `first` to `last`, have the same mode and working directory. A host of mode
/// `Processes` has one rank, and one of mode `Native` one program.
fn live_in_one_way(spec: &JobSpec, first: u32, last: u32) -> bool {
    let sections = spec.section_of(first).zip(spec.section_of(last));
    let Some((own, others)) = sections.and_then(|(a, b)| spec.sections[a..=b].split_first()) else {
        return false;
    };
    match own.mode {
        Mode::Processes => first == last,
        Mode::Native => others.is_empty(),
        Mode::Threads => others
            .iter()
            .all(|other| other.mode == Mode::Threads && other.wdir == own.wdir),
    }
}

/// Checks the hosts of a description; the job has `total` ranks.
pub(super) fn validate(spec: &JobSpec, total: u32) -> Result<(), JobError> {
    let ranks: u64 = spec.hosts.iter().map(|host| u64::from(host.ranks)).sum();
    if ranks != u64::from(total) || spec.hosts.iter().any(|host| host.ranks == 0) {
        return Err(JobError::Shares { ranks, total });
    }
    let hosts = spec.hosts.len();
    let mut next = 0;
    let is_uniform = |host: &HostShare| {
        let first = next;
        next += host.ranks;
        live_in_one_way(spec, first, next - 1)
    };
    if !spec.hosts.iter().all(is_uniform) {
        return Err(JobError::Modes);
    }
    match (&spec.control, hosts) {
        _ if spec.host as usize >= hosts => Err(JobError::NoHost {
            host: spec.host,
            hosts,
        }),
        (None, 2..) => Err(JobError::NoControl),
        _ => Ok(()),
    }
}
