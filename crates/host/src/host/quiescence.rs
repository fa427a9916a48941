//! Quiescence detection: the part of a host.
//!
//! A host is quiet when nothing happens in it any more unless another host sends something. If all hosts are quiet and
//! nothing is under way between them, all ranks wait for ever. The launcher finds that out
//! ([`Quiescence`](simurgh_net::control::Quiescence)) by comparing how much has been sent and received. A host without
//! others finds it out by itself, unless its ranks have waited at ports: then an answer of the launcher may be under
//! way.

use super::control::Control;
use super::questions;
use super::state::Host;
use simurgh_net::control::FromHost;

/// Reports to the launcher that the host is quiet, and how much it has sent and received, if `is_quiet`. `wave` is the
/// number of the launcher's question, or 0 for a report that was not asked for. If the host is not quiet, a report
/// follows when it is.
pub(super) fn report(host: &Host, wave: u32, is_quiet: impl FnOnce() -> bool) {
    let Some(control) = Control::get() else { return };
    // The counters are read first: whatever happens later makes the host not quiet before it counts.
    let taken = questions::taken();
    let network = host.job().network();
    let (sent, received) = network.map_or((0, 0), |network| network.fabric().counts());
    if is_quiet() {
        let received = received + taken;
        control.say(&FromHost::Quiet { wave, sent, received });
    }
}
