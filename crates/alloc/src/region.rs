//! Regions of anonymous memory with a guard page below them.

use std::io;

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

/// `MADV_GUARD_INSTALL`, which Linux has had since 6.13.
const GUARD_INSTALL: libc::c_int = 102;

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
///
/// The kernel limits the number of mappings of a process. Where it knows guard pages within a mapping, regions that lie
/// side by side are one mapping together. Otherwise each one takes two, one of them for its guard page.
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
        // - the range is the mapping just made; the advice changes no contents.
        // A kernel without huge pages refuses the advice, and then it is not needed. It comes before the guard page:
        // now the kernel can still unite the mapping with its neighbour, whose pages are not huge either.
        let _ = unsafe { rustix::mm::madvise(start, size, Advice::LinuxNoHugepage) };
        // SAFETY:
        // - the page is the lowest of the mapping just made, to which nobody holds a pointer yet.
        unsafe { guard(start, page) }.map_err(failed)?;
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

/// Makes a page inaccessible.
///
/// # Safety
///
/// Nothing may use the page.
unsafe fn guard(page: *mut std::ffi::c_void, size: usize) -> rustix::io::Result<()> {
    // SAFETY:
    // - nothing uses the page (caller).
    unsafe {
        if libc::madvise(page, size, GUARD_INSTALL) == 0 {
            return Ok(());
        }
        // An older kernel does not know the advice, and locked memory (mlockall) may not have such pages.
        rustix::mm::mprotect(page, size, MprotectFlags::empty())
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
    use std::os::fd::AsRawFd;

    use super::*;

    /// Whether the kernel can read the byte at an address.
    fn is_readable(address: usize) -> bool {
        let (_reader, writer) = rustix::pipe::pipe().expect("a pipe");
        // SAFETY:
        // - the kernel reads the byte, or gives an error if it cannot.
        unsafe { libc::write(writer.as_raw_fd(), address as *const _, 1) == 1 }
    }

    #[test]
    fn the_page_below_a_region_is_inaccessible() {
        let page = page_size();
        let regions: Vec<Region> = (0..8)
            .map(|_| Region::with_guard(4 * page, false).expect("mapping four pages"))
            .collect();
        for region in &regions {
            assert!(!is_readable(region.guard()) && !is_readable(region.low() - 1));
            assert!(is_readable(region.low()) && is_readable(region.high() - 1));
        }
    }

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
