//! Jobs in allocations of a real Slurm, which `tests/slurm.sh` starts on this machine: four nodes in network
//! namespaces.
//!
//! Needs root and Slurm. Without them, the test reports that it is skipped, and why.

use simurgh_testing::{
    Binary, Compile, Input, LIMIT, Outcome, Scratch, Stage, Started, example, passed, run, sums, until,
};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

/// Nodes of the cluster.
const NODES: usize = 4;

/// The message of a job whose rank 1 aborts.
const ABORTED: &str = "simurgh: rank 1 ended the job with code 9: it called MPI_Abort\n";

/// Slurm and its nodes; stopped when dropped.
struct Cluster {
    scratch: Scratch,
    prefix: String,
}

impl Cluster {
    /// Starts the cluster; `None`, after printing why, if that is impossible here.
    fn up() -> Option<Self> {
        if let Some(reason) = obstacle() {
            eprintln!("skipped: {reason}");
            return None;
        }
        let cluster = Self {
            scratch: Scratch::new("slurm"),
            prefix: format!("l{}", std::process::id()),
        };
        let outcome = cluster.script("up", [NODES.to_string()]);
        assert!(outcome.success(), "{outcome}");
        Some(cluster)
    }

    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(Stage::workspace().join("tests/slurm.sh"));
        command.arg(what).arg(self.scratch.path()).arg(&self.prefix);
        command
    }

    fn script<S: AsRef<std::ffi::OsStr>>(&self, what: &str, words: impl IntoIterator<Item = S>) -> Outcome {
        let mut command = self.command(what);
        run(command.args(words), Input::Bytes(b"a\nb\n"), LIMIT).unwrap()
    }

    /// Runs a command where the controller is.
    fn run(&self, words: &[&str]) -> Outcome {
        self.script("run", words)
    }

    /// Runs `mpiexec` in an allocation.
    fn allocated(&self, allocation: &[&str], mpiexec: &[&str]) -> Outcome {
        let tool = mpiexec_path();
        self.run(&[&["salloc", "-Q"], allocation, &[&tool], mpiexec].concat())
    }

    /// The processes of a node that are not Slurm's own.
    fn processes(&self, node: usize) -> Vec<String> {
        let mut ip = Command::new("ip");
        let pids = ip
            .args(["netns", "pids", &format!("{}{node}", self.prefix)])
            .output()
            .unwrap();
        let pids = String::from_utf8_lossy(&pids.stdout).into_owned();
        let name = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let names = pids.split_whitespace().map(name);
        names
            .filter(|name| !name.is_empty() && !name.starts_with("slurm"))
            .collect()
    }

    /// Checks that nothing of a job is left on any node, at once or soon.
    #[track_caller]
    fn is_clean(&self) {
        let left = || -> Vec<_> { (0..NODES).flat_map(|node| self.processes(node)).collect() };
        assert!(until(LIMIT, || left().is_empty()), "{:?}", left());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("down", [NODES.to_string()]);
    }
}

/// The reason why there cannot be a cluster here.
fn obstacle() -> Option<String> {
    if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() != 0) {
        return Some("only root makes network namespaces".to_owned());
    }
    let tools = ["ip", "slurmctld", "slurmd", "salloc", "munged"];
    let missing = tools
        .into_iter()
        .find(|tool| Command::new(tool).arg("-V").output().is_err())?;
    Some(format!(
        "{missing} is missing: apt-get install iproute2 munge slurmctld slurmd slurm-client"
    ))
}

fn mpiexec_path() -> String {
    Stage::locate().tool("mpiexec").to_str().unwrap().to_owned()
}

fn path(program: &Binary) -> &str {
    program.path().to_str().unwrap()
}

#[test]
fn jobs_run_in_allocations_of_slurm() {
    let Some(cluster) = Cluster::up() else { return };
    // This program finds our library by itself.
    let program = Compile::by(Stage::locate().tool("mpicc"), "tests/c/launch_mpi.c").build();
    let plain = Compile::c("tests/c/launch_plain.c").build();
    let (mpi, plain) = (path(&program), path(&plain));

    places(&cluster, mpi);
    streams(&cluster, plain);
    ends(&cluster, mpi);
    tasks(&cluster, mpi);
    rust(&cluster);
    spawn(&cluster);
    batch(&cluster, mpi);
    cancel(&cluster);
    kill(&cluster);
}

