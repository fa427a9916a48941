//! The operations that are under way in a scope.

use std::cell::RefCell;

use simurgh_core::sync::Arc;

use super::operator::{Panicked, rethrow};
use simurgh_mpi::Process;
use simurgh_mpi::Result;
use simurgh_mpi::Status;
use simurgh_mpi::{Outcome, Request, wait_any};

/// The operations of a scope, which are known by numbers.
#[derive(Debug)]
pub(super) struct Operations {
    process: Arc<Process>,
    requests: RefCell<Requests>,
}

/// Requests by number. Free numbers are used again.
#[derive(Debug, Default)]
struct Requests {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
}

/// An operation that is under way.
#[derive(Debug)]
struct Slot {
    request: Arc<Request>,
    kind: Kind,
}

/// The kind of an operation.
#[derive(Debug)]
pub(super) enum Kind {
    /// A send or a receive.
    Message,
    /// A collective. If it calls a function of the user, it comes with the place for a panic of that function.
    Collective(Option<Panicked>),
}

impl Requests {
    fn insert(&mut self, slot: Slot) -> usize {
        if let Some(number) = self.free.pop() {
            self.slots[number] = Some(slot);
            return number;
        }
        self.slots.push(Some(slot));
        self.slots.len() - 1
    }

    fn take(&mut self, number: usize) -> Option<Slot> {
        let slot = self.slots[number].take();
        if slot.is_some() {
            self.free.push(number);
        }
        slot
    }

    fn get(&self, number: usize) -> Option<&Arc<Request>> {
        self.slots[number].as_ref().map(|slot| &slot.request)
    }
}

impl Operations {
    /// An empty set of operations of this process.
    pub(super) fn new(process: &Arc<Process>) -> Self {
        Self {
            process: Arc::clone(process),
            requests: RefCell::default(),
        }
    }

    /// Adds an operation and returns its number.
    pub(super) fn insert(&self, request: Arc<Request>, kind: Kind) -> usize {
        self.requests.borrow_mut().insert(Slot { request, kind })
    }

    /// Whether an operation is complete. If it is not, other ranks get a chance to run.
    pub(super) fn is_done(&self, number: usize) -> bool {
        let request = self.requests.borrow().get(number).cloned();
        request.is_none_or(|request| request.peek().is_some())
    }

    /// Cancels an operation unless it has been matched.
    pub(super) fn cancel(&self, number: usize) -> Result<()> {
        let request = self.requests.borrow().get(number).cloned();
        request.map_or(Ok(()), |request| request.cancel(&self.process))
    }

    /// Waits until one of these operations is complete, and gives its position; `None` if there are none.
    pub(super) fn wait_any(&self, numbers: impl Iterator<Item = usize> + Clone) -> Option<usize> {
        let requests = self.requests.borrow();
        match wait_any(numbers.map(|number| requests.get(number).map(Arc::as_ref))) {
            Outcome::Complete(position, _) => Some(position),
            Outcome::Inactive | Outcome::Pending => None,
        }
    }

    /// Waits for everything that is under way. Returns the error of the first operation that failed, or resumes the
    /// first panic of a user's function.
    pub(super) fn land(&self) -> Result<()> {
        let (mut result, mut panicked) = (Ok(()), None);
        let count = self.requests.borrow().slots.len();
        for number in 0..count {
            if let Some(ended) = self.finish(number) {
                panicked = panicked.or(ended.panicked());
                result = result.and(ended.status.into_result().map(|_| ()));
            }
        }
        rethrow(panicked.as_ref());
        result
    }

    /// Cancels the operations that have not been matched.
    pub(super) fn recall(&self) {
        for slot in self.requests.borrow().slots.iter().flatten() {
            if let Kind::Message = slot.kind {
                let cancelled = slot.request.cancel(&self.process);
                debug_assert!(cancelled.is_ok(), "requests of a scope are active");
            }
        }
    }

    /// Waits for one operation.
    pub(super) fn finish(&self, number: usize) -> Option<Ended> {
        let request = self.requests.borrow().get(number)?.clone();
        // The slot keeps its reference to the request until the operation is complete.
        let status = request.wait();
        drop(request);
        let Slot { request, kind } = self.requests.borrow_mut().take(number)?;
        self.process.release(request);
        Some(Ended { status, kind })
    }
}

/// The outcome of an operation.
pub(super) struct Ended {
    pub(super) status: Status,
    kind: Kind,
}

impl Ended {
    /// The place for a panic of the user's function.
    pub(super) fn panicked(&self) -> Option<Panicked> {
        match &self.kind {
            Kind::Collective(Some(panicked)) if panicked.lock().is_some() => Some(Arc::clone(panicked)),
            Kind::Collective(_) | Kind::Message => None,
        }
    }
}
