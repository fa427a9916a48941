//! Two hosts in this process, on two cores: shared by the benches of all transports.

use std::hint::{black_box, spin_loop};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_net::HostId;
use simurgh_net::transport::{HEADER, Handler, Header, Region, Transfer, TransferError, Transport};

/// Counts packets and transfers, and copies the data of packets as an engine would.
pub(crate) struct Count {
    packets: AtomicU64,
    transfers: AtomicU64,
    target: SpinLock<Vec<u8>>,
}

impl Count {
    pub(crate) fn new() -> Self {
        Self {
            packets: AtomicU64::new(0),
            transfers: AtomicU64::new(0),
            target: SpinLock::new(vec![0; 16 << 10]),
        }
    }
}

/// Counts one more. Only one thread polls a host, so this need not be one step.
pub(crate) fn count_up(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed) + by, Ordering::Relaxed);
}

impl Handler for Count {
    fn packet(&self, _from: HostId, header: &Header, data: &[u8]) {
        black_box(header);
        self.target.lock()[..data.len()].copy_from_slice(data);
        count_up(&self.packets, 1);
    }

    fn transferred(&self, _token: u64, outcome: Result<(), TransferError>) {
        outcome.expect("memory that is exposed");
        count_up(&self.transfers, 1);
    }

    fn lost(&self, host: HostId, reason: &str) {
        panic!("host {host}: {reason}");
    }
}

/// Moves this thread to one of the cores that this process may use.
pub(crate) fn pin(index: usize) {
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

pub(crate) fn send(host: &impl Transport, handler: &dyn Handler, to: HostId, header: &Header, data: &[u8]) {
    let mut fill = |room: &mut [u8]| room.copy_from_slice(data);
    while host.send(to, header, data.len(), &mut fill).is_err() {
        look(host, handler);
    }
}

pub(crate) fn receive(host: &impl Transport, count: &Count, until: u64) {
    while count.packets.load(Ordering::Relaxed) < until {
        look(host, count);
    }
}

/// Handles packets that have come, or else lets the other thread of the core run.
pub(crate) fn look(host: &impl Transport, handler: &dyn Handler) {
    if !host.poll(handler) {
        spin_loop();
    }
}

/// Reads all of a host's region.
pub(crate) fn read(host: &impl Transport, count: &Count, from: HostId, region: Region, to: &mut [u8]) {
    let until = count.transfers.load(Ordering::Relaxed) + 1;
    loop {
        // SAFETY:
        // - there is room for so many bytes, which nobody else uses until the transfer is over.
        match unsafe { host.read(from, region, 0, to.as_mut_ptr(), to.len(), 0) } {
            Ok(Transfer::Done) => return,
            Ok(Transfer::Started) => break,
            Err(TransferError::Busy(_)) => look(host, count),
            Err(refused) => panic!("{refused}"),
        }
    }
    while count.transfers.load(Ordering::Relaxed) < until {
        look(host, count);
    }
}

/// Runs `one` here and `other` on another core. Gives the time that it took here.
pub(crate) fn together(one: impl FnOnce(), other: impl FnOnce() + Send) -> Duration {
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
pub(crate) fn latency<T: Transport>(
    [here, there]: [T; 2],
    before: u64,
    rounds: u64,
    length: usize,
) -> Duration {
    let data = vec![7; length];
    let (mine, other) = (Count::new(), Count::new());
    let answer = |first: u64, rounds: u64| {
        for round in first..first + rounds {
            receive(&there, &other, round + 1);
            send(&there, &other, 0, &[1; HEADER], &data);
        }
    };
    let ask = |first: u64, rounds: u64| {
        for round in first..first + rounds {
            send(&here, &mine, 1, &[1; HEADER], &data);
            receive(&here, &mine, round + 1);
        }
    };
    together(|| ask(0, before), || answer(0, before));
    together(|| ask(before, rounds), || answer(before, rounds)) / 2
}

/// Measures something by the length of its data. `measure` does it some times, `batch` times for each that counts, so
/// that what comes before and after does not; `throughput` says whether bytes per second are of interest.
pub(crate) fn by_length(
    criterion: &mut Criterion,
    name: &str,
    lengths: &[usize],
    (batch, throughput): (u64, bool),
    measure: impl Fn(u64, usize) -> Duration,
) {
    let mut group = criterion.benchmark_group(name);
    for length in lengths {
        if throughput {
            group.throughput(Throughput::Bytes(*length as u64));
        }
        let id = BenchmarkId::from_parameter(length);
        group.bench_with_input(id, length, |bench, length| {
            bench.iter_custom(|times| measure(times * batch, *length) / batch as u32)
        });
    }
    group.finish();
}