/// There are as many ranks as tasks, wherever they are, so only a part of the nodes has some.
fn places(cluster: &Cluster, mpi: &str) {
    for (allocation, options, ranks) in [
        (&["-N4"][..], &[][..], 4),
        (&["-N2", "-n5"], &[], 5),
        (&["-N4"], &["-n", "3", "-ppn", "2"], 3),
        (&["-N3"], &["-hosts", "n1,n3:2"], 3),
    ] {
        let outcome = cluster.allocated(allocation, &[options, &[mpi]].concat());
        assert_eq!(outcome.expect_success().sorted_lines(), sums(ranks), "{outcome}");
        outcome.expect_no_complaints();
    }
}

/// Names of nodes, the environment, the input of ranks, and tags.
fn streams(cluster: &Cluster, plain: &str) {
    let says = |nodes, words: &[&str], expected: &[&str]| {
        let outcome = cluster.allocated(&[nodes], &[&["-l"], words].concat());
        assert_eq!(outcome.expect_success().sorted_lines(), expected, "{outcome}");
    };
    says("-N4", &["hostname"], &["[0] n1", "[1] n2", "[2] n3", "[3] n4"]);
    let shows = ["-genv", "SHOWN", "x y", plain, "env", "SHOWN"];
    says("-N2", &shows, &["[0] SHOWN=x y", "[1] SHOWN=x y"]);
    says("-N2", &[plain, "stdin"], &["[0] 2 lines", "[1] 0 lines"]);
}

/// Ends, and jobs that do not begin.
fn ends(cluster: &Cluster, mpi: &str) {
    let outcome = cluster.allocated(&["-N4"], &["-n", "8", mpi, "abort", "9"]);
    outcome.expect_code(9).expect_stderr(ABORTED);
    cluster
        .allocated(&["-N2"], &["-hosts", "n7", mpi])
        .expect_code(2)
        .expect_stderr("n7 is none of the nodes that Slurm has allocated: n1, n2");
    cluster
        .run(&[&mpiexec_path(), "--launcher", "slurm", "-n", "2", mpi])
        .expect_code(2)
        .expect_stderr("works in an allocation of Slurm only");
    cluster.is_clean();
}

/// Slurm starts the program itself.
fn tasks(cluster: &Cluster, mpi: &str) {
    for (mpi_of_slurm, version) in [("pmi2", "auto"), ("pmi2", "pmi2"), ("pmix", "auto")] {
        let version = format!("--export=ALL,SIMURGH_PMI={version}");
        let how = format!("--mpi={mpi_of_slurm}");
        let outcome = cluster.run(&["srun", "-Q", &how, &version, "-N4", "-n6", mpi]);
        assert_eq!(outcome.expect_success().sorted_lines(), sums(6), "{outcome}");
        let outcome = cluster.run(&["srun", "-Q", &how, &version, "-N4", "-n6", mpi, "abort", "9"]);
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr(ABORTED);
    }
    cluster
        .run(&["srun", "-Q", "--mpi=none", "-N2", mpi])
        .expect_code(1)
        .expect_stderr(
            "simurgh: srun has started 2 tasks of this program without a way for them to find each other",
        );
}

