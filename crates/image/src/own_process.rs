//! This process, as `/proc` knows it.

use std::fs;
use std::sync::OnceLock;

/// The number of this process in `/proc`. It differs from the result of `getpid` if the process is in a pid namespace
/// of its own and `/proc` has not been mounted anew there.
#[must_use]
pub fn number_in_proc() -> u32 {
    static NUMBER: OnceLock<u32> = OnceLock::new();
    *NUMBER.get_or_init(|| {
        let link = fs::read_link("/proc/self").ok();
        let number = link.and_then(|link| link.to_str()?.parse().ok());
        number.unwrap_or_else(std::process::id)
    })
}
