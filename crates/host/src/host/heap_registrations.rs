//! Registrations of the memory of ranks' heaps with the network.
//!
//! Transports may keep memory registered between transfers if somebody tells them before other pages appear at its
//! addresses. The heaps do, so the whole range of their addresses is held from the beginning.

use super::state::Host;
use simurgh_core::enter_runtime;
use simurgh_heap::RankHeaps;
use simurgh_net::transport::Transport;
use std::ops::Range;

/// Lets a transport, which nobody uses yet, keep memory of heaps registered.
pub(super) fn hold(transport: &dyn Transport) {
    if RankHeaps::are_possible() {
        simurgh_heap::before_pages_go(withdraw);
        let all = simurgh_heap::addresses();
        // SAFETY:
        // - memory of heaps stays mapped, and `withdraw` is called before it gets other pages.
        unsafe { transport.hold(std::ptr::without_provenance(all.start), all.len()) };
    }
}

/// Lets all transports forget memory.
fn withdraw(memory: Range<usize>) {
    let _inside = enter_runtime();
    let network = Host::running().and_then(|host| host.job().network());
    let transports = network
        .into_iter()
        .flat_map(|network| network.fabric().transports());
    transports
        .for_each(|transport| transport.withdraw(std::ptr::without_provenance(memory.start), memory.len()));
}
