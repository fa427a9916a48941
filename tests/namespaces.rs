//! Hosts in network namespaces, which only a network connects: `tests/namespaces.sh` makes them.
//!
//! Needs root, iproute2 and nftables. Without them, each test reports that it is skipped, and why.

use crate::programs;
use simurgh_testing::{
    Binary, Compile, Input, LIMIT, Mpiexec, Scratch, Signal, Stage, Started, behind, example, of_open_mpi,
    passed, run, signal,
};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Hosts, one in each namespace.
const HOSTS: usize = 4;

/// The time in which a host without signs of life is lost: until it is suspected, and until it is settled which host it
/// is.
const LOSS: Duration = Duration::from_secs(2);

macro_rules! names {
    ($($name:ident)*) => { &[$(stringify!($name)),*] };
}

/// The test programs.
const PROGRAMS: &[&str] = programs!(names);

/// The namespaces of one test; removed when dropped.
struct Namespaces {
    prefix: String,
}

impl Namespaces {
    /// Makes the namespaces; `None`, after printing why, if that is impossible here.
    fn make(test: &str) -> Option<Self> {
        if let Some(reason) = obstacle() {
            eprintln!("skipped: {test}: {reason}");
            return None;
        }
        let namespaces = Self {
            prefix: format!("s{}{test}", std::process::id()),
        };
        namespaces.script("up");
        Some(namespaces)
    }

    /// The same with a switch that delays each packet by so many milliseconds.
    fn make_far(test: &str, milliseconds: u32) -> Option<(Self, Relay)> {
        let namespaces = Self::make(test)?;
        namespaces.script("open");
        let program = Compile::c("tests/c/relay.c")
            .flags(["-O1", "-Wall", "-Wextra"])
            .build();
        let mut ip = Command::new("ip");
        ip.args(["netns", "exec", &format!("{}sw", namespaces.prefix)]);
        ip.arg(program.path()).arg(milliseconds.to_string());
        ip.args((0..HOSTS).map(|host| format!("port{host}")));
        let mut relay = Started::new(&ip);
        relay.says("up\n");
        Some((namespaces, Relay(relay)))
    }

    fn script(&self, command: &str) {
        let mut script = Command::new(Stage::workspace().join("tests/namespaces.sh"));
        succeeds(script.args([command, &self.prefix, &HOSTS.to_string()]));
    }

    /// A job with its hosts in them.
    fn mpiexec(&self, ranks: usize) -> Mpiexec {
        let wrapper = format!("ip netns exec {}{{host}}", self.prefix);
        Stage::locate().mpiexec(ranks).options([
            "--hosts-per-node",
            &HOSTS.to_string(),
            "--host-wrapper",
            &wrapper,
            "--transport",
            "ofi",
            "--provider",
            "tcp",
            "--interface",
            "eth0",
        ])
    }

    /// A command that runs in one of them.
    fn inside(&self, host: usize, command: &Command) -> Command {
        let namespace = format!("{}{host}", self.prefix);
        behind(["ip", "netns", "exec", &namespace], command)
    }

    /// Runs a command in each of them.
    fn everywhere(&self, command: &[&str]) {
        for host in 0..HOSTS {
            let mut ip = Command::new("ip");
            succeeds(
                ip.args(["netns", "exec", &format!("{}{host}", self.prefix)])
                    .args(command),
            );
        }
    }

    /// The processes of a host's namespace.
    fn processes(&self, host: usize) -> Vec<String> {
        let mut ip = Command::new("ip");
        let output = ip
            .args(["netns", "pids", &format!("{}{host}", self.prefix)])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().map(str::to_owned).collect()
    }
}

/// The program that forwards packets between namespaces; ends with this process.
struct Relay(Started);

impl Drop for Relay {
    fn drop(&mut self) {
        signal(self.0.id(), Signal::KILL);
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        self.script("down");
    }
}

/// The reason why there cannot be namespaces here.
fn obstacle() -> Option<String> {
    if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() != 0) {
        return Some("only root makes network namespaces".to_owned());
    }
    let missing = |tool: &&str| Command::new(tool).arg("-V").output().is_err();
    let tool = ["ip", "nft"].into_iter().find(missing)?;
    Some(format!("{tool} is missing: apt-get install iproute2 nftables"))
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

