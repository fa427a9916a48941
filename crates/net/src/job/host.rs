//! The hosts of a job.

use super::{JobError, JobSpec, Mode};
use crate::control::Secret;
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
    /// The job's secret.
    pub secret: Secret,
}

/// Whether the ranks of a host live in the same way, in one working directory, and alone if in processes.
fn lives_in_one_way(spec: &JobSpec, host: u32) -> bool {
    let ranks = spec.ranks_of(host);
    let (mode, wdir) = (spec.mode_of(host), spec.wdir_of(host));
    let same = |rank| {
        spec.section_of(rank).is_some_and(|section| {
            let section = &spec.sections[section];
            section.mode == mode && section.wdir.as_ref() == wdir
        })
    };
    match mode {
        Mode::Processes => ranks.count == 1,
        // Their programs are those from that of the first rank to that of the last one.
        Mode::Threads => ranks.iter().all(same),
    }
}

/// Checks what a description says of hosts; the job has `total` ranks.
pub(super) fn validate(spec: &JobSpec, total: u32) -> Result<(), JobError> {
    let ranks: u64 = spec.hosts.iter().map(|host| u64::from(host.ranks)).sum();
    if ranks != u64::from(total) || spec.hosts.iter().any(|host| host.ranks == 0) {
        return Err(JobError::Shares { ranks, total });
    }
    let hosts = spec.hosts.len();
    if (0..)
        .zip(&spec.hosts)
        .any(|(host, _)| !lives_in_one_way(spec, host))
    {
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
