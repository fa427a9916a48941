//! Tests of the heaps of ranks, by the functions of C.

use std::collections::HashSet;
use std::ffi::{c_int, c_void};
use std::sync::mpsc;

use crate::{RankHeaps, functions};

/// The functions under test, found by name.
struct C;

fn at(name: &str) -> usize {
    let found = functions().into_iter().find(|(known, _)| *known == name);
    found.expect("a function of this name").1
}

impl C {
    fn malloc(size: usize) -> *mut u8 {
        // SAFETY:
        // - the function has this type, and no preconditions.
        unsafe {
            let malloc: unsafe extern "C" fn(usize) -> *mut c_void = std::mem::transmute(at("malloc"));
            malloc(size).cast()
        }
    }

    fn calloc(count: usize, size: usize) -> *mut u8 {
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

    fn free(block: *mut u8) {
        // SAFETY:
        // - the tests free what they have allocated, once.
        unsafe { crate::free(block.cast()) }
    }

    fn realloc(block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY:
        // - as above.
        unsafe { crate::realloc(block.cast(), size).cast() }
    }

    fn usable(block: *mut u8) -> usize {
        // SAFETY:
        // - as above.
        unsafe { crate::usable_size(block.cast()) }
    }
}

/// Runs `f` as the main context of a new rank.
fn as_rank<R: Send>(f: impl FnOnce(&'static RankHeaps) -> R + Send) -> R {
    let heaps: &'static RankHeaps = Box::leak(Box::new(RankHeaps::new()));
    as_thread(heaps, || f(heaps))
}

/// Runs `f` as a thread of a rank.
fn as_thread<R: Send>(heaps: &'static RankHeaps, f: impl FnOnce() -> R + Send) -> R {
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
            let (alignment, size) = (16 << random.below(18), random.size());
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
            assert!(starts.len() >= 30, "{} of {size} bytes", starts.len());
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
