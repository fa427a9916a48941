//! Call sites: where the program was when it allocated the blocks that were sampled.
//!
//! All heaps of the process share one table. A site is the stack of a rank, as return addresses. An entry is found by
//! the hash of these, and lies at one of the places that follow from it. Its state says what holds:
//!
//! * *empty*: nobody has it. Whoever makes it busy by a compare-and-swap owns it.
//! * *busy*: its owner writes the addresses. Others take the next place, also for the same stack: an owner may be
//!   suspended, so nobody waits. Readers unite entries with the same stack.
//! * *ready*: the addresses stay as they are. The numbers beside them change by single instructions.
//!
//! If no place is left, the block counts at an entry without addresses, the first one.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rustix::mm::{MapFlags, ProtFlags};

/// The largest number of addresses of a site: the innermost ones of the stack.
pub(crate) const DEPTH: usize = 16;
/// The number of entries.
const ENTRIES: usize = 1 << 15;
/// The number of places of an entry.
const PLACES: usize = 64;

const EMPTY: u32 = 0;
const BUSY: u32 = 1;
const READY: u32 = 2;

/// An entry; zeros are an empty one.
#[repr(C, align(64))]
struct Entry {
    state: AtomicU32,
    depth: AtomicU32,
    owner: AtomicU32,
    hash: AtomicU64,
    addresses: [AtomicUsize; DEPTH],
    allocated: Amount,
    live: Amount,
    most: AtomicU64,
}

/// Bytes and blocks that are represented by the samples of a site.
#[derive(Debug, Default)]
struct Amount {
    bytes: AtomicU64,
    blocks: AtomicU64,
}

/// The table; null until there is one.
static TABLE: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

/// The number of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site(pub(crate) u32);

/// What a sample represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// Bytes of blocks.
    pub bytes: u64,
    /// Blocks.
    pub blocks: u64,
}

/// A call site, and what has been sampled there.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// The number of the rank, as [`RankHeaps`](crate::RankHeaps) was given it.
    pub rank: u32,
    /// Return addresses, the innermost one first. None if there was no room to keep them.
    pub addresses: Vec<usize>,
    /// What has been allocated there in all.
    pub allocated: Sampled,
    /// What of it has not been freed.
    pub live: Sampled,
    /// The most bytes that have not been freed at a time.
    pub most: u64,
}

impl Amount {
    fn add(&self, sampled: Sampled) -> u64 {
        // Relaxed here and below: only the numbers themselves are passed on.
        self.blocks.fetch_add(sampled.blocks, Ordering::Relaxed);
        self.bytes.fetch_add(sampled.bytes, Ordering::Relaxed) + sampled.bytes
    }

    fn take(&self, sampled: Sampled) {
        self.blocks.fetch_sub(sampled.blocks, Ordering::Relaxed);
        self.bytes.fetch_sub(sampled.bytes, Ordering::Relaxed);
    }

    fn load(&self) -> Sampled {
        Sampled {
            bytes: self.bytes.load(Ordering::Relaxed),
            blocks: self.blocks.load(Ordering::Relaxed),
        }
    }
}

/// Makes the table. Returns whether there is one.
pub(crate) fn begin() -> bool {
    if !TABLE.load(Ordering::Acquire).is_null() {
        return true;
    }
    let size = ENTRIES * size_of::<Entry>();
    let (protection, flags) = (
        ProtFlags::READ | ProtFlags::WRITE,
        MapFlags::PRIVATE | MapFlags::NORESERVE,
    );
    // SAFETY:
    // - the kernel chooses the address, so nothing is replaced.
    let mapped = unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), size, protection, flags) };
    let Ok(mapped) = mapped else { return false };
    // Of several tables that are made at the same time the first one stays; the others are never used.
    let _ = TABLE.compare_exchange(
        ptr::null_mut(),
        mapped.cast(),
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    true
}

fn table() -> &'static [Entry] {
    let table = TABLE.load(Ordering::Acquire);
    if table.is_null() {
        return &[];
    }
    // SAFETY:
    // - the mapping has so many entries, which zeros are valid for, and stays for ever.
    unsafe { std::slice::from_raw_parts(table, ENTRIES) }
}

fn hash_of(rank: u32, addresses: &[usize]) -> u64 {
    let seed = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(rank);
    addresses.iter().fold(seed, |hash, &address| {
        (hash ^ address as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    })
}

/// The site of a stack of a rank.
pub(crate) fn find(rank: u32, addresses: &[usize]) -> Site {
    let (table, hash) = (table(), hash_of(rank, addresses));
    for step in 0..PLACES as u64 {
        // The first entry is that for all sites without one.
        let place = 1 + (hash.wrapping_add(step * step) % (ENTRIES as u64 - 1)) as usize;
        let Some(entry) = table.get(place) else { break };
        if entry.is(rank, hash, addresses) || entry.become_one(rank, hash, addresses) {
            return Site(place as u32);
        }
    }
    Site(0)
}

impl Entry {
    fn is(&self, rank: u32, hash: u64, addresses: &[usize]) -> bool {
        // Acquire pairs with the Release in `become_one`.
        self.state.load(Ordering::Acquire) == READY
            && self.hash.load(Ordering::Relaxed) == hash
            && self.owner.load(Ordering::Relaxed) == rank
            && self.depth.load(Ordering::Relaxed) as usize == addresses.len()
            && (self.addresses.iter().zip(addresses))
                .all(|(kept, address)| kept.load(Ordering::Relaxed) == *address)
    }

    /// Makes an empty entry that of a stack. Returns false if it is not empty.
    fn become_one(&self, rank: u32, hash: u64, addresses: &[usize]) -> bool {
        let is_mine = self
            .state
            .compare_exchange(EMPTY, BUSY, Ordering::Relaxed, Ordering::Relaxed);
        if is_mine.is_err() {
            return false;
        }
        self.hash.store(hash, Ordering::Relaxed);
        self.owner.store(rank, Ordering::Relaxed);
        self.depth.store(addresses.len() as u32, Ordering::Relaxed);
        for (kept, address) in self.addresses.iter().zip(addresses) {
            kept.store(*address, Ordering::Relaxed);
        }
        self.state.store(READY, Ordering::Release);
        true
    }
}

impl Site {
    fn entry(self) -> Option<&'static Entry> {
        table().get(self.0 as usize)
    }

    /// Notes a sample.
    pub(crate) fn allocated(self, sampled: Sampled) {
        if let Some(entry) = self.entry() {
            entry.allocated.add(sampled);
            let live = entry.live.add(sampled);
            entry.most.fetch_max(live, Ordering::Relaxed);
        }
    }

    /// Notes that the block of a sample has been freed.
    pub(crate) fn freed(self, sampled: Sampled) {
        if let Some(entry) = self.entry() {
            entry.live.take(sampled);
        }
    }
}

/// All call sites of which something has been sampled.
#[must_use]
pub fn call_sites() -> Vec<CallSite> {
    let used = |entry: &&Entry| entry.allocated.load().blocks > 0;
    let site = |entry: &Entry| CallSite {
        rank: entry.owner.load(Ordering::Relaxed),
        addresses: entry.addresses[..entry.depth.load(Ordering::Relaxed) as usize]
            .iter()
            .map(|address| address.load(Ordering::Relaxed))
            .collect(),
        allocated: entry.allocated.load(),
        live: entry.live.load(),
        most: entry.most.load(Ordering::Relaxed),
    };
    // Something is added only when the entry is ready.
    table().iter().filter(used).map(site).collect()
}
