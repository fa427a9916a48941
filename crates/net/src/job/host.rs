//! The hosts of a job.

use super::{JobError, JobSpec, Mode};
use crate::auth::Secret;
use serde::{Deserialize, Serialize};

/// One host of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostShare {
    /// The node, by number, on which it runs.
    pub node: u32,
    /// How many ranks live on it: those that follow the ranks of the hosts before it.
    pub ranks: u32,
}

/// What a host needs to work together with others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The descriptor of the host's end of its channel to the launcher.
    pub channel: i32,
    /// The descriptor of a file whose lock a host of the node holds while it writes output.
    pub output: i32,
    /// The descriptor of the memory that the hosts of the job on this node share, if they are to share any.
    pub memory: Option<i32>,
    /// The job's secret.
    pub secret: Secret,
    /// How many processors the hosts of the node may use, all together.
    pub processors: u32,
}

/// How many processors this process may use, and so those that it starts.
#[must_use]
pub fn processors() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(processors).unwrap_or(u32::MAX)
}

/// Whether ranks of a host, the first and the last of which are these, live in the same way, in one working directory,
/// and alone if in processes.
fn live_in_one_way(spec: &JobSpec, first: u32, last: u32) -> bool {
    let sections = spec.section_of(first).zip(spec.section_of(last));
    let Some((own, others)) = sections.and_then(|(a, b)| spec.sections[a..=b].split_first()) else {
        return false;
    };
    match own.mode {
        Mode::Processes => first == last,
        Mode::Threads => others
            .iter()
            .all(|other| other.mode == Mode::Threads && other.wdir == own.wdir),
    }
}

/// Checks what a description says of hosts; the job has `total` ranks.
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
