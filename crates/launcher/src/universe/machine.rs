//! Which machine this is.

use std::fs;

/// What tells this machine, as the network sees it, from others: the same for all processes that reach each other by
/// its loopback interface, another on every other machine and after each start.
pub(super) fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let network = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    format!("{} {}", boot.trim(), network.display())
}
