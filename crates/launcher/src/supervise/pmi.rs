//! PMI-1 for programs that are linked with another MPI, such as MPICH or Intel MPI: so they find each other.
//!
//! Any process that is a rank is offered it; ours use the control protocol instead. Lines are words `key=value`, the
//! first of which is `cmd`. What one process puts others get after the next barrier.

use super::ending::Verdict;
use super::{Member, Supervisor};
use simurgh_net::control::ToHost;
use simurgh_net::job::JobSpec;
use std::collections::BTreeMap;

/// Longest key and value, which clients ask for.
const KEY: usize = 64;
const VALUE: usize = 1024;

/// Most that processes put, in bytes.
const MOST: usize = 256 << 20;

/// What processes have put, and how many wait for each other.
#[derive(Default)]
pub(super) struct Space {
    /// Its name, from which clients make names of their own for what they share on a node.
    name: String,
    values: BTreeMap<String, String>,
    bytes: usize,
    waiting: u32,
}

/// What follows from a request.
#[derive(Debug, PartialEq, Eq)]
enum Effect {
    /// An answer to who has asked.
    Answer(String),
    /// The same for all.
    AnswerAll(String),
    /// Who has asked uses MPI from now on.
    Begin(String),
    /// Who has asked uses it no more.
    Finish(String),
    /// Who has asked ends the job.
    Abort(u8),
    /// Nothing.
    Wait,
}

impl Space {
    /// Of a job; what clients ask is where its processes are.
    pub(super) fn of(spec: &JobSpec) -> Self {
        let runs = spec.hosts.chunk_by(|a, b| a.node == b.node);
        let blocks = runs.map(|run| format!("({},1,{})", run[0].node, run.len()));
        let mapping = format!("(vector,{})", blocks.collect::<Vec<_>>().join(","));
        let mut space = Self {
            name: name(),
            ..Self::default()
        };
        // Who does not find it looks for himself who is near.
        if mapping.len() <= VALUE {
            space.values.insert("PMI_process_mapping".to_owned(), mapping);
        }
        space
    }

    fn act_on(&mut self, line: &str, total: u32) -> Effect {
        let words: BTreeMap<&str, &str> = line
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
            .collect();
        let word = |key: &str| words.get(key).copied().unwrap_or_default();
        match word("cmd") {
            "init" => Effect::Begin("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0".to_owned()),
            "get_maxes" => Effect::Answer(format!(
                "cmd=maxes rc=0 kvsname_max=256 keylen_max={KEY} vallen_max={VALUE}"
            )),
            "get_appnum" => Effect::Answer("cmd=appnum rc=0 appnum=0".to_owned()),
            "get_my_kvsname" => Effect::Answer(format!("cmd=my_kvsname rc=0 kvsname={}", self.name)),
            "get_universe_size" => Effect::Answer(format!("cmd=universe_size rc=0 size={total}")),
            "put" => self.put(word("key"), word("value")),
            "get" => Effect::Answer(match self.values.get(word("key")) {
                Some(value) => format!("cmd=get_result rc=0 msg=success value={value}"),
                None => "cmd=get_result rc=-1 msg=key_not_found value=unknown".to_owned(),
            }),
            "barrier_in" => {
                self.waiting += 1;
                if self.waiting < total {
                    return Effect::Wait;
                }
                self.waiting = 0;
                Effect::AnswerAll("cmd=barrier_out rc=0".to_owned())
            }
            "finalize" => Effect::Finish("cmd=finalize_ack rc=0".to_owned()),
            "abort" => Effect::Abort(
                word("exitcode")
                    .parse::<i32>()
                    .map_or(1, |code| code.to_le_bytes()[0]),
            ),
            other => Effect::Answer(format!("cmd={other}_result rc=-1 msg=not_supported")),
        }
    }

    fn put(&mut self, key: &str, value: &str) -> Effect {
        let refuse = |why: &str| Effect::Answer(format!("cmd=put_result rc=-1 msg={why}"));
        if key.is_empty() || key.len() >= KEY || value.len() >= VALUE {
            return refuse("too_long");
        }
        self.bytes += key.len() + value.len();
        if self.bytes > MOST {
            return refuse("no_room");
        }
        self.values.insert(key.to_owned(), value.to_owned());
        Effect::Answer("cmd=put_result rc=0 msg=success".to_owned())
    }
}

/// A name that no other job has.
fn name() -> String {
    let mut random = [0; 8];
    // Without random numbers the process's number has to do.
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    format!("kvs_{}_{:016x}", std::process::id(), u64::from_le_bytes(random))
}

impl Supervisor<'_> {
    /// A program speaks PMI.
    pub(super) fn serve_pmi(&mut self, host: usize, line: &str) {
        if self.members[host].world() > 0 {
            let member = &self.members[host];
            let reason =
                format!("{member} is linked with another MPI, whose processes cannot be spawned here");
            return self.give_up_growth(reason);
        }
        let total = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        let effect = self.space.act_on(line, total);
        match effect {
            Effect::Wait => {}
            Effect::Answer(line) => self.tell_one(host, ToHost::Pmi { line }),
            Effect::AnswerAll(line) => {
                for host in 0..self.members.len() {
                    self.tell_one(host, ToHost::Pmi { line: line.clone() });
                }
            }
            Effect::Begin(line) => {
                self.tell_one(host, ToHost::Pmi { line });
                self.members[host].join_by_pmi();
                if self.members.iter().all(Member::has_joined) {
                    self.enter(super::Phase::Running, None);
                } else {
                    self.look_for_the_missing();
                }
            }
            Effect::Finish(line) => {
                self.tell_one(host, ToHost::Pmi { line });
                self.ranks_ended(host, 0);
            }
            Effect::Abort(status) => {
                let message = format!("{} ended the job with status {status}", self.members[host]);
                self.conclude(Verdict { status, message });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(text: &str) -> Effect {
        Effect::Answer(text.to_owned())
    }

    #[test]
    fn what_one_puts_others_get() {
        let mut space = Space::default();
        let put = space.act_on("cmd=put kvsname=simurgh key=k value=a=b", 2);
        assert_eq!(put, answer("cmd=put_result rc=0 msg=success"));
        let got = space.act_on("cmd=get kvsname=simurgh key=k", 2);
        assert_eq!(got, answer("cmd=get_result rc=0 msg=success value=a=b"));
        let missing = space.act_on("cmd=get kvsname=simurgh key=x", 2);
        assert_eq!(
            missing,
            answer("cmd=get_result rc=-1 msg=key_not_found value=unknown")
        );
        let long = format!("cmd=put kvsname=simurgh key=k value={}", "x".repeat(VALUE));
        assert_eq!(
            space.act_on(&long, 2),
            answer("cmd=put_result rc=-1 msg=too_long")
        );
    }

    #[test]
    fn a_barrier_ends_when_all_have_come() {
        let mut space = Space::default();
        for _ in 0..2 {
            assert_eq!(space.act_on("cmd=barrier_in", 2), Effect::Wait);
            let all = Effect::AnswerAll("cmd=barrier_out rc=0".to_owned());
            assert_eq!(space.act_on("cmd=barrier_in", 2), all);
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let mut space = Space::default();
        assert_eq!(
            space.act_on("mcmd=spawn", 1),
            answer("cmd=_result rc=-1 msg=not_supported")
        );
        assert_eq!(space.act_on("cmd=abort exitcode=300", 1), Effect::Abort(44));
    }

    proptest! {
        #[test]
        fn any_line_gives_a_result(line in ".{0,64}") {
            let _ = Space::default().act_on(&line, 3);
        }
    }
}
