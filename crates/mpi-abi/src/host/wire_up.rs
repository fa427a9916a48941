//! How this host is connected with the others.

use super::control::Control;
use simurgh_net::control::{FromHost, Hello, VERSION};
use simurgh_net::job::JobSpec;

/// Tells the launcher that this host is there, and where others reach it.
pub(super) fn greet(control: &Control, spec: &JobSpec) {
    let hello = Hello {
        version: VERSION,
        secret: control.secret().clone(),
        host: spec.host,
        pid: std::process::id(),
        addresses: Vec::new(),
    };
    control.say(&FromHost::Hello(hello), &[]);
}
