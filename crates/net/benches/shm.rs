//! The transport over shared memory, between two threads on two cores. The memory of two processes costs the same.
//!
//! `cargo bench -p simurgh-net --bench shm`, on a quiet machine or with `chrt -r 1`.

mod pair;

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_net::HostId;
use simurgh_net::transport::{
    CrossMemory, HEADER, Handler, Header, Shm, ShmGroup, TransferError, Transport, shared_memory,
};

use pair::{Count, by_length, count_up, look, pin, read, receive, send, together};

/// Two hosts in this process.
fn pair() -> [Shm; 2] {
    let both = ShmGroup {
        hosts: vec![0, 1],
        memory: shared_memory(2).expect("memory"),
    };
    [0, 1].map(|own| Shm::join(own, &both, CrossMemory::On).expect("it is their memory"))
}

/// The time that packets take one after the other.
fn stream(packets: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let data = vec![7; length];
    let (mine, other) = (Count::new(), Count::new());
    let take = || {
        receive(&there, &other, packets);
        send(&there, &other, 0, &[1; HEADER], &[]);
    };
    let give = || {
        (0..packets).for_each(|_| send(&here, &mine, 1, &[1; HEADER], &data));
        receive(&here, &mine, 1);
    };
    together(give, take)
}

/// Puts pieces where they belong.
struct Collect {
    target: SpinLock<Vec<u8>>,
    bytes: AtomicU64,
}

impl Handler for Collect {
    fn packet(&self, _from: HostId, header: &Header, data: &[u8]) {
        let (offset, _) = header.split_first_chunk().expect("a header is longer");
        let offset = u64::from_ne_bytes(*offset) as usize;
        self.target.lock()[offset..][..data.len()].copy_from_slice(data);
        count_up(&self.bytes, data.len() as u64);
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, _host: HostId, _reason: &str) {}
}

/// The time of long messages that go in pieces, from one buffer to another.
fn pieces(messages: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let source = vec![7; length];
    let mine = Count::new();
    let collect = Collect {
        target: SpinLock::new(vec![0; length]),
        bytes: AtomicU64::new(0),
    };
    let all = messages * length as u64;
    let take = || {
        while collect.bytes.load(Ordering::Relaxed) < all {
            look(&there, &collect);
        }
    };
    let give = || {
        for _ in 0..messages {
            for (piece, offset) in source.chunks(here.capacity()).zip((0..).step_by(here.capacity())) {
                let mut header = [0; HEADER];
                header[..8].copy_from_slice(&u64::to_ne_bytes(offset));
                send(&here, &mine, 1, &header, piece);
            }
        }
        while collect.bytes.load(Ordering::Relaxed) < all {
            spin_loop();
        }
    };
    together(give, take)
}

/// The time of copies from one process's memory.
fn copies(times: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let count = Count::new();
    let mut source = vec![7u8; length];
    let mut target = vec![0u8; length];
    // SAFETY:
    // - the vector lives longer than the region, and nobody else uses it.
    let region = unsafe { there.expose(source.as_mut_ptr(), length) }.expect("memory");
    pin(0);
    let begin = Instant::now();
    for _ in 0..times {
        read(&here, &count, 1, region, &mut target);
    }
    begin.elapsed()
}

/// Things done at a time, so that what comes before and after does not count.
const BATCH: u64 = 10_000;
/// The same for long data.
const FEW: u64 = 100;

fn benches(criterion: &mut Criterion) {
    by_length(
        criterion,
        "shm latency",
        &[0, 8, 64, 1024, 4096, 8192],
        (BATCH, false),
        |rounds, length| pair::latency(pair(), 0, rounds, length),
    );
    by_length(
        criterion,
        "shm stream",
        &[8, 64, 1024, 8192],
        (BATCH, true),
        stream,
    );
    let long = [64 << 10, 1 << 20, 4 << 20];
    by_length(criterion, "shm pieces", &long, (FEW, true), pieces);
    by_length(
        criterion,
        "shm read",
        &[4 << 10, 64 << 10, 1 << 20],
        (1, true),
        copies,
    );
}

criterion_group!(all, benches);
criterion_main!(all);
