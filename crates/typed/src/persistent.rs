//! Operations that are set up once and started many times.
//!
//! They own their memory, which is on the heap. While an operation is under way, nobody gets a slice of it, and it is
//! freed only when nothing is under way. When the handle goes away earlier, a send is waited for, a receive that has
//! not been matched is cancelled, and the memory of any other operation is leaked unless it is complete.

use std::fmt;
use std::ops::Range;

use super::operator::{Panicked, rethrow};
use super::owned::Owned;
use super::{Equivalence, Mode, Prepared, Received, Sent};
use simurgh_core::sync::Arc;
use simurgh_mpi::{Comm, Error, ErrorClass, Process, Request, Result, Status};

/// An operation that is started again and again, with the memory that it uses.
pub struct Persistent<T: Equivalence> {
    process: Arc<Process>,
    request: Arc<Request>,
    /// The memory that the operation reads.
    sent: Owned<T>,
    /// The memory that the operation writes.
    received: Owned<T>,
    kind: Kind,
}

/// The kind of an operation.
enum Kind {
    Send,
    Receive,
    /// A send or a receive in parts, with a mark for each part that has been filled in this round.
    Partitioned(Vec<bool>),
    /// A collective. If it calls a function of the user, it comes with the place for a panic of that function.
    Collective(Option<Panicked>),
}

impl<T: Equivalence> Persistent<T> {
    /// Sets up a send ([`Comm::send_init`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator.
    pub fn send(comm: &Arc<Comm>, values: Vec<T>, dest: i32, tag: i32, mode: Mode) -> Result<Self> {
        let sent = Owned::new(values);
        let request = comm.send_init(mode, &sent.source(), dest, tag)?;
        Ok(Self::new(comm, request, sent, Owned::new(Vec::new()), Kind::Send))
    }

    /// Sets up a receive ([`Comm::recv_init`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator.
    pub fn receive(comm: &Arc<Comm>, values: Vec<T>, from: i32, tag: i32) -> Result<Self> {
        let received = Owned::new(values);
        let request = comm.recv_init(&received.target(), from, tag)?;
        Ok(Self::new(
            comm,
            request,
            Owned::new(Vec::new()),
            received,
            Kind::Receive,
        ))
    }

    /// Sets up a send in `parts` equal parts ([`Comm::psend_init`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator; [`ErrorClass::Count`] if the values cannot be cut into so many parts.
    pub fn partitioned_send(
        comm: &Arc<Comm>,
        values: Vec<T>,
        parts: usize,
        dest: i32,
        tag: i32,
    ) -> Result<Self> {
        check_parts(values.len(), parts)?;
        let sent = Owned::new(values);
        let request = comm.psend_init(&sent.source(), parts, dest, tag)?;
        let kind = Kind::Partitioned(vec![false; parts]);
        Ok(Self::new(comm, request, sent, Owned::new(Vec::new()), kind))
    }

    /// Sets up a receive in `parts` equal parts ([`Comm::precv_init`]).
    ///
    /// # Errors
    ///
    /// As [`partitioned_send`](Self::partitioned_send).
    pub fn partitioned_receive(
        comm: &Arc<Comm>,
        values: Vec<T>,
        parts: usize,
        from: i32,
        tag: i32,
    ) -> Result<Self> {
        check_parts(values.len(), parts)?;
        let received = Owned::new(values);
        let request = comm.precv_init(&received.target(), parts, from, tag)?;
        let kind = Kind::Partitioned(vec![false; parts]);
        Ok(Self::new(comm, request, Owned::new(Vec::new()), received, kind))
    }

