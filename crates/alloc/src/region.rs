//! Regions of anonymous memory with a guard region below them.

use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

/// The addresses for regions, besides a random distance of up to 4 TiB. The kernel gives out addresses from the other
/// end, or from above these where stacks are not limited, so that nothing else comes to lie between regions.
const ADDRESSES: Range<usize> = 0x0800_0000_0000..0x2600_0000_0000;

/// The size of a guard region in addresses, and the number of regions from which on it is less. Nothing is mapped
/// there.
///
/// A region that is a gibibyte from the next one needs page tables of its own. With hundreds of stacks, a switch from
/// one to the other took 4 to 7 % longer, with an eighth of the distance 1 to 2 %.
const GUARD: usize = 1 << 30;
const MANY: usize = 64;
const GUARD_OF_MANY: usize = GUARD / 8;

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

/// Private anonymous memory, readable and writable, with an inaccessible guard region at its low end.
///
/// Pages are committed when they are first touched, and never as huge pages. So a large region of which only the top is
/// used costs only the memory of the top.
///
/// A function with large local arrays moves the stack pointer by any distance at once, and must not get into the stack
/// of another rank. So the first regions of a process lie a gibibyte apart, those beyond the 64th 128 MiB. Nothing is
/// mapped in between: the kernel limits the number of mappings of a process, and this takes one. Where these addresses
/// cannot be had, the kernel chooses others, and the guard is a page.
#[derive(Debug)]
pub struct Region {
    guard: usize,
    low: usize,
    high: usize,
    /// Where the mapping begins: at `guard` or at `low`.
    start: usize,
}

impl Region {
    /// Maps `usable` bytes (rounded up to whole pages) above a guard region.
    ///
    /// With `executable`, the memory may also hold code, as programs with trampolines on their stacks need.
    ///
    /// # Errors
    ///
    /// When the kernel refuses the mapping.
    pub fn with_guard(usable: usize, executable: bool) -> Result<Self, RegionError> {
        let mut protection = ProtFlags::READ | ProtFlags::WRITE;
        protection.set(ProtFlags::EXEC, executable);
        let size = usable.next_multiple_of(page_size());
        let apart = Self::apart(size, protection);
        apart.map_or_else(|| Self::with_guard_page(size, protection), Ok)
    }

    /// A region far from all others.
    fn apart(size: usize, protection: ProtFlags) -> Option<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        // Relaxed: the number decides about nothing but the size.
        let guard_size = guard_size(NUMBER.fetch_add(1, Ordering::Relaxed));
        let guard = next_address(guard_size.checked_add(size)?)?;
        let low = guard + guard_size;
        // SAFETY:
        // - the flag keeps existing mappings from being replaced.
        let start = unsafe { map(low as *mut _, size, protection, MapFlags::FIXED_NOREPLACE) }.ok()?;
        if start as usize != low {
            // A kernel that does not know the flag has put the mapping elsewhere.
            // SAFETY:
            // - the mapping was made just now, and nobody knows of it.
            let _ = unsafe { rustix::mm::munmap(start, size) };
            return None;
        }
        Some(Self {
            guard,
            low,
            high: low + size,
            start: low,
        })
    }

    /// A region at the upper end of addresses that the caller has reserved: `size` bytes, rounded up to whole pages, up
    /// to `high`. What is left between `guard` and them is its guard region.
    ///
    /// # Errors
    ///
    /// When the kernel refuses the mapping, or less than a page is left for the guard region.
    ///
    /// # Safety
    ///
    /// The addresses from `guard` to `high` have been [reserved](reserve), nobody uses them, and `high` is a multiple
    /// of the size of a page.
    pub unsafe fn in_reserved(
        guard: usize,
        high: usize,
        size: usize,
        executable: bool,
    ) -> Result<Self, RegionError> {
        let size = size.next_multiple_of(page_size());
        let failed = |source| RegionError { size, source };
        let low = high.checked_sub(size).filter(|low| *low >= guard + page_size());
        let low = low.ok_or_else(|| failed(io::ErrorKind::OutOfMemory.into()))?;
        let mut protection = ProtFlags::READ | ProtFlags::WRITE;
        protection.set(ProtFlags::EXEC, executable);
        // SAFETY:
        // - nobody uses the addresses (caller).
        unsafe { map(low as *mut _, size, protection, MapFlags::FIXED) }
            .map_err(|errno| failed(errno.into()))?;
        Ok(Self {
            guard,
            low,
            high,
            start: low,
        })
    }

    /// A region wherever the kernel finds room, with a guard of one page.
    fn with_guard_page(usable: usize, protection: ProtFlags) -> Result<Self, RegionError> {
        let page = page_size();
        let size = usable + page;
        let failed = |errno: rustix::io::Errno| RegionError {
            size,
            source: errno.into(),
        };
        // SAFETY:
        // - the address is chosen by the kernel, so no existing mapping is replaced.
        let start =
            unsafe { map(std::ptr::null_mut(), size, protection, MapFlags::empty()) }.map_err(failed)?;
        let region = Self {
            guard: start as usize,
            low: start as usize + page,
            high: start as usize + size,
            start: start as usize,
        };
        // SAFETY:
        // - the page is the lowest of the mapping just made, to which nobody holds a pointer yet.
        unsafe { guard(start, page) }.map_err(failed)?;
        Ok(region)
    }

    /// Lowest usable address, just above the guard region.
    #[must_use]
    pub fn low(&self) -> usize {
        self.low
    }

    /// First address above the region.
    #[must_use]
    pub fn high(&self) -> usize {
        self.high
    }

    /// Lowest address of the guard region.
    #[must_use]
    pub fn guard(&self) -> usize {
        self.guard
    }
}

