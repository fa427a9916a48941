//! The raw transport over shared memory, between two threads on two cores: what the memory of two processes costs, too.
//!
//! `cargo bench -p simurgh-net --bench shm`, on a quiet machine or with `chrt -r 1`.

use std::hint::{black_box, spin_loop};
use std::os::fd::BorrowedFd;
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_net::transport::{
    HEADER, Handler, Header, HostId, Shm, ShmOffer, ShmPeer, TransferError, Transport,
};

/// Two hosts in this process.
fn pair() -> [Shm; 2] {
    let offers = [0, 1].map(|own| ShmOffer::create(own).expect("memory"));
    let peer = |host: u32| ShmPeer {
        host,
        pid: std::process::id(),
        descriptors: offers[host as usize]
            .descriptors()
            .map(|fd: BorrowedFd<'_>| fd.try_clone_to_owned().expect("a descriptor")),
    };
    let peers = [peer(1), peer(0)];
    let [first, second] = peers;
    let [zero, one] = offers;
    let join = |offer: ShmOffer, peer| offer.join([peer], true).expect("an offer");
    [join(zero, first), join(one, second)]
}

/// Counts packets, and copies their data away as an engine would.
struct Count {
    packets: AtomicU64,
    target: simurgh_core::sync::SpinLock<Vec<u8>>,
}

impl Count {
    fn new() -> Self {
        Self {
            packets: AtomicU64::new(0),
            target: simurgh_core::sync::SpinLock::new(vec![0; 8192]),
        }
    }

    fn packets(&self) -> u64 {
        self.packets.load(Ordering::Relaxed)
    }
}

impl Handler for Count {
    fn packet(&self, _from: HostId, header: &Header, data: &[u8]) {
        black_box(header);
        self.target.lock()[..data.len()].copy_from_slice(data);
        self.packets.store(self.packets() + 1, Ordering::Relaxed);
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, _host: HostId, _reason: &str) {}
}

/// Moves this thread to one of the cores that this process may use.
fn pin(index: usize) {
    static CORES: OnceLock<Vec<usize>> = OnceLock::new();
    let cores = CORES.get_or_init(|| {
        let allowed = sched_getaffinity(None::<Pid>).expect("there are cores");
        (0..CpuSet::MAX_CPU)
            .filter(|core| allowed.is_set(*core))
            .collect()
    });
    let mut set = CpuSet::new();
    set.set(cores[index % cores.len()]);
    sched_setaffinity(None::<Pid>, &set).expect("it is allowed");
}

fn send(host: &Shm, to: HostId, data: &[u8]) {
    while host
        .send(to, &[1; HEADER], data.len(), &mut |room| {
            room.copy_from_slice(data)
        })
        .is_err()
    {
        spin_loop();
    }
}

fn receive(host: &Shm, count: &Count, until: u64) {
    while count.packets() < until {
        if !host.poll(count) {
            spin_loop();
        }
    }
}

/// Runs `one` here and `other` on another core, and says how long it took here.
fn together(one: impl FnOnce(), other: impl FnOnce() + Send) -> Duration {
    pin(0);
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            pin(1);
            start.wait();
            other();
        });
        start.wait();
        let begin = Instant::now();
        one();
        let time = begin.elapsed();
        other.join().expect("it does not panic");
        time
    })
}

/// Half the time of a packet there and one back.
fn latency(rounds: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let data = vec![7; length];
    let (mine, other) = (Count::new(), Count::new());
    let answer = || {
        for round in 1..=rounds {
            receive(&there, &other, round);
            send(&there, 0, &data);
        }
    };
    let ask = || {
        for round in 1..=rounds {
            send(&here, 1, &data);
            receive(&here, &mine, round);
        }
    };
    together(ask, answer) / 2
}

/// The time that packets take one after the other.
fn stream(packets: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let data = vec![7; length];
    let (mine, other) = (Count::new(), Count::new());
    let take = || {
        receive(&there, &other, packets);
        send(&there, 0, &[]);
    };
    let give = || {
        (0..packets).for_each(|_| send(&here, 1, &data));
        receive(&here, &mine, 1);
    };
    together(give, take)
}

/// Puts pieces where they belong.
struct Collect {
    target: simurgh_core::sync::SpinLock<Vec<u8>>,
    bytes: AtomicU64,
}

impl Handler for Collect {
    fn packet(&self, _from: HostId, header: &Header, data: &[u8]) {
        let (offset, _) = header.split_first_chunk().expect("a header is longer");
        let offset = u64::from_ne_bytes(*offset) as usize;
        self.target.lock()[offset..][..data.len()].copy_from_slice(data);
        let bytes = self.bytes.load(Ordering::Relaxed) + data.len() as u64;
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

    fn lost(&self, _host: HostId, _reason: &str) {}
}

/// The time of long messages that go in pieces, from one buffer to another.
fn pieces(messages: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let source = vec![7; length];
    let collect = Collect {
        target: simurgh_core::sync::SpinLock::new(vec![0; length]),
        bytes: AtomicU64::new(0),
    };
    let all = messages * length as u64;
    let take = || {
        while collect.bytes.load(Ordering::Relaxed) < all {
            if !there.poll(&collect) {
                spin_loop();
            }
        }
    };
    let give = || {
        for _ in 0..messages {
            for (piece, offset) in source.chunks(here.capacity()).zip((0..).step_by(here.capacity())) {
                let mut header = [0; HEADER];
                header[..8].copy_from_slice(&u64::to_ne_bytes(offset));
                let mut fill = |room: &mut [u8]| room.copy_from_slice(piece);
                while here.send(1, &header, piece.len(), &mut fill).is_err() {
                    spin_loop();
                }
            }
        }
        while collect.bytes.load(Ordering::Relaxed) < all {
            spin_loop();
        }
    };
    together(give, take)
}

/// The time of copies from one process's memory.
fn copies(count: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let mut source = vec![7u8; length];
    let mut target = vec![0u8; length];
    // SAFETY:
    // - the vector lives longer than the region, and nobody else uses it.
    let region = unsafe { there.expose(source.as_mut_ptr(), length) }.expect("memory");
    pin(0);
    let begin = Instant::now();
    for _ in 0..count {
        // SAFETY:
        // - the target has so many bytes, which nobody else uses.
        let read = unsafe { here.read(1, region, 0, target.as_mut_ptr(), length, 0) };
        read.expect("one may read one's own memory");
    }
    begin.elapsed()
}

/// Things done at a time, so that what comes before and after does not count.
const BATCH: u64 = 10_000;

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shm latency");
    for length in [0, 8, 64, 1024, 4096, 8192] {
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, &length, |bench, &length| {
            bench.iter_custom(|rounds| latency(rounds * BATCH, length) / BATCH as u32)
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("shm stream");
    for length in [8, 64, 1024, 8192] {
        group.throughput(Throughput::Bytes(length as u64));
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, &length, |bench, &length| {
            bench.iter_custom(|packets| stream(packets * BATCH, length) / BATCH as u32)
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("shm pieces");
    for length in [64 << 10, 1 << 20, 4 << 20] {
        group.throughput(Throughput::Bytes(length as u64));
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, &length, |bench, &length| {
            bench.iter_custom(|messages| pieces(messages * 100, length) / 100)
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("shm read");
    for length in [4 << 10, 64 << 10, 1 << 20] {
        group.throughput(Throughput::Bytes(length as u64));
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, &length, |bench, &length| {
            bench.iter_custom(|count| copies(count, length))
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
