//! The check that the arguments of ranks on several hosts are consistent, when everything is to be checked.
//!
//! Each host sends a summary of what its ranks call, of their operands in a reduction, and of what they send to ranks
//! of other hosts. Then each host tells whether it has found a fault. So all ranks report the same mistake, before any
//! data moves.
//!
//! Cost: twice log2 H rounds, in which all summaries go to all hosts.

use super::super::all_buffers::AllBuffers;
use super::super::call::{Call, CallDescription};
use super::super::consistency::{ContentSummary, check_consistency, mismatch, unequal_operands};
use super::super::role::check_roots;
use super::super::task::Task;
use super::allgather_among_hosts;
use super::channel::malformed;
use super::parcel::Key;
use crate::error::{Error, Result};
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::network::HostChannel;
use crate::portable::{self, portable};
use std::collections::{BTreeMap, HashMap};

/// The summary of a host's ranks.
struct HostSummary {
    /// The inconsistency among the ranks of this host, if there is one.
    fault: Option<Error>,
    call: CallDescription,
    /// On an inter-communicator, what each rank passes as root.
    roots: Vec<Option<i32>>,
    /// The seat of a rank, and its operand in a reduction.
    operand: Option<(u32, ContentSummary)>,
    /// Their data for ranks of other hosts: sender, part, and elements.
    sends: Vec<(u32, u32, ContentSummary)>,
}

portable! {
    HostSummary { fault, call, roots, operand, sends }
}

/// The subject of the exchange.
const SUBJECT: &str = "a collective";

/// The comparison, as the leader of a host makes it.
pub(super) struct ConsistencyCheck<'a> {
    pub(super) host_channel: HostChannel<'a>,
    pub(super) host_map: &'a HostMap,
    pub(super) group_sizes: GroupSizes,
    pub(super) call: Call,
    /// `None` if no rank here knows what there is to do.
    pub(super) task: Option<&'a Task>,
    pub(super) all_buffers: AllBuffers<'a>,
}

impl ConsistencyCheck<'_> {
    /// Compares the arguments of the ranks of all hosts. `same_call` says whether the ranks here are in the same call;
    /// `calls` are their calls.
    pub(super) fn make(&self, same_call: Result<()>, calls: impl Iterator<Item = Call>) -> Result<()> {
        let found = same_call.and_then(|()| match self.task {
            Some(task) => check_consistency(self.call, task, self.all_buffers),
            None => Ok(()),
        });
        let own = HostSummary {
            fault: found.err(),
            call: CallDescription::of(self.call),
            roots: calls.map(Call::passed_root).collect(),
            operand: self.operand_here(),
            sends: self.sends(),
        };
        let summaries = allgather_among_hosts(
            self.host_channel,
            self.host_map,
            SUBJECT,
            Ok(portable::pack(&own)),
        )?;
        let summaries: Option<Vec<HostSummary>> =
            summaries.iter().map(|bytes| portable::unpack(bytes)).collect();
        let summaries = summaries.ok_or_else(malformed)?;
        self.compare(&summaries)?;
        // Faults that only this host can find.
        let found: Option<Error> = self.compare_sent(&summaries).err();
        let verdicts = allgather_among_hosts(
            self.host_channel,
            self.host_map,
            SUBJECT,
            Ok(portable::pack(&found)),
        )?;
        for verdict in verdicts {
            let verdict: Option<Error> = portable::unpack(&verdict).ok_or_else(malformed)?;
            verdict.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    fn name(&self, host: usize) -> String {
        self.group_sizes.name(self.host_map.seats(host)[0] as usize)
    }

    /// The operand of a rank of this host in a reduction. The others here bring the same.
    fn operand_here(&self) -> Option<(u32, ContentSummary)> {
        self.task?.op()?;
        let mut seats = self.host_map.local_seats().iter();
        seats.find_map(|&seat| {
            Some((
                seat,
                ContentSummary::sent(self.all_buffers.at(seat as usize).whole_source()?),
            ))
        })
    }

    /// The data of this host's ranks for ranks of others, each part once.
    fn sends(&self) -> Vec<(u32, u32, ContentSummary)> {
        let Some(task) = self.task.filter(|task| task.op().is_none()) else {
            return Vec::new();
        };
        let mut sent = BTreeMap::new();
        let others = (0..self.group_sizes.seats()).filter(|seat| !self.all_buffers.is_here(*seat));
        for edge in others.flat_map(|to| task.edges_to(self.group_sizes, to)) {
            if self.all_buffers.is_here(edge.from)
                && let Some(source) = task.source_of(self.all_buffers, edge)
            {
                let Key { from, part } = Key::on(task, edge);
                sent.entry((from, part))
                    .or_insert_with(|| ContentSummary::sent(&source));
            }
        }
        sent.into_iter()
            .map(|((from, part), summary)| (from, part, summary))
            .collect()
    }

    /// The faults that all hosts find alike.
    fn compare(&self, summaries: &[HostSummary]) -> Result<()> {
        for summary in summaries {
            summary.fault.clone().map_or(Ok(()), Err)?;
        }
        for (host, summary) in summaries.iter().enumerate() {
            summaries[0]
                .call
                .agree(&self.name(0), &summary.call, &self.name(host))?;
        }
        self.compare_roots(summaries)?;
        let mut operands = summaries.iter().filter_map(|summary| summary.operand.clone());
        let Some((first, one)) = operands.next().filter(|_| self.group_sizes.right == 0) else {
            return Ok(());
        };
        match operands.find(|(_, other)| !other.matches(&one)) {
            None => Ok(()),
            Some((seat, other)) => {
                let name = |seat: u32| self.group_sizes.name(seat as usize);
                Err(unequal_operands(
                    &self.call,
                    (name(first), "brings", one),
                    (name(seat), "brings", other),
                ))
            }
        }
    }

    fn compare_roots(&self, summaries: &[HostSummary]) -> Result<()> {
        let passed = |seat: usize| {
            let host = self.host_map.position_of(seat);
            let roots = &summaries[host].roots;
            roots.get(self.host_map.local_index_of(seat)).copied().flatten()
        };
        match passed(0) {
            None => Ok(()),
            Some(_) => check_roots(passed, self.group_sizes).map(drop),
        }
    }

    /// Refuses data of other hosts' ranks that is not what the ranks of this host receive.
    fn compare_sent(&self, summaries: &[HostSummary]) -> Result<()> {
        let Some(task) = self.task else {
            return Ok(());
        };
        let sent = summaries.iter().flat_map(|summary| &summary.sends);
        let sent: HashMap<_, _> = sent
            .map(|(from, part, summary)| ((*from, *part), summary))
            .collect();
        for edge in self
            .host_map
            .local_seats()
            .iter()
            .flat_map(|&to| task.edges_to(self.group_sizes, to as usize))
        {
            let Key { from, part } = Key::on(task, edge);
            let taken = task
                .target_of(self.all_buffers, edge)
                .as_ref()
                .map(ContentSummary::received);
            if !self.all_buffers.is_here(edge.from)
                && let (Some(sent), Some(taken)) = (sent.get(&(from, part)), taken)
                && !sent.matches(&taken)
            {
                let names = (self.group_sizes.name(edge.from), self.group_sizes.name(edge.to));
                return Err(mismatch(&self.call, names, sent, &taken));
            }
        }
        Ok(())
    }
}
