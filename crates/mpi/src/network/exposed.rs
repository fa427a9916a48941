//! Users' memory as other hosts access it.
#![allow(unsafe_code, reason = "lends users' memory to a transport")]

use crate::memory::{self, Dense, Source, Target};
use simurgh_net::HostId;
use simurgh_net::transport::{Region, Transfer, TransferError, Transport};
use std::ops::Range;

/// Lets other hosts read data that lies in one piece, until the region is concealed, which is before the operation on
/// the source is complete. None if it does not lie so, or cannot be accessed.
pub(super) fn expose_source(way: &dyn Transport, source: &Source) -> Option<Region> {
    // SAFETY:
    // - contiguous elements cover `bytes()` bytes from the address on, readable until then by the promise of their
    //   maker; nobody writes to what was exposed to be read.
    let expose = || unsafe { way.expose(source.address().cast_mut(), source.bytes()) };
    source.is_contiguous().then(expose)?.ok()
}

/// Lets other hosts write to memory in one piece, until the region is concealed, which is before the operation on the
/// target is complete. None if it does not lie so, or cannot be accessed.
pub(super) fn expose_target(way: &dyn Transport, target: &Target) -> Option<Region> {
    // SAFETY:
    // - as above; it is writable too.
    let expose = || unsafe { way.expose(target.address(), target.bytes()) };
    target.is_contiguous().then(expose)?.ok()
}

/// Lets other hosts read and write memory, until the region is concealed, while the memory may be used. None if it
/// cannot be accessed.
pub(super) fn expose_memory(way: &dyn Transport, memory: &memory::Region) -> Option<Region> {
    // SAFETY:
    // - it is readable and writable until then, by the promise of its maker.
    unsafe { way.expose(memory.address(), memory.bytes()) }.ok()
}

/// Reads a part of a target in one piece, or as much of the part as there is room for, from an offset of a host's
/// region on. The operation on the target is complete when the transfer is, or later.
pub(super) fn read(
    way: &dyn Transport,
    from: HostId,
    (region, offset): (Region, u64),
    target: &Target,
    part: Range<usize>,
    token: u64,
) -> Result<Transfer, TransferError> {
    assert!(target.is_contiguous(), "whoever reads has looked");
    let (start, length) = within(part, target.bytes());
    let to = target.address().wrapping_add(start);
    // SAFETY:
    // - contiguous elements cover the part, which lies within them, writable until then by the promise of their maker.
    unsafe { way.read(from, region, offset, to, length, token) }
}

/// Writes a part of a source in one piece, or as much of the part as there is, to a host's region from an offset on.
/// The operation on the source is complete when the transfer is, or later.
pub(super) fn write(
    way: &dyn Transport,
    to: HostId,
    (region, offset): (Region, u64),
    source: &Source,
    part: Range<usize>,
    token: u64,
) -> Result<Transfer, TransferError> {
    assert!(source.is_contiguous(), "whoever writes has looked");
    let (start, length) = within(part, source.bytes());
    let from = source.address().wrapping_add(start);
    // SAFETY:
    // - contiguous elements cover the part, which lies within them, readable until then by the promise of their maker.
    unsafe { way.write(to, region, offset, from, length, token) }
}

/// The beginning and length of what lies within so many bytes of a part.
fn within(part: Range<usize>, bytes: usize) -> (usize, usize) {
    let end = part.end.min(bytes);
    let start = part.start.min(end);
    (start, end - start)
}

/// Reads elements without gaps of a host's region from an offset on. For a transport whose transfers are over when they
/// return.
#[inline]
pub(super) fn read_dense(
    way: &dyn Transport,
    from: HostId,
    (region, offset): (Region, u64),
    target: Dense<*mut u8>,
) -> Result<Transfer, TransferError> {
    assert!(way.is_synchronous(), "nobody waits for the transfer");
    // SAFETY:
    // - the elements cover so many bytes from the address on, writable while `target` is used by the promise of its
    //   maker; the transfer is over before this returns.
    unsafe { way.read(from, region, offset, target.address(), target.bytes(), 0) }
}

/// Writes elements without gaps to a host's region from an offset on, as [`read_dense`].
#[inline]
pub(super) fn write_dense(
    way: &dyn Transport,
    to: HostId,
    (region, offset): (Region, u64),
    source: Dense<*const u8>,
) -> Result<Transfer, TransferError> {
    assert!(way.is_synchronous(), "nobody waits for the transfer");
    // SAFETY:
    // - as above, save that they are read.
    unsafe { way.write(to, region, offset, source.address(), source.bytes(), 0) }
}
