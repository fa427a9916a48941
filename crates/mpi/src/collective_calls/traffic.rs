//! What collectives move between ranks, for communication profiles.
//!
//! Each rank counts what goes from it to others, by the operation alone and not by the algorithm, as if every rank
//! moved its data itself:
//!
//! * Data that arrives as it was sent counts as a message from the rank that has it to each rank that gets it.
//! * A reduction at a root counts as a message from each other rank. One at all ranks counts as two halves: each rank
//!   reduces one of as many equal parts, for which the others send it theirs, and sends the result to the others. A
//!   reduction whose parts stay with the ranks is the first half only.
//! * In a scan each rank sends to the next one.
//!
//! On one host the runtime moves the same, from buffer to buffer. Between hosts, leaders of hosts may send less.

use crate::collective::{Buffers, Call, Outgoing, Task};
use crate::comm::Comm;
use crate::instrument::{self, Way};
use crate::memory::{Source, Target};
use std::cell::RefCell;

/// What goes from a rank to others in one collective.
pub(super) struct Outflow<'a> {
    comm: &'a Comm,
    /// Is told the process that gets data, and the bytes.
    count: &'a dyn Fn(u32, usize),
}

impl Comm {
    /// Reports that the rank takes part in a collective, and what it sends in it if its communication is profiled.
    #[inline]
    pub(super) fn report(&self, call: Call, outflow: impl FnOnce(&Outflow<'_>)) {
        if instrument::on() {
            self.report_watched(call, outflow);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_watched(&self, call: Call, outflow: impl FnOnce(&Outflow<'_>)) {
        let process = self.process();
        instrument::collective(process, call.name());
        if process.tool().counts_peers() {
            outflow(&Outflow {
                comm: self,
                count: &|to, bytes| instrument::exchanged(process, Way::To, to, bytes),
            });
        }
    }

    /// What the rank sends, to which processes, each time a persistent collective is started; nothing if its
    /// communication is not profiled.
    pub(super) fn outflow(&self, task: &Task, buffers: &Buffers) -> Outgoing {
        let all = RefCell::new(Vec::new());
        if instrument::on() && self.process().tool().counts_peers() {
            let count = &|to, bytes| all.borrow_mut().push((to, bytes));
            Outflow { comm: self, count }.collective(task, buffers);
        }
        all.into_inner().into()
    }
}

impl Outflow<'_> {
    /// A message to the rank at a seat.
    fn to(&self, seat: usize, bytes: usize) {
        let process = self.comm.shared().members.process(seat);
        if let Some(process) = process.filter(|_| seat != self.comm.seat()) {
            (self.count)(process, bytes);
        }
    }

    /// A message to each rank that gets data from this one; its length by the rank in its group.
    pub(super) fn to_peers(&self, bytes: impl Fn(usize) -> usize) {
        let sizes = self.comm.group_sizes();
        for seat in sizes.peers_of(self.comm.seat()) {
            self.to(seat, bytes(sizes.rank(seat)));
        }
    }

    /// What the root of a broadcast sends.
    pub(super) fn broadcast(&self, root: usize, bytes: usize) {
        if root == self.comm.seat() {
            self.to_peers(|_| bytes);
        }
    }

    /// What this rank contributes to a reduction of so many bytes, at a root or at all ranks.
    pub(super) fn reduce(&self, root: Option<usize>, bytes: usize) {
        if let Some(root) = root {
            return self.to(root, bytes);
        }
        let sizes = self.comm.group_sizes();
        let own = self.comm.seat();
        let part = |ranks: usize| bytes.div_ceil(ranks.max(1));
        let reducers = sizes.peers_of(own);
        let users = sizes.group_of(own);
        if reducers == users {
            return self.to_peers(|_| 2 * part(reducers.len()));
        }
        self.to_peers(|_| part(reducers.len()));
        let all = part(users.len());
        users.for_each(|seat| self.to(seat, all));
    }

    /// What this rank sends in any collective.
    pub(super) fn collective(&self, task: &Task, buffers: &Buffers) {
        let own = self.comm.seat();
        let whole = || {
            let source = buffers.whole_source().map(Source::bytes);
            source
                .or_else(|| buffers.whole_target().map(Target::bytes))
                .unwrap_or(0)
        };
        let source_part = |rank| buffers.source_part(rank).map_or(0, |part| part.bytes());
        let target_part = |rank| buffers.target_part(rank).map_or(0, |part| part.bytes());
        match task {
            Task::Barrier | Task::ProcNull { .. } => {}
            Task::Broadcast { root } => self.broadcast(*root, whole()),
            Task::Scatter { root } if *root == own => self.to_peers(source_part),
            Task::Scatter { .. } => {}
            Task::Gather { root } => self.to(*root, whole()),
            Task::Allgather => self.to_peers(|_| whole()),
            Task::Alltoall => self.to_peers(source_part),
            Task::AlltoallInPlace => self.to_peers(target_part),
            Task::NeighborAllgather { in_edges } | Task::NeighborAlltoall { in_edges } => {
                for seat in 0..self.comm.size() {
                    for edge in in_edges.of(seat).iter().flatten() {
                        if edge.rank as usize == own {
                            let part = edge.out_index as usize;
                            self.to(
                                seat,
                                if task.gives_whole() {
                                    whole()
                                } else {
                                    source_part(part)
                                },
                            );
                        }
                    }
                }
            }
            Task::Reduce { root, .. } => self.reduce(Some(*root), whole()),
            Task::Allreduce { .. } => self.reduce(None, whole()),
            Task::ReduceScatter { counts, .. } => {
                let element = buffers
                    .whole_source()
                    .map_or(0, |source| source.datatype().size());
                let even = || whole() / self.comm.peers().max(1);
                self.to_peers(|rank| counts.at(rank).map_or_else(even, |count| count * element));
            }
            Task::Scan { .. } | Task::Exscan { .. } => {
                if own + 1 < self.comm.size() {
                    self.to(own + 1, whole());
                }
            }
        }
    }
}
