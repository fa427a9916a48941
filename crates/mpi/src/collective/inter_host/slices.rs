//! Segmentation: work between hosts in slices of the data, all at the same time.
//!
//! A single leader has one transfer under way for much of the time, and either packs, copies and combines meanwhile or
//! waits. If the data is cut into slices, each slice has an execution context and a channel of its own: while one slice
//! is under way another is combined, and several virtual processors work.
//!
//! All hosts cut the data alike, because the selection table says how: by elements, if data is combined or comes from
//! one rank; by the ranks of each host, if each rank sends its own. The work of a slice never calls a function of the
//! program.
//!
//! Cost: an execution context for each slice but the first, and all messages once for each slice.

use super::super::share::Share;
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;
use simurgh_core::sync::SpinLock;

/// Does the work in so many slices; with one, it is done at once in the caller.
///
/// # Errors
///
/// The first error of a slice, of which the other hosts have been told.
pub(super) fn in_slices<W: Transport>(
    channel: &Channel<'_, W>,
    slices: usize,
    work: impl Fn(&Channel<'_, W>, Share) -> Result<()> + Sync,
) -> Result<()> {
    if slices <= 1 {
        return work(channel, Share::ALL);
    }
    let fault = SpinLock::new(None);
    simurgh_core::fork_join(slices, &|index| {
        let transport = channel.transport().slice(index);
        let slice = channel.about(&transport);
        if let Err(error) = work(&slice, Share::one(index, slices)) {
            slice.fail(&error);
            fault.lock().get_or_insert(error);
        }
    });
    fault.lock().take().map_or(Ok(()), Err)
}
