//! Records of hosts.

use crate::error::{Error, ErrorClass};
use std::ops::Range;

/// A host of a universe, as the launcher describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRecord {
    /// The number of the host. It is higher than those of all earlier hosts of its realm.
    pub host: u32,
    /// The number of the node on which it runs.
    pub node: u32,
    /// The number of its world. The processes that the launcher starts first have the first number of the realm, and
    /// each spawn has the next one.
    pub world: u32,
    /// The processes of the host. They follow those of the hosts of its realm with lower numbers.
    pub processes: Range<u32>,
    /// The block of context ids that the host gives out. No other host has the same block at the same time. It is
    /// recorded for hosts of a universe of several realms, and for those of later worlds where there is one realm. For
    /// hosts of the first world of the only realm it is the number of the host.
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
