//! Another user of the machine takes the place of hosts on libfabric's tcp, whose connections believe what is claimed.
//! Whatever that user does, no message is taken for another, and the job goes on or ends with a line that names a host.

use simurgh_testing::{Binary, Compile, Outcome, Scratch, Signal, Stage, Started, TCP, behind, signal};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The time limit of everything that does not wait for a silent host.
const PATIENCE: Duration = Duration::from_secs(90);

/// A job of two hosts that exchange messages, up to the point where others may interfere.
struct Job {
    job: Started,
    folder: Scratch,
    /// The port at which each host expects packets.
    ports: [u16; 2],
    _program: Binary,
}

impl Job {
    fn start(state: &str, bytes: usize, options: &[&str]) -> Self {
        let stage = Stage::locate();
        let program = Compile::c("tests/c/mpi_counted.c").against(&stage).build();
        let folder = Scratch::new("attack");
        let mpiexec = stage
            .mpiexec(2)
            .options([
                "--hosts-per-node",
                "2",
                "--transport",
                "ofi",
                "--peer-timeout",
                "3",
            ])
            .options(TCP)
            .options(options)
            .args([folder.path()])
            .args([state, &bytes.to_string()]);
        let mut job = Started::new(&mpiexec.command(program.path()));
        job.says("up\n");
        let hosts = std::fs::read_to_string(folder.path().join("hosts")).unwrap();
        let ports: Vec<u16> = hosts.split(' ').map(port_of).collect();
        Self {
            job,
            ports: ports.try_into().unwrap(),
            folder,
            _program: program,
        }
    }

    /// Lets an impostor do its work, which has begun, or is over, when it prints this word. Then the job goes on and
    /// ends.
    fn attacked(self, kind: &str, word: &str) -> Outcome {
        let impostor = Impostor::start(kind, self.ports, word);
        self.folder.write("go", "");
        let outcome = self.job.ends(PATIENCE);
        drop(impostor);
        assert!(!outcome.timed_out, "{outcome}");
        assert!(!outcome.stdout.contains("wrong"), "{outcome}");
        outcome
    }
}

/// The port of the endpoint that a host has opened last, of those at which it listens: the one for packets.
fn port_of(host: &str) -> u16 {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let listening: BTreeMap<&str, u16> = table
        .lines()
        .filter_map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let (_, port) = fields[1].split_once(':')?;
            (fields[3] == "0A").then(|| (fields[9], u16::from_str_radix(port, 16).unwrap()))
        })
        .collect();
    let own = std::fs::read_dir(Path::new("/proc").join(host).join("fd")).unwrap();
    let sockets = own.filter_map(|descriptor| {
        let descriptor = descriptor.ok()?;
        let number: u32 = descriptor.file_name().to_str()?.parse().ok()?;
        let target = std::fs::read_link(descriptor.path()).ok()?;
        let inode = target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
        Some((number, *listening.get(inode)?))
    });
    sockets.max().expect("the host listens over TCP").1
}

/// The impostor, as another user if these tests may do that.
struct Impostor {
    process: Started,
    _program: Binary,
}

impl Impostor {
    fn start(kind: &str, ports: [u16; 2], word: &str) -> Self {
        let program = Compile::c("tests/c/impostor.c").build();
        let mut command = Command::new(program.path());
        command.arg(kind).args(ports.map(|port| port.to_string()));
        if is_root() {
            let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
            command = behind(words, &command);
        }
        let mut process = Started::new(&command);
        process.says(word);
        Self {
            process,
            _program: program,
        }
    }
}

impl Drop for Impostor {
    fn drop(&mut self) {
        signal(self.process.id(), Signal::KILL);
    }
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0
}

/// Checks that a job has ended because one of its hosts cannot be heard any more.
#[track_caller]
fn is_ended_with(outcome: &Outcome, reasons: &[&str]) {
    assert!(
        outcome.code() != 0 && !outcome.stdout.contains("done"),
        "{outcome}"
    );
    let named = ["host 0", "host 1", "rank 0", "rank 1"];
    let names_one = named
        .iter()
        .any(|name| outcome.stderr.contains(&format!("simurgh: {name} (")));
    assert!(names_one, "{outcome}");
    let told = reasons.iter().any(|reason| outcome.stderr.contains(reason));
    assert!(told, "{outcome}");
}

/// The message where packets do not arrive.
const STUCK: &str = "does not arrive for the time of peer_timeout";

#[test]
fn short_connections_lose_no_message_in_silence() {
    for _ in 0..3 {
        let outcome = Job::start("busy", 64, &[]).attacked("short", "left\n");
        if outcome.success() {
            assert_eq!(outcome.stdout, "done\n", "{outcome}");
        } else {
            is_ended_with(&outcome, &["are lost on the way", "cannot reach it", STUCK]);
        }
    }
}

#[test]
fn a_host_in_whose_place_another_is_silent_is_named() {
    for mode in ["threads", "processes"] {
        let outcome = Job::start("quiet", 32, &["--mode", mode]).attacked("swallow", "in place\n");
        is_ended_with(&outcome, &[STUCK]);
    }
}

#[test]
fn transfers_that_another_swallows_are_missed() {
    // The message is announced to the second host, whose request to read it does not arrive.
    let outcome = Job::start("quiet", 300_000, &[]).attacked("one-way", "in place\n");
    is_ended_with(&outcome, &[STUCK]);
}

#[test]
fn a_connection_through_another_does_no_harm_while_that_changes_nothing() {
    for (bytes, authenticate) in [(32, "headers"), (5000, "full")] {
        let options = ["--authenticate", authenticate];
        let outcome = Job::start("quiet", bytes, &options).attacked("relay", "in place\n");
        assert_eq!(outcome.expect_success().stdout, "done\n");
    }
}

#[test]
fn what_another_has_changed_is_thrown_away() {
    for (bytes, authenticate) in [(32, "auto"), (5000, "full"), (300_000, "full")] {
        let options = ["--authenticate", authenticate];
        let outcome = Job::start("quiet", bytes, &options).attacked("forge", "in place\n");
        is_ended_with(&outcome, &[STUCK, "are lost on the way"]);
    }
}

#[test]
fn a_packet_that_comes_twice_is_not_taken_for_the_next() {
    let outcome = Job::start("quiet", 32, &[]).attacked("replay", "in place\n");
    is_ended_with(&outcome, &["has come twice"]);
}
