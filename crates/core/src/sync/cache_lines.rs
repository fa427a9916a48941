//! Hints about cache lines. They change nothing that a program can see, only when it has what it needs.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Prefetches the line of a place that is to be written soon.
#[inline]
pub fn prefetch_write<T>(place: *const T) {
    #[cfg(not(any(loom, miri)))]
    // SAFETY:
    // - a prefetch never faults and changes nothing that a program can see; processors that have none do nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) place, options(nostack, preserves_flags));
    }
    #[cfg(any(loom, miri))]
    let _ = place;
}

/// Begins to fetch the cache line of a place for reading.
#[inline]
pub fn prefetch_read<T>(place: *const T) {
    #[cfg(not(any(loom, miri)))]
    // SAFETY:
    // - as above; all x86-64 processors have this one.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(any(loom, miri))]
    let _ = place;
}

/// Moves the cache line of a place, which has been written for another core, to the cache that all cores share. From
/// there the other core gets it sooner than from this core's own cache.
#[inline]
pub fn demote<T>(place: *const T) {
    #[cfg(not(any(loom, miri)))]
    // SAFETY:
    // - CLDEMOTE never faults and changes nothing that a program can see; processors that have none do nothing.
    unsafe {
        std::arch::asm!("cldemote [{}]", in(reg) place, options(nostack, preserves_flags));
    }
    #[cfg(any(loom, miri))]
    let _ = place;
}

/// A place in each cache line of so many bytes, which begin with a line.
#[inline]
pub fn lines_of(start: *const u8, length: usize) -> impl Iterator<Item = *const u8> {
    (0..length)
        .step_by(LINE)
        .map(move |offset| start.wrapping_add(offset))
}
