//! Dumps: what a range of addresses holds, as bytes, so that it can be unmapped and mapped again.
//!
//! A dump has the list of the mappings that lie in the range, with their protection, and the bytes of the pages that
//! the process has to itself. Pages that a mapping shares with its file, and pages that nobody has touched, are not in
//! it: the file is mapped again by whoever knows it.
//!
//! Costs: the list of all mappings of the process is read; then 8 bytes of the kernel's page map for each page of
//! mappings in the range, touched or not; then the pages of the process's own are copied.

mod mappings;
mod page_map;

use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

use mappings::Mapping;

/// A part of a file that is mapped, or was.
#[derive(Clone, Debug)]
pub struct FilePiece<'a> {
    /// Where.
    pub addresses: Range<usize>,
    /// The file.
    pub file: BorrowedFd<'a>,
    /// The place in the file of the first of these addresses.
    pub offset: u64,
}

/// The part of a range that stays mapped when the rest is wiped, since the process uses some words of it.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Whole pages.
    pub pages: Range<usize>,
    /// The words in them, which are neither wiped nor restored. They are in ascending order.
    pub words: Vec<Range<usize>>,
}

/// Neighbouring pages of a dump.
#[derive(Debug)]
struct Run {
    start: usize,
    bytes: Vec<u8>,
}

/// What a range of addresses has held.
#[derive(Debug)]
pub struct Dump {
    range: Range<usize>,
    mappings: Vec<Mapping>,
    runs: Vec<Run>,
}

impl Dump {
    /// Copies what the range holds, which is whole pages.
    ///
    /// # Errors
    ///
    /// When the kernel does not tell what is mapped.
    ///
    /// # Safety
    ///
    /// Nobody changes what is mapped there, or writes there, meanwhile.
    pub unsafe fn take(range: Range<usize>) -> io::Result<Self> {
        let mappings = mappings::within(&range)?;
        let mut runs: Vec<Run> = Vec::new();
        for mapping in &mappings {
            for pages in page_map::own_pages(mapping)? {
                // SAFETY:
                // - the pages are mapped, and readable as each mapping of the list; nobody writes there (caller).
                let bytes = unsafe { std::slice::from_raw_parts(pages.start as *const u8, pages.len()) };
                let start = pages.start;
                let bytes = bytes.to_vec();
                runs.push(Run { start, bytes });
            }
        }
        Ok(Self {
            range,
            mappings,
            runs,
        })
    }

    /// The number of bytes that it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.bytes.len()).sum()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Unmaps the range, apart from what is kept, of which all but the words become zeros. The addresses stay reserved.
    ///
    /// # Errors
    ///
    /// When the kernel refuses. Some of the range may have been unmapped then.
    ///
    /// # Safety
    ///
    /// Nobody uses the range until it has been restored.
    pub unsafe fn wipe(&self, kept: &Kept) -> io::Result<()> {
        for part in without(&self.range, std::slice::from_ref(&kept.pages)) {
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED;
            // SAFETY:
            // - nobody uses the range (caller).
            unsafe {
                rustix::mm::mmap_anonymous(part.start as *mut _, part.len(), ProtFlags::empty(), flags)
            }?;
        }
        for part in without(&kept.pages, &kept.words) {
            // SAFETY:
            // - these pages stay mapped, and nobody uses what is not among the words (caller).
            unsafe { std::ptr::write_bytes(part.start as *mut u8, 0, part.len()) };
        }
        Ok(())
    }

    /// Maps again what was mapped in the range, with what it held. Mappings of files are taken from `files`.
    ///
    /// # Errors
    ///
    /// When the kernel refuses, or none of the files was mapped in the place of one. Then the range is not whole.
    ///
    /// # Safety
    ///
    /// The range has been [wiped](Self::wipe) with the same part kept, and nobody uses it before this returns. The
    /// files are those that were mapped there.
    pub unsafe fn restore(&self, kept: &Kept, files: &[FilePiece<'_>]) -> io::Result<()> {
        for mapping in &self.mappings {
            for part in without(&mapping.addresses, std::slice::from_ref(&kept.pages)) {
                // SAFETY:
                // - nobody uses the range (caller).
                unsafe { map_again(mapping, part, files) }?;
            }
        }
        for run in &self.runs {
            for part in without(&(run.start..run.start + run.bytes.len()), &kept.words) {
                let from = &run.bytes[part.start - run.start..part.end - run.start];
                // SAFETY:
                // - all mappings are writable now, and nobody uses them (caller).
                unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), part.start as *mut u8, part.len()) };
            }
        }
        for mapping in self.mappings.iter().filter(|mapping| !mapping.is_writable()) {
            let protection = MprotectFlags::from_bits_retain(mapping.protection.bits());
            let addresses = &mapping.addresses;
            // SAFETY:
            // - nobody uses the range (caller), and its users have not been able to write there before.
            unsafe { rustix::mm::mprotect(addresses.start as *mut _, addresses.len(), protection) }?;
        }
        Ok(())
    }
}

/// Maps a part of a mapping, so that it can be written.
///
/// # Safety
///
/// Nobody uses these addresses.
unsafe fn map_again(mapping: &Mapping, part: Range<usize>, files: &[FilePiece<'_>]) -> io::Result<()> {
    let protection = mapping.protection | ProtFlags::WRITE;
    let flags = MapFlags::PRIVATE | MapFlags::FIXED;
    let (start, size) = (part.start as *mut _, part.len());
    if !mapping.is_of_file {
        let flags = flags | MapFlags::NORESERVE;
        // SAFETY:
        // - nobody uses these addresses (caller); the advice changes nothing that memory holds.
        unsafe {
            rustix::mm::mmap_anonymous(start, size, protection, flags)?;
            // The memory of ranks has ordinary pages. A kernel without others refuses the advice.
            let _ = rustix::mm::madvise(start, size, Advice::LinuxNoHugepage);
        }
        return Ok(());
    }
    let holds =
        |piece: &&FilePiece<'_>| piece.addresses.start <= part.start && part.end <= piece.addresses.end;
    let piece = files.iter().find(holds).ok_or(io::ErrorKind::NotFound)?;
    let offset = piece.offset + (part.start - piece.addresses.start) as u64;
    // SAFETY:
    // - as above; the mapping is private, so nothing reaches the file.
    unsafe { rustix::mm::mmap(start, size, protection, flags, piece.file, offset) }?;
    Ok(())
}

/// The parts of a range that are in none of the holes, which are in ascending order.
fn without(range: &Range<usize>, holes: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = range.start;
    for hole in holes {
        let (start, end) = (hole.start.max(from), hole.end.min(range.end));
        if start < end {
            parts.push(from..start);
            from = end;
        }
    }
    parts.push(from..range.end);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests;