/// A Rust program: each node has a process with the ranks of the node, and each task of srun is a rank.
fn rust(cluster: &Cluster) {
    let program = example("rust_job");
    let program = program.to_str().expect("a path that is text");
    let outcome = cluster.allocated(&["-N2"], &["-n", "6", program, "who"]);
    assert_eq!(
        outcome.expect_success().sorted_lines(),
        ["0..3 ", "3..6 "],
        "{outcome}"
    );
    let sums: Vec<_> = (0..5).map(|rank| format!("rank {rank} of 5: sum 10")).collect();
    for start in [
        &["salloc", "-Q", "-N3", &mpiexec_path(), "-n", "5"][..],
        &["srun", "-Q", "--mpi=pmi2", "-N3", "-n5"],
        &["srun", "-Q", "--mpi=pmix", "-N3", "-n5"],
    ] {
        let outcome = cluster.run(&[start, &[program, "exchange"]].concat());
        assert_eq!(outcome.expect_success().sorted_lines(), sums, "{outcome}");
        let outcome = cluster.run(&[start, &[program, "panic"]].concat());
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr("simurgh: rank 4 panicked at tests/rust/job.rs:");
    }
    cluster.is_clean();
}

/// Ranks start others, whose hosts the agents of Slurm's tasks start on all nodes.
fn spawn(cluster: &Cluster) {
    let by_mpicc = |source| Compile::by(Stage::locate().tool("mpicc"), source).build();
    let (talks, tells) = (by_mpicc("tests/c/mpi_spawn.c"), by_mpicc("tests/c/spawn_where.c"));
    let directory = std::env::current_dir().unwrap();
    let told = (0..4).map(|rank| format!("child {rank} of 4, 2 on its node, in {}", directory.display()));
    let told: Vec<_> = told.collect();
    for mode in ["threads", "processes"] {
        let allocated = |program: &[&str]| {
            let options = ["-n", "2", "--mode", mode];
            cluster.allocated(&["-N2"], &[&options, program].concat())
        };
        let outcome = allocated(&[path(&talks)]);
        assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
        let outcome = allocated(&[path(&tells), "4"]);
        assert_eq!(outcome.expect_success().sorted_lines(), told, "{outcome}");
    }
    cluster.is_clean();
}

/// A batch script runs two jobs, one after the other.
fn batch(cluster: &Cluster, mpi: &str) {
    let tool = mpiexec_path();
    let script = format!("#!/bin/sh\n{tool} {mpi}\n{tool} -l -n 3 hostname\n");
    let script = cluster.scratch.write("batch", &script);
    let output = cluster.scratch.path().join("output");
    let (script, output) = (script.to_str().unwrap(), output.to_str().unwrap());
    cluster
        .run(&["sbatch", "-Q", "--wait", "-N3", "-o", output, script])
        .expect_success();
    let text = std::fs::read_to_string(output).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    let names = ["[0] n1", "[1] n2", "[2] n3"].map(str::to_owned);
    assert_eq!(lines, [&names[..], &sums(3)].concat());
}

/// A job whose ranks have printed that they are up, something that ends it, and the expected message.
fn ended_by(cluster: &Cluster, act: impl FnOnce()) -> String {
    let program = Compile::c("tests/c/launch_wait.c").build();
    let mut command = cluster.command("run");
    command.args([
        "salloc",
        "-Q",
        "-N4",
        "-Jwaits",
        &mpiexec_path(),
        "--mode",
        "threads",
        path(&program),
        "sleep",
    ]);
    let mut job = Started::new(&command);
    job.says(&"up\n".repeat(NODES));
    act();
    let outcome = job.ends(LIMIT);
    assert!(!outcome.timed_out && !outcome.success(), "{outcome}");
    cluster.is_clean();
    outcome.stderr
}

fn cancel(cluster: &Cluster) {
    ended_by(cluster, || {
        cluster.run(&["scancel", "-n", "waits"]).expect_success();
    });
}

fn kill(cluster: &Cluster) {
    let text = ended_by(cluster, || {
        let mut ip = Command::new("ip");
        let pids = ip
            .args(["netns", "pids", &format!("{}2", cluster.prefix)])
            .output()
            .unwrap();
        for pid in String::from_utf8_lossy(&pids.stdout).split_whitespace() {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            if name == "simurgh-host\n" {
                assert!(
                    Command::new("kill")
                        .args(["-s", "KILL", pid])
                        .status()
                        .unwrap()
                        .success()
                );
            }
        }
    });
    assert_eq!(text, "simurgh: host 2 (rank 2 on n3) was killed by signal 9\n");
}
