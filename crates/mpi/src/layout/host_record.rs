//! Records of hosts.

use crate::error::{Error, ErrorClass};
use std::ops::Range;

/// A host of a universe, as the launcher describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRecord {
    /// Its number: higher than that of any host of its realm that came before.
    pub host: u32,
    /// The number of the node on which it runs.
    pub node: u32,
    /// The number of its world: the realm's first for the processes that the launcher has started first, then one for
    /// each spawn.
    pub world: u32,
    /// Its processes: behind those of the hosts of its realm with lower numbers.
    pub processes: Range<u32>,
    /// The block of context ids that the host gives out, which no other host has at the same time: for hosts of a
    /// universe of several realms, and of later worlds where there is one realm. For hosts of the first world of the
    /// only realm it is their number.
    pub share: u32,
}

#[cold]
pub(super) fn out_of_order(record: &HostRecord) -> Error {
    let host = record.host;
    Error::new(
        ErrorClass::Intern,
        format!(
            "what is told of host {host} does not fit others; all of the installation has to be of one version"
        ),
    )
}
