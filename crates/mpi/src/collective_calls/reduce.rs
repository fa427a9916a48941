//! `MPI_Reduce`, `MPI_Allreduce`, `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`.

use super::{Collective, Rooted};
use crate::collective::{Buffers, Call, Counts, Task, not_in_place};
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Numbers, Parts, Source, Target};
use crate::op::Op;

impl Comm {
    /// Combines all ranks' elements at the root (`MPI_Reduce`).
    ///
    /// `send` is `None` at a root that has its elements in `recv`; `recv` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Op`] if the operation is not defined on the datatype; [`ErrorClass::Root`] for a wrong root.
    /// Running it: [`ErrorClass::Root`] if ranks name different roots; [`ErrorClass::Truncate`] if they bring different
    /// numbers of elements.
    #[inline]
    pub fn reduce(
        &self,
        send: Option<&Source>,
        recv: Option<&Target>,
        op: &Op,
        root: i32,
    ) -> Result<Collective<'_>> {
        let role = self.role(root)?;
        let Some(seat) = role.seat() else {
            return Ok(self.pass_proc_null(Rooted::Reduce, Some(op.clone())));
        };
        let recv = recv.filter(|_| role.is_root());
        let source = match (send, recv) {
            (Some(send), _) => send.clone(),
            (None, Some(recv)) => recv.as_source(),
            (None, None) => return Err(not_in_place(self.rank(), root)),
        };
        op.check(source.datatype())?;
        let (call, buffers) = (role.call(Rooted::Reduce), buffers(&source, recv.cloned()));
        let (op, root) = (op.clone(), seat);
        Ok(Collective::new(self, call, buffers, Task::Reduce { op, root }))
    }

    /// Combines all ranks' elements at every rank (`MPI_Allreduce`); without `send` they are in `recv`.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    #[inline(always)]
    pub fn allreduce(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<Collective<'_>> {
        self.check_placed(send.is_none())?;
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        op.check(source.datatype())?;
        let buffers = buffers(&source, Some(recv.clone())).placed(send.is_none());
        let op = op.clone();
        Ok(Collective::new(
            self,
            Call::ALLREDUCE,
            buffers,
            Task::Allreduce { op },
        ))
    }

    /// Combines all ranks' elements and leaves `counts[r]` of them at each rank `r` (`MPI_Reduce_scatter`).
    ///
    /// Without `send` all elements that the rank brings are in `recv`, and its part of the result replaces the first.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`]; [`ErrorClass::Count`] if there is not a count for each rank.
    pub fn reduce_scatter(
        &self,
        send: Option<&Source>,
        recv: &Target,
        counts: Numbers,
        op: &Op,
    ) -> Result<Collective<'_>> {
        if counts.len() != self.size() {
            return Err(wrong_counts(counts.len(), self.size()));
        }
        self.scatter_reduced(send, recv, Counts::Each(counts), op)
    }

    /// [`Comm::reduce_scatter`] with the same count for all ranks (`MPI_Reduce_scatter_block`).
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn reduce_scatter_block(
        &self,
        send: Option<&Source>,
        recv: &Target,
        count: usize,
        op: &Op,
    ) -> Result<Collective<'_>> {
        self.scatter_reduced(send, recv, Counts::Even(count), op)
    }

    fn scatter_reduced(
        &self,
        send: Option<&Source>,
        recv: &Target,
        counts: Counts,
        op: &Op,
    ) -> Result<Collective<'_>> {
        self.check_placed(send.is_none())?;
        let counts = if self.is_inter() { Counts::Room } else { counts };
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        op.check(source.datatype())?;
        let buffers = buffers(&source, Some(recv.clone())).placed(send.is_none());
        let op = op.clone();
        Ok(Collective::new(
            self,
            Call::REDUCE_SCATTER,
            buffers,
            Task::ReduceScatter { op, counts },
        ))
    }
}

#[inline]
fn buffers(source: &Source, target: Option<Target>) -> Buffers {
    Buffers::new(
        Some(Parts::Even(source.clone())),
        target.map(Parts::Even),
        source.bytes(),
    )
}

#[cold]
fn wrong_counts(counts: usize, size: usize) -> Error {
    Error::new(
        ErrorClass::Count,
        format!("{counts} counts for {size} ranks: give one for each"),
    )
}
