//! Admission control: which connections may stay that have not proved anything yet.
//!
//! Anybody can connect, and there is room for few. So a connection that takes long loses its place to a later one, the
//! oldest first, and the connections of one machine may take only a part of the places. Each keeps its place for a
//! moment at least. That is long enough for a peer that knows the secret.

use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The number of places, and how many of them one address may take.
const CAPACITY: usize = 256;
const PER_ADDRESS: usize = 64;

/// The longest time that a connection may take, and the time in which nobody takes its place away.
const PATIENCE: Duration = Duration::from_secs(5);
const PROTECTION: Duration = Duration::from_millis(100);

/// Connections that have a place, the oldest first.
#[derive(Debug)]
pub(super) struct AdmissionQueue<T>(Vec<Entry<T>>);

#[derive(Debug)]
struct Entry<T> {
    connection: T,
    /// The source of the connection: see [`source`].
    address: u128,
    since: Instant,
}

impl<T> Default for AdmissionQueue<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> AdmissionQueue<T> {
    /// Gives a connection from this address a place, if there is one.
    pub(super) fn admit(&mut self, connection: T, address: IpAddr, now: Instant) {
        let address = source(address);
        let siblings = self.0.iter().filter(|entry| entry.address == address).count();
        let full = (siblings >= PER_ADDRESS).then_some(address);
        if full.is_some() || self.0.len() >= CAPACITY {
            let is_candidate = |entry: &Entry<T>| full.is_none_or(|full| entry.address == full);
            let oldest = self.0.iter().position(is_candidate);
            let oldest = oldest.filter(|&oldest| now.duration_since(self.0[oldest].since) >= PROTECTION);
            let Some(oldest) = oldest else { return };
            self.0.remove(oldest);
        }
        self.0.push(Entry {
            connection,
            address,
            since: now,
        });
    }

    /// Calls `work` with each connection, and keeps those that it returns and that have time left.
    pub(super) fn attend(&mut self, now: Instant, mut work: impl FnMut(T) -> Option<T>) {
        let queue = std::mem::take(&mut self.0).into_iter();
        let present = queue.filter(|entry| now < entry.since + PATIENCE);
        self.0 = present
            .filter_map(|entry| {
                let Entry { address, since, .. } = entry;
                let connection = work(entry.connection)?;
                Some(Entry {
                    connection,
                    address,
                    since,
                })
            })
            .collect();
    }

    /// All connections.
    pub(super) fn connections(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|entry| &entry.connection)
    }

    /// When the oldest connection will have taken too long.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.0.first().map(|entry| entry.since + PATIENCE)
    }
}

/// The part of an address that a machine cannot choose. Of an IPv6 address that is the network: within it, machines
/// choose addresses as they like.
fn source(address: IpAddr) -> u128 {
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

    fn present(queue: &AdmissionQueue<usize>) -> Vec<usize> {
        queue.connections().copied().collect()
    }

    #[test]
    fn the_oldest_of_an_address_makes_room_for_the_next() {
        let (mut queue, now) = (AdmissionQueue::default(), Instant::now());
        queue.admit(1000, address(1), now);
        for connection in 0..400 {
            queue.admit(connection, address(7), now);
        }
        let first: Vec<_> = std::iter::once(1000).chain(0..PER_ADDRESS).collect();
        assert_eq!(present(&queue), first, "nobody has had its moment");
        let then = now + PROTECTION;
        queue.admit(500, address(7), then);
        assert_eq!(present(&queue)[..2], [1000, 1]);
        assert_eq!(present(&queue).last(), Some(&500));
    }

    #[test]
    fn the_oldest_of_all_makes_room_where_many_come() {
        let (mut queue, now) = (AdmissionQueue::default(), Instant::now());
        for connection in 0..CAPACITY {
            queue.admit(connection, address(connection as u32), now);
        }
        queue.admit(900, address(900), now);
        assert_eq!((queue.0.len(), queue.0[0].connection), (CAPACITY, 0));
        queue.admit(901, address(901), now + PROTECTION);
        assert_eq!((queue.0.len(), queue.0[0].connection), (CAPACITY, 1));
    }

    #[test]
    fn no_connection_stays_for_long() {
        let (mut queue, now) = (AdmissionQueue::default(), Instant::now());
        queue.admit(1, address(1), now);
        queue.admit(2, address(2), now + PROTECTION);
        assert_eq!(queue.next_deadline(), Some(now + PATIENCE));
        queue.attend(now + PATIENCE, Some);
        assert_eq!(present(&queue), [2]);
        queue.attend(now + PATIENCE, |_| None);
        assert_eq!(queue.next_deadline(), None);
    }

    #[test]
    fn addresses_of_one_machine_are_one() {
        let source = |text: &str| source(text.parse().unwrap());
        assert_eq!(source("::ffff:10.0.0.1"), source("10.0.0.1"));
        assert_eq!(source("2001:db8::1"), source("2001:db8::2:3"));
        assert_ne!(source("2001:db8::1"), source("2001:db8:0:1::1"));
        assert_ne!(source("10.0.0.1"), source("10.0.0.2"));
    }
}