/// Runs a test program; returns what went wrong.
fn failure(namespaces: &Namespaces, name: &str) -> Option<String> {
    let stage = Stage::locate();
    let program = programs::build(&stage, name);
    let outcome = namespaces.mpiexec(6).run(&program);
    let passed = outcome.success() && outcome.stdout == passed(6);
    (!passed).then(|| outcome.to_string())
}

#[test]
fn programs_pass_between_namespaces() {
    let Some(namespaces) = Namespaces::make("a") else {
        return;
    };
    let failures: Vec<_> = PROGRAMS
        .iter()
        .filter_map(|name| failure(&namespaces, name))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn ranks_of_a_rust_program_work_together_between_namespaces() {
    let Some(namespaces) = Namespaces::make("r") else {
        return;
    };
    for case in ["exchange", "windows", "futures", "groups"] {
        let outcome = namespaces.mpiexec(6).args([case]).run(&example("rust_job"));
        let lines: Vec<_> = (0..6).map(|rank| format!("rank {rank} of 6: sum 15")).collect();
        assert_eq!(
            outcome.expect_success().sorted_lines(),
            lines,
            "{case}: {outcome}"
        );
    }
    let outcome = namespaces.mpiexec(6).args(["16"]).run(&example("fft"));
    let line = "cube of side 16: four frequencies, digest ";
    assert!(outcome.expect_success().stdout.starts_with(line), "{outcome}");
}

#[test]
fn a_network_that_loses_packets_loses_no_messages() {
    let Some(namespaces) = Namespaces::make("b") else {
        return;
    };
    let rules = "table inet loss { chain input { type filter hook input priority 0; \
                 meta l4proto tcp numgen random mod 100 < 1 drop; }; }";
    namespaces.everywhere(&["nft", rules]);
    for name in ["matching", "exchange"] {
        assert_eq!(failure(&namespaces, name), None);
    }
}

#[test]
fn a_slow_network_only_takes_longer() {
    let Some(namespaces) = Namespaces::make("c") else {
        return;
    };
    let slow = "tc qdisc add dev eth0 root tbf rate 100mbit burst 4kb latency 400ms";
    namespaces.everywhere(&slow.split(' ').collect::<Vec<_>>());
    for name in ["matching", "exchange", "large_sends"] {
        assert_eq!(failure(&namespaces, name), None);
    }
}

#[test]
fn programs_of_open_mpi_find_each_other_over_a_network() {
    let (Some(program), Some(namespaces)) = (of_open_mpi("other_mpi"), Namespaces::make("h")) else {
        return;
    };
    let nodes: Vec<_> = (0..HOSTS)
        .map(|node| format!("{}{node}", namespaces.prefix))
        .collect();
    let mut mpiexec = Command::new(Stage::locate().tool("mpiexec"));
    mpiexec.args(["--launcher-exec", "ip netns exec", "-hosts", &nodes.join(",")]);
    mpiexec.args(["-n", "8"]).arg(program.path()).arg("2");
    let outcome = run(&mut mpiexec, Input::Bytes(b""), LIMIT).unwrap();
    assert_eq!(outcome.expect_success().stdout, passed(8), "{outcome}");
}

#[test]
fn a_network_with_delay_only_takes_longer() {
    let Some((namespaces, _relay)) = Namespaces::make_far("g", 5) else {
        return;
    };
    for name in ["matching", "exchange", "large_sends"] {
        assert_eq!(failure(&namespaces, name), None);
    }
}

/// Starts a job whose ranks communicate, does something to it, and expects it to end in time with a line on host 2.
fn ends_with_host_2(namespaces: &Namespaces, time: Duration, code: i32, act: impl FnOnce()) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_exchange.c").against(&stage).build();
    let mpiexec = namespaces.mpiexec(8).options(["--peer-timeout", "1"]);
    let mut job = Started::new(&mpiexec.command(&program));
    job.says("up\n");
    act();
    let outcome = job.ends(LIMIT);
    outcome.expect_end_after(time).expect_code(code);
    let text = &outcome.stderr;
    assert!(text.starts_with("simurgh: host 2 (ranks 4-5)"), "{outcome}");
    assert_eq!(text.lines().count(), 1, "{outcome}");
    assert!((0..HOSTS).all(|host| namespaces.processes(host).is_empty()));
}

