//! Looking for messages without receiving them.

use super::BlockingCall;
use super::Message;
use crate::comm::Comm;
use crate::comm::check;
use crate::constants::PROC_NULL;
use crate::endpoint::MatchTable;
use crate::error::Status;
use crate::error::{ErrorCode, Result};
use crate::matching::{Envelope, Pattern};
use simurgh_core::yield_now;

/// The status that a probe gives.
fn status_of(envelope: Envelope, bytes: usize) -> Status {
    let Envelope { source, tag, .. } = envelope;
    Status {
        source,
        tag,
        error: ErrorCode::SUCCESS,
        bytes: bytes as u64,
        cancelled: false,
    }
}

impl Comm {
    /// Blocks until a message is there that a receive would match, and gives its status (`MPI_Probe`).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`].
    pub fn probe(&self, source: i32, tag: i32) -> Result<Status> {
        let Some(pattern) = self.probed(source, tag)? else {
            return Ok(Status::PROC_NULL);
        };
        let (envelope, bytes) = self.await_message(pattern, |table| table.peek(pattern));
        Ok(status_of(envelope, bytes))
    }

    /// The status of the message that a receive would match, if there is one; otherwise lets others run (`MPI_Iprobe`).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`].
    pub fn iprobe(&self, source: i32, tag: i32) -> Result<Option<Status>> {
        let Some(pattern) = self.probed(source, tag)? else {
            return Ok(Some(Status::PROC_NULL));
        };
        let found = self.look_twice(pattern, |table| table.peek(pattern));
        Ok(found.map(|(envelope, bytes)| status_of(envelope, bytes)))
    }

    /// Blocks until a message is there that a receive would match, and takes it (`MPI_Mprobe`).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`].
    pub fn mprobe(&self, source: i32, tag: i32) -> Result<(Message, Status)> {
        let Some(pattern) = self.probed(source, tag)? else {
            return Ok((Message::NONE, Status::PROC_NULL));
        };
        let (envelope, payload) = self.await_message(pattern, |table| table.take_message(pattern));
        let status = status_of(envelope, payload.bytes());
        Ok((Message::taken(self.process(), envelope, payload), status))
    }

    /// Takes the message that a receive would match, if there is one; otherwise lets others run (`MPI_Improbe`).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`].
    pub fn improbe(&self, source: i32, tag: i32) -> Result<Option<(Message, Status)>> {
        let Some(pattern) = self.probed(source, tag)? else {
            return Ok(Some((Message::NONE, Status::PROC_NULL)));
        };
        let found = self.look_twice(pattern, |table| table.take_message(pattern));
        Ok(found.map(|(envelope, payload)| {
            let status = status_of(envelope, payload.bytes());
            (Message::taken(self.process(), envelope, payload), status)
        }))
    }

    /// Checks a probe's arguments; no pattern for the null process.
    fn probed(&self, source: i32, tag: i32) -> Result<Option<Pattern>> {
        check::from(source, tag, self)?;
        Ok((source != PROC_NULL).then(|| Pattern {
            context: self.context(),
            source,
            tag,
        }))
    }

    /// Looks into the table, and once more after others have run.
    fn look_twice<T>(
        &self,
        pattern: Pattern,
        mut look: impl FnMut(&mut MatchTable) -> Option<T>,
    ) -> Option<T> {
        let endpoint = self.process().endpoint();
        let mut table = endpoint.own_table(self.process().job().host());
        if let Some(found) = look(&mut table) {
            table.looked(pattern, true);
            return Some(found);
        }
        drop(table);
        yield_now();
        let mut table = endpoint.own_table(self.process().job().host());
        let found = look(&mut table);
        table.looked(pattern, found.is_some());
        found
    }

    /// Looks into the table, and again whenever a message has arrived that the pattern accepts.
    fn await_message<T>(&self, pattern: Pattern, mut look: impl FnMut(&mut MatchTable) -> Option<T>) -> T {
        let endpoint = self.process().endpoint();
        loop {
            let mut table = endpoint.own_table(self.process().job().host());
            if let Some(found) = look(&mut table) {
                return found;
            }
            let call = BlockingCall::begin_in(&table, self.process());
            table.await_message(pattern, call.waiter());
            drop(table);
            // Another thread of the rank may take the message before us: look again.
            call.wait();
        }
    }
}
