//! The constants of the model: measured on this machine, unless they are given.

use super::start::{Start, hello};
use crate::error::LaunchError;
use crate::installation::Installation;
use crate::oob::Link;
use crate::tree::message::Up;
use clap::Args;
use simurgh_core::Barrier;
use simurgh_mpi::collective::{Cost, Size};
use simurgh_net::auth::Secret;
use simurgh_net::control::FromHost;
use simurgh_sched::{Builder, EcSpec};
use std::cell::OnceCell;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::ParseFloatError;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The memory of a rank of a small C program in threads mode, most of it its image: what 512 ranks took more than one,
/// for each of the others.
const RANK_MEMORY: f64 = 55.0 * 1024.0;

/// The memory of a host for each other host that it exchanges messages with over libfabric's tcp provider: what it took
/// with 32 hosts more than with 8, for each.
const PEER_MEMORY: f64 = 27.0 * 1024.0;

/// The memory of a host for the network, all ranks together: what it took with 2 hosts more than alone.
const NETWORK_MEMORY: f64 = 52.0 * 1024.0 * 1024.0;

/// How often something short is measured.
const TIMES: u32 = 2_000;

/// The bytes by which a bandwidth is measured: more than caches hold.
const LONG: usize = 64 << 20;

/// The number of execution contexts that meet, and how often.
const MEETING: (usize, usize) = (64, 200);

/// The ranks by whose loading a rank's is measured.
const LOADED: u32 = 65;

/// How often such a job is run. The shortest run counts: others on the machine make jobs longer, and never shorter.
const RUNS: u32 = 3;

/// Constants that the user gives, in seconds, and bytes, and bytes a second.
#[derive(Args, Clone, Debug, Default)]
pub struct Given {
    /// The latency of a message between two hosts, in microseconds. [default: of TCP on this machine]
    #[arg(long, value_parser = |text: &str| scaled(text, 1e-6))]
    pub latency: Option<f64>,
    /// The bandwidth of a host's network, in bytes a microsecond. [default: of TCP on this machine]
    #[arg(long, value_parser = |text: &str| scaled(text, 1e6))]
    pub bandwidth: Option<f64>,
    /// The time to start an agent on another node, in milliseconds. [default: of a process on this machine]
    #[arg(long, value_parser = |text: &str| scaled(text, 1e-3))]
    pub agent: Option<f64>,
    /// The time to load a rank, in milliseconds. [default: of one of `true` on this machine]
    #[arg(long, value_parser = |text: &str| scaled(text, 1e-3))]
    pub load: Option<f64>,
    /// The memory of a rank, in KiB. [default: that of a small program in C]
    #[arg(long, value_parser = |text: &str| scaled(text, 1024.0))]
    pub rank_memory: Option<f64>,
    /// The memory of a host for each other host, in KiB. [default: as measured over libfabric's tcp provider]
    #[arg(long, value_parser = |text: &str| scaled(text, 1024.0))]
    pub peer_memory: Option<f64>,
    /// The memory of a host for the network as such, in KiB. [default: as measured with the same]
    #[arg(long, value_parser = |text: &str| scaled(text, 1024.0))]
    pub network_memory: Option<f64>,
}

/// A number that the user gives in so many units.
fn scaled(text: &str, unit: f64) -> Result<f64, ParseFloatError> {
    text.parse().map(|number: f64| number * unit)
}

/// A constant, and where it comes from.
#[derive(Clone, Copy, Debug)]
struct Constant {
    value: f64,
    source: &'static str,
}

/// All constants.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    latency: Constant,
    bandwidth: Constant,
    copying: Constant,
    meeting: Constant,
    encoding: Constant,
    decoding: Constant,
    agent: Constant,
    load: Constant,
    rank_memory: Constant,
    peer_memory: Constant,
    network_memory: Constant,
}

/// The times of a start, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartTimes {
    /// The processor time of `mpiexec`.
    pub(super) mpiexec: f64,
    /// Until the last agent is there.
    pub(super) agents: f64,
    /// Until a host has loaded its ranks.
    pub(super) ranks: f64,
}

impl StartTimes {
    /// One after the other.
    pub(super) fn all(&self) -> f64 {
        self.mpiexec + self.agents + self.ranks
    }
}

