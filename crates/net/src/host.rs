//! Numbers of hosts.

/// Number of a host in its job, or among all hosts of a universe.
pub type HostId = u32;
