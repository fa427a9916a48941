//! `MPI_Scan` and `MPI_Exscan`.

use super::Collective;
use crate::collective::{Buffers, Call, Task};
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Parts, Source, Target};
use crate::op::Op;

impl Comm {
    /// Combines at each rank the elements of the ranks up to it (`MPI_Scan`); without `send` they are in `recv`.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn scan(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<Collective<'_>> {
        self.prefixes(Call::SCAN, send, recv, Task::Scan { op: op.clone() }, op)
    }

    /// Combines at each rank the elements of the ranks before it (`MPI_Exscan`); without `send` they are in `recv`.
    /// Rank 0 gets nothing.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn exscan(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<Collective<'_>> {
        self.prefixes(Call::EXSCAN, send, recv, Task::Exscan { op: op.clone() }, op)
    }

    fn prefixes(
        &self,
        call: Call,
        send: Option<&Source>,
        recv: &Target,
        task: Task,
        op: &Op,
    ) -> Result<Collective<'_>> {
        self.check_intra()?;
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        if source.datatype() != recv.datatype() {
            return Err(two_datatypes(call));
        }
        op.check(source.datatype())?;
        let work = source.bytes();
        let (send, recv) = (Parts::Even(source), Parts::Even(recv.clone()));
        Ok(Collective::new(
            self,
            call,
            Buffers::new(Some(send), Some(recv), work),
            task,
        ))
    }
}

#[cold]
fn two_datatypes(call: Call) -> Error {
    Error::new(
        ErrorClass::Type,
        format!("{call} was given buffers of different datatypes: it continues results in place"),
    )
}
