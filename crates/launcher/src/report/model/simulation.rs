//! A job on simulated nodes: the supervisor, its messages and its connections are the real ones, and a thread plays the
//! agents of all nodes and the hosts there.
//!
//! A process simulates one job, since the supervisor listens to signals and inherits orphans. So a test has this
//! executable run it once more ([`Simulated::run`]), in a tree that looks like an installation.

use super::start::{Traffic, hello, job};
use crate::hosts::Starter;
use crate::nodes::{Mapping, NodePool};
use crate::oob::{Link, LinkError};
use crate::process::PollSet;
use crate::supervise::{Agents, FirstHosts, RemoteLaunch, supervise};
use crate::tree::message::{Down, Up};
use serde::{Deserialize, Serialize};
use simurgh_net::auth::Secret;
use simurgh_net::control::{FromHost, ToHost};
use simurgh_testing::{Scratch, processor_time};
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

/// The variable with the number of hosts of the job to simulate.
const HOSTS: &str = "SIMULATED_HOSTS";

/// The number of ranks on each host.
pub(super) const RANKS: u32 = 64;

/// The beginning of the line with the result.
const RESULT: &str = "simulated: ";

/// The cost of a job that does nothing, for the process of `mpiexec`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Simulated {
    /// From the last branch.
    pub(super) up: Traffic,
    /// To the last branch.
    pub(super) down: Traffic,
    /// Processor time of the supervisor, in seconds.
    pub(super) seconds: f64,
    /// The most memory at a time, beyond that before the job, in bytes.
    pub(super) memory: u64,
}

impl Simulated {
    /// Simulates a job of so many hosts, each on a node of its own, in a process of its own: one that runs `test`
    /// alone, which begins with [`simulate_if_asked`].
    pub(super) fn run(hosts: u32, test: &str) -> Self {
        let tree = Scratch::new("simulation");
        for folder in ["bin", "lib", "libexec", "libexec/simurgh"] {
            std::fs::create_dir(tree.path().join(folder)).unwrap();
        }
        tree.write("lib/libmpi_abi.so.1", "");
        tree.write("libexec/simurgh/host", "");
        let tool = tree.path().join("bin/tool");
        std::fs::copy(std::env::current_exe().unwrap(), &tool).unwrap();
        let mut command = Command::new(&tool);
        command.args(["--exact", "--nocapture", test]);
        command.env(HOSTS, hosts.to_string()).stdin(Stdio::null());
        let ran = command.output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout);
        let result = text.lines().find_map(|line| line.split_once(RESULT));
        let (_, result) = result.unwrap_or_else(|| panic!("{ran:?}"));
        assert!(ran.status.success(), "{ran:?}");
        serde_json::from_str(result).unwrap()
    }
}

/// Simulates a job, if [`Simulated::run`] has started this process; returns whether it has.
pub(super) fn simulate_if_asked() -> bool {
    let hosts = std::env::var(HOSTS);
    let is_asked = hosts.is_ok();
    if let Ok(hosts) = hosts {
        simulate(hosts.parse().unwrap());
    }
    is_asked
}

fn simulate(hosts: u32) {
    let secret = Secret::random().unwrap();
    let job = job(hosts, RANKS, secret.clone());
    let (links, ends): (Vec<_>, Vec<_>) = job.branches().iter().map(|_| pair()).unzip();
    let subtrees = ends.into_iter().zip(job.branches());
    let subtrees: Vec<_> = subtrees
        .map(|(link, nodes)| Subtree::new(link, nodes, &secret))
        .collect();
    let agents = std::thread::spawn(move || serve(subtrees));
    let (memory, processor) = (memory("VmRSS:"), processor_time());
    let starter = Starter::new(job.spec.clone(), Default::default(), secret).unwrap();
    let launch = RemoteLaunch {
        pool: NodePool {
            nodes: Vec::new(),
            mapping: Mapping::Slots,
        },
        agents: Agents::There(links),
        job,
    };
    let status = supervise(&starter, FirstHosts::Remote(Box::new(launch)), None);
    assert_eq!(status.unwrap(), 0);
    let seconds = (processor_time() - processor).as_secs_f64();
    let most = self::memory("VmHWM:");
    let [up, down] = agents.join().unwrap();
    let result = Simulated {
        up,
        down,
        seconds,
        memory: most - memory,
    };
    println!("{RESULT}{}", serde_json::to_string(&result).unwrap());
}