impl Constants {
    /// The constants that are given, and measured ones in the place of the others.
    ///
    /// # Errors
    ///
    /// When this machine refuses what is needed to measure one.
    pub(super) fn measure(given: &Given) -> Result<Self, LaunchError> {
        // One connection tells both latency and bandwidth.
        let network = OnceCell::new();
        let network = || match network.get() {
            Some(both) => Ok(*both),
            None => over_loopback()
                .map(|both| *network.get_or_init(|| both))
                .map_err(LaunchError::Measure),
        };
        let or = |given: Option<f64>, measure: &dyn Fn() -> Result<f64, LaunchError>| match given {
            Some(value) => Ok(Constant {
                value,
                source: "given",
            }),
            None => measure().map(measured),
        };
        let known = |given: Option<f64>, value| Constant {
            value: given.unwrap_or(value),
            source: if given.is_some() { "given" } else { "built in" },
        };
        let (encoding, decoding) = message_rates();
        Ok(Self {
            latency: or(given.latency, &|| Ok(network()?.0))?,
            bandwidth: or(given.bandwidth, &|| Ok(network()?.1))?,
            copying: measured(copying()),
            meeting: measured(meeting()?),
            encoding: measured(encoding),
            decoding: measured(decoding),
            agent: or(given.agent, &agent)?,
            load: or(given.load, &load)?,
            rank_memory: known(given.rank_memory, RANK_MEMORY),
            peer_memory: known(given.peer_memory, PEER_MEMORY),
            network_memory: known(given.network_memory, NETWORK_MEMORY),
        })
    }

    /// Appends the constants, one a line.
    pub(super) fn write(&self, text: &mut String) {
        let time = |constant: Constant| (super::time(constant.value), constant.source);
        let bytes = |constant: Constant| (super::bytes(constant.value), constant.source);
        let rate = |constant: Constant| (format!("{}/s", super::bytes(constant.value)), constant.source);
        for (name, (value, source)) in [
            ("message between two hosts", time(self.latency)),
            ("its bytes", rate(self.bandwidth)),
            ("bytes that are moved in memory", rate(self.copying)),
            ("rank that meets the others of its host", time(self.meeting)),
            ("bytes that mpiexec encodes", rate(self.encoding)),
            ("bytes that mpiexec decodes", rate(self.decoding)),
            ("agent that is started", time(self.agent)),
            ("rank that is loaded", time(self.load)),
            ("memory of a rank", bytes(self.rank_memory)),
            ("memory of a host for each other host", bytes(self.peer_memory)),
            ("memory of a host for the network", bytes(self.network_memory)),
        ] {
            let _ = writeln!(text, "  {name:<44} {value:>12}  {source}");
        }
    }

    /// The seconds of a collective, in which each host moves so many bytes in memory for its ranks.
    pub(super) fn collective(&self, size: Size, cost: &Cost, moved: usize) -> f64 {
        let network = cost.steps as f64 * self.latency.value + cost.path as f64 / self.bandwidth.value;
        let memory = (moved + cost.combined) as f64 / self.copying.value;
        network + memory + size.ranks as f64 * self.meeting.value
    }
}

fn measured(value: f64) -> Constant {
    Constant {
        value,
        source: "measured",
    }
}

impl Start {
    /// The times of the start of a job with so many ranks on each host.
    pub(super) fn seconds(&self, ranks: u32, constants: &Constants) -> StartTimes {
        let decoded = (self.up.bytes * self.branches) as f64;
        // What all branches are told is encoded once; the job and what single hosts are told is not.
        let encoded = (self.down.bytes - self.peers) * self.branches + self.peers;
        let read = (self.job + self.peers) as f64 / constants.decoding.value;
        let children = self.branches as f64;
        StartTimes {
            mpiexec: decoded / constants.decoding.value + encoded as f64 / constants.encoding.value,
            // Each agent on the way reads the job and starts those below it, one after the other.
            agents: f64::from(self.depth) * (read + children * constants.agent.value),
            ranks: f64::from(ranks) * constants.load.value,
        }
    }

    /// The bytes of a host: its ranks, what it knows of other hosts, and the job description.
    pub(super) fn host_memory(&self, ranks: u32, constants: &Constants) -> f64 {
        let peers = f64::from(self.hosts - 1) * constants.peer_memory.value;
        let network = constants.network_memory.value + peers;
        f64::from(ranks) * constants.rank_memory.value + network + self.job as f64
    }
}

