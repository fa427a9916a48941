//! Integers of requests without a slot: sends that were complete when their call returned.
//!
//! The handle of such a send has more bits than an `int`, so the rank remembers its integer until it is waited for.

use std::collections::HashMap;
use std::ffi::c_int;

use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};

use super::completed_send::{COMPLETED_SEND, is_completed_send};
use crate::types::MPI_Request;

/// The integer of a send whose message has been received. No slot has this number, nor a predefined handle.
const DONE: c_int = 0x1000;
/// The first integer of a send whose message waits; the numbers of slots are smaller.
const FIRST: c_int = 0x4000_0000;

/// The integers of requests without a slot.
#[derive(Default)]
pub(crate) struct SendIntegers {
    /// Their number, so that forgetting one costs one load as long as there are none.
    count: AtomicUsize,
    table: SpinLock<Table>,
}

#[derive(Default)]
struct Table {
    next: c_int,
    numbers: HashMap<usize, c_int>,
    handles: HashMap<c_int, usize>,
}

impl SendIntegers {
    /// The integer of a send that was complete when its call returned; `None` for other requests.
    pub(crate) fn number(&self, handle: MPI_Request) -> Option<c_int> {
        if handle == COMPLETED_SEND || !is_completed_send(handle) {
            return (handle == COMPLETED_SEND).then_some(DONE);
        }
        let mut table = self.table.lock();
        if let Some(&number) = table.numbers.get(&handle.0) {
            return Some(number);
        }
        while table.handles.contains_key(&(FIRST + table.next)) {
            table.next = (table.next + 1) % FIRST;
        }
        let number = FIRST + table.next;
        table.next = (table.next + 1) % FIRST;
        table.numbers.insert(handle.0, number);
        table.handles.insert(number, handle.0);
        // Relaxed: a thread that uses the handle has got it from the program.
        self.count.store(table.handles.len(), Ordering::Relaxed);
        Some(number)
    }

    /// The request with such an integer.
    pub(crate) fn handle(&self, number: c_int) -> Option<MPI_Request> {
        if number == DONE {
            return Some(COMPLETED_SEND);
        }
        self.table.lock().handles.get(&number).copied().map(MPI_Request)
    }

    /// Forgets the integer of a request that has been waited for.
    #[inline]
    pub(crate) fn forget(&self, handle: MPI_Request) {
        // Relaxed: see `number`.
        if self.count.load(Ordering::Relaxed) != 0 {
            let mut table = self.table.lock();
            if let Some(number) = table.numbers.remove(&handle.0) {
                table.handles.remove(&number);
            }
            self.count.store(table.handles.len(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::completed_send::handle_of_completed_send;
    use super::*;
    use simurgh_mpi::CompletedSend;

    #[test]
    fn a_send_keeps_its_integer_until_it_is_forgotten() {
        let integers = SendIntegers::default();
        let sends = [1, 2, 3].map(|number| handle_of_completed_send(0, CompletedSend::from_parts(5, number)));
        let numbers = sends.map(|send| integers.number(send).expect("a send without a slot"));
        assert!(numbers.iter().all(|&number| number >= FIRST));
        assert_eq!(sends.map(|send| integers.number(send).unwrap()), numbers);
        assert_eq!(numbers.map(|number| integers.handle(number).unwrap()), sends);
        integers.forget(sends[1]);
        assert_eq!(integers.handle(numbers[1]), None);
        assert_eq!(integers.handle(numbers[2]), Some(sends[2]));
        assert_eq!(integers.number(COMPLETED_SEND), Some(DONE));
        assert_eq!(integers.handle(DONE), Some(COMPLETED_SEND));
        assert_eq!(integers.number(MPI_Request(0x180)), None);
    }
}
