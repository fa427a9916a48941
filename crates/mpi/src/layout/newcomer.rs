//! A host, as others are told of it.

use crate::error::{Error, ErrorClass};
use std::ops::Range;

/// A host of a universe, as the launcher tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newcomer {
    /// Its number: higher than that of any host of its realm that came before.
    pub host: u32,
    /// The number of the node on which it runs.
    pub node: u32,
    /// The number of its world: the realm's first for the processes that the launcher has started first, then one for
    /// each spawn.
    pub world: u32,
    /// Its processes: behind those of the hosts of its realm with lower numbers.
    pub processes: Range<u32>,
    /// A number that no other host that is there has: of hosts of a universe of several realms, or of a world behind
    /// the first where there is one realm. It says which numbers the host gives to communicators. Those of the first
    /// world of the only realm have their own.
    pub share: u32,
}

#[cold]
pub(super) fn disorder(newcomer: &Newcomer) -> Error {
    let host = newcomer.host;
    Error::new(
        ErrorClass::Intern,
        format!(
            "what is told of host {host} does not fit others; all of the installation has to be of one version"
        ),
    )
}
