//! A cache of registrations, for providers that pin the memory they work on.
//!
//! For such a provider, to register memory costs a system call and a walk through its pages. So a registration is kept
//! for the next transfer of the same memory. It goes stale when the memory is given back to the system and other memory
//! appears at the same addresses. The cache stays coherent because it keeps registrations only within blocks whose
//! owner has promised to tell before that happens ([`RegistrationCache::hold`], [`RegistrationCache::release`],
//! [`RegistrationCache::withdraw`]). The heaps of ranks are such a block. All other memory is registered for one
//! transfer at a time.
//!
//! Memory is registered without the cache's lock. If anything has been released or withdrawn meanwhile, the
//! registration is used once and not kept: it may be of pages that have gone.
//!
//! Registrations do not overlap. A request that reaches beyond one registers the union instead, so the pieces of a
//! buffer grow together. When the cache is full, the least recently used one is removed. Each user of a registration
//! has a reference, so it is closed only after its last use. A lookup costs a short lock and two searches in ordered
//! maps.

use std::collections::BTreeMap;
use std::ops::Range;

use simurgh_core::sync::Arc;

/// Most registrations in the cache.
const LIMIT: usize = 1024;

/// Registrations within blocks of memory that are held.
pub(super) struct RegistrationCache<R> {
    /// The blocks, each with its beginning and end. They do not overlap.
    blocks: BTreeMap<usize, usize>,
    /// Registrations by the beginning of their memory. They do not overlap, and each lies within a block.
    entries: BTreeMap<usize, Entry<R>>,
    /// Counts lookups, to tell which entry was used last.
    clock: u64,
    limit: usize,
    /// Counts how often memory has been released or withdrawn.
    withdrawals: u64,
}

struct Entry<R> {
    end: usize,
    used: u64,
    registration: Arc<R>,
}

/// The outcome of a lookup.
pub(super) enum Found<R> {
    /// A registration of the memory, and perhaps of more.
    Hit(Arc<R>),
    /// There is none. The span is to be registered, and then to be given to [`RegistrationCache::insert`].
    Miss(Miss),
    /// The memory is not within a block that is held.
    Unknown,
}

/// Memory of which there is no registration.
pub(super) struct Miss {
    /// What is to be registered: the memory, and what overlapping registrations have.
    pub(super) span: Range<usize>,
    /// The number of withdrawals before.
    withdrawals: u64,
}

/// Registrations that have left the cache. They are to be dropped after its lock has been released.
#[must_use]
pub(super) struct Removed<R>(Vec<Arc<R>>);

impl<R> Default for RegistrationCache<R> {
    fn default() -> Self {
        Self {
            blocks: BTreeMap::new(),
            entries: BTreeMap::new(),
            clock: 0,
            limit: LIMIT,
            withdrawals: 0,
        }
    }
}

impl<R> RegistrationCache<R> {
    /// Holds a block until it is released. A block that overlaps one that is held is ignored.
    pub(super) fn hold(&mut self, block: Range<usize>) {
        let before = self.blocks.range(..block.end).next_back();
        if before.is_none_or(|(_, end)| *end <= block.start) && !block.is_empty() {
            self.blocks.insert(block.start, block.end);
        }
    }

    /// Releases the block that begins here, and removes its registrations.
    pub(super) fn release(&mut self, start: usize) -> Removed<R> {
        let Some(end) = self.blocks.remove(&start) else {
            return Removed(Vec::new());
        };
        self.withdraw(&(start..end))
    }

    /// Removes the registrations of some memory, which goes on to be held.
    pub(super) fn withdraw(&mut self, memory: &Range<usize>) -> Removed<R> {
        self.withdrawals += 1;
        self.remove(memory)
    }

    /// Looks for a registration of some memory.
    pub(super) fn find(&mut self, memory: &Range<usize>) -> Found<R> {
        if !self.is_held(memory) {
            return Found::Unknown;
        }
        self.clock += 1;
        if let Some((_, entry)) = self.entries.range_mut(..=memory.start).next_back()
            && memory.end <= entry.end
        {
            entry.used = self.clock;
            return Found::Hit(Arc::clone(&entry.registration));
        }
        let touched = self.touched(memory);
        let start = touched
            .first()
            .map_or(memory.start, |(start, _)| memory.start.min(*start));
        let end = touched.last().map_or(memory.end, |(_, end)| memory.end.max(*end));
        Found::Miss(Miss {
            span: start..end,
            withdrawals: self.withdrawals,
        })
    }

    /// Adds a registration of memory that was missed, unless some has been released or withdrawn meanwhile.
    pub(super) fn insert(&mut self, miss: Miss, registration: Arc<R>) -> Removed<R> {
        let memory = miss.span;
        if miss.withdrawals != self.withdrawals {
            return Removed(Vec::new());
        }
        let mut removed = self.remove(&memory);
        let used = self.clock;
        let entry = Entry {
            end: memory.end,
            used,
            registration,
        };
        self.entries.insert(memory.start, entry);
        if self.entries.len() > self.limit
            && let Some((&oldest, _)) = self.entries.iter().min_by_key(|(_, entry)| entry.used)
        {
            removed
                .0
                .extend(self.entries.remove(&oldest).map(|entry| entry.registration));
        }
        removed
    }

    /// Whether memory lies within one block.
    fn is_held(&self, memory: &Range<usize>) -> bool {
        let block = self.blocks.range(..=memory.start).next_back();
        block.is_some_and(|(_, end)| memory.end <= *end)
    }

