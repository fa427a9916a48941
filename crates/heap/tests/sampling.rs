//! Sampling. It is for the whole process, so it has a test program of its own.

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use simurgh_heap::{CallSite, RankHeaps, Sampled, call_sites, functions, sample};

const PERIOD: usize = 64 << 10;

/// The stack that the unwinder of this test finds.
static PLACE: AtomicUsize = AtomicUsize::new(0);

fn unwind(addresses: &mut [usize]) -> usize {
    addresses[0] = PLACE.load(Ordering::Relaxed);
    addresses[1] = 1;
    2
}

fn malloc(size: usize) -> *mut c_void {
    let (_, malloc) = functions()[0];
    // SAFETY:
    // - the first function has this type, and no preconditions.
    unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(usize) -> *mut c_void>(malloc)(size) }
}

/// The bytes that a block of a debug build takes more than the program asks for.
const ZONE: usize = if cfg!(debug_assertions) { 24 } else { 0 };

/// Allocates so many blocks at a place of the program, which take so many bytes.
fn allocate(place: usize, count: usize, size: usize) -> Vec<*mut c_void> {
    PLACE.store(place, Ordering::Relaxed);
    (0..count).map(|_| malloc(size - ZONE)).collect()
}

fn free_all(blocks: Vec<*mut c_void>) {
    for block in blocks {
        // SAFETY:
        // - the block was allocated here, and nobody uses it.
        unsafe { simurgh_heap::free(block) };
    }
}

fn site(place: usize) -> CallSite {
    let mut sites = call_sites()
        .into_iter()
        .filter(|site| site.addresses == [place, 1]);
    let found = sites.next().expect("the place has been sampled");
    assert!(sites.next().is_none());
    found
}

/// Whether an estimate of so many samples is as near as it is nearly always.
#[track_caller]
fn is_about(found: u64, expected: usize) {
    let (found, expected) = (found as f64, expected as f64);
    let deviation = (expected * PERIOD as f64).sqrt();
    assert!(
        (found - expected).abs() < 5.0 * deviation,
        "{found} for {expected}"
    );
}

/// The number of blocks in use, as the statistics have it; none of them is long.
fn in_use() -> u64 {
    let statistics = RankHeaps::statistics_of_caller().expect("the caller belongs to a rank");
    assert_eq!(statistics.long.count, 0);
    statistics.in_use().count
}

fn as_rank(f: impl FnOnce() + Send) {
    common::as_rank(RankHeaps::new().of(7), f);
}

#[test]
fn samples_represent_what_is_allocated_where_it_is() {
    assert_eq!(functions()[0].0, "malloc");
    assert!(call_sites().is_empty());
    assert!(sample(PERIOD, unwind));
    as_rank(|| {
        let small = allocate(100, 400_000, 48);
        let larger = allocate(200, 3000, 5000);
        let long = allocate(300, 20, 1 << 20);
        let (of_small, of_larger, of_long) = (site(100), site(200), site(300));
        assert_eq!((of_small.rank, of_long.rank), (7, 7));
        is_about(of_small.allocated.bytes, 400_000 * 48);
        is_about(of_larger.allocated.bytes, 3000 * 5120);
        // Each long block is a sample, for it is longer than the distance between samples.
        let exact = Sampled {
            bytes: 20 << 20,
            blocks: 20,
        };
        assert_eq!(
            (of_long.allocated, of_long.live, of_long.most),
            (exact, exact, 20 << 20)
        );
        assert_eq!(of_small.live, of_small.allocated);
        free_all(long);
        free_all(small);
        assert_eq!((site(300).live, site(300).allocated), (Sampled::default(), exact));
        assert_eq!(
            (site(100).live, site(100).most),
            (Sampled::default(), of_small.most)
        );
        // What others have is not touched by that.
        assert_eq!(site(200).live, of_larger.allocated);
        free_all(larger);
        assert_eq!(in_use(), 0);
        let again = allocate(100, 400_000, 48);
        assert_eq!(in_use(), 400_000);
        is_about(site(100).live.bytes, 400_000 * 48);
        free_all(again);
    });
    blocks_that_are_samples_are_blocks();
}

/// Among many blocks are sampled ones; they hold what is written, can grow, and are freed by others.
fn blocks_that_are_samples_are_blocks() {
    let mut blocks = Vec::new();
    as_rank(|| {
        let fill = |block: *mut c_void| {
            // SAFETY:
            // - the block has this size.
            unsafe { block.cast::<u8>().write_bytes(9, 3000) };
            block.addr()
        };
        blocks.extend(allocate(400, 2000, 3000 + ZONE).into_iter().map(fill));
    });
    let sampled = site(400).live.blocks;
    assert!(sampled > 0);
    for block in blocks {
        let block = std::ptr::with_exposed_provenance_mut::<c_void>(block);
        // SAFETY:
        // - the block was allocated above, with this size.
        unsafe {
            assert!(simurgh_heap::usable_size(block) >= 3000);
            let block = simurgh_heap::realloc(block, 40_000).cast::<u8>();
            assert!(
                std::slice::from_raw_parts(block, 3000)
                    .iter()
                    .all(|byte| *byte == 9)
            );
            simurgh_heap::free(block.cast());
        }
    }
}