#[test]
fn a_host_that_is_killed_ends_the_job_at_once() {
    let Some(namespaces) = Namespaces::make("d") else {
        return;
    };
    ends_with_host_2(&namespaces, Duration::ZERO, 137, || {
        let processes = namespaces.processes(2);
        assert_eq!(processes.len(), 1);
        succeeds(Command::new("kill").args(["-s", "KILL", &processes[0]]));
    });
}

#[test]
fn a_host_that_is_cut_off_ends_the_job_in_time() {
    let Some(namespaces) = Namespaces::make("e") else {
        return;
    };
    ends_with_host_2(&namespaces, LOSS, 1, || {
        let switch = format!("{}sw", namespaces.prefix);
        succeeds(Command::new("ip").args(["-n", &switch, "link", "set", "port2", "down"]));
    });
}

#[test]
fn a_host_that_is_stopped_ends_the_job_in_time() {
    let Some(namespaces) = Namespaces::make("f") else {
        return;
    };
    ends_with_host_2(&namespaces, LOSS, 1, || {
        let processes = namespaces.processes(2);
        succeeds(Command::new("kill").args(["-s", "STOP", &processes[0]]));
    });
}

/// A universe in a namespace, and the name of its file.
struct Universe {
    server: Started,
    file: PathBuf,
    _scratch: Scratch,
}

impl Universe {
    fn inside(namespaces: &Namespaces, host: usize) -> Self {
        let scratch = Scratch::new("universe-afar");
        let file = scratch.path().join("universe");
        let mut command = Command::new(Stage::locate().tool("simurgh"));
        command.arg("universe").arg(&file);
        Self {
            server: Started::new(&namespaces.inside(host, &command)),
            file,
            _scratch: scratch,
        }
    }

    /// An mpiexec in this universe, and in a namespace.
    fn job(&self, namespaces: &Namespaces, host: usize, binary: &Binary, arguments: &[&str]) -> Started {
        let options = ["--provider", "tcp", "--interface", "eth0", "--peer-timeout", "2"];
        let mpiexec = Stage::locate().mpiexec(2).options(options);
        let mpiexec = mpiexec.options(["--universe".as_ref(), self.file.as_os_str()]);
        Started::new(&namespaces.inside(host, &mpiexec.args(arguments).command(binary)))
    }
}

impl Drop for Universe {
    fn drop(&mut self) {
        signal(self.server.id(), Signal::TERM);
    }
}

fn against_stage(program: &str) -> Binary {
    Compile::c(format!("tests/c/{program}.c"))
        .flags(["-O1", "-Wall"])
        .against(&Stage::locate())
        .build()
}

#[test]
fn jobs_on_several_machines_meet_in_a_universe_on_another() {
    let Some(namespaces) = Namespaces::make("i") else {
        return;
    };
    let (universe, binary) = (Universe::inside(&namespaces, 0), against_stage("universe_meet"));
    let meet = |host, role| universe.job(&namespaces, host, &binary, &[role, "service", "meet"]);
    for job in [meet(1, "accept"), meet(2, "connect")] {
        let outcome = job.ends(LIMIT);
        assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
    }
}

#[test]
fn a_universe_whose_machine_is_cut_off_is_missed_in_time() {
    let Some(namespaces) = Namespaces::make("j") else {
        return;
    };
    let (universe, binary) = (Universe::inside(&namespaces, 0), against_stage("universe_ports"));
    let mut job = universe.job(&namespaces, 1, &binary, &["alone"]);
    job.says("up\n");
    let switch = format!("{}sw", namespaces.prefix);
    succeeds(Command::new("ip").args(["-n", &switch, "link", "set", "port0", "down"]));
    let outcome = job.ends(LIMIT);
    outcome.expect_end_within(Duration::from_secs(10));
    assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
    outcome.expect_stderr("the universe is lost");
}