/// Reserves addresses: nothing else is mapped there from now on, and nothing can be accessed. That takes one mapping of
/// the process, and no memory.
///
/// # Errors
///
/// When something is mapped there already, or the kernel refuses.
pub fn reserve(range: Range<usize>) -> Result<(), RegionError> {
    let size = range.len();
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    // SAFETY:
    // - the flag keeps existing mappings from being replaced.
    let found = unsafe { rustix::mm::mmap_anonymous(range.start as *mut _, size, ProtFlags::empty(), flags) };
    let found = found.map_err(|errno| RegionError {
        size,
        source: errno.into(),
    })?;
    if found.addr() == range.start {
        return Ok(());
    }
    // SAFETY:
    // - a kernel that does not know the flag has put the mapping elsewhere, just now, and nobody knows of it.
    let _ = unsafe { rustix::mm::munmap(found, size) };
    Err(RegionError {
        size,
        source: io::ErrorKind::AlreadyExists.into(),
    })
}

/// The size of the guard region of the region with this number. A page more than a power of two keeps the same places
/// of all stacks from sharing one set of the processor's caches of addresses.
fn guard_size(number: usize) -> usize {
    page_size() + if number < MANY { GUARD } else { GUARD_OF_MANY }
}

/// Takes so many of the addresses for regions; `None` if there are no more. They are not given back.
fn next_address(size: usize) -> Option<usize> {
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    // The place of this variable is random where the system makes it so.
    let random = ((&raw const TAKEN).addr() / page_size() % (1 << 30)) * page_size();
    // Relaxed: each address is given out once, and nothing else is passed on.
    let taken = TAKEN.fetch_add(size, Ordering::Relaxed);
    let start = ADDRESSES.start.checked_add(random)?.checked_add(taken)?;
    (start.checked_add(size)? <= ADDRESSES.end).then_some(start)
}

/// Maps memory for a region.
///
/// # Safety
///
/// As for `mmap`: the address is null, or the flags keep existing mappings from being replaced.
unsafe fn map(
    address: *mut c_void,
    size: usize,
    protection: ProtFlags,
    flags: MapFlags,
) -> rustix::io::Result<*mut c_void> {
    let flags = flags | MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::STACK;
    // SAFETY:
    // - no existing mapping is replaced (caller).
    let start = unsafe { rustix::mm::mmap_anonymous(address, size, protection, flags) }?;
    // SAFETY:
    // - the range is the mapping just made; the advice changes no contents.
    // A kernel without huge pages refuses the advice, and then it is not needed. It comes before the guard page: now
    // the kernel can still unite the mapping with its neighbour, whose pages are not huge either.
    let _ = unsafe { rustix::mm::madvise(start, size, Advice::LinuxNoHugepage) };
    Ok(start)
}

/// Makes a page inaccessible.
///
/// # Safety
///
/// Nothing may use the page.
unsafe fn guard(page: *mut c_void, size: usize) -> rustix::io::Result<()> {
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
        let unmapped = unsafe { rustix::mm::munmap(self.start as *mut _, self.high - self.start) };
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

    fn check_guards(regions: &[Region]) {
        for region in regions {
            assert!(!is_readable(region.guard()) && !is_readable(region.low() - 1));
            assert!(is_readable(region.low()) && is_readable(region.high() - 1));
        }
    }

    #[test]
    fn the_addresses_below_a_region_are_inaccessible() {
        let regions: Vec<Region> = (0..MANY + 64)
            .map(|_| Region::with_guard(4 * page_size(), false).expect("mapping four pages"))
            .collect();
        check_guards(&regions);
        let far = |region: &&Region| region.low() - region.guard() > GUARD;
        // Other tests have regions, too.
        assert!((MANY - 16..=MANY).contains(&regions.iter().filter(far).count()));
        for region in &regions {
            assert!(region.low() - region.guard() > 128 << 20);
            let mut steps = (region.guard()..region.low()).step_by(1 << 22);
            assert!(!steps.any(is_readable));
        }
    }

    #[test]
    fn a_region_anywhere_has_a_guard_page() {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let regions: Vec<Region> = (0..8)
            .map(|_| Region::with_guard_page(4 * page_size(), protection).expect("mapping four pages"))
            .collect();
        check_guards(&regions);
        assert!(
            regions
                .iter()
                .all(|region| region.low() - region.guard() == page_size())
        );
    }

    #[test]
    fn a_region_is_usable_from_low_to_high() {
        let region = Region::with_guard(10_000, false).expect("mapping 10 kB");
        assert!(region.high() - region.low() >= 10_000);
        for address in [region.low(), region.high() - 1] {
            // SAFETY:
            // - the address lies in the usable part of a live region.
            unsafe { (address as *mut u8).write_volatile(7) };
        }
    }
}
