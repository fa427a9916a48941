//! The master copy of one object (program, private library or shim), from which each rank's copy is made.
//!
//! The master lies in a memfd. It differs from the original in what the loader must not see or must see otherwise
//! (see `patch`), and it is sparse: only what the loader reads at load time ("hot" pages: headers, symbol, string,
//! hash, version and relocation tables, and the pages of data that relocations change) is written into a rank's
//! copy. After loading, everything is mapped again: code and untouched read-only data from the original, patched
//! tables and data from the master, so that all ranks share those pages and nothing of a rank's copy stays.

mod pages;
mod patch;
#[cfg(test)]
mod tests;

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;

use crate::elf::{Elf, abi};
use crate::error::ImageError;
use crate::memory::{Mapping, memory_file};
use crate::source::Source;

use pages::Pages;
pub(crate) use patch::{Request, has_spare_header};

/// Room for the path of one copy.
const SLOT: usize = 128;

/// Where pages come from after loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Original,
    Master,
}

/// A run of read-only pages that is mapped again.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) vaddr: u64,
    pub(crate) length: u64,
    pub(crate) offset: u64,
    pub(crate) protection: i32,
    pub(crate) origin: Origin,
}

/// A writable segment: mapped again from the master, save for pages that loading has changed.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) vaddr: u64,
    pub(crate) length: u64,
    pub(crate) offset: u64,
    pub(crate) protection: i32,
    /// Pages (addresses) that relocations may change.
    pub(crate) touched: Vec<u64>,
}

/// A variable of a library that the program has its own copy of.
#[derive(Clone, Debug)]
pub(crate) struct CopiedData {
    pub(crate) name: String,
    pub(crate) target: u64,
    pub(crate) size: u64,
}

/// Constructors and destructors: addresses and counts; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Code {
    pub(crate) init: u64,
    pub(crate) fini: u64,
    pub(crate) preinit_array: (u64, u64),
    pub(crate) init_array: (u64, u64),
    pub(crate) fini_array: (u64, u64),
}

/// A master copy with all that is needed to make and load a rank's copy.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) source: Source,
    /// The original's path, for link maps; never freed by the loader because images are not unloaded.
    pub(crate) link_name: CString,
    pub(crate) master: File,
    pub(crate) content: Mapping,
    pub(crate) runs: Vec<Run>,
    pub(crate) data: Vec<Data>,
    pub(crate) relro: Option<(u64, u64)>,
    pub(crate) copies: Vec<CopiedData>,
    pub(crate) code: Code,
    pub(crate) entry: u64,
    /// Addresses of the pages with the paths of other copies.
    pub(crate) names: Run,
    hot: Vec<Range<u64>>,
    /// The object whose copy's path goes into each slot.
    slots: Vec<usize>,
    size: u64,
}

impl Template {
    /// Makes the master.
    pub(crate) fn new(source: &Source, request: &Request<'_>) -> Result<Template, ImageError> {
        let system = |call| {
            move |error| ImageError::System {
                path: source.path.clone(),
                call,
                error,
            }
        };
        let damaged = |error: crate::elf::Malformed| ImageError::Damaged {
            path: source.path.clone(),
            detail: error.to_string(),
        };
        let elf = source.elf().map_err(damaged)?;
        let pages = Pages::of(&elf);
        let names_vaddr = crate::elf::page_up(elf.end());
        let names_offset = pages.file_end;
        let patches = patch::collect(&elf, request, names_vaddr, names_offset).map_err(damaged)?;
        let names_length = crate::elf::page_up((patches.slots.len() * SLOT) as u64).max(crate::elf::PAGE);
        let size = names_offset + names_length;
        let master = memory_file(size).map_err(system("memfd_create"))?;
        let mut content = Mapping::new(&master, true).map_err(system("mmap"))?;
        fill(content.bytes_mut(), source.bytes(), pages.master_ranges());
        patch::apply(content.bytes_mut(), &patches);
        Ok(Template {
            link_name: CString::new(source.path.as_os_str().as_bytes()).unwrap_or_default(),
            runs: pages.runs(),
            hot: pages.hot_ranges(),
            data: pages.data,
            relro: relro(&elf),
            copies: patches.copies,
            code: code(&elf),
            entry: elf.entry,
            names: Run {
                vaddr: names_vaddr,
                length: names_length,
                offset: names_offset,
                protection: libc::PROT_READ,
                origin: Origin::Master,
            },
            slots: patches.slots,
            size,
            master,
            content,
            source: source.clone(),
        })
    }

    /// Makes a rank's copy; `paths` are those of the rank's copies, by object.
    pub(crate) fn copy(&self, file: &File, paths: &[String]) -> io::Result<()> {
        file.set_len(self.size)?;
        let content = self.content.bytes();
        for range in &self.hot {
            file.write_all_at(&content[range.start as usize..range.end as usize], range.start)?;
        }
        let mut names = vec![0; self.slots.len() * SLOT];
        for (slot, &object) in self.slots.iter().enumerate() {
            let path = paths[object].as_bytes();
            names[slot * SLOT..slot * SLOT + path.len()].copy_from_slice(path);
        }
        file.write_all_at(&names, self.names.offset)
    }
}

/// Copies ranges of the original that exist.
fn fill(master: &mut [u8], original: &[u8], ranges: Vec<Range<u64>>) {
    for range in ranges {
        let start = (range.start as usize).min(original.len());
        let end = (range.end as usize).min(original.len());
        master[start..end].copy_from_slice(&original[start..end]);
    }
}

/// The pages that become read-only after relocation.
fn relro(elf: &Elf<'_>) -> Option<(u64, u64)> {
    let segment = elf.segment(abi::PT_GNU_RELRO)?;
    let start = crate::elf::page_down(segment.vaddr);
    let end = crate::elf::page_down(segment.end());
    (end > start).then_some((start, end - start))
}

fn code(elf: &Elf<'_>) -> Code {
    let get = |tag| elf.dynamic.get(tag).unwrap_or(0);
    let array = |table, size| (get(table), get(size) / 8);
    Code {
        init: get(abi::DT_INIT),
        fini: get(abi::DT_FINI),
        preinit_array: array(abi::DT_PREINIT_ARRAY, abi::DT_PREINIT_ARRAYSZ),
        init_array: array(abi::DT_INIT_ARRAY, abi::DT_INIT_ARRAYSZ),
        fini_array: array(abi::DT_FINI_ARRAY, abi::DT_FINI_ARRAYSZ),
    }
}
