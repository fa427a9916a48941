//! Ring algorithms: each host sends to the next one what it has just received from the previous one.
//!
//! Cost: H - 1 rounds for each way around, in which a host sends all data except its own part once. Every link carries
//! the same amount, whatever the number of hosts.

use super::accumulator::{Accumulator, Order};
use super::blocks::Blocks;
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;
use crate::limits::RING_SEGMENT;
use crate::memory::{Source, Target};

/// Combines the values of all hosts at all of them. The operation has to commute.
pub(super) fn allreduce<W: Transport>(channel: &Channel<'_, W>, accumulator: &Accumulator<'_>) -> Result<()> {
    let (hosts, own) = (channel.hosts(), channel.own());
    let part = |index: usize| accumulator.part(index % hosts, hosts);
    let (next, last) = ((own + 1) % hosts, (own + hosts - 1) % hosts);
    for round in 0..hosts - 1 {
        let (have, want) = (part(own + hosts - round), part(own + hosts - round - 1));
        channel.exchange(
            next,
            &accumulator.value(have).as_source(),
            last,
            &accumulator.incoming(want),
        )?;
        accumulator.join(want, Order::Either);
    }
    for round in 0..hosts - 1 {
        let (have, want) = (part(own + hosts + 1 - round), part(own + hosts - round));
        channel.exchange(
            next,
            &accumulator.value(have).as_source(),
            last,
            &accumulator.value(want),
        )?;
    }
    Ok(())
}

/// Exchanges the blocks of all hosts.
pub(super) fn allgather<W: Transport>(channel: &Channel<'_, W>, blocks: &Blocks) -> Result<()> {
    let (hosts, own) = (channel.hosts(), channel.own());
    let (next, last) = ((own + 1) % hosts, (own + hosts - 1) % hosts);
    for round in 0..hosts - 1 {
        let (have, want) = ((own + hosts - round) % hosts, (own + hosts - round - 1) % hosts);
        channel.exchange(
            next,
            &blocks.of(have..have + 1).as_source(),
            last,
            &blocks.of(want..want + 1),
        )?;
    }
    Ok(())
}

/// Broadcasts the root's bytes to all hosts. At the root they are in `source`; the others receive them into `target`,
/// and `source` reads the same memory. A host sends a segment on while it receives the next one.
pub(super) fn broadcast<W: Transport>(
    channel: &Channel<'_, W>,
    source: &Source,
    target: Option<&Target>,
    root: usize,
) -> Result<()> {
    let (hosts, own) = (channel.hosts(), channel.own());
    let (next, last) = ((own + 1) % hosts, (own + hosts - 1) % hosts);
    let mut sent = Vec::new();
    for start in (0..source.bytes()).step_by(RING_SEGMENT) {
        if let Some(target) = target {
            channel.recv(last, &target.slice(start, RING_SEGMENT))?;
        }
        if next != root {
            sent.push(channel.start_send(next, &source.slice(start, RING_SEGMENT)));
        }
    }
    channel.finish(sent)
}
