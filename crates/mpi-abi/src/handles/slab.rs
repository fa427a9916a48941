//! A slab: the table of objects of one kind behind handles.
//!
//! # Handles
//!
//! A handle is a number: the kind of object in bits 56 to 59, the generation of the slot in bits 32 to 55, and the slot
//! in the low 31 bits, counted from [`FIRST`] on so that it can be told from the predefined handles. Nothing is
//! dereferenced on the program's word: a handle that was never given out, was freed or is of another kind finds
//! nothing.
//!
//! # Protocol
//!
//! Each slot has a word. While the slot holds an object, the word is the object's handle. While the slot is free, the
//! word has the generation of the last handle in the same bits. Its low half has the next free slot and bit 31, which
//! no handle of a slot has. Filling a slot writes the value and then publishes the handle. Freeing replaces the handle
//! by a compare-and-exchange; the thread that wins takes the value, and puts the slot on the free list. Where uses of
//! the table are serialized ([`Serialized`]), plain stores do the same.
//!
//! # Costs
//!
//! A lookup takes two dependent loads and a comparison, without a locked instruction. Giving out a handle takes one
//! locked instruction and freeing it two, or none where uses are serialized. Slots are allocated in blocks of doubling
//! size and reused. They are never returned before the table is dropped, so a lookup never meets freed memory.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr;

use simurgh_core::sync::{AtomicPtr, AtomicU64, Ordering, Serialized, SpinLock};

/// The number of slot 0 in handles. The standard keeps all smaller numbers for predefined handles.
const FIRST: u64 = 0x1001;
/// Handles of objects are not smaller than this.
pub(crate) const FIRST_HANDLE: usize = FIRST as usize;
/// The slots in the first block.
const FIRST_BLOCK: u32 = 32;
/// The blocks of a table. The sum of their slots is the limit on live objects of a kind in a rank.
const BLOCKS: usize = 22;
/// The live objects of one kind that a rank may have: 134,217,696.
pub(crate) const LIMIT: u32 = (FIRST_BLOCK << BLOCKS) - FIRST_BLOCK;
/// The bits of a handle that tell the kind of object.
const KIND: u64 = 0xff << 56;
/// The bits of a handle that tell the generation of its slot.
const GENERATION: u64 = 0xff_ffff << 32;
/// The first generation.
const FIRST_GENERATION: u64 = 1 << 32;
/// No slot.
const NONE: u32 = u32::MAX >> 1;
/// The bit that tells the word of a free slot from all handles of slots.
const FREE: u32 = 1 << 31;

