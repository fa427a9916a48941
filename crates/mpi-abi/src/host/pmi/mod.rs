//! Programs that another launcher has started, each process of which is a rank.
//!
//! The [`launcher`] speaks PMI-1 or PMI-2 ([`wire`]), or PMIx ([`pmix`]). To the rest of the process that looks like
//! `mpiexec`: a thread of ours, the [`broker`], is at the other end of the process's channel, and does by means of PMI
//! what `mpiexec` does for the hosts that it starts itself. The first process of a node hands the others over sockets
//! the memory that they share ([`node_sockets`]).
//!
//! Costs: each process asks the launcher for what each other one has said, and once more if the job has several nodes;
//! that is what PMI-1 has. PMIx brings it with the meeting.

mod broker;
mod error;
mod launcher;
mod node_sockets;
mod pmix;
mod quiescence;
mod unserved;
mod wire;

pub(super) use error::PmiError;

use super::description::own_job;
use super::threads;
use broker::Broker;
use launcher::{Launcher, Place};
use node_sockets::Listener;
use quiescence::Detector;
use simurgh_core::sync::{AtomicBool, Ordering};
use simurgh_net::auth::Secret;
use simurgh_net::control::{Channel, EncodedMessage, ToHost};
use simurgh_net::job::{self, Control, JobSpec};
use simurgh_net::transport::shared_memory;
use simurgh_settings::{Id, Values};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::{Arc, OnceLock};
use wire::Dialect;

/// Whether another launcher has started this process as one of several.
pub(super) fn is_launched() -> bool {
    [wire::DESCRIPTOR, wire::PORT, pmix::NAMESPACE]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
}

/// That a process that no launcher serves may be a job of its own.
pub(super) fn check_unserved() -> Result<(), PmiError> {
    match unserved::reason(|name| std::env::var(name).ok()) {
        Some(reason) => Err(PmiError::Unserved(reason)),
        None => Ok(()),
    }
}

/// Variables by which what this process starts would take itself for one of the job's.
pub(super) const OURS: [&str; 6] = [
    wire::DESCRIPTOR,
    wire::PORT,
    pmix::NAMESPACE,
    pmix::RANK,
    unserved::TASKS,
    unserved::RANKS,
];

/// Set when a broker serves this process.
static SERVING: AtomicBool = AtomicBool::new(false);

/// Whether a broker is at the other end of this process's channel.
pub(super) fn is_serving() -> bool {
    // Acquire pairs with the Release in `job`.
    SERVING.load(Ordering::Acquire)
}

/// Threads of this process that have to do with the launcher: the broker's, and those of its library.
static THREADS: OnceLock<Vec<u32>> = OnceLock::new();

/// The threads that have to do with the launcher, which wake nobody, by number.
pub(super) fn threads() -> &'static [u32] {
    THREADS.get().map_or(&[], Vec::as_slice)
}

/// The job of this process, with a channel to a broker. Nobody else begins threads meanwhile.
pub(super) fn job(settings: Values) -> Result<JobSpec, PmiError> {
    let before: Vec<_> = threads::all().collect();
    let mut launcher = connect(&settings)?;
    let mut door = Listener::open()?;
    let (secret, nodes) = agree(launcher.as_mut(), &door)?;
    let place = launcher.place();
    let spec = own_job(place.rank, &nodes, settings)?;
    let memory = memory(launcher.as_mut(), &mut door, &spec, &secret)?;
    let detector = match nodes.iter().all(|node| *node == nodes[0]) {
        true => Some(Detector::of(place, secret.clone(), door, launcher.get(0, DOOR)?)),
        false => None,
    };
    let (ours, theirs) = Channel::pair().map_err(std::io::Error::other)?;
    let output = job::output_lock()?;
    let control = Control {
        channel: theirs.as_raw_fd(),
        output: output.as_raw_fd(),
        memory: memory.as_ref().map(AsRawFd::as_raw_fd),
        secret,
        processors: job::processors(),
    };
    let broker = Broker::new(launcher, ours, detector);
    let thread = std::thread::Builder::new().name("simurgh-pmi".to_owned());
    simurgh_core::with_signals_blocked(|| thread.spawn(move || broker.run()))?;
    let _ = THREADS.set(threads::all().filter(|thread| !before.contains(thread)).collect());
    // Release pairs with the Acquire in `is_serving`.
    SERVING.store(true, Ordering::Release);
    // From here on they belong to who reads the description.
    let _ = (
        theirs.into_raw_fd(),
        output.into_raw_fd(),
        memory.map(IntoRawFd::into_raw_fd),
    );
    Ok(JobSpec {
        control: Some(control),
        ..spec
    })
}

