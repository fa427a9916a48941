//! Tests of the heaps of ranks, by the functions of C without red zones.

mod common_segments;
mod huge_pages;

use std::collections::HashSet;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::{Mutex, mpsc};

use crate::c::{self, functions};
use crate::{Blocks, RankHeaps, Statistics};

/// The functions under test, found by name.
pub(crate) struct C;

fn at(name: &str) -> usize {
    let found = functions().into_iter().find(|(known, _)| *known == name);
    found.expect("a function of this name").1
}

impl C {
    pub(crate) fn malloc(size: usize) -> *mut u8 {
        // SAFETY:
        // - the function has this type, and no preconditions.
        unsafe {
            let malloc: unsafe extern "C" fn(usize) -> *mut c_void = std::mem::transmute(at("malloc"));
            malloc(size).cast()
        }
    }

    pub(crate) fn calloc(count: usize, size: usize) -> *mut u8 {
        // SAFETY:
        // - as above.
        unsafe {
            let calloc: unsafe extern "C" fn(usize, usize) -> *mut c_void = std::mem::transmute(at("calloc"));
            calloc(count, size).cast()
        }
    }

    fn aligned(alignment: usize, size: usize) -> Result<*mut u8, c_int> {
        let mut block = std::ptr::null_mut();
        // SAFETY:
        // - the function has this type; the result is a variable of this function.
        let error = unsafe {
            let posix_memalign: unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int =
                std::mem::transmute(at("posix_memalign"));
            posix_memalign(&raw mut block, alignment, size)
        };
        if error == 0 { Ok(block.cast()) } else { Err(error) }
    }

    pub(crate) fn free(block: *mut u8) {
        // SAFETY:
        // - the tests free what they have allocated, once.
        unsafe { c::free(block.cast()) }
    }

    fn realloc(block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY:
        // - as above.
        unsafe { c::realloc(block.cast(), size).cast() }
    }

    fn trim() {
        // SAFETY:
        // - the function has this type, and no preconditions.
        unsafe {
            let trim: unsafe extern "C" fn(usize) -> c_int = std::mem::transmute(at("malloc_trim"));
            trim(0);
        }
    }

    fn usable(block: *mut u8) -> usize {
        // SAFETY:
        // - as above.
        unsafe { c::usable_size(block.cast()) }
    }
}

/// Runs `f` as the main context of a new rank.
pub(crate) fn as_rank<R: Send>(f: impl FnOnce(&'static RankHeaps) -> R + Send) -> R {
    let heaps: &'static RankHeaps = Box::leak(Box::new(RankHeaps::new()));
    as_thread(heaps, || f(heaps))
}

/// Runs `f` as a thread of a rank.
pub(crate) fn as_thread<R: Send>(heaps: &'static RankHeaps, f: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            assert!(heaps.enter());
            let result = f();
            RankHeaps::leave();
            result
        });
        thread.join().expect("no panic")
    })
}

/// A block that knows what it holds.
struct Filled {
    block: *mut u8,
    size: usize,
    value: u8,
}

// SAFETY:
// - the block is its own.
unsafe impl Send for Filled {}

impl Filled {
    fn new(block: *mut u8, size: usize, value: u8) -> Self {
        assert!(!block.is_null());
        assert_eq!(block.addr() % 16, 0);
        assert!(C::usable(block) >= size);
        // SAFETY:
        // - the block has that size.
        unsafe { block.write_bytes(value, size) };
        Self { block, size, value }
    }

    fn check(&self, size: usize) {
        // SAFETY:
        // - as above.
        let bytes = unsafe { std::slice::from_raw_parts(self.block, size.min(self.size)) };
        assert!(bytes.iter().all(|byte| *byte == self.value), "size {}", self.size);
    }

    fn resize(&mut self, size: usize) {
        self.block = C::realloc(self.block, size);
        self.check(size);
        *self = Self::new(self.block, size, self.value.wrapping_add(1));
    }

    fn free(self) {
        self.check(self.size);
        C::free(self.block);
    }
}

/// A small pseudo-random generator (xorshift), so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    /// Mostly small, sometimes large, seldom several segments.
    fn size(&mut self) -> usize {
        match self.below(1000) {
            0 => self.below(9 << 20),
            1..20 => self.below(300 << 10),
            20..100 => self.below(40 << 10),
            _ => self.below(1500),
        }
    }
}

