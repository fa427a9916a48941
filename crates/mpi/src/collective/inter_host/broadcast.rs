//! Broadcast between hosts.
//!
//! On each host the data goes straight to the buffer of one rank, from which the others copy it. A slice is about some
//! of the bytes.

use simurgh_settings::rules::Algorithm;

use super::super::all_buffers::AllBuffers;
use super::super::deliver::deliver;
use super::channel::Channel;
use super::slices::in_slices;
use super::transport::Transport;
use super::{binomial, ring};
use crate::error::Result;
use crate::members::HostMap;
use crate::memory::{Source, StagingBuffer, Target, Writer, as_bytes, source_as_bytes, transfer};
use crate::selection::InterHostChoice;

/// The buffer of one rank of a host in which the data is, or will be.
struct HostCopy {
    /// `None` at the root.
    target: Option<Target>,
    source: Source,
    /// The seat of that rank.
    seat: usize,
}

impl HostCopy {
    /// The buffer of the root, or of the first rank if the root lives on another host.
    fn find(all_buffers: AllBuffers<'_>, host_map: &HostMap, root: usize) -> Option<Self> {
        if all_buffers.is_here(root) {
            let source = all_buffers.at(root).source()?;
            let (target, seat) = (None, root);
            return Some(Self { target, source, seat });
        }
        let seat = *host_map.local_seats().first()? as usize;
        let target = all_buffers.at(seat).target()?;
        let source = target.as_source();
        let target = Some(target);
        Some(Self { target, source, seat })
    }
}

/// Bytes that a rank of this host sends or receives, which is the same number on all hosts.
pub(super) fn bytes_here(all_buffers: AllBuffers<'_>, host_map: &HostMap, root: usize) -> usize {
    HostCopy::find(all_buffers, host_map, root).map_or(0, |copy| copy.source.bytes())
}

/// Broadcasts the root's data to all ranks of all hosts.
pub(super) fn broadcast<W: Transport>(
    channel: &Channel<'_, W>,
    all_buffers: AllBuffers<'_>,
    host_map: &HostMap,
    root: usize,
    choice: InterHostChoice,
) -> Result<()> {
    let Some(copy) = HostCopy::find(all_buffers, host_map, root) else {
        return Ok(());
    };
    let (host, target) = (host_map.position_of(root), copy.target.as_ref());
    let pass = |channel: &Channel<'_, W>, source: &Source, target: Option<&Target>| match choice.algorithm {
        Algorithm::Ring => ring::broadcast(channel, source, target, host),
        _ => binomial::broadcast(channel, source, target, host),
    };
    let others = || {
        let seats = host_map.local_seats().iter().map(|&seat| seat as usize);
        seats.filter(|seat| *seat != copy.seat)
    };
    let bytes = copy.source.bytes();
    let writer = Writer::new(bytes.saturating_mul(host_map.local_seats().len()));
    if choice.algorithm == Algorithm::Binomial && choice.slices == 1 {
        pass(channel, &copy.source, target)?;
        return copy_here(all_buffers, others(), &copy, (root, &writer));
    }
    let plain = |seat: &usize| all_buffers.at(*seat).whole_target().and_then(as_bytes);
    let plain = |seat: &usize| plain(seat).filter(|target| target.bytes() == bytes);
    let targets: Vec<Target> = others().filter_map(|seat| plain(&seat)).collect();
    in_plain_bytes(&copy.source, target, |source, target| {
        in_slices(channel, choice.slices, |channel, share| {
            let (start, len) = share.slice(bytes, 1);
            let (source, target) = (source.slice(start, len), target.map(|all| all.slice(start, len)));
            pass(channel, &source, target.as_ref())?;
            for target in &targets {
                writer.transfer(&source, &target.slice(start, len));
            }
            Ok(())
        })
    })?;
    let rest = others().filter(|seat| plain(seat).is_none());
    copy_here(all_buffers, rest, &copy, (root, &writer))
}

/// Calls `user` with the data as bytes without gaps, which any two hosts can divide alike; through a temporary buffer
/// if necessary.
fn in_plain_bytes(
    source: &Source,
    target: Option<&Target>,
    user: impl FnOnce(&Source, Option<&Target>) -> Result<()>,
) -> Result<()> {
    let bytes = source.bytes();
    if let Some(plain) = target.and_then(as_bytes) {
        return user(&plain.as_source(), Some(&plain));
    }
    if let (None, Some(plain)) = (target, source_as_bytes(source)) {
        return user(&plain, None);
    }
    let store = StagingBuffer::new(bytes);
    let staging = store.target(0, bytes);
    match target {
        None => {
            transfer(source, &staging);
            user(&staging.as_source(), None)
        }
        Some(target) => {
            user(&staging.as_source(), Some(&staging))?;
            transfer(&staging.as_source(), target);
            Ok(())
        }
    }
}

/// Copies the data to other ranks of this host.
fn copy_here(
    all_buffers: AllBuffers<'_>,
    mut seats: impl Iterator<Item = usize>,
    copy: &HostCopy,
    (root, writer): (usize, &Writer),
) -> Result<()> {
    seats.try_for_each(|seat| {
        let (source, target) = (copy.source.clone(), all_buffers.at(seat).target());
        deliver(
            writer,
            all_buffers.group_sizes(),
            Some(source),
            root,
            target,
            seat,
        )
    })
}
