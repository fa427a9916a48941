//! Allgather by Bruck's algorithm: the number of blocks that a host has doubles from round to round, for any number of
//! hosts.
//!
//! Cost: log2 H rounds, rounded up, of at most two messages each. A host receives each block once. For short blocks.

use std::ops::Range;

use super::blocks::Blocks;
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;

/// Exchanges the blocks of all hosts.
pub(super) fn allgather<W: Transport>(channel: &Channel<'_, W>, blocks: &Blocks) -> Result<()> {
    let (hosts, own) = (channel.hosts(), channel.own());
    let mut have = 1;
    while have < hosts {
        // A host has `have` blocks from its own on, and receives the `count` blocks behind them.
        let count = have.min(hosts - have);
        let (to, from) = ((own + hosts - have) % hosts, (own + have) % hosts);
        let sent: Vec<_> = around(own, count, hosts)
            .map(|run| channel.start_send(to, &blocks.of(run).as_source()))
            .collect();
        let mut received = Ok(());
        for run in around(from, count, hosts) {
            received = received.and_then(|()| channel.recv(from, &blocks.of(run)));
        }
        received.and(channel.finish(sent))?;
        have += count;
    }
    Ok(())
}

/// The `count` hosts from `first` on, around the end: as ranges of hosts that lie together.
fn around(first: usize, count: usize, hosts: usize) -> impl Iterator<Item = Range<usize>> {
    let end = (first + count).min(hosts);
    let runs = [first..end, 0..first + count - end];
    runs.into_iter().filter(|run| !run.is_empty())
}