fn one_operation(random: &mut Random, blocks: &mut Vec<Filled>) {
    let value = random.below(256) as u8;
    match (random.below(6), blocks.is_empty()) {
        (0, false) => {
            let index = random.below(blocks.len());
            let size = random.size().max(1);
            blocks[index].resize(size);
        }
        (1..3, false) => {
            let index = random.below(blocks.len());
            blocks.swap_remove(index).free();
        }
        (3, _) => {
            let (alignment, size) = (16 << random.below(20), random.size());
            let block = C::aligned(alignment, size).expect("memory");
            assert_eq!(block.addr() % alignment, 0);
            blocks.push(Filled::new(block, size, value));
        }
        (4, _) => {
            let size = random.size();
            let block = C::calloc(1, size);
            let filled = Filled {
                block,
                size,
                value: 0,
            };
            filled.check(size);
            blocks.push(Filled::new(block, size, value));
        }
        _ => {
            let size = random.size();
            blocks.push(Filled::new(C::malloc(size), size, value));
        }
    }
    while blocks.len() > 500 {
        let index = random.below(blocks.len());
        blocks.swap_remove(index).free();
    }
}

#[test]
fn blocks_hold_what_is_written_to_them() {
    as_rank(|_| {
        let mut random = Random(88_172_645_463_325_252);
        let mut blocks = Vec::new();
        for _ in 0..60_000 {
            one_operation(&mut random, &mut blocks);
        }
        blocks.into_iter().for_each(Filled::free);
    });
}

#[test]
fn blocks_are_freed_by_threads_and_ranks_that_have_not_allocated_them() {
    let (give, take) = mpsc::channel::<Vec<Filled>>();
    let (back, again) = mpsc::channel::<Vec<Filled>>();
    let work = |seed: u64, give: mpsc::Sender<Vec<Filled>>, take: mpsc::Receiver<Vec<Filled>>| {
        let mut random = Random(seed);
        let mut blocks = Vec::new();
        for _ in 0..200 {
            for _ in 0..200 {
                one_operation(&mut random, &mut blocks);
            }
            let half = blocks.split_off(blocks.len() / 2);
            if give.send(half).is_err() {
                break;
            }
            blocks.extend(take.recv().into_iter().flatten());
        }
        drop(give);
        take.into_iter().flatten().chain(blocks).for_each(Filled::free);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| as_rank(|_| work(1_234_567, give, again)));
        scope.spawn(|| as_rank(|_| work(7_654_321, back, take)));
    });
}

#[test]
fn memory_that_has_been_used_is_zero_when_calloc_gives_it() {
    as_rank(|_| {
        for size in [16, 1000, 40_000, 300_000, 3 << 20, 20 << 20] {
            for _ in 0..3 {
                let block = C::malloc(size);
                Filled::new(block, size, 0xff).free();
                let block = C::calloc(size / 8, 8);
                Filled {
                    block,
                    size,
                    value: 0,
                }
                .free();
            }
        }
        assert!(C::calloc(usize::MAX / 2, 3).is_null());
        assert!(C::malloc(usize::MAX - 5).is_null());
    });
}

#[test]
fn ranks_share_no_page() {
    let pages = |_: usize| {
        as_rank(|_| {
            let mut pages = HashSet::new();
            for size in 1..2000 {
                let block = C::malloc(size).addr();
                pages.extend([block >> 12, (block + size - 1) >> 12]);
            }
            pages
        })
    };
    let of: Vec<HashSet<usize>> = (0..4).map(pages).collect();
    for (index, one) in of.iter().enumerate() {
        for other in &of[index + 1..] {
            assert!(one.is_disjoint(other));
        }
    }
}

#[test]
fn few_blocks_of_many_sizes_take_few_pages() {
    as_rank(|_| {
        let mut pages = HashSet::new();
        let sizes = (16..800).step_by(40);
        let total: usize = sizes.clone().sum();
        for size in sizes {
            let block = C::malloc(size).addr();
            pages.extend([block >> 12, (block + size - 1) >> 12]);
        }
        assert!(
            pages.len() <= total / 4096 + 2,
            "{} pages for {total} bytes",
            pages.len()
        );
    });
}

#[test]
fn long_blocks_of_one_size_begin_at_different_distances_from_pages() {
    as_rank(|_| {
        for size in [64 << 10, 1 << 20, 5 << 20] {
            let starts: HashSet<usize> = (0..40).map(|_| C::malloc(size).addr() % 4096).collect();
            assert!(starts.len() >= 16, "{} of {size} bytes", starts.len());
        }
    });
}

