//! The identity of this machine.

use std::fs;

/// A text that identifies this machine on the network: its boot and its network namespace. It is the same for all
/// processes that reach each other by the loopback interface, and differs on every other machine and after each boot.
pub(super) fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let network = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    format!("{} {}", boot.trim(), network.display())
}
