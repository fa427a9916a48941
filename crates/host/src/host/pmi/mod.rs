//! Programs that another launcher has started, with a rank in each process.
//!
//! The [`launcher`] speaks PMI-1 or PMI-2 ([`wire`]), or PMIx ([`pmix`]). The rest of the process sees an `mpiexec`: a
//! thread of the library, the [`broker`], is at the other end of the process's channel, and does by means of PMI what
//! `mpiexec` does for its own hosts. The first process of a node hands the others the memory that they share over
//! sockets ([`node_sockets`]). The brokers of a node find deadlocks together ([`quiescence`]).
//!
//! Costs: each process asks the launcher once for the data of each other process, and once more if the job has several
//! nodes, since PMI-1 has nothing better. PMIx brings all data with the fence.

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

/// Fails if a launcher has started this process as one of several without serving it. Otherwise the process may be a
/// job of its own.
pub(super) fn check_unserved() -> Result<(), PmiError> {
    match unserved::reason(|name| std::env::var(name).ok()) {
        Some(reason) => Err(PmiError::Unserved(reason)),
        None => Ok(()),
    }
}

/// The variables that tell a process that it belongs to a job. Programs that this process starts must not see them.
pub(super) const OURS: [&str; 6] = [
    wire::DESCRIPTOR,
    wire::PORT,
    pmix::NAMESPACE,
    pmix::RANK,
    unserved::TASKS,
    unserved::RANKS,
];

/// Whether a broker serves this process.
static SERVING: AtomicBool = AtomicBool::new(false);

/// Whether a broker is at the other end of this process's channel.
pub(super) fn is_serving() -> bool {
    // Acquire pairs with the Release in `job`.
    SERVING.load(Ordering::Acquire)
}

/// The threads of this process that deal with the launcher: the broker's, and those of its library.
static THREADS: OnceLock<Vec<u32>> = OnceLock::new();

/// The numbers of the threads that deal with the launcher; they wake no other thread.
pub(super) fn threads() -> &'static [u32] {
    THREADS.get().map_or(&[], Vec::as_slice)
}

/// The job of this process, with a channel to a broker. No other thread may start threads meanwhile.
pub(super) fn job(settings: Values) -> Result<JobSpec, PmiError> {
    let before: Vec<_> = threads::all().collect();
    let mut launcher = connect(&settings)?;
    let mut listener = Listener::open()?;
    let (secret, nodes) = agree(launcher.as_mut(), &listener)?;
    let place = launcher.place();
    let spec = own_job(place.rank, &nodes, settings)?;
    let memory = memory(launcher.as_mut(), &mut listener, &spec, &secret)?;
    let detector = match nodes.iter().all(|node| *node == nodes[0]) {
        true => Some(Detector::of(
            place,
            secret.clone(),
            listener,
            launcher.get(0, LISTENER)?,
        )),
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
    // From here on these descriptors belong to the reader of the job description.
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

/// Connects to the launcher by the protocol of the setting, or else by that of the environment. If there are variables
/// of both protocols, the inner launcher is the one whose socket is open.
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

/// The key under which a process publishes the name of its listener.
const LISTENER: &str = "simurgh-door";

/// The job's secret, which the first process makes, and the number of each process's node.
fn agree(launcher: &mut dyn Launcher, listener: &Listener) -> Result<(Secret, Vec<u32>), PmiError> {
    const SECRET: &str = "simurgh-secret";
    const NODE: &str = "simurgh-node";
    let Place { rank, size } = launcher.place();
    if rank == 0 {
        launcher.put(SECRET, Secret::random()?.as_bytes())?;
    }
    launcher.put(NODE, own_node().as_bytes())?;
    launcher.put(LISTENER, &listener.name)?;
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

/// The memory that the processes of this node share, which the first of them makes. `None` if the process is alone on
/// its node, or shared memory is not wanted.
fn memory(
    launcher: &mut dyn Launcher,
    listener: &mut Listener,
    spec: &JobSpec,
    secret: &Secret,
) -> Result<Option<OwnedFd>, PmiError> {
    let hosts = spec.hosts_on(spec.hosts[spec.host as usize].node);
    let (first, others) = (hosts[0], &hosts[1..]);
    if others.is_empty() || !spec.shares_memory() {
        return Ok(None);
    }
    if spec.host != first {
        let name = launcher.get(first, LISTENER)?;
        return Ok(Some(node_sockets::request_memory(
            first, &name, secret, spec.host,
        )?));
    }
    let memory = Arc::new(shared_memory(hosts.len()).map_err(std::io::Error::other)?);
    let message = ToHost::Memory { hosts: hosts.clone() };
    listener.give(
        secret,
        &EncodedMessage::with_descriptor(message, Some(Arc::clone(&memory))),
        others,
    )?;
    Ok(Arc::into_inner(memory))
}

/// A name for the node: processes with the same name share memory and see each other's sockets. It consists of the
/// machine and the namespaces.
fn own_node() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = |kind: &str| {
        let link = std::fs::read_link(format!("/proc/self/ns/{kind}")).unwrap_or_default();
        link.to_string_lossy().into_owned()
    };
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    [boot.trim().to_owned(), namespace("net"), namespace("pid"), name].join(" ")
}
