//! The environment that goes with a job to other nodes.

use simurgh_net::encoding::Text;
use std::ffi::{OsStr, OsString};

/// Variables that describe this machine, this terminal or this login, and are wrong elsewhere. A `*` stands for any end
/// of a name.
const LOCAL: [&str; 12] = [
    "HOSTNAME",
    "HOST",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "TERM_SESSION_ID",
    "WINDOWID",
    "SSH_*",
    "XDG_SESSION_*",
    "XDG_RUNTIME_DIR",
    "DBUS_*",
];

/// The environment of this process for programs on other nodes.
pub(crate) fn of_this_process() -> Vec<(Text, Text)> {
    let variables = std::env::vars_os().filter(|(name, _)| !is_local(name));
    let text = |(name, value): (OsString, OsString)| Some((Text::new(name)?, Text::new(value)?));
    variables.filter_map(text).collect()
}

fn is_local(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    LOCAL.iter().any(|local| match local.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *local,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_this_machine_stays_here() {
        for name in ["HOSTNAME", "SSH_AUTH_SOCK", "_"] {
            assert!(is_local(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "OMP_NUM_THREADS", "SSHX", "_X"] {
            assert!(!is_local(OsStr::new(name)), "{name}");
        }
    }
}
