//! The tree of processes, and signals to them.

use std::fs;
use std::io;

use rustix::process::{Pid, kill_process};

/// Signals, for [`signal`].
pub use rustix::process::Signal;

/// Sends a process a signal.
#[track_caller]
pub fn signal(process: u32, signal: Signal) {
    let pid = Pid::from_raw(process as i32).expect("the kernel gives no process the number 0");
    kill_process(pid, signal).unwrap_or_else(|error| panic!("process {process}: {error}"));
}

/// Whether a process has not ended; a zombie has.
pub fn is_alive(process: u32) -> bool {
    stat(process).is_some_and(|rest| !rest.starts_with(['Z', 'X']))
}

/// The children of a process's main thread, adopted ones included, in the order of their start.
pub fn children(process: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|child| child.parse().ok())
        .collect()
}

/// The process that supervises the job of an mpiexec: its child, whose children are hosts or agents.
#[track_caller]
pub fn supervisor(mpiexec: u32) -> u32 {
    let children = children(mpiexec);
    *children
        .first()
        .expect("mpiexec has started the process that supervises the job")
}

/// The parent of a process, if the process exists.
pub fn parent(process: u32) -> Option<u32> {
    let pairs = parents().unwrap_or_default();
    let own = pairs.iter().find(|(child, _)| *child == process);
    own.map(|(_, parent)| *parent)
}

/// Whether a process was started with a variable that begins with this text.
pub fn has_variable(process: u32, start: &str) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let mut variables = environment.split(|&byte| byte == 0);
    variables.any(|variable| variable.starts_with(start.as_bytes()))
}

/// The processes of the machine that were started with a variable that begins with this text.
pub fn marked(start: &str) -> Vec<u32> {
    let processes = parents().unwrap_or_default().into_iter();
    let all = processes.map(|(process, _)| process);
    all.filter(|process| has_variable(*process, start)).collect()
}

/// The words of a process's command line.
pub fn words(process: u32) -> String {
    let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    words.trim_end().to_owned()
}

/// Kills all descendants of this process.
pub fn kill_descendants() {
    for process in descendants(std::process::id()).unwrap_or_default() {
        if let Some(process) = Pid::from_raw(process as i32) {
            // The process may have ended by itself since it was listed.
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// All processes below `root`, parents before children.
pub(crate) fn descendants(root: u32) -> io::Result<Vec<u32>> {
    let parents = parents()?;
    let mut found = vec![root];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(
            parents
                .iter()
                .filter(|(_, p)| *p == parent)
                .map(|(process, _)| *process),
        );
        next += 1;
    }
    found.remove(0);
    Ok(found)
}

/// Each process of the machine, with its parent.
fn parents() -> io::Result<Vec<(u32, u32)>> {
    let mut pairs = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(process) = name.to_str().and_then(|n| n.parse().ok()) else {
            continue;
        };
        // A process that ended since the listing has no file any more.
        let parent = stat(process).and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
        pairs.extend(parent.map(|parent| (process, parent)));
    }
    Ok(pairs)
}

/// The fields of a process's status behind its name, which is in parentheses and may hold anything: its state, its
/// parent, and so on.
fn stat(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned())
}