    /// Sets up the collective that `make` prepares on the values.
    ///
    /// # Errors
    ///
    /// The error of `make`.
    pub fn collective(
        comm: &Arc<Comm>,
        sent: Vec<T>,
        received: Vec<T>,
        make: impl for<'a> FnOnce(&'a Comm, Sent<'a, T>, Received<'a, T>) -> Result<Prepared<'a, T>>,
    ) -> Result<Self> {
        let (sent, received) = (Owned::new(sent), Owned::new(received));
        let (request, panicked) = make(comm, sent.sent(), received.received())?.persistent();
        Ok(Self::new(
            comm,
            request,
            sent,
            received,
            Kind::Collective(panicked),
        ))
    }

    fn new(comm: &Arc<Comm>, request: Arc<Request>, sent: Owned<T>, received: Owned<T>, kind: Kind) -> Self {
        Self {
            process: Arc::clone(comm.process()),
            request,
            sent,
            received,
            kind,
        }
    }

    /// Starts the operation.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if it is under way; what the operation reports.
    #[inline]
    pub fn start(&mut self) -> Result<()> {
        self.request.start()?;
        if let Kind::Partitioned(filled) = &mut self.kind {
            filled.fill(false);
        }
        Ok(())
    }

    /// Waits until the operation is complete; returns at once if it has not been started.
    ///
    /// # Errors
    ///
    /// The error of the operation.
    ///
    /// # Panics
    ///
    /// If a function of the user has panicked at this rank.
    #[inline]
    pub fn wait(&mut self) -> Result<Status> {
        let status = self.request.wait();
        if let Kind::Collective(panicked) = &self.kind {
            rethrow(panicked.as_ref());
        }
        self.request.result(status)
    }

    /// Whether the operation is complete, or has not been started. If not, other ranks get a chance to run.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.request.peek().is_some()
    }

    /// Cancels the operation unless it has been matched, and waits for it. Returns whether it was cancelled.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if it has not been started, or is of a kind that cannot be cancelled; the error of the
    /// operation, if it was matched and failed.
    pub fn cancel(&mut self) -> Result<bool> {
        self.request.cancel(&self.process)?;
        self.wait().map(|status| status.cancelled)
    }

    /// The values that the operation sends.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] while the operation is under way, which ends with [`wait`](Self::wait).
    pub fn sent(&self) -> Result<&[T]> {
        self.check_rest()?;
        // SAFETY:
        // - nothing is under way, and the operation is started by `&mut self` only.
        Ok(unsafe { self.sent.slice() })
    }

    /// As [`sent`](Self::sent), to be changed.
    ///
    /// # Errors
    ///
    /// As [`sent`](Self::sent).
    pub fn sent_mut(&mut self) -> Result<&mut [T]> {
        self.check_rest()?;
        // SAFETY:
        // - nothing is under way, and nobody else has a slice.
        Ok(unsafe { self.sent.slice_mut() })
    }

    /// The values that the operation has received.
    ///
    /// # Errors
    ///
    /// As [`sent`](Self::sent).
    pub fn received(&self) -> Result<&[T]> {
        self.check_rest()?;
        // SAFETY:
        // - nothing is under way, and the operation is started by `&mut self` only.
        Ok(unsafe { self.received.slice() })
    }

    /// As [`received`](Self::received), to be changed.
    ///
    /// # Errors
    ///
    /// As [`sent`](Self::sent).
    pub fn received_mut(&mut self) -> Result<&mut [T]> {
        self.check_rest()?;
        // SAFETY:
        // - nothing is under way, and nobody else has a slice.
        Ok(unsafe { self.received.slice_mut() })
    }

    /// Has `fill` write a part of a partitioned send that is under way, and gives the part to the receiver.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such part, or it is ready; [`ErrorClass::Request`] if the send has not been
    /// started.
    pub fn fill_part(&mut self, part: usize, fill: impl FnOnce(&mut [T])) -> Result<()> {
        let values = self.part(part, self.sent.len())?;
        let Kind::Partitioned(filled) = &mut self.kind else {
            unreachable!("only a partitioned operation has parts");
        };
        if !self.request.is_active() {
            let message = "start the send before you fill its parts";
            return Err(Error::new(ErrorClass::Request, message));
        }
        if filled[part] {
            let message = format!("part {part} has been filled in this round");
            return Err(Error::new(ErrorClass::Arg, message));
        }
        // SAFETY:
        // - the part is one of the values; the operation does not use it before it is ready, below.
        fill(unsafe {
            let start = self.sent.address().add(values.start);
            std::slice::from_raw_parts_mut(start, values.len())
        });
        filled[part] = true;
        self.request.ready(part..part + 1)
    }

    /// A part of a partitioned receive if it has arrived. If it has not, other ranks get a chance to run.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such part.
    pub fn arrived_part(&self, part: usize) -> Result<Option<&[T]>> {
        let values = self.part(part, self.received.len())?;
        if !self.request.has_arrived(part)? {
            return Ok(None);
        }
        // SAFETY:
        // - the part is one of the values. It has arrived, so the operation does not touch it before the next start,
        //   which needs `&mut self`.
        Ok(Some(unsafe {
            let start = self.received.address().cast_const().add(values.start);
            std::slice::from_raw_parts(start, values.len())
        }))
    }

    /// The values of a part, of `len` in all.
    fn part(&self, part: usize, len: usize) -> Result<Range<usize>> {
        match &self.kind {
            Kind::Partitioned(filled) if part < filled.len() => {
                let each = len / filled.len();
                Ok(part * each..(part + 1) * each)
            }
            _ => {
                let message = format!("there is no part {part}: parts are counted from 0");
                Err(Error::new(ErrorClass::Arg, message))
            }
        }
    }

    fn check_rest(&self) -> Result<()> {
        if !self.request.is_active() {
            return Ok(());
        }
        let message = "the operation uses its values until it has been waited for";
        Err(Error::new(ErrorClass::Request, message))
    }
}

/// Checks that `len` values can be cut into equal parts.
fn check_parts(len: usize, parts: usize) -> Result<()> {
    if parts > 0 && len.is_multiple_of(parts) {
        return Ok(());
    }
    let message = format!("{len} values cannot be cut into {parts} equal parts");
    Err(Error::new(ErrorClass::Count, message))
}

impl<T: Equivalence> Drop for Persistent<T> {
    fn drop(&mut self) {
        if !self.request.is_active() {
            return;
        }
        let gives_up = match self.kind {
            Kind::Send => std::thread::panicking(),
            Kind::Receive => true,
            Kind::Partitioned(_) | Kind::Collective(_) => false,
        };
        if gives_up && !self.request.is_done() {
            let cancelled = self.request.cancel(&self.process);
            debug_assert!(cancelled.is_ok(), "the request of a message is active");
        }
        if let Kind::Send | Kind::Receive = self.kind {
            self.request.wait();
        }
        if !self.request.is_done() {
            // Others may use the values at any time.
            let none = || Owned::new(Vec::new());
            std::mem::forget(std::mem::replace(&mut self.sent, none()));
            std::mem::forget(std::mem::replace(&mut self.received, none()));
        }
    }
}

impl<T: Equivalence> fmt::Debug for Persistent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Persistent")
            .field("is_active", &self.request.is_active())
            .finish_non_exhaustive()
    }
}