/// Connects with the launcher, by what the settings or else the environment speak of. Where there are variables of
/// both, the inner launcher is the one whose socket is there.
fn connect(settings: &Values) -> Result<Box<dyn Launcher>, PmiError> {
    let has = |name: &str| std::env::var_os(name).is_some();
    let is_wired = wire::has_descriptor() || has(wire::PORT) || !has(pmix::NAMESPACE);
    Ok(match settings.show(Id::Pmi).as_str() {
        "pmi1" => Box::new(wire::Client::connect(Some(Dialect::One))?),
        "pmi2" => Box::new(wire::Client::connect(Some(Dialect::Two))?),
        "auto" if is_wired => Box::new(wire::Client::connect(None)?),
        _ => Box::new(pmix::Client::connect()?),
    })
}

/// Under what a process shows the name of its door.
const DOOR: &str = "simurgh-door";

/// The job's secret, which the first process makes, and the number of the node that each process is on.
fn agree(launcher: &mut dyn Launcher, door: &Listener) -> Result<(Secret, Vec<u32>), PmiError> {
    const SECRET: &str = "simurgh-secret";
    const NODE: &str = "simurgh-node";
    let Place { rank, size } = launcher.place();
    if rank == 0 {
        launcher.put(SECRET, Secret::random()?.as_bytes())?;
    }
    launcher.put(NODE, own_node().as_bytes())?;
    launcher.put(DOOR, &door.name)?;
    launcher.fence()?;
    let secret = launcher.get(0, SECRET)?;
    let strange = |what: &str| PmiError::Strange {
        line: what.to_owned(),
    };
    let secret = Secret::from_bytes(&secret).ok_or_else(|| strange("a secret"))?;
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut nodes = Vec::new();
    for rank in 0..size {
        let name = launcher.get(rank, NODE)?;
        let known = names.iter().position(|known| *known == name);
        let node = known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        nodes.push(u32::try_from(node).map_err(|_| strange("nodes"))?);
    }
    Ok((secret, nodes))
}

/// The memory that the processes of this one's node share, which the first of them makes; none if it is to be none, or
/// for this one alone.
fn memory(
    launcher: &mut dyn Launcher,
    door: &mut Listener,
    spec: &JobSpec,
    secret: &Secret,
) -> Result<Option<OwnedFd>, PmiError> {
    let hosts = spec.hosts_on(spec.hosts[spec.host as usize].node);
    let (first, others) = (hosts[0], &hosts[1..]);
    if others.is_empty() || !spec.shares_memory() {
        return Ok(None);
    }
    if spec.host != first {
        let name = launcher.get(first, DOOR)?;
        return Ok(Some(node_sockets::request_memory(
            first, &name, secret, spec.host,
        )?));
    }
    let memory = Arc::new(shared_memory(hosts.len()).map_err(std::io::Error::other)?);
    let message = ToHost::Memory { hosts: hosts.clone() };
    door.give(
        secret,
        &EncodedMessage::with_descriptor(message, Some(Arc::clone(&memory))),
        others,
    )?;
    Ok(Arc::into_inner(memory))
}

/// What processes have in common that share memory and find each other's sockets: machine and namespaces.
fn own_node() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = |kind: &str| {
        let link = std::fs::read_link(format!("/proc/self/ns/{kind}")).unwrap_or_default();
        link.to_string_lossy().into_owned()
    };
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    [boot.trim().to_owned(), namespace("net"), namespace("pid"), name].join(" ")
}
