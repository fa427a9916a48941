//! A power of two of hosts, which stand for all.
//!
//! Algorithms that halve or double need such a number. The first hosts of any other number come in pairs: the first of
//! a pair gives the second what it has, and gets the result in the end. Each host or pair has a place, in the order of
//! the hosts, so that operands stay in order.

use super::growing::{Growing, Order};
use super::talk::Talk;
use super::way::Way;
use crate::error::Result;

/// The places, and who has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Powers {
    /// Number of places.
    pub(super) places: usize,
    /// The first so many of which are pairs.
    pairs: usize,
}

impl Powers {
    /// The places of so many hosts, one at least.
    pub(super) fn of(hosts: usize) -> Self {
        let places = 1 << hosts.ilog2();
        let pairs = hosts - places;
        Self { places, pairs }
    }

    /// The host that has a place.
    pub(super) fn host(self, place: usize) -> usize {
        if place < self.pairs {
            2 * place + 1
        } else {
            place + self.pairs
        }
    }

    /// The place of a host; none if the other of its pair has it.
    pub(super) fn place(self, host: usize) -> Option<usize> {
        match host.checked_sub(2 * self.pairs) {
            Some(behind) => Some(self.pairs + behind),
            None if host.is_multiple_of(2) => None,
            None => Some(host / 2),
        }
    }

    /// Lets the first hosts of all pairs give what they have to the second.
    pub(super) fn gather<W: Way>(self, talk: &Talk<'_, W>, growing: &Growing<'_>) -> Result<()> {
        let (own, all) = (talk.own(), growing.all());
        if own >= 2 * self.pairs {
            return Ok(());
        }
        if own.is_multiple_of(2) {
            return talk.send(own + 1, &growing.value(all).as_source());
        }
        talk.recv(own - 1, &growing.incoming(all))?;
        growing.join(all, Order::Before);
        Ok(())
    }

    /// Lets them have the result.
    pub(super) fn give_back<W: Way>(self, talk: &Talk<'_, W>, growing: &Growing<'_>) -> Result<()> {
        let (own, value) = (talk.own(), growing.value(growing.all()));
        if own >= 2 * self.pairs {
            return Ok(());
        }
        if own.is_multiple_of(2) {
            talk.recv(own + 1, &value)
        } else {
            talk.send(own - 1, &value.as_source())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Powers;

    #[test]
    fn every_place_has_a_host() {
        for hosts in 1..40 {
            let powers = Powers::of(hosts);
            let placed: Vec<_> = (0..hosts).filter_map(|host| powers.place(host)).collect();
            assert!(placed.iter().copied().eq(0..powers.places), "{hosts}: {placed:?}");
            assert!((0..powers.places).all(|place| powers.place(powers.host(place)) == Some(place)));
        }
    }
}
