//! What one host does in a collective of several.

use simurgh_settings::rules::Algorithm;

use super::super::offers::Offers;
use super::super::share::Share;
use super::super::task::Task;
use super::everybody::Everybody;
use super::reduction::Reduction;
use super::shipping::Shipping;
use super::slices::in_slices;
use super::talk::Talk;
use super::way::Way;
use super::{allgather, broadcast, dissemination};
use crate::error::Result;
use crate::job::Job;
use crate::members::Seating;
use crate::members::Span;
use crate::memory::Source;
use crate::op::Op;
use crate::selection::Between;

/// A collective as one of its hosts conducts it.
pub(super) struct Conduct<'a, 'b, W> {
    pub(super) talk: &'b Talk<'a, W>,
    pub(super) task: &'b Task,
    pub(super) seating: Seating,
    pub(super) span: &'b Span,
    pub(super) job: &'b Job,
}

impl<W: Way> Conduct<'_, '_, W> {
    /// Does the part of this host, whose ranks have laid their offers.
    pub(super) fn carry_out(&self, mut everybody: Everybody<'_>) -> Result<()> {
        match self.task {
            Task::Barrier => dissemination::barrier(self.talk),
            Task::Aside { .. } => Ok(()),
            _ if self.task.op().is_some() => self.combine(&mut everybody),
            _ => self.move_data(everybody.offers()),
        }
    }

    /// How the hosts do it with each other, when so many bytes go around as all of them can tell. Two groups always
    /// send each other what they need.
    fn between(&self, bytes: usize) -> Between {
        match self.seating.right {
            0 => self.job.between(self.task.operation(), self.span, bytes),
            _ => Between {
                algorithm: Algorithm::Parcels,
                slices: 1,
            },
        }
    }

    fn shipping(&self) -> Shipping<'_, '_, W> {
        Shipping {
            talk: self.talk,
            task: self.task,
            seating: self.seating,
            span: self.span,
            share: Share::ALL,
        }
    }

    fn move_data(&self, offers: Offers<'_>) -> Result<()> {
        let (talk, span) = (self.talk, self.span);
        let between = self.between(match self.task {
            Task::Broadcast { root } => broadcast::bytes_here(offers, span, *root),
            Task::Allgather => offers.bytes_here(span),
            // Where parts differ, ranks get more or less.
            Task::Alltoall if offers.have_even_parts(span) => offers.bytes_here(span),
            _ => 0,
        });
        match (self.task, between.algorithm) {
            (Task::Broadcast { root }, Algorithm::Binomial | Algorithm::Ring) => {
                broadcast::broadcast(talk, offers, span, *root, between)
            }
            (Task::Allgather, Algorithm::Bruck | Algorithm::Ring) => {
                allgather::gather(talk, offers, span, between)
            }
            (Task::Allgather | Task::Alltoall, _) => {
                in_slices(talk, between.slices.min(span.most_seats()), |talk, share| {
                    let shipping = Shipping {
                        talk,
                        share,
                        ..self.shipping()
                    };
                    shipping.carry_over(offers)
                })
            }
            _ => self.shipping().carry_over(offers),
        }
    }

    fn combine(&self, everybody: &mut Everybody<'_>) -> Result<()> {
        let like = operand_here(everybody.offers(), self.span);
        let between = self.between(like.as_ref().map_or(0, Source::bytes));
        let in_order = |op: &Op| op.is_commutative() && !self.is_prefix() || self.span.is_ordered();
        match (self.task.op(), like) {
            (Some(op), Some(like)) if between.algorithm != Algorithm::Parcels && in_order(op) => {
                let (talk, span, task) = (self.talk, self.span, self.task);
                Reduction {
                    talk,
                    span,
                    task,
                    op,
                    between,
                }
                .perform(everybody, &like)
            }
            (_, like) => self.combine_all(everybody, like.as_ref()),
        }
    }

    /// Whether every rank gets another result, which depends on the order of ranks.
    fn is_prefix(&self) -> bool {
        matches!(self.task, Task::Scan { .. } | Task::Exscan { .. })
    }

    /// Combines what all ranks bring on every host that needs it.
    fn combine_all(&self, everybody: &mut Everybody<'_>, like: Option<&Source>) -> Result<()> {
        self.shipping().collect(everybody, like)?;
        let offers = everybody.offers();
        match self.task {
            Task::Reduce { root, .. } if !offers.is_here(*root) => Ok(()),
            task if task.calls_program() => task.complete(offers),
            task => task.complete_in_pieces(offers),
        }
    }
}

/// What a rank of this host brings to a reduction: the others bring as much.
fn operand_here(offers: Offers<'_>, span: &Span) -> Option<Source> {
    let mut seats = span.local().iter();
    seats.find_map(|&seat| offers.at(seat as usize).source())
}