    /// The registrations that overlap some memory: their beginnings and ends, ascending.
    fn touched(&self, memory: &Range<usize>) -> Vec<(usize, usize)> {
        let mut touched: Vec<_> = self
            .entries
            .range(..memory.end)
            .rev()
            .map(|(start, entry)| (*start, entry.end))
            .take_while(|(_, end)| memory.start < *end)
            .collect();
        touched.reverse();
        touched
    }

    fn remove(&mut self, memory: &Range<usize>) -> Removed<R> {
        let touched = self.touched(memory);
        let removed = touched.iter().filter_map(|(start, _)| self.entries.remove(start));
        Removed(removed.map(|entry| entry.registration).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Hold(Range<usize>),
        Release(usize),
        Withdraw(Range<usize>),
        Use(Range<usize>),
        /// The second range is withdrawn while the first one is being registered.
        UseMeanwhile(Range<usize>, Range<usize>),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let range = || (0..200usize, 1..40usize).prop_map(|(start, length)| start..start + length);
        let step = prop_oneof![
            1 => range().prop_map(Step::Hold),
            1 => (0..200usize).prop_map(Step::Release),
            1 => range().prop_map(Step::Withdraw),
            8 => range().prop_map(Step::Use),
            1 => (range(), range()).prop_map(|(memory, gone)| Step::UseMeanwhile(memory, gone)),
        ];
        proptest::collection::vec(step, 0..200)
    }

    /// A registration of memory, with the number of times that each byte had been released before.
    struct Registered {
        memory: Range<usize>,
        generation: Vec<u64>,
    }

    proptest! {
        #[test]
        fn what_is_found_covers_what_is_asked_and_is_never_stale(steps in steps(), limit in 1..6usize) {
            let mut cache = RegistrationCache::<Registered> { limit, ..RegistrationCache::default() };
            // Of each byte: whether it is promised, and how often it has been released.
            let mut promised = [false; 256];
            let mut generation = [0u64; 256];
            let mut blocks: Vec<Range<usize>> = Vec::new();
            for step in steps {
                match step {
                    Step::Hold(block) => {
                        if !promised[block.clone()].contains(&true) {
                            promised[block.clone()].fill(true);
                            blocks.push(block.clone());
                        }
                        cache.hold(block);
                    }
                    Step::Release(start) => {
                        let _ = cache.release(start);
                        if let Some(at) = blocks.iter().position(|block| block.start == start) {
                            let block = blocks.remove(at);
                            promised[block.clone()].fill(false);
                            generation[block].iter_mut().for_each(|count| *count += 1);
                        }
                    }
                    Step::Withdraw(memory) => {
                        let _ = cache.withdraw(&memory);
                        generation[memory].iter_mut().for_each(|count| *count += 1);
                    }
                    Step::UseMeanwhile(memory, gone) => {
                        if let Found::Miss(miss) = cache.find(&memory) {
                            let registered = Registered {
                                memory: miss.span.clone(),
                                generation: generation[miss.span.clone()].to_vec(),
                            };
                            let _ = cache.withdraw(&gone);
                            generation[gone].iter_mut().for_each(|count| *count += 1);
                            let _ = cache.insert(miss, Arc::new(registered));
                        }
                    }
                    Step::Use(memory) => match cache.find(&memory) {
                        Found::Hit(found) => {
                            prop_assert!(found.memory.start <= memory.start && memory.end <= found.memory.end);
                            prop_assert_eq!(&generation[found.memory.clone()], &found.generation[..]);
                        }
                        Found::Miss(miss) => {
                            let span = miss.span.clone();
                            prop_assert!(span.start <= memory.start && memory.end <= span.end);
                            prop_assert!(blocks.iter().any(|b| b.start <= span.start && span.end <= b.end));
                            let registered = Registered {
                                generation: generation[span.clone()].to_vec(),
                                memory: span,
                            };
                            let _ = cache.insert(miss, Arc::new(registered));
                            prop_assert!(matches!(cache.find(&memory), Found::Hit(_)));
                        }
                        Found::Unknown => {
                            prop_assert!(!blocks.iter().any(|b| b.start <= memory.start && memory.end <= b.end));
                        }
                    },
                }
                prop_assert!(cache.entries.len() <= limit);
            }
        }
    }

    #[test]
    fn the_longest_unused_makes_room_and_what_is_released_meanwhile_is_not_kept() {
        let mut cache = RegistrationCache::<usize> {
            limit: 2,
            ..RegistrationCache::default()
        };
        cache.hold(0..100);
        let miss = |cache: &mut RegistrationCache<usize>, start: usize| match cache.find(&(start..start + 5))
        {
            Found::Miss(miss) => miss,
            _ => panic!("nothing is registered there"),
        };
        for start in [0, 10] {
            let missed = miss(&mut cache, start);
            let _ = cache.insert(missed, Arc::new(start));
        }
        assert!(matches!(cache.find(&(0..5)), Found::Hit(_)));
        let missed = miss(&mut cache, 20);
        let _ = cache.insert(missed, Arc::new(20));
        assert!(matches!(cache.find(&(0..5)), Found::Hit(_)));
        assert!(matches!(cache.find(&(10..15)), Found::Miss(_)));
        let missed = miss(&mut cache, 30);
        let _ = cache.release(0);
        let _ = cache.insert(missed, Arc::new(30));
        assert!(cache.entries.is_empty());
    }
}
