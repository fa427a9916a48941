//! What one host does in a collective of several.

use super::super::agreement::examine;
use super::super::call::Call;
use super::super::offers::{Offers, Seating};
use super::super::task::Task;
use super::dissemination;
use super::everybody::Everybody;
use super::shipping::Shipping;
use super::talk::Talk;
use super::way::Way;
use crate::check::Checks;
use crate::comm::Span;
use crate::error::Result;
use crate::job::Job;

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
    pub(super) fn carry_out(&self, call: Call, local: Offers<'_>) -> Result<()> {
        let mut everybody = Everybody::new(local, self.span);
        if self.job.checks() == Checks::All {
            let examined = examine(call, self.task, Offers::known(&everybody, self.seating));
            examined.inspect_err(|fault| self.talk.fail(fault))?;
        }
        match self.task {
            Task::Barrier => dissemination::barrier(self.talk),
            Task::Aside { .. } => Ok(()),
            _ if self.task.op().is_some() => self.combine(&mut everybody),
            _ => self
                .shipping()
                .carry_over(Offers::known(&everybody, self.seating)),
        }
    }

    fn shipping(&self) -> Shipping<'_, '_, W> {
        Shipping {
            talk: self.talk,
            task: self.task,
            seating: self.seating,
            span: self.span,
        }
    }

    fn combine(&self, everybody: &mut Everybody<'_>) -> Result<()> {
        self.shipping().collect(everybody)?;
        let offers = Offers::known(everybody, self.seating);
        match self.task {
            Task::Reduce { root, .. } if !offers.is_here(*root) => Ok(()),
            task if task.calls_program() => task.complete(offers),
            task => task.complete_in_pieces(offers),
        }
    }
}
