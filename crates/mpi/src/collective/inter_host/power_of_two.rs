//! A power of two of hosts, which stand for all.
//!
//! Algorithms that halve or double need such a number. The first hosts of any other number come in pairs: the first of
//! a pair gives the second what it has, and gets the result in the end. Each host or pair has a place, in the order of
//! the hosts, so that operands stay in order.

use super::accumulator::{Accumulator, Order};
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;

/// The places, and who has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PowerOfTwo {
    /// Number of places.
    pub(super) slots: usize,
    /// The first so many of which are pairs.
    pairs: usize,
}

impl PowerOfTwo {
    /// The places of so many hosts, one at least.
    pub(super) fn of(hosts: usize) -> Self {
        let slots = 1 << hosts.ilog2();
        let pairs = hosts - slots;
        Self { slots, pairs }
    }

    /// The host that has a place.
    pub(super) fn host(self, slot: usize) -> usize {
        if slot < self.pairs {
            2 * slot + 1
        } else {
            slot + self.pairs
        }
    }

    /// The place of a host; none if the other of its pair has it.
    pub(super) fn slot(self, host: usize) -> Option<usize> {
        match host.checked_sub(2 * self.pairs) {
            Some(behind) => Some(self.pairs + behind),
            None if host.is_multiple_of(2) => None,
            None => Some(host / 2),
        }
    }

    /// Lets the first hosts of all pairs give what they have to the second.
    pub(super) fn fold_in<W: Transport>(
        self,
        channel: &Channel<'_, W>,
        accumulator: &Accumulator<'_>,
    ) -> Result<()> {
        let (own, all) = (channel.own(), accumulator.all());
        if own >= 2 * self.pairs {
            return Ok(());
        }
        if own.is_multiple_of(2) {
            return channel.send(own + 1, &accumulator.value(all).as_source());
        }
        channel.recv(own - 1, &accumulator.incoming(all))?;
        accumulator.join(all, Order::Before);
        Ok(())
    }

    /// Lets them have the result.
    pub(super) fn fold_out<W: Transport>(
        self,
        channel: &Channel<'_, W>,
        accumulator: &Accumulator<'_>,
    ) -> Result<()> {
        let (own, value) = (channel.own(), accumulator.value(accumulator.all()));
        if own >= 2 * self.pairs {
            return Ok(());
        }
        if own.is_multiple_of(2) {
            channel.recv(own + 1, &value)
        } else {
            channel.send(own - 1, &value.as_source())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PowerOfTwo;

    #[test]
    fn every_place_has_a_host() {
        for hosts in 1..40 {
            let power = PowerOfTwo::of(hosts);
            let slots: Vec<_> = (0..hosts).filter_map(|host| power.slot(host)).collect();
            assert!(slots.iter().copied().eq(0..power.slots), "{hosts}: {slots:?}");
            assert!((0..power.slots).all(|slot| power.slot(power.host(slot)) == Some(slot)));
        }
    }
}
