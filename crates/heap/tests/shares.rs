//! The arena divided among ranks.

#![cfg(not(loom))]

mod common;

use std::ffi::c_void;
use std::sync::Mutex;

use rustix::mm::{MapFlags, ProtFlags};
use simurgh_heap::{RankHeaps, Report, Reporter, SHARE_UNIT, addresses, divide, functions, set_reporter};

const DISTANCE: usize = 1 << 30;
const ROOM: usize = 96 * SHARE_UNIT;
const SHARES: usize = 4;

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn at(name: &str) -> usize {
    let found = functions().into_iter().find(|(known, _)| *known == name);
    found.expect("a function of this name").1
}

fn malloc(size: usize) -> usize {
    // SAFETY:
    // - the function has this type, and no preconditions.
    unsafe {
        let malloc: unsafe extern "C" fn(usize) -> *mut c_void = std::mem::transmute(at("malloc"));
        malloc(size).addr()
    }
}

fn memalign(alignment: usize, size: usize) -> usize {
    // SAFETY:
    // - as above.
    unsafe {
        let memalign: unsafe extern "C" fn(usize, usize) -> *mut c_void = std::mem::transmute(at("memalign"));
        memalign(alignment, size).addr()
    }
}

fn free(block: usize) {
    // SAFETY:
    // - the test frees what it has allocated, once.
    unsafe { simurgh_heap::free(block as *mut c_void) }
}

fn tell(report: &Report) {
    TOLD.lock().unwrap().push(report.to_string());
}

#[test]
fn each_rank_has_its_share_and_is_told_when_that_is_full() {
    assert!(RankHeaps::are_possible());
    let start = addresses().start;
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    // SAFETY:
    // - the flag keeps existing mappings from being replaced.
    unsafe { rustix::mm::mmap_anonymous(start as *mut c_void, SHARES * DISTANCE, ProtFlags::empty(), flags) }
        .expect("the addresses are free");
    set_reporter(Reporter {
        tell,
        calls: || [0; 4],
    });
    divide(DISTANCE, ROOM, SHARES);
    let ranks = [2, 0, 3, 1];
    std::thread::scope(|scope| {
        let run = |share: usize| {
            common::as_rank(RankHeaps::new().in_share(share), || {
                let room = start + share * DISTANCE..start + share * DISTANCE + ROOM;
                for _ in 0..3 {
                    let short = (0..5000).map(|index| malloc(index % 3000));
                    let long = (1..20).map(|index| malloc(index << 19));
                    let aligned = (20..26).map(|log| memalign(1 << log, 3000));
                    let blocks: Vec<_> = short.chain(long).chain(aligned).collect();
                    assert!(blocks.iter().all(|block| room.contains(block)));
                    // SAFETY:
                    // - the block has so many bytes.
                    unsafe { std::ptr::write_bytes(blocks[5018] as *mut u8, 1, 9 << 20) };
                    blocks.into_iter().for_each(free);
                }
                let all: Vec<_> = std::iter::repeat_with(|| malloc(3 << 20))
                    .take_while(|block| *block != 0)
                    .collect();
                assert!(all.len() > 60 && all.iter().all(|block| room.contains(block)));
                assert_eq!((malloc(50 << 20), memalign(8 << 20, 1 << 20)), (0, 0));
                all.into_iter().for_each(free);
                free(malloc(50 << 20));
            });
        };
        let _ = ranks.map(|share| scope.spawn(move || run(share)));
    });
    let told = TOLD.lock().unwrap();
    assert_eq!(told.len(), ranks.len(), "{told:?}");
    assert!(told.iter().all(|text| text.contains("--rank-range")), "{told:?}");
}
