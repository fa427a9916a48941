//! A sandbox, in which nothing that a job leaves behind is overlooked.

use simurgh_testing::{Deadline, behind, marked, words};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The variable that marks the processes of a job.
const MARK: &str = "SIMURGH_TEST_MARK";

/// The state of a TCP connection that the kernel keeps for a while without a process.
const TIME_WAIT: &str = "06";

/// A script that makes the namespaces, prints a line, and keeps them for as long as its input is open.
const KEEPER: &str = "mount -t tmpfs sandbox /dev/shm && ip link set lo up && echo up && read -r _";

/// The namespaces of files and of the network in which jobs run, if they can be made here.
pub(crate) struct Sandbox {
    keeper: Option<Child>,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "--net", "sh", "-c", KEEPER]);
        let mut keeper = unshare
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let output = keeper.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut said).unwrap();
        if said == "up\n" {
            return Self { keeper: Some(keeper) };
        }
        keeper.wait().unwrap();
        eprintln!("skipped: looking for sockets and files: there is no root to make namespaces");
        Self { keeper: None }
    }

    /// A new mark for a job.
    pub(crate) fn mark() -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("{MARK}={}-{number}.", std::process::id())
    }

    /// The command, in the sandbox and with a mark.
    pub(crate) fn command(&self, command: &Command, mark: &str) -> Command {
        let marked = behind(["env", "TMPDIR=/dev/shm", mark], command);
        match &self.keeper {
            Some(keeper) => {
                let keeper = keeper.id().to_string();
                behind(["nsenter", "--target", &keeper, "--mount", "--net"], &marked)
            }
            None => marked,
        }
    }

    /// Waits until nothing is left of the job with the mark; returns what is, if that takes too long.
    pub(crate) fn leftovers(&self, mark: &str, deadline: &mut Deadline) -> Vec<String> {
        let described = |process: &u32| format!("{process}: {}", words(*process));
        loop {
            let processes = marked(mark).iter().map(described).collect();
            let left = [processes, self.sockets(), self.files()].concat();
            if left.is_empty() || deadline.has_passed() {
                return left;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn sockets(&self) -> Vec<String> {
        let Some(keeper) = &self.keeper else {
            return Vec::new();
        };
        let list = |kind| fs::read_to_string(format!("/proc/{}/net/{kind}", keeper.id())).unwrap_or_default();
        let kinds = ["tcp", "tcp6", "udp", "unix"];
        let lines = kinds.map(|kind| list(kind).lines().skip(1).map(str::to_owned).collect());
        let lines: Vec<String> = lines.into_iter().flat_map(|lines: Vec<_>| lines).collect();
        let is_kept = |line: &String| line.split_whitespace().nth(3) == Some(TIME_WAIT);
        lines.into_iter().filter(|line| !is_kept(line)).collect()
    }

    fn files(&self) -> Vec<String> {
        let Some(keeper) = &self.keeper else {
            return Vec::new();
        };
        let list = fs::read_dir(format!("/proc/{}/root/dev/shm", keeper.id())).unwrap();
        list.map(|entry| entry.unwrap().path().display().to_string())
            .collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            drop(keeper.stdin.take());
            // Its exit status does not concern the test.
            let _ = keeper.wait();
        }
    }
}
