//! Running small jobs of several hosts in tests: hosts in one process, joined by transports that are made for that.

use super::life;
use simurgh_mpi::{Comm, Job, Layout};
use simurgh_net::Fabric;
use simurgh_net::transport::{Access, Conditions, Loopback, Simulated, Transport};
use simurgh_sched::{Builder, EcSpec, Runtime};
use simurgh_settings::Values;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The longest time that a job may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);

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

/// Runs `f` on each rank of a job with a host for each of `ways`, which leads to all others, and so many ranks each.
pub(crate) fn run_hosts_over<T: Transport + 'static>(
    ways: Vec<T>,
    ranks: u32,
    settings: &Values,
    f: impl Fn(&Arc<Comm>) + Send + Sync + 'static,
) {
    let f: Arc<dyn Fn(&Arc<Comm>) + Send + Sync> = Arc::new(f);
    let hosts = u32::try_from(ways.len()).expect("tests are small");
    let left = Arc::new(AtomicUsize::new((hosts * ranks) as usize));
    let all: Vec<_> = (0..hosts).collect();
    let running: Vec<_> = (0..hosts)
        .zip(ways)
        .map(|(own, way)| {
            let layout = Layout::new(own, all.iter().map(|_| (ranks, 0)));
            let job = Job::laid_out(layout, settings.clone());
            let way: Box<dyn Transport> = Box::new(way);
            assert!(job.connect(Fabric::new(own, hosts, vec![(way, all.clone())])));
            start_host(&job, &left, &f)
        })
        .collect();
    for (runtime, contexts) in running {
        contexts
            .into_iter()
            .for_each(|context| context.join().expect("panics are caught"));
        drop(runtime);
    }
}

/// Starts the ranks of a host, and what polls its network until all ranks of all hosts have ended.
fn start_host(
    job: &Arc<Job>,
    left: &Arc<AtomicUsize>,
    f: &Arc<dyn Fn(&Arc<Comm>) + Send + Sync>,
) -> (Runtime, Vec<simurgh_sched::EcHandle>) {
    let runtime = Builder::new().vps(Some(1)).start().expect("the runtime starts");
    let spec = EcSpec {
        stack_size: 256 << 10,
        ..EcSpec::default()
    };
    let rank = |id| {
        let (left, f) = (Arc::clone(left), Arc::clone(f));
        let life = life(job, id, move |world| f(world));
        let context = runtime.spawn(spec, 0, move || {
            life();
            left.fetch_sub(1, Ordering::Release);
        });
        context.expect("there is a stack")
    };
    let mut contexts: Vec<_> = job.layout().here().map(rank).collect();
    let job = Arc::clone(job);
    let (network, left) = (Arc::clone(job.network().expect("it is joined")), Arc::clone(left));
    let polling = runtime.spawn(spec, 0, move || {
        let start = Instant::now();
        while left.load(Ordering::Acquire) > 0 {
            if network.poll() {
                simurgh_core::yield_now();
                continue;
            }
            // The hosts of a test share cores.
            std::thread::yield_now();
            if start.elapsed() > TIME_LIMIT {
                eprintln!(
                    "the job of the test takes too long: {network:?}, {:?}",
                    job.unmatched(20)
                );
                std::process::exit(101);
            }
            simurgh_core::yield_now();
        }
    });
    contexts.push(polling.expect("there is a stack"));
    (runtime, contexts)
}
