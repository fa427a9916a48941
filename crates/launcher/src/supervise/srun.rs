//! Agents that Slurm starts: one task on each node, all by one srun, which connect to `mpiexec`.

use super::Watched;
use crate::agent::message::{Call, NodeJob, Up, VERSION};
use crate::agent::{Branch, Link, Started};
use crate::error::LaunchError;
use rustix::event::PollFlags;
use std::io::{self, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Most connections that may be open without having shown the secret, and for how long.
const STRANGERS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

/// What srun takes from the environment, where it speaks of the job and not of this step.
const MISLEADING: [&str; 9] = [
    "SLURM_CPUS_PER_TASK",
    "SRUN_CPUS_PER_TASK",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE",
    "SLURM_CPU_BIND",
    "SLURM_DISTRIBUTION",
    "SLURM_MPI_TYPE",
];

/// srun, and who has called since.
pub(super) struct Srun {
    command: Started,
    listener: Option<TcpListener>,
    strangers: Vec<(Link, Instant)>,
    /// Agents that have yet to come.
    missing: usize,
}

impl Srun {
    /// Starts an agent on each node of the job.
    pub(super) fn start(job: &NodeJob, command: &[String], tool: &Path) -> Result<Self, LaunchError> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)));
        let listener = listener
            .or_else(|_| TcpListener::bind("0.0.0.0:0"))
            .map_err(LaunchError::Supervise)?;
        listener.set_nonblocking(true).map_err(LaunchError::Supervise)?;
        let call = Call {
            version: VERSION,
            secret: job.secret.clone(),
            port: listener.local_addr().map_err(LaunchError::Supervise)?.port(),
        };
        let words = match command {
            [] => vec!["srun".to_owned()],
            words => words.to_vec(),
        };
        let mut srun = Command::new(&words[0]);
        srun.args(&words[1..])
            .args(arguments(&job.names))
            .arg(tool)
            .arg("agent");
        for name in MISLEADING {
            srun.env_remove(name);
        }
        let (command, _, input) = Started::start(srun).map_err(|source| LaunchError::Launcher {
            what: source.to_string(),
        })?;
        // Every task reads it; it is shorter than what a pipe takes. If srun has ended already, that is met soon.
        let _ =
            std::fs::File::from(input).write_all(&Link::frame_of(&crate::agent::message::Down::Call(call)));
        Ok(Self {
            command,
            listener: Some(listener),
            strangers: Vec::new(),
            missing: job.names.len(),
        })
    }

    pub(super) fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
        self.command.watch(watched);
        if let Some(listener) = &self.listener {
            watched.add(listener.as_fd(), PollFlags::IN);
        }
        for (link, _) in &self.strangers {
            watched.add(link.input(), PollFlags::IN);
        }
    }

    /// Agents that have come. Who does not show the secret at once is sent away.
    pub(super) fn welcome(&mut self, job: &NodeJob) -> Vec<Branch> {
        self.command.listen();
        self.accept();
        let mut come = Vec::new();
        for (mut link, since) in std::mem::take(&mut self.strangers) {
            match link.receive() {
                Ok(Some((
                    Up::Called {
                        version,
                        secret,
                        node,
                    },
                    _,
                ))) if secret == job.secret && version == VERSION => {
                    let place = job.names.iter().position(|name| *name == node);
                    come.extend(
                        place
                            .and_then(|place| u32::try_from(place).ok())
                            .map(|node| (link, node)),
                    );
                }
                Ok(None) if since.elapsed() < PATIENCE => self.strangers.push((link, since)),
                _ => {}
            }
        }
        self.missing = self.missing.saturating_sub(come.len());
        if self.missing == 0 {
            self.listener = None;
            self.strangers.clear();
        }
        come.into_iter()
            .map(|(link, node)| Branch::called(link, job, node))
            .collect()
    }

    fn accept(&mut self) {
        let Some(listener) = &self.listener else { return };
        while let Ok((stream, _)) = listener.accept() {
            if let Ok(link) = stranger(stream)
                && self.strangers.len() < STRANGERS
            {
                self.strangers.push((link, Instant::now()));
            }
        }
    }

    /// Why srun has ended, if it has before all agents have come.
    pub(super) fn has_failed(&mut self) -> Option<String> {
        (self.missing > 0 && self.command.has_ended()).then(|| self.command.epitaph(Duration::ZERO))
    }

    /// Waits for its end for a time, and ends it then.
    pub(super) fn end(mut self, patience: Duration) {
        self.command.wait(patience);
    }
}

fn stranger(stream: TcpStream) -> io::Result<Link> {
    stream.set_nodelay(true)?;
    let other: OwnedFd = stream.try_clone()?.into();
    Link::new(stream.into(), other, false).map_err(io::Error::other)
}

/// One task on each of the nodes, beside other steps of the job and with all processors that the job has there.
fn arguments(names: &[String]) -> Vec<String> {
    let count = names.len();
    [
        format!("--nodes={count}"),
        format!("--ntasks={count}"),
        "--ntasks-per-node=1".to_owned(),
        format!("--nodelist={}", names.join(",")),
        "--overlap".to_owned(),
        "--cpu-bind=none".to_owned(),
        "--mpi=none".to_owned(),
        "--input=all".to_owned(),
        "--kill-on-bad-exit=1".to_owned(),
        "--quiet".to_owned(),
    ]
    .to_vec()
}
