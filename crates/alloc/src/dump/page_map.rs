//! Which pages of a mapping the process has to itself, as the kernel tells (`/proc/self/pagemap`).

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::mappings::Mapping;
use crate::page_size;

/// The bits of an entry: the page is there; it is in the swap space; it is one of a file.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_FILE: u64 = 1 << 61;

/// The number of entries that are read at once.
const ENTRIES: usize = 1 << 14;

/// The pages of a mapping that are the process's own, neighbours in one piece.
pub(super) fn own_pages(mapping: &Mapping) -> io::Result<Vec<Range<usize>>> {
    let map = File::open("/proc/thread-self/pagemap")?;
    let page = page_size();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut buffer = vec![0; ENTRIES * size_of::<u64>()];
    for start in mapping.addresses.clone().step_by(ENTRIES * page) {
        let pages = ((mapping.addresses.end - start) / page).min(ENTRIES);
        let bytes = &mut buffer[..pages * size_of::<u64>()];
        map.read_exact_at(bytes, (start / page * size_of::<u64>()) as u64)?;
        let (entries, _) = bytes.as_chunks();
        for (index, entry) in entries.iter().enumerate() {
            if !is_own(u64::from_ne_bytes(*entry)) {
                continue;
            }
            let address = start + index * page;
            match found.last_mut() {
                Some(last) if last.end == address => last.end += page,
                _ => found.push(address..address + page),
            }
        }
    }
    Ok(found)
}

fn is_own(entry: u64) -> bool {
    entry & SWAPPED != 0 || entry & (PRESENT | OF_FILE) == PRESENT
}
