//! Tests with a broken peer.

use proptest::prelude::*;

use super::super::buffer_place::BufferPlace;
use super::super::pool::{ROOM, Ticket};
use super::super::ring::CELL;
use super::*;

/// Puts a packet with arbitrary contents into a host's ring.
fn inject_packet(host: &Shm, from: HostId, length: u32, data: u64) {
    assert!(
        host.inject_packet(from, length, data, &header(0)),
        "there is room"
    );
}

#[derive(Default)]
struct Lengths(SpinLock<Vec<usize>>);

impl Handler for Lengths {
    fn packet(&self, _from: HostId, _header: &Header, data: &[u8]) {
        // Every byte can be read.
        let sum: usize = data.iter().map(|byte| usize::from(*byte)).sum();
        self.0.lock().push(data.len().max(sum.min(data.len())));
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, _host: HostId, _reason: &str) {}
}

#[test]
fn nonsense_is_dropped_and_counted() {
    let hosts = hosts(2, false);
    let notes = Notes::default();
    inject_packet(&hosts[0], 7, 8, 0);
    inject_packet(&hosts[0], 0, 8, 0);
    inject_packet(&hosts[0], u32::MAX, 8, 0);
    inject_packet(&hosts[0], 1, ROOM as u32 + 1, 0);
    inject_packet(&hosts[0], 1, CELL as u32 + 1, 1 << 31);
    let unknown = BufferPlace::new(
        7,
        Ticket {
            index: 0,
            generation: 0,
        },
        ROOM,
    );
    inject_packet(&hosts[0], 1, CELL as u32 + 1, unknown.pack());
    inject_packet(&hosts[0], 1, u32::MAX - 1, 0);
    send(&hosts[1], 0, 5, 3).expect("there is room");
    assert!(hosts[0].poll(&notes));
    assert_eq!(hosts[0].dropped(), 7);
    assert_eq!(notes.take(), [(1, 5, 3)]);
}

proptest! {
    #[test]
    fn whatever_a_slot_says_nothing_outside_the_segment_is_touched(
        packets in prop::collection::vec((0u32..4, any::<u32>(), any::<u64>()), 1..100),
        bits in 0u32..32,
    ) {
        let hosts = hosts(2, false);
        for (from, length, data) in &packets {
            inject_packet(&hosts[0], *from, length >> bits, *data);
        }
        let lengths = Lengths::default();
        while hosts[0].poll(&lengths) {}
        let voids = packets.iter().filter(|(from, length, _)| *from == 1 && length >> bits == u32::MAX).count();
        prop_assert!(lengths.0.lock().iter().all(|length| *length <= hosts[0].capacity()));
        prop_assert_eq!(lengths.0.lock().len() + hosts[0].dropped() as usize + voids, packets.len());
    }
}
