//! The operations that are under way in a scope.

use std::cell::RefCell;
use std::task::Waker;

use simurgh_core::sync::Arc;

use super::operator::{Panicked, rethrow};
use simurgh_mpi::Process;
use simurgh_mpi::Request;
use simurgh_mpi::Result;
use simurgh_mpi::Status;

/// The operations of a scope, which are known by keys.
#[derive(Debug)]
pub(super) struct Operations {
    process: Arc<Process>,
    requests: RefCell<Requests>,
}

/// Requests by number. Free numbers are used again, by another generation.
#[derive(Debug, Default)]
struct Requests {
    places: Vec<Place>,
    free: Vec<usize>,
}

/// The place of a number.
#[derive(Debug, Default)]
struct Place {
    generation: u64,
    slot: Option<Slot>,
}

/// The name of an operation, which no other one of its scope has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    number: usize,
    generation: u64,
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
    /// A collective, or an access to a file. If it calls a function of the user, it comes with the place for a panic of
    /// that function.
    Collective(Option<Panicked>),
}

impl Requests {
    fn insert(&mut self, slot: Slot) -> Key {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::default());
            self.places.len() - 1
        });
        let place = &mut self.places[number];
        place.slot = Some(slot);
        Key {
            number,
            generation: place.generation,
        }
    }

    fn take(&mut self, key: Key) -> Option<Slot> {
        let place = &mut self.places[key.number];
        let slot = place.slot.take_if(|_| place.generation == key.generation)?;
        place.generation += 1;
        self.free.push(key.number);
        Some(slot)
    }

    fn get(&self, key: Key) -> Option<&Arc<Request>> {
        let place = &self.places[key.number];
        let slot = place.slot.as_ref();
        slot.filter(|_| place.generation == key.generation)
            .map(|slot| &slot.request)
    }

    /// The key of the operation at a place.
    fn key(&self, number: usize) -> Key {
        let generation = self.places[number].generation;
        Key { number, generation }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.places.iter().filter_map(|place| place.slot.as_ref())
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

    /// Adds an operation and returns its key.
    pub(super) fn insert(&self, request: Arc<Request>, kind: Kind) -> Key {
        self.requests.borrow_mut().insert(Slot { request, kind })
    }

    /// Whether an operation is complete. If it is not, other ranks get a chance to run.
    pub(super) fn is_done(&self, key: Key) -> bool {
        let request = self.request(key);
        request.is_none_or(|request| request.peek().is_some())
    }

    /// Cancels an operation unless it has been matched.
    pub(super) fn cancel(&self, key: Key) -> Result<()> {
        let request = self.request(key);
        request.map_or(Ok(()), |request| request.cancel(&self.process))
    }

    /// Whether an operation is complete. If it is not, `waker` is woken when it is.
    pub(super) fn poll(&self, key: Key, waker: &Waker) -> bool {
        let request = self.request(key);
        request.is_none_or(|request| request.poll(waker).is_some())
    }

    /// The request of an operation that nobody has waited for.
    pub(super) fn request(&self, key: Key) -> Option<Arc<Request>> {
        self.requests.borrow().get(key).cloned()
    }

    /// Waits for everything that is under way. Returns the error of the first operation that failed, or resumes the
    /// first panic of a user's function.
    pub(super) fn land(&self) -> Result<()> {
        let (mut result, mut panicked) = (Ok(()), None);
        let count = self.requests.borrow().places.len();
        for number in 0..count {
            let key = self.requests.borrow().key(number);
            if let Some(ended) = self.finish(key) {
                panicked = panicked.or_else(|| ended.panicked());
                result = result.and(ended.result.map(drop));
            }
        }
        rethrow(panicked.as_ref());
        result
    }

    /// Cancels the operations that have not been matched.
    pub(super) fn recall(&self) {
        for slot in self.requests.borrow().slots() {
            if let Kind::Message = slot.kind {
                let cancelled = slot.request.cancel(&self.process);
                debug_assert!(cancelled.is_ok(), "requests of a scope are active");
            }
        }
    }

    /// Waits for one operation.
    pub(super) fn finish(&self, key: Key) -> Option<Ended> {
        let request = self.requests.borrow().get(key)?.clone();
        // The slot keeps its reference to the request until the operation is complete.
        let result = request.result(request.wait());
        drop(request);
        let Slot { request, kind } = self.requests.borrow_mut().take(key)?;
        self.process.release(request);
        Some(Ended { result, kind })
    }
}

/// The outcome of an operation.
pub(super) struct Ended {
    pub(super) result: Result<Status>,
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
