//! The raw transport over libfabric's tcp and the loopback interface, between two threads on two cores: what two
//! processes have, too, and what `fi_pingpong -p tcp -e rdm` is measured with.
//!
//! `cargo bench -p simurgh-net --bench ofi`, on a quiet machine or with `chrt -r 1`. `PROVIDER=net` takes another one.

use std::hint::black_box;
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_net::transport::ofi::{Choice, Joining, Ofi, OfiPort};
use simurgh_net::transport::{HEADER, Handler, Header, HostId, Region, Transfer, TransferError, Transport};

/// Two hosts in this process.
fn pair() -> [Ofi; 2] {
    let choice = Choice {
        provider: Some(std::env::var("PROVIDER").unwrap_or("tcp".to_owned())),
        interface: Some("lo".to_owned()),
        one_machine: true,
    };
    let ports = [0, 1].map(|_| OfiPort::open(&choice).expect("tcp"));
    let addresses = [0, 1].map(|host: usize| ports[host].address());
    let [zero, one] = ports;
    let connect = |port: OfiPort, own: HostId| {
        let other = 1 - own;
        port.connect(&Joining {
            own,
            hosts: 2,
            secret: b"secret",
            peers: vec![(other, &addresses[other as usize])],
            peer_timeout: None,
        })
        .expect("addresses")
    };
    [connect(zero, 0), connect(one, 1)]
}

/// Counts packets and transfers, and copies the data of packets away as an engine would.
struct Count {
    packets: AtomicU64,
    transfers: AtomicU64,
    target: simurgh_core::sync::SpinLock<Vec<u8>>,
}

impl Count {
    fn new() -> Self {
        Self {
            packets: AtomicU64::new(0),
            transfers: AtomicU64::new(0),
            target: simurgh_core::sync::SpinLock::new(vec![0; 16 << 10]),
        }
    }
}

impl Handler for Count {
    fn packet(&self, _from: HostId, header: &Header, data: &[u8]) {
        black_box(header);
        self.target.lock()[..data.len()].copy_from_slice(data);
        self.packets.fetch_add(1, Ordering::Relaxed);
    }

    fn transferred(&self, _token: u64, outcome: Result<(), TransferError>) {
        outcome.expect("memory that is exposed");
        self.transfers.fetch_add(1, Ordering::Relaxed);
    }

    fn lost(&self, host: HostId, reason: &str) {
        panic!("host {host}: {reason}");
    }
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

fn send(host: &Ofi, count: &Count, to: HostId, data: &[u8]) {
    let mut fill = |room: &mut [u8]| room.copy_from_slice(data);
    while host.send(to, &[1; HEADER], data.len(), &mut fill).is_err() {
        host.poll(count);
    }
}

fn receive(host: &Ofi, count: &Count, until: u64) {
    while count.packets.load(Ordering::Relaxed) < until {
        host.poll(count);
    }
}

fn read(host: &Ofi, count: &Count, from: HostId, region: Region, to: &mut [u8]) {
    let until = count.transfers.load(Ordering::Relaxed) + 1;
    loop {
        // SAFETY:
        // - there is room for so many bytes, which nobody else uses until the transfer is over.
        match unsafe { host.read(from, region, 0, to.as_mut_ptr(), to.len(), 0) } {
            Err(TransferError::Busy(_)) => drop(host.poll(count)),
            outcome => break assert_eq!(outcome, Ok(Transfer::Started)),
        }
    }
    while count.transfers.load(Ordering::Relaxed) < until {
        host.poll(count);
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

/// Half the time of a packet there and one back, after `before` such rounds that do not count.
fn latency(rounds: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let data = vec![7; length];
    let (mine, other) = (Count::new(), Count::new());
    let answer = |first: u64, rounds: u64| {
        for round in first..first + rounds {
            receive(&there, &other, round + 1);
            send(&there, &other, 0, &data);
        }
    };
    let ask = |first: u64, rounds: u64| {
        for round in first..first + rounds {
            send(&here, &mine, 1, &data);
            receive(&here, &mine, round + 1);
        }
    };
    together(|| ask(0, WARM), || answer(0, WARM));
    together(|| ask(WARM, rounds), || answer(WARM, rounds)) / 2
}

/// Half the time of long data that is announced by a packet and read by its receiver, there and back.
fn reads(rounds: u64, length: usize) -> Duration {
    let [here, there] = pair();
    let counts = [Count::new(), Count::new()];
    let (mut ours, mut theirs) = (vec![1u8; length], vec![2u8; length]);
    let (mut to_us, mut to_them) = (vec![0u8; length], vec![0u8; length]);
    // SAFETY:
    // - the memory lives longer than the region.
    let region = unsafe { here.expose(ours.as_mut_ptr(), length) }.expect("memory");
    // SAFETY:
    // - as above.
    let region_there = unsafe { there.expose(theirs.as_mut_ptr(), length) }.expect("memory");
    let mut ask = |first: u64, rounds: u64| {
        for round in first..first + rounds {
            send(&here, &counts[0], 1, &[]);
            receive(&here, &counts[0], round + 1);
            read(&here, &counts[0], 1, region_there, &mut to_us);
        }
        send(&here, &counts[0], 1, &[]);
    };
    let mut answer = |first: u64, rounds: u64| {
        let before = first / WARM;
        for round in first..first + rounds {
            receive(&there, &counts[1], before + round + 1);
            read(&there, &counts[1], 0, region, &mut to_them);
            send(&there, &counts[1], 0, &[]);
        }
        // The other one reads from here until it says that it is over.
        receive(&there, &counts[1], before + first + rounds + 1);
    };
    together(|| ask(0, WARM), || answer(0, WARM));
    let time = together(|| ask(WARM, rounds), || answer(WARM, rounds));
    assert!(to_us == theirs && to_them == ours);
    time / 2
}

/// Rounds before those that count: connections are made meanwhile.
const WARM: u64 = 100;
/// Things done at a time, so that what comes before and after does not count.
const BATCH: u64 = 1000;
/// The same for long data.
const FEW: u64 = 20;

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ofi latency");
    for length in [8, 1024, 16000] {
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, &length, |bench, &length| {
            bench.iter_custom(|rounds| latency(rounds * BATCH, length) / BATCH as u32)
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("ofi read");
    for length in [64 << 10, 1 << 20] {
        group.throughput(Throughput::Bytes(length as u64));
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, &length, |bench, &length| {
            bench.iter_custom(|rounds| reads(rounds * FEW, length) / FEW as u32)
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