#[test]
fn blocks_at_multiples_of_segments_are_as_others() {
    let sizes = [1, 5000, 4 << 20, 9_000_000];
    let all = || -> Vec<Filled> {
        let aligned = |log: usize, size: usize| {
            let block = C::aligned(1 << log, size).expect("there is memory");
            assert!(block.addr().is_multiple_of(1 << log) && crate::arena::contains(block.addr()));
            Filled::new(block, size, log as u8)
        };
        (22..=26)
            .flat_map(|log| sizes.map(|size| aligned(log, size)))
            .collect()
    };
    as_rank(|heaps| {
        for _ in 0..3 {
            let mut blocks = all();
            let others: Vec<_> = (0..50).map(|size| C::malloc(size << 12)).collect();
            for (index, filled) in blocks.iter_mut().enumerate() {
                filled.check(filled.size);
                // Larger in its place, or elsewhere.
                filled.resize([filled.size + 3, 1 << index, 30_000_000][index % 3]);
            }
            assert!(in_use().bytes >= blocks.iter().map(|filled| filled.size as u64).sum());
            // Another context frees one half.
            let half = blocks.split_off(blocks.len() / 2);
            let free = |blocks: Vec<Filled>| blocks.into_iter().for_each(|filled| C::free(filled.block));
            as_thread(heaps, || free(half));
            free(blocks);
            others.into_iter().for_each(C::free);
            // Those that the other context has freed come home.
            C::free(C::malloc(1_000_000));
            assert_eq!(in_use(), Blocks::default());
        }
    });
}

#[test]
fn the_heap_of_a_thread_that_has_ended_serves_the_next() {
    as_rank(|heaps| {
        let segment = |block: *mut u8| block.addr() >> 22;
        let own = segment(C::malloc(100));
        let threads: HashSet<usize> = (0..20)
            .map(|_| as_thread(heaps, || segment(C::malloc(100))))
            .collect();
        assert_eq!(threads.len(), 1);
        assert!(!threads.contains(&own));
    });
}

#[test]
fn blocks_that_others_free_are_used_again() {
    let addresses = as_rank(|_| {
        let mut addresses = HashSet::new();
        for _ in 0..50 {
            let blocks: Vec<Filled> = (0..1000).map(|_| Filled::new(C::malloc(200), 200, 1)).collect();
            addresses.extend(blocks.iter().map(|filled| filled.block.addr()));
            as_rank(|_| blocks.into_iter().for_each(Filled::free));
        }
        addresses.len()
    });
    assert!(addresses < 3000, "{addresses}");
}

#[test]
fn a_long_block_that_grows_goes_on_to_hold_its_bytes() {
    as_rank(|_| {
        let mut block = Filled::new(C::malloc(100), 100, 1);
        let mut others = Vec::new();
        let mut size = 100;
        while size < 200 << 20 {
            size += size / 3 + 1;
            block.resize(size);
            others.push(Filled::new(C::malloc(size / 50), size / 50, 2));
        }
        for divisor in [2, 10, 1000, 1_000_000] {
            block.resize(size / divisor);
        }
        block.free();
        others.into_iter().for_each(Filled::free);
    });
}

#[test]
fn a_context_of_no_rank_has_the_c_library() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let block = C::malloc(100);
            assert_ne!(block.addr() >> 44, 3);
            let block = C::realloc(block, 100_000);
            assert!(C::usable(block) >= 100_000);
            C::free(block);
            C::free(C::calloc(3, 5));
        });
    });
}