struct Slot<T> {
    /// The handle of the object; the generation and the next slot while this one is free.
    word: AtomicU64,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// The word of a free slot: its generation, of which `word` has the bits, and the next free slot.
#[inline]
fn free_word(word: u64, next: u32) -> u64 {
    word & GENERATION | u64::from(FREE | next)
}

/// The next free slot, in the word of a free one.
#[inline]
fn next_free(word: u64) -> u32 {
    word as u32 & !FREE
}

/// A table of objects of one kind.
pub(crate) struct Slab<T> {
    kind: u64,
    blocks: [AtomicPtr<Slot<T>>; BLOCKS],
    /// The first free slot in the low half. The high half counts changes, so that a stale view is not mistaken for a
    /// current one (the ABA problem).
    free: AtomicU64,
    /// The number of slots that have been used at least once.
    fresh: SpinLock<u32>,
    /// The slot that [`Slab::get_again`] has found last, if it has found any.
    recent: AtomicPtr<Slot<T>>,
}

// SAFETY:
// - the slots are owned by the table, and a value moves between threads only through the table.
unsafe impl<T: Send> Send for Slab<T> {}
// SAFETY:
// - a value is written before its handle is published and read only after that;
// - it is moved out only by whoever wins the change of the slot's word.
unsafe impl<T: Send + Sync> Sync for Slab<T> {}

impl<T> Slab<T> {
    /// An empty table for objects of `kind`, a number from 1 to 15.
    pub(crate) fn new(kind: u8) -> Self {
        Self {
            kind: u64::from(kind) << 56,
            blocks: [const { AtomicPtr::new(ptr::null_mut()) }; BLOCKS],
            free: AtomicU64::new(u64::from(NONE)),
            fresh: SpinLock::new(0),
            recent: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Puts `value` into the table; gives it back when the table is full.
    pub(crate) fn insert(&self, value: T) -> Result<usize, T> {
        match self.pop_free() {
            Some((index, slot)) => Ok(self.fill(index, slot, value)),
            None => self.insert_new(value),
        }
    }

    /// As [`Slab::insert`], of a table whose uses `serialized` is about.
    #[inline]
    pub(crate) fn insert_serially(&self, serialized: &Serialized, value: T) -> Result<usize, T> {
        if serialized.holds()
            && let Some((index, slot)) = self.pop_free_serialized()
        {
            return Ok(self.fill(index, slot, value));
        }
        self.insert(value)
    }

    /// Puts `value` into a slot that was never used.
    #[cold]
    fn insert_new(&self, value: T) -> Result<usize, T> {
        let fresh = self.grow().and_then(|index| Some((index, self.slot(index)?)));
        match fresh {
            Some((index, slot)) => Ok(self.fill(index, slot, value)),
            None => Err(value),
        }
    }

    /// Puts `value` into a slot that nobody else knows.
    #[inline]
    fn fill(&self, index: u32, slot: &Slot<T>, value: T) -> usize {
        // SAFETY:
        // - the slot was taken off the free list or is fresh: nobody else knows it.
        unsafe { (*slot.value.get()).write(value) };
        // Relaxed: nobody else changes the word.
        let last = slot.word.load(Ordering::Relaxed);
        let generation = last.wrapping_add(FIRST_GENERATION) & GENERATION;
        let handle = self.kind | generation | (u64::from(index) + FIRST);
        // Release pairs with the Acquire in `occupied` and `get_recent`.
        slot.word.store(handle, Ordering::Release);
        handle as usize
    }

    /// The object behind `handle`.
    ///
    /// # Safety
    ///
    /// No other thread frees the handle while the reference is in use. (The standard makes that the program's duty.)
    #[inline]
    pub(crate) unsafe fn get(&self, handle: usize) -> Option<&T> {
        let (slot, _) = self.occupied(handle)?;
        // SAFETY:
        // - the handle in the slot means that the value is there; the caller sees to it that it stays.
        Some(unsafe { (*slot.value.get()).assume_init_ref() })
    }

    /// [`Slab::get`], which has [`Slab::get_recent`] find the object next time.
    ///
    /// # Safety
    ///
    /// As for [`Slab::get`].
    pub(crate) unsafe fn get_again(&self, handle: usize) -> Option<&T> {
        let (slot, _) = self.occupied(handle)?;
        // Release pairs with the Acquire in `get_recent`.
        self.recent
            .store(ptr::from_ref(slot).cast_mut(), Ordering::Release);
        // SAFETY:
        // - as in `get`.
        Some(unsafe { (*slot.value.get()).assume_init_ref() })
    }

    /// The object behind `handle`, if it is the one that was found last by [`Slab::get_again`]: two loads and a
    /// comparison.
    ///
    /// # Safety
    ///
    /// As for [`Slab::get`].
    #[inline(always)]
    pub(crate) unsafe fn get_recent(&self, handle: usize) -> Option<&T> {
        // Acquire pairs with the Release in `get_again`.
        let recent = self.recent.load(Ordering::Acquire);
        // SAFETY:
        // - slots live as long as the table.
        let slot = unsafe { recent.as_ref() }?;
        // Acquire pairs with the Release in `fill`.
        let is_same = slot.word.load(Ordering::Acquire) == handle as u64;
        // SAFETY:
        // - as in `get`.
        is_same.then(|| unsafe { (*slot.value.get()).assume_init_ref() })
    }

    /// Takes the object behind `handle` out of the table, which voids the handle.
    pub(crate) fn remove(&self, handle: usize) -> Option<T> {
        let (slot, index) = self.occupied(handle)?;
        let (filled, emptied) = (handle as u64, free_word(handle as u64, NONE));
        // Acquire pairs with the Release in `insert`. Of several removals of one handle only one wins.
        slot.word
            .compare_exchange(filled, emptied, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        // SAFETY:
        // - this thread took the handle out of the slot, so it alone takes the value.
        let value = unsafe { (*slot.value.get()).assume_init_read() };
        self.push_free(index, slot);
        Some(value)
    }

    /// As [`Slab::remove`], of a table whose uses `serialized` is about.
    #[inline]
    pub(crate) fn remove_serially(&self, serialized: &Serialized, handle: usize) -> Option<T> {
        if !serialized.holds() {
            return self.remove(handle);
        }
        self.remove_serialized(handle, |_| true)
    }

    /// As [`Slab::remove_serially`], if uses are serialized and the object `is_such`; otherwise the object stays.
    #[inline]
    pub(crate) fn remove_if(
        &self,
        serialized: &Serialized,
        handle: usize,
        is_such: impl Fn(&T) -> bool,
    ) -> Option<T> {
        serialized
            .holds()
            .then(|| self.remove_serialized(handle, is_such))
            .flatten()
    }

    #[inline]
    fn remove_serialized(&self, handle: usize, is_such: impl Fn(&T) -> bool) -> Option<T> {
        let (slot, index) = self.occupied(handle)?;
        // SAFETY:
        // - as in `get`; uses are serialized, so no other thread frees the handle.
        if !is_such(unsafe { (*slot.value.get()).assume_init_ref() }) {
            return None;
        }
        // Relaxed, here and below: the next use is ordered after this one by the program.
        let head = self.free.load(Ordering::Relaxed);
        slot.word
            .store(free_word(handle as u64, head as u32), Ordering::Relaxed);
        // SAFETY:
        // - uses are serialized, and this thread took the handle out of the slot, so it alone takes the value.
        let value = unsafe { (*slot.value.get()).assume_init_read() };
        self.free.store(changed(head, index), Ordering::Relaxed);
        Some(value)
    }

    /// Whether there is an object behind `handle`.
    #[inline]
    pub(crate) fn holds(&self, handle: usize) -> bool {
        self.occupied(handle).is_some()
    }

    /// The number of the slot that a live handle names; it fits into 31 bits.
    pub(crate) fn number(&self, handle: usize) -> Option<usize> {
        let (_, index) = self.occupied(handle)?;
        Some(index as usize + FIRST_HANDLE)
    }

    /// The live handle whose slot has this number.
    pub(crate) fn handle(&self, number: usize) -> Option<usize> {
        let index = u32::try_from(number.checked_sub(FIRST_HANDLE)?).ok()?;
        self.handle_in(index)
    }

    /// The handle of the object in a slot.
    fn handle_in(&self, index: u32) -> Option<usize> {
        // Acquire pairs with the Release in `insert`.
        let word = self.slot(index)?.word.load(Ordering::Acquire);
        (word & KIND == self.kind).then_some(word as usize)
    }

    /// The handles of all objects in the table at the moment.
    pub(crate) fn handles(&self) -> Vec<usize> {
        let fresh = *self.fresh.lock();
        (0..fresh).filter_map(|index| self.handle_in(index)).collect()
    }

    /// The slot that `handle` names, if it holds the object that the handle was given out for.
    #[inline]
    fn occupied(&self, handle: usize) -> Option<(&Slot<T>, u32)> {
        let index = (handle as u32).wrapping_sub(FIRST as u32);
        let slot = self.slot(index)?;
        // Acquire pairs with the Release in `insert`. A handle of another kind is in no slot of this table.
        (slot.word.load(Ordering::Acquire) == handle as u64).then_some((slot, index))
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        // Most programs have few objects of a kind: their slots are all in the first block.
        let (block, offset) = match index {
            0..FIRST_BLOCK => (0, index as usize),
            _ => place(index)?,
        };
        // Acquire pairs with the Release in `grow`.
        let first = self.blocks[block].load(Ordering::Acquire);
        // SAFETY:
        // - a block that is there has as many slots as `place` counts with, and lives as long as the table.
        (!first.is_null()).then(|| unsafe { &*first.add(offset) })
    }

    fn pop_free(&self) -> Option<(u32, &Slot<T>)> {
        // Acquire pairs with the Release in `push_free`: it makes the slot's word visible.
        let mut head = self.free.load(Ordering::Acquire);
        loop {
            let index = head as u32;
            if index == NONE {
                return None;
            }
            let slot = self.slot(index)?;
            let replacement = changed(head, next_free(slot.word.load(Ordering::Relaxed)));
            match self
                .free
                .compare_exchange_weak(head, replacement, Ordering::Acquire, Ordering::Acquire)
            {
                Ok(_) => return Some((index, slot)),
                Err(current) => head = current,
            }
        }
    }

    /// As `pop_free`, where uses are serialized.
    #[inline]
    fn pop_free_serialized(&self) -> Option<(u32, &Slot<T>)> {
        // Relaxed: the program orders the previous use before this one.
        let head = self.free.load(Ordering::Relaxed);
        let index = head as u32;
        if index == NONE {
            return None;
        }
        let slot = self.slot(index)?;
        let next = next_free(slot.word.load(Ordering::Relaxed));
        self.free.store(changed(head, next), Ordering::Relaxed);
        Some((index, slot))
    }

    fn push_free(&self, index: u32, slot: &Slot<T>) {
        let word = slot.word.load(Ordering::Relaxed);
        let mut head = self.free.load(Ordering::Relaxed);
        loop {
            slot.word.store(free_word(word, head as u32), Ordering::Relaxed);
            let replacement = changed(head, index);
            // Release pairs with the Acquire in `pop_free`.
            match self
                .free
                .compare_exchange_weak(head, replacement, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(current) => head = current,
            }
        }
    }

    /// A slot that was never used, from a new block if need be.
    #[cold]
    fn grow(&self) -> Option<u32> {
        let mut fresh = self.fresh.lock();
        let index = *fresh;
        let (block, _) = place(index)?;
        if self.blocks[block].load(Ordering::Relaxed).is_null() {
            let slots: Box<[Slot<T>]> = (0..FIRST_BLOCK << block)
                .map(|_| Slot {
                    word: AtomicU64::new(free_word(0, NONE)),
                    value: UnsafeCell::new(MaybeUninit::uninit()),
                })
                .collect();
            // Release pairs with the Acquire in `slot`.
            self.blocks[block].store(Box::into_raw(slots).cast(), Ordering::Release);
        }
        *fresh = index + 1;
        Some(index)
    }
}

/// The word of the free list when its first slot has become `index`.
#[inline]
fn changed(head: u64, index: u32) -> u64 {
    (head & !u64::from(u32::MAX)).wrapping_add(1 << 32) | u64::from(index)
}

/// The block of slot `index`, and the position in it.
#[inline]
fn place(index: u32) -> Option<(usize, usize)> {
    if index >= LIMIT {
        return None;
    }
    let shifted = index + FIRST_BLOCK;
    let block = (shifted / FIRST_BLOCK).ilog2();
    Some((block as usize, (shifted - (FIRST_BLOCK << block)) as usize))
}

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        for handle in self.handles() {
            self.remove(handle);
        }
        for (block, first) in self.blocks.iter().enumerate() {
            let first = first.load(Ordering::Relaxed);
            if !first.is_null() {
                let slots = ptr::slice_from_raw_parts_mut(first, (FIRST_BLOCK << block) as usize);
                // SAFETY:
                // - `grow` made the block from a boxed slice of this length; no reference into it outlives the table.
                drop(unsafe { Box::from_raw(slots) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn a_handle_finds_its_object_until_it_is_freed() {
        let slab = Slab::new(3);
        let handle = slab.insert("a").expect("room");
        assert!(handle > 4096);
        // SAFETY:
        // - single-threaded.
        assert_eq!(unsafe { slab.get(handle) }, Some(&"a"));
        assert_eq!(slab.remove(handle), Some("a"));
        // SAFETY:
        // - single-threaded.
        assert_eq!(unsafe { slab.get(handle) }, None);
        assert_eq!(slab.remove(handle), None);
        assert_ne!(
            slab.insert("b"),
            Ok(handle),
            "a slot used again has another handle"
        );
    }

    #[test]
    fn the_object_found_last_is_found_again_until_it_is_freed() {
        let slab = Slab::new(3);
        let (first, second) = (slab.insert("a").expect("room"), slab.insert("b").expect("room"));
        // SAFETY:
        // - single-threaded.
        let (recent, again) = unsafe {
            (
                |handle| slab.get_recent(handle).copied(),
                |handle| slab.get_again(handle).copied(),
            )
        };
        assert_eq!((recent(first), recent(0)), (None, None), "nothing has been found");
        assert_eq!(
            (again(first), recent(first), recent(second)),
            (Some("a"), Some("a"), None)
        );
        assert_eq!(
            (again(second), recent(first), recent(second)),
            (Some("b"), None, Some("b"))
        );
        assert_eq!((again(first + 9), recent(second)), (None, Some("b")));
        slab.remove(second);
        assert_eq!((recent(second), again(second)), (None, None));
        let third = slab.insert("c").expect("room");
        assert_eq!(
            (recent(second), recent(third)),
            (None, Some("c")),
            "the slot is used again"
        );
    }

    #[test]
    fn serialized_changes_leave_a_table_as_others_would() {
        let (slab, serialized) = (Slab::new(3), Serialized::default());
        // SAFETY:
        // - single-threaded.
        unsafe { serialized.begin() };
        let first = slab.insert_serially(&serialized, "a").expect("room");
        let second = slab.insert("b").expect("room");
        assert_eq!(slab.remove_serially(&serialized, first), Some("a"));
        assert_eq!(slab.remove_serially(&serialized, first), None);
        assert_eq!(slab.remove(second), Some("b"));
        assert!(!slab.holds(first) && !slab.holds(second));
        let again = slab.insert_serially(&serialized, "c").expect("room");
        assert_eq!(slab.remove_if(&serialized, again, |value| *value == "b"), None);
        assert!(slab.holds(again));
        assert_eq!(
            slab.remove_if(&serialized, again, |value| *value == "c"),
            Some("c")
        );
        let again = slab.insert_serially(&serialized, "c").expect("room");
        assert!(again != second && slab.number(again) == Some(FIRST_HANDLE + 1));
        serialized.end();
        assert_eq!(slab.remove_if(&serialized, again, |_| true), None);
        let last = slab.insert_serially(&serialized, "d").expect("room");
        assert!(last != first && slab.number(last) == Some(FIRST_HANDLE));
        assert_eq!(slab.remove_serially(&serialized, last), Some("d"));
        assert_eq!(slab.handles(), [again]);
    }

    #[test]
    fn a_live_handle_has_a_number_and_comes_back() {
        let slab = Slab::new(3);
        let first = slab.insert("a").expect("room");
        slab.remove(first);
        let handle = slab.insert("b").expect("room");
        let number = slab.number(handle).expect("a live handle");
        assert!(number < 1 << 31);
        assert_eq!(slab.handle(number), Some(handle));
        assert_eq!(
            (slab.number(first), slab.handle(number + 1), slab.handle(1)),
            (None, None, None)
        );
        slab.remove(handle);
        assert_eq!(slab.handle(number), None);
    }

    #[test]
    fn foreign_numbers_find_nothing() {
        let slab = Slab::new(3);
        let handle = slab.insert(1).expect("room");
        let other_kind = (handle & !(0xff << 56)) | 4 << 56;
        let freed = slab.insert(2).expect("room");
        slab.remove(freed);
        for number in [
            0,
            1,
            freed,
            freed & !(0xff << 56),
            0x101,
            4096,
            4097,
            handle + 1,
            other_kind,
            usize::MAX,
            handle | 0xff << 56,
        ] {
            // SAFETY:
            // - single-threaded.
            assert_eq!(unsafe { slab.get(number) }, None, "{number:#x}");
        }
    }

    #[test]
    fn blocks_double() {
        assert_eq!(place(0), Some((0, 0)));
        assert_eq!(place(31), Some((0, 31)));
        assert_eq!(place(32), Some((1, 0)));
        assert_eq!(place(95), Some((1, 63)));
        assert_eq!(place(96), Some((2, 0)));
        assert_eq!(place(LIMIT - 1), Some((21, (32 << 21) - 1)));
        assert_eq!(place(LIMIT), None);
    }

    #[test]
    fn all_objects_are_dropped_with_the_table() {
        let object = Arc::new(());
        let slab = Slab::new(1);
        for _ in 0..1000 {
            slab.insert(object.clone()).expect("room");
        }
        let freed = slab.handles()[500];
        slab.remove(freed);
        assert_eq!(Arc::strong_count(&object), 1000);
        drop(slab);
        assert_eq!(Arc::strong_count(&object), 1);
    }

    #[test]
    fn threads_never_share_a_slot() {
        let slab = Slab::new(1);
        thread::scope(|scope| {
            for thread in 0..4_u64 {
                let slab = &slab;
                scope.spawn(move || {
                    let mut held = Vec::new();
                    for round in 0..20_000_u64 {
                        let value = thread << 32 | round;
                        held.push((slab.insert(value).expect("room"), value));
                        if round % 3 != 0 {
                            let (handle, value) = held.swap_remove((round % held.len() as u64) as usize);
                            assert_eq!(slab.remove(handle), Some(value));
                        }
                    }
                    for (handle, value) in held {
                        assert_eq!(slab.remove(handle), Some(value));
                    }
                });
            }
        });
        assert_eq!(slab.handles(), Vec::<usize>::new());
    }
}