/// Latency and bandwidth of a TCP connection of this machine with itself.
fn over_loopback() -> io::Result<(f64, f64)> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let mut near = TcpStream::connect(listener.local_addr()?)?;
    let (mut far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let echo = std::thread::spawn(move || -> io::Result<()> {
        let mut byte = [0; 1];
        for _ in 0..TIMES {
            far.read_exact(&mut byte)?;
            far.write_all(&byte)?;
        }
        let mut sink = vec![0; 1 << 20];
        let mut left = LONG;
        while left > 0 {
            match far.read(&mut sink)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => left -= read,
            }
        }
        far.write_all(&byte)
    });
    let mut byte = [0; 1];
    let start = Instant::now();
    for _ in 0..TIMES {
        near.write_all(&byte)?;
        near.read_exact(&mut byte)?;
    }
    let latency = start.elapsed().as_secs_f64() / f64::from(2 * TIMES);
    let data = vec![1; LONG];
    let start = Instant::now();
    near.write_all(&data)?;
    near.read_exact(&mut byte)?;
    let bandwidth = LONG as f64 / start.elapsed().as_secs_f64();
    echo.join()
        .map_err(|_| io::Error::other("a thread has panicked"))??;
    Ok((latency, bandwidth))
}

/// Bytes a second that one core copies in memory.
fn copying() -> f64 {
    let (source, mut target) = (vec![1_u8; LONG], vec![0_u8; LONG]);
    let start = Instant::now();
    target.copy_from_slice(black_box(&source));
    black_box(&target);
    LONG as f64 / start.elapsed().as_secs_f64()
}

/// The time of a meeting of execution contexts on one virtual processor, for each of them.
fn meeting() -> Result<f64, LaunchError> {
    let (parties, times) = MEETING;
    let runtime = Builder::new().vps(Some(1)).start()?;
    let barrier = Arc::new(Barrier::new(parties));
    let start = Instant::now();
    let started: Vec<_> = (0..parties)
        .map(|index| {
            let barrier = Arc::clone(&barrier);
            let meet = move || (0..times).for_each(|_| _ = barrier.wait());
            runtime.spawn_member(EcSpec::default(), (index, parties), meet)
        })
        .collect::<Result<_, _>>()?;
    for context in started {
        context
            .join()
            .map_err(|_| LaunchError::Measure(io::Error::other("a thread has panicked")))?;
    }
    Ok(start.elapsed().as_secs_f64() / (parties * times) as f64)
}

/// Bytes of messages that are encoded, and decoded, in a second.
fn message_rates() -> (f64, f64) {
    let secret = Secret::from_bytes(&[0; 32]).expect("it has 32 bytes");
    let message = Up::Said {
        host: 1,
        message: FromHost::Hello(hello(1, &secret)),
    };
    let timed = |f: &dyn Fn() -> usize| {
        let start = Instant::now();
        let bytes: usize = (0..TIMES).map(|_| f()).sum();
        bytes as f64 / start.elapsed().as_secs_f64()
    };
    let json = serde_json::to_vec(&message).expect("messages have no map keys and no failing serializer");
    let encoding = timed(&|| Link::frame_of(black_box(&message), &[]).len());
    let decoding = timed(&|| {
        let read: Result<Up, _> = serde_json::from_slice(black_box(&json));
        read.map_or(0, |_| json.len())
    });
    (encoding, decoding)
}

/// The time to start an agent's executable on this machine. Over ssh it takes longer.
fn agent() -> Result<f64, LaunchError> {
    let tool = Installation::of_this_tool()?.tool()?;
    let times = 10;
    let start = Instant::now();
    for _ in 0..times {
        run(&tool, &["--version"])?;
    }
    Ok((start.elapsed() / times).as_secs_f64())
}

/// The time to load a rank: of a job of many ranks beyond one of a single rank.
fn load() -> Result<f64, LaunchError> {
    let mpiexec = Installation::of_this_tool()?.tool()?.with_file_name("mpiexec");
    let shortest = |ranks: u32| -> Result<Duration, LaunchError> {
        let mut shortest = Duration::MAX;
        for _ in 0..RUNS {
            let start = Instant::now();
            run(&mpiexec, &["--mode", "threads", "-n", &ranks.to_string(), "true"])?;
            shortest = shortest.min(start.elapsed());
        }
        Ok(shortest)
    };
    let (one, many) = (shortest(1)?, shortest(LOADED)?);
    Ok(many.saturating_sub(one).as_secs_f64() / f64::from(LOADED - 1))
}

/// Runs a command that prints nothing of interest, and succeeds.
fn run(command: &Path, words: &[&str]) -> Result<(), LaunchError> {
    let mut command = Command::new(command);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().map_err(LaunchError::Measure)?;
    match status.success() {
        true => Ok(()),
        false => Err(LaunchError::Measure(io::Error::other(format!(
            "{command:?}: {status}"
        )))),
    }
}