fn pair() -> (Link, Link) {
    let (one, other) = UnixStream::pair().unwrap();
    let link = |stream: UnixStream| {
        let again = stream.try_clone().unwrap();
        Link::new(stream.into(), again.into(), true).unwrap()
    };
    (link(one), link(other))
}

/// A line of `/proc/self/status`, in bytes.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// The agents of a branch, and the hosts on their nodes.
struct Subtree {
    link: Link,
    nodes: Range<u32>,
    secret: Secret,
    /// The number of hosts whose addresses have been told.
    known: usize,
    is_over: bool,
    is_counted: bool,
    up: Traffic,
    down: Traffic,
}

impl Subtree {
    fn new(link: Link, nodes: Range<u32>, secret: &Secret) -> Self {
        Self {
            link,
            nodes,
            secret: secret.clone(),
            known: 0,
            is_over: false,
            is_counted: false,
            up: Traffic::default(),
            down: Traffic::default(),
        }
    }

    fn say(&mut self, message: &Up) {
        self.up.add(1, message);
        self.link.send(message, &[]);
    }

    fn say_of_all(&mut self, message: impl Fn(u32) -> Up) {
        self.nodes.clone().for_each(|node| self.say(&message(node)));
    }

    /// Handles what has come; false when `mpiexec` has closed the connection.
    fn pump(&mut self) -> bool {
        self.link.flush();
        loop {
            match self.link.receive() {
                Ok(Some((message, _))) => self.handle(&message),
                Ok(None) => return true,
                Err(LinkError::Closed) => return false,
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn handle(&mut self, message: &Down) {
        // All branches get the same messages for all. Writing them again to count their bytes takes time. Signs of life
        // depend on the machine.
        if self.is_counted && *message != Down::Alive {
            self.down.add(1, message);
        }
        let said = |host, message| Up::Said { host, message };
        match message {
            Down::Job(job) => {
                assert_eq!(job.nodes, (self.nodes.start, self.nodes.end));
                self.say_of_all(|node| Up::Here { node });
                let secret = self.secret.clone();
                self.say_of_all(|host| said(host, FromHost::Hello(hello(host, &secret))));
            }
            Down::TellAll(ToHost::Peers(peers)) => self.known += peers.len(),
            Down::TellAll(ToHost::Go) => {
                self.say_of_all(|host| said(host, FromHost::Ended { status: 0 }));
            }
            Down::Tell { host, message, .. } => {
                assert!(
                    self.nodes.contains(host) && *message == ToHost::End,
                    "{message:?} to {host}"
                );
                self.say(&Up::Exited {
                    host: *host,
                    status: 0,
                });
            }
            Down::Over => {
                self.say_of_all(|node| Up::Done { node });
                self.is_over = true;
            }
            Down::Alive | Down::Input => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Serves all branches until `mpiexec` has closed them; returns what went up and down in the last one.
fn serve(mut subtrees: Vec<Subtree>) -> [Traffic; 2] {
    let hosts: usize = subtrees.iter().map(|subtree| subtree.nodes.len()).sum();
    subtrees.last_mut().expect("there are hosts").is_counted = true;
    let mut total = [Traffic::default(); 2];
    while !subtrees.is_empty() {
        let mut set = PollSet::default();
        subtrees.iter().for_each(|subtree| subtree.link.watch(&mut set));
        set.wait(None).unwrap();
        for gone in subtrees.extract_if(.., |subtree| !subtree.pump()) {
            assert!(
                gone.is_over && gone.known == hosts,
                "{} of {hosts} are known",
                gone.known
            );
            if gone.is_counted {
                total = [gone.up, gone.down];
            }
        }
    }
    total
}
