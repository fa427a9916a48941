//! Running small jobs of several hosts in tests: hosts in one process, joined by transports that are made for that.

use super::life;
use simurgh_mpi::{Comm, Job, Layout};
use simurgh_net::Fabric;
use simurgh_net::transport::{Access, Conditions, Loopback, Simulated, Transport};
use simurgh_sched::{Builder, EcHandle, EcSpec, Runtime};
use simurgh_settings::Values;
use simurgh_testing::{Deadline, LIMIT};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};

/// The function that each rank runs.
type Life = dyn Fn(&Arc<Comm>) + Send + Sync;

/// Whether hosts can access each other's memory.
const ACCESSES: [Access; 3] = [
    Access {
        read: false,
        write: false,
    },
    Access {
        read: true,
        write: true,
    },
    Access {
        read: false,
        write: true,
    },
];

/// Runs `f` on each rank of a job of several hosts with so many ranks each, over every kind of network.
pub(crate) fn run_hosts(hosts: u32, ranks: u32, f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    let f = Arc::new(f);
    for (seed, access) in (1..).zip(ACCESSES) {
        let g = Arc::clone(&f);
        run_hosts_over(
            Loopback::hosts(hosts, access),
            ranks,
            &Values::default(),
            move |world| g(world),
        );
        let conditions = Conditions {
            seed,
            access,
            ..Conditions::default()
        };
        let g = Arc::clone(&f);
        run_hosts_over(
            Simulated::hosts(hosts, conditions),
            ranks,
            &Values::default(),
            move |world| {
                g(world);
            },
        );
    }
}

/// Runs `f` on each of `size` ranks: on one host with every runner, and spread over two and three hosts.
pub(crate) fn run_everywhere(size: usize, f: impl Fn(&Arc<Comm>) + Send + Sync + 'static) {
    let f = Arc::new(f);
    let on_hosts = Arc::clone(&f);
    super::run(size, move |world| f(world));
    for hosts in (2..=3).filter(|hosts| *hosts <= size) {
        // As even as it goes, the larger ones last.
        let ranks = (0..hosts).map(|host| (size * (host + 1) / hosts - size * host / hosts) as u32);
        let (f, ranks): (_, Vec<u32>) = (Arc::clone(&on_hosts), ranks.collect());
        let conditions = Conditions {
            seed: size as u64,
            ..Conditions::default()
        };
        let ways = Simulated::hosts(hosts as u32, conditions);
        run_laid_out(ways, &ranks, &Values::default(), move |world| f(world));
    }
}

/// Runs `f` on each rank of a job with a host for each of `ways`, which leads to all others, and so many ranks each.
pub(crate) fn run_hosts_over<T: Transport + 'static>(
    ways: Vec<T>,
    ranks: u32,
    settings: &Values,
    f: impl Fn(&Arc<Comm>) + Send + Sync + 'static,
) {
    let ranks = vec![ranks; ways.len()];
    run_laid_out(ways, &ranks, settings, f);
}

/// Runs `f` on each rank of a job with a host for each of `ways`, which leads to all others, and these many ranks.
pub(crate) fn run_laid_out<T: Transport + 'static>(
    ways: Vec<T>,
    ranks: &[u32],
    settings: &Values,
    f: impl Fn(&Arc<Comm>) + Send + Sync + 'static,
) {
    let f: Arc<Life> = Arc::new(f);
    let hosts = u32::try_from(ways.len()).expect("tests are small");
    let all: Vec<_> = (0..hosts).collect();
    let running: Vec<_> = (0..hosts)
        .zip(ways)
        .map(|(own, way)| {
            let layout = Layout::new(own, ranks.iter().map(|ranks| (*ranks, 0)));
            let job = Job::laid_out(layout, settings.clone());
            let way: Arc<dyn Transport> = Arc::new(way);
            assert!(job.connect(Fabric::new(own, 0..hosts, vec![(way, all.clone())])));
            start_host(job, &f)
        })
        .collect();
    let jobs: Vec<_> = running.iter().map(|host| Arc::clone(&host.job)).collect();
    let (done, is_done) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let mut deadline = Deadline::after(LIMIT);
        let end = |time| match is_done.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => None,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Some(()),
        };
        if deadline.wait(end).is_none() {
            for job in jobs {
                eprintln!(
                    "the test takes too long: {:?}, {:?}",
                    job.network(),
                    job.unmatched(20)
                );
            }
            std::process::exit(101);
        }
    });
    // A host whose ranks have ended still serves the others.
    let runtimes: Vec<_> = running.into_iter().map(Host::await_ranks).collect();
    drop((runtimes, done));
    watch.join().expect("it does not panic");
}

/// A host that runs.
struct Host {
    job: Arc<Job>,
    runtime: Runtime,
    ranks: Vec<EcHandle>,
}

impl Host {
    /// Waits for its ranks to end.
    fn await_ranks(self) -> Runtime {
        let joined = |rank: EcHandle| rank.join().expect("panics are caught");
        self.ranks.into_iter().for_each(joined);
        self.runtime
    }
}

/// Starts the ranks of a host.
fn start_host(job: Arc<Job>, f: &Arc<Life>) -> Host {
    let network = job.driver().expect("it is joined");
    let builder = Builder::new().vps(Some(1)).network(network);
    let runtime = builder.start().expect("the runtime starts");
    let spec = EcSpec {
        stack_size: 256 << 10,
        ..EcSpec::default()
    };
    let rank = |id| {
        let f = Arc::clone(f);
        let rank = runtime.spawn(spec, 0, life(&job, id, move |world| f(world)));
        rank.expect("there is a stack")
    };
    let ranks = job.layout().here().map(rank).collect();
    Host { job, runtime, ranks }
}
