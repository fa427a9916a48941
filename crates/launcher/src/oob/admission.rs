//! Admission control: which connections may stay that have not proved anything yet.
//!
//! Anybody can connect, and there is room for few. So a connection that takes long loses its place to a later one, the
//! oldest first, and the connections of one machine may take only a part of the places. Each keeps its place for a
//! moment at least. That is long enough for a peer that knows the secret.

use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The number of places, and how many of them one address may take.
const PLACES: usize = 256;
const OF_AN_ADDRESS: usize = 64;

/// The longest time that a connection may take, and the time in which nobody takes its place away.
const PATIENCE: Duration = Duration::from_secs(5);
const MOMENT: Duration = Duration::from_millis(100);

/// Connections that have a place, the oldest first.
#[derive(Debug)]
pub(super) struct Places<T>(Vec<Place<T>>);

#[derive(Debug)]
struct Place<T> {
    guest: T,
    /// The source of the connection: see [`source`].
    address: u128,
    since: Instant,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Places<T> {
    /// Gives a connection from this address a place, if there is one.
    pub(super) fn offer(&mut self, guest: T, address: IpAddr, now: Instant) {
        let address = part(address);
        let fellows = self.0.iter().filter(|place| place.address == address).count();
        let full = (fellows >= OF_AN_ADDRESS).then_some(address);
        if full.is_some() || self.0.len() >= PLACES {
            let loses = |place: &Place<T>| full.is_none_or(|full| place.address == full);
            let oldest = self.0.iter().position(loses);
            let oldest = oldest.filter(|&oldest| now.duration_since(self.0[oldest].since) >= MOMENT);
            let Some(oldest) = oldest else { return };
            self.0.remove(oldest);
        }
        self.0.push(Place {
            guest,
            address,
            since: now,
        });
    }

    /// Calls `work` with each connection, and keeps those that it returns and that have time left.
    pub(super) fn look_after(&mut self, now: Instant, mut guest: impl FnMut(T) -> Option<T>) {
        let places = std::mem::take(&mut self.0).into_iter();
        let there = places.filter(|place| now < place.since + PATIENCE);
        self.0 = there
            .filter_map(|place| {
                let Place { address, since, .. } = place;
                let guest = guest(place.guest)?;
                Some(Place {
                    guest,
                    address,
                    since,
                })
            })
            .collect();
    }

    /// All connections.
    pub(super) fn guests(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|place| &place.guest)
    }

    /// When the oldest connection will have taken too long.
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        self.0.first().map(|place| place.since + PATIENCE)
    }
}

/// The part of an address that a machine cannot choose. Of an IPv6 address that is the network: within it, machines
/// choose addresses as they like.
fn part(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) if address.is_loopback() => address.to_bits(),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + number).into()
    }

    fn there(places: &Places<usize>) -> Vec<usize> {
        places.guests().copied().collect()
    }

    #[test]
    fn the_oldest_of_an_address_makes_room_for_the_next() {
        let (mut places, now) = (Places::default(), Instant::now());
        places.offer(1000, address(1), now);
        for guest in 0..400 {
            places.offer(guest, address(7), now);
        }
        let first: Vec<_> = std::iter::once(1000).chain(0..OF_AN_ADDRESS).collect();
        assert_eq!(there(&places), first, "nobody has had its moment");
        let then = now + MOMENT;
        places.offer(500, address(7), then);
        assert_eq!(there(&places)[..2], [1000, 1]);
        assert_eq!(there(&places).last(), Some(&500));
    }

    #[test]
    fn the_oldest_of_all_makes_room_where_many_come() {
        let (mut places, now) = (Places::default(), Instant::now());
        for guest in 0..PLACES {
            places.offer(guest, address(guest as u32), now);
        }
        places.offer(900, address(900), now);
        assert_eq!((places.0.len(), places.0[0].guest), (PLACES, 0));
        places.offer(901, address(901), now + MOMENT);
        assert_eq!((places.0.len(), places.0[0].guest), (PLACES, 1));
    }

    #[test]
    fn nobody_stays_for_long() {
        let (mut places, now) = (Places::default(), Instant::now());
        places.offer(1, address(1), now);
        places.offer(2, address(2), now + MOMENT);
        assert_eq!(places.wakes_at(), Some(now + PATIENCE));
        places.look_after(now + PATIENCE, Some);
        assert_eq!(there(&places), [2]);
        places.look_after(now + PATIENCE, |_| None);
        assert_eq!(places.wakes_at(), None);
    }

    #[test]
    fn addresses_of_one_machine_are_one() {
        let part = |text: &str| part(text.parse().unwrap());
        assert_eq!(part("::ffff:10.0.0.1"), part("10.0.0.1"));
        assert_eq!(part("2001:db8::1"), part("2001:db8::2:3"));
        assert_ne!(part("2001:db8::1"), part("2001:db8:0:1::1"));
        assert_ne!(part("10.0.0.1"), part("10.0.0.2"));
    }
}
