//! The job that a server serves: its processes, and their nodes.

use super::info_list::InfoList;
use crate::JOB_SIZE;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A job, and the node of it that a server serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name, which no other job has, since processes name files after it.
    pub name: CString,
    /// The names of its nodes.
    pub nodes: Vec<CString>,
    /// The number of the node whose processes the server serves.
    pub here: u32,
    /// The processes, by rank.
    pub processes: Vec<Process>,
    /// The directory in which the processes of this node keep files, each in a directory of its own
    /// ([`Job::files_of`]). Whoever starts the server makes these directories, and removes them when the processes have
    /// ended.
    pub files: PathBuf,
}

/// A process of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The number of its node.
    pub node: u32,
    /// The number of its program.
    pub program: u32,
}

impl Job {
    /// The number of its processes.
    pub(super) fn size(&self) -> u32 {
        u32::try_from(self.processes.len()).unwrap_or(u32::MAX)
    }

    /// The name of a node.
    pub(super) fn name_of(&self, node: u32) -> CString {
        self.nodes.get(node as usize).cloned().unwrap_or_default()
    }

    /// The ranks on a node.
    pub(super) fn on(&self, node: u32) -> Vec<u32> {
        let ranks = (0..).zip(&self.processes);
        let there = ranks.filter(|(_, process)| process.node == node);
        there.map(|(rank, _)| rank).collect()
    }

    /// Whether all these ranks are on the server's own node; all ranks of the job if none are named.
    pub(super) fn are_here(&self, ranks: &[u32]) -> bool {
        let is_here = |process: &Process| process.node == self.here;
        match ranks {
            [] => self.processes.iter().all(is_here),
            ranks => ranks
                .iter()
                .all(|&rank| self.processes.get(rank as usize).is_some_and(is_here)),
        }
    }

    /// The directory in which a process keeps files.
    #[must_use]
    pub fn files_of(&self, rank: u32) -> PathBuf {
        self.files.join(rank.to_string())
    }

    /// The description of the job for the library.
    pub(super) fn info(&self) -> InfoList {
        let mut nodes: Vec<u32> = self.processes.iter().map(|process| process.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let names = nodes
            .iter()
            .map(|&node| self.name_of(node).to_string_lossy().into_owned());
        let ranks: Vec<_> = nodes.iter().map(|&node| listed(&self.on(node))).collect();
        let own = self.on(self.here);
        let on_node = u32::try_from(own.len()).unwrap_or(u32::MAX);
        let programs = self.processes.iter().map(|process| process.program).max();
        let mut info = InfoList::default();
        info.text(c"pmix.jobid", self.name.clone())
            .number(c"pmix.univ.size", self.size())
            .number(JOB_SIZE, self.size())
            .number(c"pmix.max.size", self.size())
            .number(c"pmix.job.napps", programs.map_or(0, |last| last + 1))
            .number(c"pmix.num.nodes", u32::try_from(nodes.len()).unwrap_or(u32::MAX))
            .number(c"pmix.local.size", on_node)
            .number(c"pmix.node.size", on_node)
            .rank(c"pmix.lldr", own.first().copied().unwrap_or_default())
            .text(c"pmix.nmap", raw(&names.collect::<Vec<_>>().join(",")))
            .text(c"pmix.pmap", raw(&ranks.join(";")))
            .text(c"pmix.lpeers", text(listed(&own)))
            .text(c"pmix.nsdir", path(&self.files))
            .yes(c"pmix.tdir.rmclean");
        let mut places = vec![0; self.nodes.len()];
        for (rank, process) in (0..).zip(&self.processes) {
            let mut seat = 0;
            if let Some(next) = places.get_mut(process.node as usize) {
                seat = *next;
                *next += 1;
            }
            let node = nodes.partition_point(|&node| node < process.node);
            let mut own = InfoList::default();
            own.rank(c"pmix.rank", rank)
                .rank(c"pmix.grank", rank)
                .short(c"pmix.lrank", seat)
                .short(c"pmix.nrank", seat)
                .number(c"pmix.appnum", process.program)
                .number(c"pmix.nodeid", u32::try_from(node).unwrap_or(u32::MAX))
                .text(c"pmix.hname", self.name_of(process.node));
            if process.node == self.here {
                own.text(c"pmix.pdir", path(&self.files_of(rank)));
            }
            info.array(c"pmix.pdata", own);
        }
        info
    }
}

/// A list in which nothing is abbreviated.
fn raw(list: &str) -> CString {
    text(format!("raw:{list}"))
}

fn path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

fn text(text: String) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The ranks as `0,1,2`.
fn listed(ranks: &[u32]) -> String {
    let ranks: Vec<_> = ranks.iter().map(u32::to_string).collect();
    ranks.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_knows_which_processes_are_its_own() {
        let process = |node| Process { node, program: 0 };
        let job = Job {
            name: c"job".to_owned(),
            nodes: vec![c"a".to_owned(), c"b".to_owned(), c"c".to_owned()],
            here: 2,
            processes: [0, 2, 0, 2].map(process).to_vec(),
            files: PathBuf::from("/nowhere"),
        };
        assert_eq!(
            (job.on(0), job.on(1), job.on(2)),
            (vec![0, 2], vec![], vec![1, 3])
        );
        assert!(job.are_here(&[1, 3]) && job.are_here(&[3]));
        assert!(!job.are_here(&[]) && !job.are_here(&[0, 1]) && !job.are_here(&[9]));
    }
}
