//! The inter-host phase of one collective on one host.

use simurgh_settings::rules::Algorithm;

use super::super::all_buffers::AllBuffers;
use super::super::share::Share;
use super::super::task::Task;
use super::channel::Channel;
use super::known_buffers::KnownBuffers;
use super::parcel_exchange::ParcelExchange;
use super::reduction::Reduction;
use super::slices::in_slices;
use super::transport::Transport;
use super::{allgather, broadcast, dissemination};
use crate::error::Result;
use crate::job::Job;
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::memory::Source;
use crate::op::Op;
use crate::selection::InterHostChoice;

/// The inter-host phase of a collective, as the leader of one host carries it out.
pub(super) struct InterHostPhase<'a, 'b, W> {
    pub(super) channel: &'b Channel<'a, W>,
    pub(super) task: &'b Task,
    pub(super) group_sizes: GroupSizes,
    pub(super) host_map: &'b HostMap,
    pub(super) job: &'b Job,
}

impl<W: Transport> InterHostPhase<'_, '_, W> {
    /// Does this host's part; `known_buffers` has the buffers of its ranks.
    pub(super) fn run(&self, mut known_buffers: KnownBuffers<'_>) -> Result<()> {
        match self.task {
            Task::Barrier => dissemination::barrier(self.channel),
            Task::ProcNull { .. } => Ok(()),
            _ if self.task.op().is_some() => self.combine(&mut known_buffers),
            _ => self.move_data(known_buffers.all_buffers()),
        }
    }

    /// Chooses the algorithm between hosts; `bytes` is the amount of data as far as all hosts can tell.
    /// Inter-communicators always use parcels.
    fn choose(&self, bytes: usize) -> InterHostChoice {
        match self.group_sizes.right {
            0 => self
                .job
                .inter_host_choice(self.task.operation(), self.host_map, bytes),
            _ => InterHostChoice {
                algorithm: Algorithm::Parcels,
                slices: 1,
            },
        }
    }

    fn exchange(&self) -> ParcelExchange<'_, '_, W> {
        ParcelExchange {
            channel: self.channel,
            task: self.task,
            group_sizes: self.group_sizes,
            host_map: self.host_map,
            share: Share::ALL,
        }
    }

    fn move_data(&self, all_buffers: AllBuffers<'_>) -> Result<()> {
        let (channel, host_map) = (self.channel, self.host_map);
        let choice = self.choose(match self.task {
            Task::Broadcast { root } => broadcast::bytes_here(all_buffers, host_map, *root),
            Task::Allgather => all_buffers.bytes_here(host_map),
            // If parts differ, ranks receive different amounts.
            Task::Alltoall if all_buffers.have_even_parts(host_map) => all_buffers.bytes_here(host_map),
            _ => 0,
        });
        match (self.task, choice.algorithm) {
            (Task::Broadcast { root }, Algorithm::Binomial | Algorithm::Ring) => {
                broadcast::broadcast(channel, all_buffers, host_map, *root, choice)
            }
            (Task::Allgather, Algorithm::Bruck | Algorithm::Ring) => {
                allgather::allgather(channel, all_buffers, host_map, choice)
            }
            (Task::Allgather | Task::Alltoall, _) => in_slices(
                channel,
                choice.slices.min(host_map.most_seats()),
                |channel, share| {
                    let exchange = ParcelExchange {
                        channel,
                        share,
                        ..self.exchange()
                    };
                    exchange.run(all_buffers)
                },
            ),
            _ => self.exchange().run(all_buffers),
        }
    }

    fn combine(&self, known_buffers: &mut KnownBuffers<'_>) -> Result<()> {
        let like = operand_here(known_buffers.all_buffers(), self.host_map);
        let choice = self.choose(like.as_ref().map_or(0, Source::bytes));
        let in_order = |op: &Op| op.is_commutative() && !self.is_prefix() || self.host_map.is_ordered();
        match (self.task.op(), like) {
            (Some(op), Some(like)) if choice.algorithm != Algorithm::Parcels && in_order(op) => {
                let (channel, host_map, task) = (self.channel, self.host_map, self.task);
                Reduction {
                    channel,
                    host_map,
                    task,
                    op,
                    choice,
                }
                .perform(known_buffers, &like)
            }
            (_, like) => self.combine_all(known_buffers, like.as_ref()),
        }
    }

    /// Whether it is a prefix reduction: every rank gets another result, which depends on the order of ranks.
    fn is_prefix(&self) -> bool {
        matches!(self.task, Task::Scan { .. } | Task::Exscan { .. })
    }

    /// Combines the operands of all ranks on every host that needs the result.
    fn combine_all(&self, known_buffers: &mut KnownBuffers<'_>, like: Option<&Source>) -> Result<()> {
        self.exchange().collect(known_buffers, like)?;
        let all_buffers = known_buffers.all_buffers();
        match self.task {
            Task::Reduce { root, .. } if !all_buffers.is_here(*root) => Ok(()),
            task if task.calls_program() => task.complete(all_buffers),
            task => task.complete_in_pieces(all_buffers),
        }
    }
}

/// The operand of a rank of this host in a reduction. The others bring as many elements.
fn operand_here(all_buffers: AllBuffers<'_>, host_map: &HostMap) -> Option<Source> {
    let mut seats = host_map.local_seats().iter();
    seats.find_map(|&seat| all_buffers.at(seat as usize).source())
}
