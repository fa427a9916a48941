//! The buffers of packets that a host has read and keeps for its own.
//!
//! A buffer whose data has just been read lies in the reader's cache. If it is given back, its owner writes it again
//! later, and the reader writes its answer to another buffer, which lies in the other's cache or in none: each line
//! crosses between the cores twice for each packet. If the reader writes its answer to the same buffer, each line
//! crosses once, and the two need one buffer between them, which leaves more of their caches to the data itself.
//!
//! So a host keeps the last few buffers that it has read, whoever owns them, and sends in them first, the latest one
//! before the others. It gives back what it has kept longest when there are too many, and all before it sleeps. The
//! buffer stays a use of its owner's pool meanwhile: whoever has it last gives it back.
//!
//! Hosts of the same world do so, since the memory of all of them stays mapped until the end.
//!
//! Costs: a lock that only the threads of the host take, without a locked instruction where it has one thread. On one
//! machine (Zen 3), one way of 8 KiB between two cores took 419 instead of 618 ns in a model of nothing but the copies,
//! and one of 64 KiB in segments 2.2 instead of 3.1 us; 6 to 7 instead of 14 to 16 where the cores share no cache.

use std::collections::VecDeque;

use simurgh_core::sync::SpinLock;

use super::buffer_place::BufferPlace;
use super::pool::BUFFERS;

/// Most buffers that a host keeps: those of a message of 128 KiB in segments.
const MOST: usize = 16;
/// All hosts together keep no more buffers of one owner.
const MOST_OF_ONE: usize = BUFFERS / 4 * 3;

/// The buffers that a host keeps.
pub(super) struct KeptBuffers {
    limit: usize,
    /// The latest one is the last.
    places: SpinLock<VecDeque<BufferPlace>>,
}

impl KeptBuffers {
    /// None, for a host with so many others in its world on the node.
    pub(super) fn new(others: usize) -> Self {
        let limit = MOST.min(MOST_OF_ONE / others.max(1));
        Self {
            limit,
            places: SpinLock::new(VecDeque::with_capacity(limit + 1)),
        }
    }

    /// Keeps a buffer that has been read. Returns the one that is to be given back for it, if there are too many.
    #[inline]
    pub(super) fn keep(&self, place: BufferPlace) -> Option<BufferPlace> {
        let mut places = self.places.lock_biased();
        places.push_back(place);
        (places.len() > self.limit).then(|| places.pop_front()).flatten()
    }

    /// The latest one, for a packet with so many bytes.
    #[inline]
    pub(super) fn take(&self, length: usize) -> Option<BufferPlace> {
        let place = self.places.lock_biased().pop_back();
        place.map(|place| place.again(length))
    }

    /// The one that has been kept longest, which is to be given back.
    pub(super) fn release(&self) -> Option<BufferPlace> {
        self.places.lock_biased().pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::super::pool::Ticket;
    use super::*;

    fn place(index: u32) -> BufferPlace {
        let generation = 0;
        BufferPlace::new(0, Ticket { index, generation }, 1000)
    }

    #[test]
    fn the_latest_is_taken_and_the_oldest_given_back() {
        let kept = KeptBuffers::new(1);
        for index in 0..MOST as u32 {
            assert_eq!(kept.keep(place(index)), None);
        }
        assert_eq!(kept.keep(place(40)), Some(place(0)));
        assert_eq!(kept.take(1000), Some(place(40)));
        assert_eq!(kept.take(1000), Some(place(MOST as u32 - 1)));
        assert_eq!(kept.release(), Some(place(1)));
    }

    #[test]
    fn an_owner_is_left_with_some_whatever_others_keep() {
        for others in 1..200 {
            let kept = KeptBuffers::new(others);
            let count = (0..)
                .find(|index| kept.keep(place(*index)).is_some())
                .expect("it is limited");
            assert!(count as usize * others <= MOST_OF_ONE);
        }
    }
}
