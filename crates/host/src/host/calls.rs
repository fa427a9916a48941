//! The calls that have led from the program to this library.

use super::mappings;
use std::ops::Range;
use std::sync::OnceLock;

/// Finds out what [`stack`] has to know, before the first program runs.
pub(super) fn prepare() {
    own_code();
    // The unwinder finds out something about the machine when it is used first.
    stack(&mut [0]);
}

/// Writes the return addresses on the stack of the caller that do not lie in this library, the innermost one first.
/// Gives their number.
pub(super) fn stack(addresses: &mut [usize]) -> usize {
    let mut depth = 0;
    let own = own_code();
    let visit = |frame: &backtrace::Frame| {
        let address = frame.ip() as usize;
        if !own.contains(&address) && address != 0 {
            addresses[depth] = address;
            depth += 1;
        }
        depth < addresses.len()
    };
    // SAFETY:
    // - the walk itself keeps nothing that threads share; only names are looked up in such data.
    unsafe { backtrace::trace_unsynchronized(visit) };
    depth
}

/// The addresses of this library's code; empty if they cannot be found.
fn own_code() -> &'static Range<usize> {
    static CODE: OnceLock<Range<usize>> = OnceLock::new();
    CODE.get_or_init(|| {
        let maps = mappings::read().unwrap_or_default();
        let here = mappings::holding(&maps, own_code as *const () as usize);
        here.map_or(0..0, |mapping| mapping.range)
    })
}
