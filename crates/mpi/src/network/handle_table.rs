//! Handle tables: operations under way that another host refers to by number.
//!
//! A handle that comes from another host is valid only if it names an entry that is there and belongs to that host. An
//! index is used again with another generation, so that a late or invented handle finds nothing. Entries of different
//! ranks lie in different shards, each with its lock.
//!
//! Costs: one lock, of the rank's own shard, per call, without a locked instruction while the process is biased; no
//! allocation once the shard has grown.

use crate::endpoint::Handle;
use crossbeam_utils::CachePadded;
use simurgh_core::sync::SpinLock;
use simurgh_net::HostId;

/// Bits of a handle that are the index in its shard.
const INDEX_BITS: u32 = 24;
/// Bits of a handle that are the generation.
const GENERATION_BITS: u32 = 24;
/// Most shards.
const SHARDS: usize = 1 << 10;

impl Handle {
    /// The handle of no entry.
    pub(crate) const NONE: Self = Self(u64::MAX);
    /// That of no entry either: the reply is an answer by a word (`answer`).
    pub(super) const ANSWER: Self = Self(u64::MAX - 1);

    fn new(shard: usize, generation: u32, index: u32) -> Self {
        let generation = u64::from(generation) & ((1 << GENERATION_BITS) - 1);
        Self((shard as u64) << (INDEX_BITS + GENERATION_BITS) | generation << INDEX_BITS | u64::from(index))
    }

    fn shard(self) -> usize {
        (self.0 >> (INDEX_BITS + GENERATION_BITS)) as usize
    }

    fn index(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }
}

/// Entries, each of a host.
pub(super) struct HandleTable<T>(Box<[CachePadded<SpinLock<Shard<T>>>]>);

struct Shard<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    entry: Option<(HostId, T)>,
}

impl<T> HandleTable<T> {
    /// A table for so many users, each with a shard of its own as far as there are enough.
    pub(super) fn new(users: usize) -> Self {
        let shard = |_| {
            CachePadded::new(SpinLock::new(Shard {
                slots: Vec::new(),
                free: Vec::new(),
            }))
        };
        Self((0..users.clamp(1, SHARDS)).map(shard).collect())
    }

    /// Adds an entry of a host, in the name of a user.
    ///
    /// # Panics
    ///
    /// When a user has 2^24 entries.
    pub(super) fn add(&self, user: usize, host: HostId, value: T) -> Handle {
        let number = user % self.0.len();
        let mut guard = self.0[number].lock_biased();
        let shard = &mut *guard;
        let index = shard.free.pop().unwrap_or_else(|| {
            let entry = None;
            shard.slots.push(Slot { generation: 0, entry });
            u32::try_from(shard.slots.len() - 1)
                .ok()
                .filter(|index| index >> INDEX_BITS == 0)
                .expect("fewer than 2^24 operations are under way")
        });
        let slot = &mut shard.slots[index as usize];
        slot.entry = Some((host, value));
        Handle::new(number, slot.generation, index)
    }

    /// Calls `f` with an entry of a host, if it is there, while its shard is locked.
    pub(super) fn visit<R>(&self, handle: Handle, host: HostId, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.get(handle.shard())?.lock_biased().visit(handle, host, f)
    }

    /// As [`HandleTable::visit`], for a handle that has not left this host.
    pub(super) fn visit_own<R>(&self, handle: Handle, f: impl FnOnce(HostId, &mut T) -> R) -> Option<R> {
        let mut shard = self.0.get(handle.shard())?.lock_biased();
        let host = shard.owner(handle)?;
        shard.visit(handle, host, |value| f(host, value))
    }

    /// As [`HandleTable::take`], for a handle that has not left this host.
    pub(super) fn take_own(&self, handle: Handle) -> Option<(HostId, T)> {
        let mut shard = self.0.get(handle.shard())?.lock_biased();
        let host = shard.owner(handle)?;
        Some((host, shard.take(handle, host)?))
    }

    /// Looks for an entry of a user of which `is_it` holds.
    pub(super) fn find(&self, user: usize, is_it: impl Fn(&T) -> bool) -> Option<Handle> {
        let number = user % self.0.len();
        let shard = self.0[number].lock_biased();
        let fits = |slot: &Slot<T>| slot.entry.as_ref().is_some_and(|(_, value)| is_it(value));
        let index = shard.slots.iter().position(fits)?;
        Some(Handle::new(number, shard.slots[index].generation, index as u32))
    }

