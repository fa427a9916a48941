//! What tests of several programs need.

use simurgh_heap::RankHeaps;

/// Runs `f` as the main context of a rank with these heaps.
pub(crate) fn as_rank<R: Send>(heaps: RankHeaps, f: impl FnOnce() -> R + Send) -> R {
    let heaps: &'static RankHeaps = Box::leak(Box::new(heaps));
    std::thread::scope(|scope| {
        let rank = scope.spawn(|| {
            assert!(heaps.enter());
            let result = f();
            RankHeaps::leave();
            result
        });
        rank.join().expect("the rank ends well")
    })
}
