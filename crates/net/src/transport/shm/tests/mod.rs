//! Tests with several hosts, in one process and in processes of their own.

mod behaviour;
mod malformed;
mod process;
mod processes;

use std::os::fd::{AsFd, OwnedFd};

use simurgh_core::sync::SpinLock;
use simurgh_testing::{Deadline, LIMIT};

use super::{CrossMemory, Shm, ShmError, ShmGroup, shared_memory};
use crate::HostId;
use crate::transport::{Busy, HEADER, Handler, Header, TransferError, Transport};

/// A group of hosts, with its memory.
fn group(hosts: impl IntoIterator<Item = HostId>) -> ShmGroup<OwnedFd> {
    let hosts: Vec<_> = hosts.into_iter().collect();
    let memory = shared_memory(hosts.len()).expect("memory");
    ShmGroup { hosts, memory }
}

/// One host of a group.
fn join(group: &ShmGroup<OwnedFd>, own: HostId, cross_memory: bool) -> Shm {
    let cross_memory = match cross_memory {
        true => CrossMemory::On,
        false => CrossMemory::Off,
    };
    Shm::join(own, group, cross_memory).expect("it is their memory")
}

/// `count` hosts in this process.
fn hosts(count: u32, cross_memory: bool) -> Vec<Shm> {
    let group = group(0..count);
    (0..count).map(|own| join(&group, own, cross_memory)).collect()
}

/// A packet's header for tests: a number.
fn header(number: u64) -> Header {
    let mut header = [0x5a; HEADER];
    header[..8].copy_from_slice(&number.to_ne_bytes());
    header
}

fn number(header: &Header) -> u64 {
    assert!(header[8..].iter().all(|byte| *byte == 0x5a));
    u64::from_ne_bytes(header[..8].try_into().expect("eight bytes"))
}

/// A byte of the data of packet `number`.
fn byte(number: u64, index: usize) -> u8 {
    (number as u8).wrapping_mul(31).wrapping_add(index as u8)
}

/// Sends a packet with data that [`Notes`] checks.
fn send(host: &Shm, to: HostId, number: u64, length: usize) -> Result<(), Busy> {
    host.send(to, &header(number), length, &mut |room| {
        assert_eq!(room.len(), length);
        for (index, place) in room.iter_mut().enumerate() {
            *place = byte(number, index);
        }
    })
}

/// Records and checks what comes.
#[derive(Default)]
struct Notes(SpinLock<Vec<(HostId, u64, usize)>>);

impl Notes {
    fn take(&self) -> Vec<(HostId, u64, usize)> {
        std::mem::take(&mut self.0.lock())
    }
}

impl Handler for Notes {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        let number = number(header);
        let whole = data
            .iter()
            .enumerate()
            .all(|(index, found)| *found == byte(number, index));
        assert!(whole, "the data of packet {number} from host {from}");
        self.0.lock().push((from, number, data.len()));
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, _host: HostId, _reason: &str) {}
}

/// Waits until `so` is true; lets other threads run meanwhile.
fn until(what: &str, mut so: impl FnMut() -> bool) {
    let mut deadline = Deadline::after(LIMIT);
    while !so() {
        assert!(!deadline.has_passed(), "{what}");
        std::thread::yield_now();
    }
}

/// Sleeps in `poll(2)` for a descriptor, for a limited time.
fn wait_readable(fd: impl AsFd) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let limit = Timespec {
        tv_sec: LIMIT.as_secs() as i64,
        tv_nsec: 0,
    };
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    assert_eq!(poll(&mut fds, Some(&limit)), Ok(1), "the bell rings");
}
