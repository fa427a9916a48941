//! Regions of anonymous memory with a guard page below them.

use std::io;

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

/// Why a region could not be mapped.
#[derive(Debug)]
pub struct RegionError {
    size: usize,
    source: io::Error,
}

impl std::fmt::Display for RegionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "cannot map {} bytes: {} (see `ulimit -v` and vm.max_map_count)",
            self.size, self.source
        )
    }
}

impl std::error::Error for RegionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Size of a page of memory in bytes.
#[must_use]
pub fn page_size() -> usize {
    rustix::param::page_size()
}

/// Private anonymous memory, readable and writable, with one inaccessible guard page at its low end.
///
/// Pages are committed when they are first touched, and never as huge pages. So a large region of which only the top is
/// used costs only the memory of the top.
#[derive(Debug)]
pub struct Region {
    start: usize,
    size: usize,
}

impl Region {
    /// Maps `usable` bytes (rounded up to whole pages) above a guard page.
    ///
    /// With `executable`, the memory may also hold code, as programs with trampolines on their stacks need.
    ///
    /// # Errors
    ///
    /// When the kernel refuses the mapping.
    pub fn with_guard(usable: usize, executable: bool) -> Result<Self, RegionError> {
        let page = page_size();
        let size = usable.next_multiple_of(page) + page;
        let failed = |errno: rustix::io::Errno| RegionError {
            size,
            source: errno.into(),
        };
        let mut protection = ProtFlags::READ | ProtFlags::WRITE;
        protection.set(ProtFlags::EXEC, executable);
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::STACK;
        // SAFETY:
        // - the address is chosen by the kernel, so no existing mapping is replaced.
        let start = unsafe { rustix::mm::mmap_anonymous(std::ptr::null_mut(), size, protection, flags) }
            .map_err(failed)?;
        let region = Self {
            start: start as usize,
            size,
        };
        // SAFETY:
        // - the page is the lowest of the mapping just made, to which nobody holds a pointer yet.
        unsafe { rustix::mm::mprotect(start, page, MprotectFlags::empty()) }.map_err(failed)?;
        // SAFETY:
        // - the range is the mapping just made; the advice changes no contents.
        // A kernel without huge pages refuses the advice, and then it is not needed.
        let _ = unsafe { rustix::mm::madvise(start, size, Advice::LinuxNoHugepage) };
        Ok(region)
    }

    /// Lowest usable address, just above the guard page.
    #[must_use]
    pub fn low(&self) -> usize {
        self.start + page_size()
    }

    /// First address above the region.
    #[must_use]
    pub fn high(&self) -> usize {
        self.start + self.size
    }

    /// Lowest address of the guard page.
    #[must_use]
    pub fn guard(&self) -> usize {
        self.start
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY:
        // - the range was mapped by `with_guard` and belongs to this value alone;
        // - whoever hands out addresses of it keeps the region alive as long as they are used.
        let unmapped = unsafe { rustix::mm::munmap(self.start as *mut _, self.size) };
        debug_assert!(unmapped.is_ok(), "a region is unmapped exactly once");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_usable_from_low_to_high() {
        let region = Region::with_guard(10_000, false).expect("mapping 10 kB");
        assert!(region.high() - region.low() >= 10_000);
        assert_eq!(region.low() - region.guard(), page_size());
        for address in [region.low(), region.high() - 1] {
            // SAFETY:
            // - the address lies in the usable part of a live region.
            unsafe { (address as *mut u8).write_volatile(7) };
        }
    }
}
