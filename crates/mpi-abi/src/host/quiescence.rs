//! Telling the launcher that nothing happens here any more, unless another host sends something.
//!
//! If that is so on all hosts, and nothing is under way between them, all ranks wait for ever. The launcher finds out
//! ([`Quiescence`](simurgh_net::control::Quiescence)): it compares what has been sent and received. A host that has no others
//! finds that out by itself, unless its ranks wait at ports, where what the launcher has answered may be under way.

use super::control::Control;
use super::questions;
use super::state::Host;
use simurgh_net::control::FromHost;

/// Tells the launcher, in this wave of its questions or unasked (0), that the host is quiet and what it has sent and
/// received, if it `is_quiet`. Otherwise it will be told when the host is quiet again, or it is known that it still is.
pub(super) fn report(host: &Host, wave: u32, is_quiet: impl FnOnce() -> bool) {
    let Some(control) = Control::get() else { return };
    // Counted first: what happens later takes the quiet back before it counts.
    let taken = questions::taken();
    let network = host.job().network();
    let (sent, received) = network.map_or((0, 0), |network| network.fabric().counts());
    if is_quiet() {
        let received = received + taken;
        control.say(&FromHost::Quiet { wave, sent, received });
    }
}
