//! Binomial trees: in a broadcast, the number of hosts that have the data doubles from round to round; in a reduction,
//! the number of hosts with a partial result halves.
//!
//! Cost: log2 H rounds, rounded up, of messages with all of the data.

use super::accumulator::{Accumulator, Order};
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;
use crate::memory::{Source, Target};

/// Broadcasts the root's data to all hosts. At the root the data is in `source`; the others receive it into `target`,
/// and `source` reads the same memory.
pub(super) fn broadcast<W: Transport>(
    channel: &Channel<'_, W>,
    source: &Source,
    target: Option<&Target>,
    root: usize,
) -> Result<()> {
    let hosts = channel.hosts();
    let (place, host) = ((channel.own() + hosts - root) % hosts, |place: usize| {
        (place + root) % hosts
    });
    // The lowest set bit of a place tells from which host it receives, and the bits below to which hosts it sends.
    let low = if place == 0 {
        hosts.next_power_of_two()
    } else {
        place & place.wrapping_neg()
    };
    if let Some(target) = target {
        channel.recv(host(place - low), target)?;
    }
    let steps = (0..low.ilog2()).rev().map(|bit| 1 << bit);
    let below = steps.filter(|step| place + step < hosts);
    let sent: Vec<_> = below
        .map(|step: usize| channel.start_send(host(place + step), source))
        .collect();
    channel.finish(sent)
}

/// Combines the values of all hosts at the root; in the order of the hosts, unless the operation commutes.
pub(super) fn reduce<W: Transport>(
    channel: &Channel<'_, W>,
    accumulator: &Accumulator<'_>,
    root: usize,
    commutes: bool,
) -> Result<()> {
    let (hosts, own, all) = (channel.hosts(), channel.own(), accumulator.all());
    // If the order matters, the first host is the root of the tree.
    let top = if commutes { root } else { 0 };
    let (place, host) = ((own + hosts - top) % hosts, |place: usize| (place + top) % hosts);
    let mut step = 1;
    while step < hosts && place & step == 0 {
        if place + step < hosts {
            channel.recv(host(place + step), &accumulator.incoming(all))?;
            accumulator.join(all, if commutes { Order::Either } else { Order::Behind });
        }
        step *= 2;
    }
    let value = accumulator.value(all);
    if place != 0 {
        channel.send(host(place - step), &value.as_source())?;
    } else if own != root {
        return channel.send(root, &value.as_source());
    }
    if own == root && own != top {
        channel.recv(top, &value)?;
    }
    Ok(())
}
