//! The reduction of any number of hosts to a power of two, which algorithms that halve or double need.
//!
//! The first hosts come in pairs, as many as exceed the power of two. The first host of a pair hands its value to the
//! second one before the algorithm, and gets the result after it. Each pair and each remaining host has a slot, in the
//! order of the hosts, so that operands stay in order.

use super::accumulator::{Accumulator, Order};
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;

/// The slots, and the hosts that have them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PowerOfTwo {
    /// Number of slots.
    pub(super) slots: usize,
    /// Number of pairs, which have the first slots.
    pairs: usize,
}

impl PowerOfTwo {
    /// The slots of so many hosts, one at least.
    pub(super) fn of(hosts: usize) -> Self {
        let slots = 1 << hosts.ilog2();
        let pairs = hosts - slots;
        Self { slots, pairs }
    }

    /// The host that has a slot: of a pair, the second host.
    pub(super) fn host(self, slot: usize) -> usize {
        if slot < self.pairs {
            2 * slot + 1
        } else {
            slot + self.pairs
        }
    }

    /// The slot of a host; `None` for the first host of a pair.
    pub(super) fn slot(self, host: usize) -> Option<usize> {
        match host.checked_sub(2 * self.pairs) {
            Some(behind) => Some(self.pairs + behind),
            None if host.is_multiple_of(2) => None,
            None => Some(host / 2),
        }
    }

    /// Sends the values of the first hosts of all pairs to the second hosts, which combine them with their own.
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

    /// Sends the result to the first hosts of all pairs.
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
