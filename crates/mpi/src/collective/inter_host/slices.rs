//! Work of hosts in slices of the data, all at the same time.
//!
//! A single speaker has one transfer under way for much of the time, and packs, copies and combines meanwhile or waits.
//! When the data is cut into slices, each has a speaker and a conversation of its own, and goes its own way: what one
//! combines is under way for another, and several virtual processors speak.
//!
//! All hosts cut alike, for the table says how: elements for what is combined or comes from one rank, ranks by place
//! for what each gives its own. The work of a slice calls no function of the program.
//!
//! Cost: an execution context for each slice but the first, and all messages once for each slice.

use super::super::share::Share;
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;
use simurgh_core::sync::SpinLock;

/// Does so many slices of the work with the other hosts; all is one slice if there is no more.
///
/// # Errors
///
/// The first of a slice, which the other hosts have been told of.
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
