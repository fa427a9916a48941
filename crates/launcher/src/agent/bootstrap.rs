//! How an agent receives its job.

use super::event_loop;
use crate::error::LaunchError;
use crate::oob::HandshakeError;
use crate::oob::{Link, LinkError};
use crate::tree::duplicate;
use crate::tree::message::{AGENT_PROTOCOL, ConnectBack, Down, NodeJob, Up, VERSION};
use simurgh_net::auth::Secret;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The variables in which Slurm says where srun was called.
const LAUNCH_NODE: [&str; 2] = ["SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST"];

/// The variable with the name by which Slurm knows this node.
const NODE: &str = "SLURMD_NODENAME";

/// The time in which a connection must be made.
const PATIENCE: Duration = Duration::from_secs(20);

/// The pause before another attempt.
const STEP: Duration = Duration::from_millis(20);

/// Serves a node until the job has ended; returns the status of the process.
///
/// # Errors
///
/// When it was not started by an `mpiexec` of the same version.
pub fn run() -> Result<u8, LaunchError> {
    let streams =
        duplicate(rustix::stdio::stdin()).and_then(|input| Ok((input, duplicate(rustix::stdio::stdout())?)));
    let (input, output) = streams.map_err(LaunchError::Supervise)?;
    let mut link = Link::new(input, output, true).map_err(refused)?;
    let job = match first(&mut link)? {
        Down::Job(job) => job,
        Down::Call(call) => {
            let node = std::env::var(NODE).unwrap_or_default();
            link = answer(&call, &node)?;
            let Down::Job(job) = first(&mut link)? else {
                return Err(stranger());
            };
            Box::new(of_node(*job, &node, call.secret)?)
        }
        _ => return Err(stranger()),
    };
    let is_whole = job.version == VERSION && job.secret.is_some();
    if !is_whole || job.nodes.0 >= job.nodes.1 || job.nodes.1 as usize > job.names.len() {
        return Err(stranger());
    }
    event_loop::serve(*job, link)
}

/// Waits for the first message.
fn first(link: &mut Link) -> Result<Down, LaunchError> {
    link.wait(None).map_err(refused)?.ok_or_else(stranger)
}

/// The part of the job for the node of this name, which knows the secret already.
fn of_node(job: NodeJob, name: &str, secret: Secret) -> Result<NodeJob, LaunchError> {
    let node = job.names.iter().position(|known| known == name);
    let node = node.ok_or_else(stranger)? as u32;
    Ok(NodeJob {
        secret: Some(secret),
        nodes: (node, node + 1),
        ..job
    })
}

/// Connects to `mpiexec` at the machine where srun was called, as the agent of the node, and authenticates both ends.
/// It tries again while `mpiexec` has no room for new connections.
fn answer(call: &ConnectBack, node: &str) -> Result<Link, LaunchError> {
    if call.version != VERSION {
        return Err(stranger());
    }
    let variable = |name: &&str| std::env::var(name).ok();
    let caller = LAUNCH_NODE
        .iter()
        .find_map(variable)
        .unwrap_or_else(|| "127.0.0.1".to_owned());
    let until = Instant::now() + PATIENCE;
    loop {
        let failed = |source| LaunchError::ConnectBack {
            caller: caller.clone(),
            source,
        };
        let stream = connect(&caller, call.port).map_err(failed)?;
        let mut link = Link::over(stream, false).map_err(failed)?;
        match AGENT_PROTOCOL.authenticate(&mut link, &call.secret, until) {
            Ok(()) => {
                let node = node.to_owned();
                link.send(&Up::Called { node }, &[]);
                return Ok(link);
            }
            Err(HandshakeError::Link(LinkError::Closed)) if Instant::now() < until => {
                std::thread::sleep(STEP);
            }
            Err(error) => return Err(failed(io::Error::other(error.to_string()))),
        }
    }
}

fn connect(caller: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (caller, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn stranger() -> LaunchError {
    LaunchError::Agent("it is started by mpiexec of the same installation, and by nobody else".to_owned())
}

fn refused(error: LinkError) -> LaunchError {
    LaunchError::Agent(error.to_string())
}
