//! Shared memory that another host of the node writes as it likes.

use crate::input::Input;
use simurgh_net::HostId;
use simurgh_net::transport::{
    CrossMemory, HEADER, Handler, Header, Shm, ShmGroup, TransferError, Transport, WaitMethod, shared_memory,
};
use std::cell::Cell;

/// Reads all data that it is given.
#[derive(Default)]
struct Reader {
    longest: Cell<usize>,
    sum: Cell<u64>,
}

impl Handler for Reader {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        assert_eq!(from, 1, "there is no other");
        let bytes = header.iter().chain(data);
        let sum = bytes.fold(self.sum.get(), |sum, byte| sum.wrapping_add(u64::from(*byte)));
        self.sum.set(std::hint::black_box(sum));
        self.longest.set(self.longest.get().max(data.len()));
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {
        unreachable!("nothing is transferred");
    }

    fn lost(&self, _host: HostId, _reason: &str) {}
}

/// Takes these bytes for them.
///
/// # Panics
///
/// If something is wrong.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let both = ShmGroup {
        hosts: vec![0, 1],
        memory: shared_memory(2).expect("memory"),
    };
    // Without access to other memory: the other process is this one, where all addresses mean something.
    let [own, other] = [0, 1].map(|own| Shm::join(own, &both, CrossMemory::Off).expect("it is their memory"));
    let reader = Reader::default();
    while !input.is_over() {
        act(&own, &other, &reader, &mut input);
    }
    while own.poll(&reader) {}
    assert!(reader.longest.get() <= own.capacity());
}

fn act(own: &Shm, other: &Shm, reader: &Reader, input: &mut Input<'_>) {
    match input.below(7) {
        0 | 1 => {
            let (from, length) = (input.below(3) as HostId, u32::from(input.short()));
            let length = if input.byte() == 0 {
                u32::MAX - length
            } else {
                length
            };
            own.inject_packet(from, length, input.word(), &[7; HEADER]);
        }
        2 => own.overwrite_word(usize::from(input.short()), input.word()),
        3 => other.overwrite_word(usize::from(input.short()), input.word()),
        4 => drop(own.poll(reader)),
        5 => {
            let length = usize::from(input.short()) % (own.capacity() + 1);
            // Busy or not.
            let _ = own.send(1, &[1; HEADER], length, &mut |room| room.fill(1));
        }
        _ => {
            let waiting = if input.byte() == 0 {
                WaitMethod::Futex
            } else {
                WaitMethod::Poll
            };
            if own.arm(waiting) {
                own.disarm();
            }
        }
    }
}
