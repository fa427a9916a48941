//! Partitioned operations whose other side lives on another host.
//!
//! A round is one message, which goes when the last partition is ready, and all partitions arrive at once; the standard
//! leaves this open, and between hosts one long message is faster than its parts. Sender and receiver pair their
//! operations without asking each other: both count those of a label, and the number is a part of the context of their
//! messages.

use crate::comm::Comm;
use crate::deadlock::{Operation, Parts, Unmatched};
use crate::error::Status;
use crate::error::{Error, ErrorClass, Result};
use crate::layout::Layout;
use crate::limits::PARTITIONED_PAIRS;
use crate::matching::{Envelope, PARTITIONED_COMMUNICATORS, Pattern, partitioned_context};
use crate::memory::{Source, Target};
use crate::partitioned::RemotePartitionedSend;
use crate::point2point::inter_host::Caller;
use crate::point2point::{Mode, Received, Sent};
use crate::request::{Request, Waiter};
use simurgh_core::sync::{Arc, AtomicU64, AtomicUsize, Ordering, SpinLock};

/// The side that sends.
#[derive(Debug)]
pub(super) struct RemoteSender {
    comm: Arc<Comm>,
    source: Source,
    process: u32,
    envelope: Envelope,
    /// The round in which each partition was ready last.
    ready: Box<[AtomicU64]>,
    /// Partitions that are not ready in this round.
    left: AtomicUsize,
    round: AtomicU64,
    request: SpinLock<Option<Arc<Request>>>,
}

/// The side that receives.
#[derive(Debug)]
pub(super) struct RemoteReceiver {
    comm: Arc<Comm>,
    target: Target,
    pattern: Pattern,
}

/// The label of the messages of a pair; `peer` is the other side's rank, `source` that of the sender.
fn label(comm: &Comm, sends: bool, peer: i32, (source, tag): (i32, i32)) -> Result<Envelope> {
    let context = comm.context();
    if context >= PARTITIONED_COMMUNICATORS {
        return Err(Error::new(
            ErrorClass::Other,
            format!(
                "partitioned messages between hosts need one of the first {} communicators; free some",
                PARTITIONED_COMMUNICATORS
            ),
        ));
    }
    let pair = comm.pairs().count(sends, peer, tag) % PARTITIONED_PAIRS as u32;
    Ok(Envelope {
        context: partitioned_context(context, pair),
        source,
        tag,
    })
}

impl RemoteSender {
    pub(super) fn new(
        comm: &Arc<Comm>,
        source: &Source,
        partitions: usize,
        dest: i32,
        tag: i32,
    ) -> Result<Self> {
        Ok(Self {
            comm: Arc::clone(comm),
            source: source.clone(),
            process: comm.process_of(dest),
            envelope: label(comm, true, dest, (comm.rank(), tag))?,
            ready: (0..partitions).map(|_| AtomicU64::new(0)).collect(),
            left: AtomicUsize::new(0),
            round: AtomicU64::new(0),
            request: SpinLock::new(None),
        })
    }

    /// Begins the next round.
    pub(super) fn start(&self, request: &Arc<Request>) {
        *self.request.lock() = Some(Arc::clone(request));
        // Relaxed: threads that say that partitions are ready do so after the start, as the program sees to.
        self.left.store(self.ready.len(), Ordering::Relaxed);
        self.round.fetch_add(1, Ordering::Relaxed);
        if self.ready.is_empty() {
            self.send();
        }
    }

    /// A partition is ready.
    pub(super) fn ready(&self, partition: usize) -> Result<()> {
        let round = self.round.load(Ordering::Relaxed);
        if self.ready[partition].swap(round, Ordering::Relaxed) == round {
            return Err(Error::new(
                ErrorClass::Arg,
                format!("partition {partition} was ready before; say so once for each start"),
            ));
        }
        // AcqRel: the last one sends what all have written.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.send();
        }
        Ok(())
    }

    fn send(&self) {
        let Some(request) = self.request.lock().take() else {
            return;
        };
        let waiter = || Waiter::Request(Arc::clone(&request));
        let sent = self.comm.start_remote(
            (Mode::Standard, Caller::GoesOn),
            &self.source,
            self.process,
            self.envelope,
            waiter,
        );
        match sent {
            Ok(Sent::Queued { .. }) => {}
            Ok(Sent::Done | Sent::Buffered { .. }) => request.finish(&Status::EMPTY),
            Err(error) => request.finish(&Status {
                error: error.code(),
                ..Status::EMPTY
            }),
        }
    }
}

impl RemotePartitionedSend for RemoteSender {
    fn unmatched(&self, layout: &Layout) -> Option<Unmatched> {
        self.request.lock().as_ref()?;
        let parts = Parts::Missing {
            left: self.left.load(Ordering::Relaxed),
            of: self.ready.len(),
        };
        let (receiver, label) = (layout.name_of(self.process), self.envelope.exactly());
        Some(Unmatched::in_parts(receiver, label, Operation::Send, parts))
    }
}

impl RemoteReceiver {
    pub(super) fn new(comm: &Arc<Comm>, target: &Target, source: i32, tag: i32) -> Result<Self> {
        Ok(Self {
            comm: Arc::clone(comm),
            target: target.clone(),
            pattern: label(comm, false, source, (source, tag))?.exactly(),
        })
    }

    /// Begins the next round.
    pub(super) fn start(&self, request: &Arc<Request>) {
        let waiter = Waiter::Request(Arc::clone(request));
        match self.comm.post_matching(&self.target, self.pattern, |_| waiter) {
            Received::Done(status) => request.finish(&status),
            Received::Posted(place) => request.queued_at(self.comm.process().id(), place),
        }
    }
}