    /// The results of `f` for all entries for which it returns one.
    pub(super) fn collect<R>(&self, mut f: impl FnMut(&T) -> Option<R>) -> Vec<R> {
        let mut found = Vec::new();
        for shard in &self.0 {
            let shard = shard.lock_biased();
            let entries = shard.slots.iter().filter_map(|slot| slot.entry.as_ref());
            found.extend(entries.filter_map(|(_, value)| f(value)));
        }
        found
    }

    /// Removes an entry of a host, if it is there.
    pub(super) fn take(&self, handle: Handle, host: HostId) -> Option<T> {
        self.0.get(handle.shard())?.lock_biased().take(handle, host)
    }

    /// Calls `is_last` with an entry of a host, if it is there, and removes the entry if that says so. The entry that
    /// has been removed; none if there is no entry, or `is_last` gives none.
    pub(super) fn take_if(
        &self,
        handle: Handle,
        host: HostId,
        is_last: impl FnOnce(&mut T) -> Option<bool>,
    ) -> Option<Option<T>> {
        let mut shard = self.0.get(handle.shard())?.lock_biased();
        let (_, value) = shard.slot(handle, host)?.entry.as_mut()?;
        let taken = is_last(value)?;
        Some(taken.then(|| shard.take(handle, host)).flatten())
    }
}

impl<T> Shard<T> {
    /// The host of an entry, if it is there.
    fn owner(&self, handle: Handle) -> Option<HostId> {
        let (host, _) = self.slots.get(handle.index())?.entry.as_ref()?;
        Some(*host)
    }

    fn visit<R>(&mut self, handle: Handle, host: HostId, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        let (_, value) = self.slot(handle, host)?.entry.as_mut()?;
        Some(f(value))
    }

    /// The slot with an entry of the host under this handle.
    fn slot(&mut self, handle: Handle, host: HostId) -> Option<&mut Slot<T>> {
        let slot = self.slots.get_mut(handle.index())?;
        let number = Handle::new(handle.shard(), slot.generation, handle.index() as u32);
        let known = number == handle && slot.entry.as_ref().is_some_and(|(owner, _)| *owner == host);
        known.then_some(slot)
    }

    fn take(&mut self, handle: Handle, host: HostId) -> Option<T> {
        let slot = self.slot(handle, host)?;
        let (_, value) = slot.entry.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(handle.index() as u32);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_host_with_a_handle_of_today_finds_an_entry() {
        let table = HandleTable::new(3);
        let handles: Vec<_> = (0..9).map(|user| table.add(user, 7, user)).collect();
        assert_eq!(table.take(handles[4], 8), None);
        assert_eq!(table.visit(handles[4], 7, |user| *user), Some(4));
        assert_eq!(table.take(handles[4], 7), Some(4));
        assert_eq!(table.take(handles[4], 7), None);
        let again = table.add(4, 7, 40);
        assert_ne!(again, handles[4]);
        assert_eq!(again.index(), handles[4].index());
        assert_eq!(table.take(handles[4], 7), None);
        assert_eq!(table.take(again, 7), Some(40));
        assert_eq!(table.take(Handle(u64::MAX), 7), None);
        assert_eq!(table.visit(handles[8], 7, |user| *user), Some(8));
    }

    #[test]
    fn an_entry_is_taken_when_it_is_the_last_time() {
        let table = HandleTable::new(1);
        let handle = table.add(0, 7, 2);
        let count_down = |left: &mut i32| {
            *left -= 1;
            (*left >= 0).then_some(*left == 0)
        };
        assert_eq!(table.take_if(handle, 8, count_down), None);
        assert_eq!(table.take_if(handle, 7, count_down), Some(None));
        assert_eq!(table.take_if(handle, 7, count_down), Some(Some(0)));
        assert_eq!(table.take_if(handle, 7, count_down), None);
        let handle = table.add(0, 7, 0);
        assert_eq!(table.take_if(handle, 7, count_down), None);
        assert_eq!(table.take(handle, 7), Some(-1), "it is left there");
    }
}