/// Runs `f` as the main context of a rank that may have so many bytes.
fn as_limited_rank(bytes: usize, f: impl FnOnce(&'static RankHeaps) + Send) {
    let heaps: &'static RankHeaps = Box::leak(Box::new(RankHeaps::limited(bytes)));
    as_thread(heaps, || f(heaps));
}

/// Takes blocks of one size until there are no more.
fn all_there_are(size: usize) -> Vec<*mut u8> {
    let blocks: Vec<_> = std::iter::repeat_with(|| C::malloc(size))
        .take_while(|block| !block.is_null())
        .collect();
    assert!(!blocks.iter().any(|block| block.addr() >> 44 != 3));
    blocks
}

#[test]
fn a_rank_gets_as_much_as_it_may_have_again_and_again() {
    const LIMIT: usize = 16 << 20;
    as_limited_rank(LIMIT, |_| {
        for size in [
            24,
            700,
            5000,
            32_768,
            56_000,
            60_000,
            1 << 20,
            3 << 20,
            24,
            7 << 20,
        ] {
            let blocks = all_there_are(size);
            let taken = blocks.len() * size;
            assert!(taken <= LIMIT && taken * 3 > LIMIT, "{taken} in blocks of {size}");
            blocks.into_iter().for_each(C::free);
        }
    });
}

#[test]
fn a_block_that_grows_beyond_the_limit_stays_as_it_is() {
    for size in [100, 100_000, 5 << 20] {
        as_limited_rank(16 << 20, |_| {
            let block = Filled::new(C::malloc(size), size, 3);
            assert!(C::realloc(block.block, 17 << 20).is_null());
            block.check(size);
            let mut block = Filled::new(block.block, size, 4);
            block.resize(size + size / 2);
            block.free();
            assert!(!all_there_are(15 << 20).is_empty());
        });
    }
}

#[test]
fn blocks_at_multiples_of_segments_count() {
    as_limited_rank(64 << 20, |_| {
        for _ in 0..3 {
            let aligned = || C::aligned(8 << 20, 6 << 20).ok();
            let blocks: Vec<_> = std::iter::from_fn(aligned).collect();
            assert_eq!(blocks.len(), 10);
            blocks.into_iter().for_each(C::free);
        }
    });
}

#[test]
fn blocks_of_threads_count_until_they_are_freed() {
    as_limited_rank(16 << 20, |heaps| {
        for size in [100, 10 << 20] {
            let of_thread = as_thread(heaps, || {
                let blocks = all_there_are(size);
                blocks
                    .into_iter()
                    .map(|block| Filled::new(block, size, 1))
                    .collect::<Vec<_>>()
            });
            assert!(C::malloc(8 << 20).is_null());
            of_thread.into_iter().for_each(Filled::free);
            let block = C::malloc(8 << 20);
            assert!(!block.is_null());
            C::free(block);
        }
    });
}

/// The memory whose pages have gone, as it was told.
static GONE: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

/// Whether it was told that all pages of memory went. It has not been told before that.
fn has_been_told(memory: &Range<usize>) -> bool {
    let gone = GONE.lock().unwrap();
    memory
        .clone()
        .step_by(4096)
        .all(|page| gone.iter().any(|range| range.contains(&page)))
}

/// The whole pages of a block.
fn pages_of(block: *mut u8, size: usize) -> Range<usize> {
    block.addr().next_multiple_of(4096)..(block.addr() + size) & !4095
}

#[test]
fn it_is_told_when_pages_go() {
    crate::before_pages_go(|range| GONE.lock().unwrap().push(range));
    as_rank(|_| {
        let sizes = [100_000, 1 << 20, 9 << 20];
        let blocks = sizes.map(|size| Filled::new(C::malloc(size), size, 1));
        let memory: Vec<_> = blocks
            .iter()
            .map(|filled| pages_of(filled.block, filled.size))
            .collect();
        assert!(!memory.iter().any(has_been_told));
        blocks.into_iter().for_each(Filled::free);
        assert!(!memory.iter().any(has_been_told));
        C::trim();
        assert!(memory.iter().all(has_been_told));
    });
    // A block that moves by its pages: it cannot grow where it is, since another one follows it.
    as_rank(|_| {
        let mut block = Filled::new(C::malloc(20 << 20), 20 << 20, 1);
        let other = C::malloc(20 << 20);
        let old = pages_of(block.block, block.size);
        block.resize(60 << 20);
        let new = pages_of(block.block, 20 << 20);
        assert_ne!(old.start, new.start);
        assert!(has_been_told(&old) && has_been_told(&new));
        block.free();
        C::free(other);
    });
}

fn in_use() -> Blocks {
    let statistics = RankHeaps::statistics_of_caller().expect("the caller belongs to a rank");
    assert_eq!(statistics.left_out, 0);
    let Blocks { count, bytes } = statistics.in_use();
    assert!(bytes <= statistics.held && statistics.held <= statistics.most_held);
    Blocks { count, bytes }
}

#[test]
fn statistics_count_all_blocks_in_use() {
    as_rank(|heaps| {
        let mut random = Random(4_101_842_887_655_102_017);
        let mut blocks = Vec::new();
        for _ in 0..30 {
            for _ in 0..300 {
                one_operation(&mut random, &mut blocks);
            }
            let bytes: usize = blocks.iter().map(|filled| filled.size).sum();
            let found = in_use();
            assert_eq!(found.count, blocks.len() as u64);
            assert!(found.bytes >= bytes as u64);
        }
        let thread = as_thread(heaps, || Filled::new(C::malloc(100), 100, 1));
        assert_eq!(in_use().count, blocks.len() as u64 + 1);
        thread.free();
        blocks.into_iter().for_each(Filled::free);
        as_thread(heaps, || C::free(C::malloc(100)));
        let held = RankHeaps::statistics_of_caller().expect("as above");
        assert_eq!((held.heaps, held.most_held > 0), (2, true));
    });
}

#[test]
fn statistics_say_which_sizes_are_in_use() {
    as_rank(|_| {
        let small: Vec<_> = (0..5000).map(|_| C::malloc(60)).collect();
        let long = C::malloc(1 << 20);
        let statistics = RankHeaps::statistics_of_caller().expect("the caller belongs to a rank");
        let class = Statistics::sizes().iter().position(|size| *size == 64);
        let of_64 = statistics.classes[class.expect("a class of 64 bytes")];
        assert_eq!(
            (of_64.count + statistics.first.count, of_64.bytes),
            (5000, of_64.count * 64)
        );
        assert_eq!(statistics.long.count, 1);
        assert!((1 << 20..(1 << 20) + (128 << 10)).contains(&statistics.long.bytes));
        assert!(statistics.fragmentation() < 0.3);
        small.into_iter().for_each(C::free);
        C::free(long);
        assert_eq!(in_use(), Blocks::default());
    });
}
