//! One object of a program's image: the program itself, the shim, or a private library.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use crate::elf::exports::Exports;
use crate::elf::{Elf, Malformed, Segment, abi, page_down, page_up};
use crate::fortran::FortranRuntime;
use crate::source::Source;

/// The constructors and destructors of an object: addresses and counts, 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Code {
    pub(crate) init: u64,
    pub(crate) fini: u64,
    pub(crate) preinit_array: (u64, u64),
    pub(crate) init_array: (u64, u64),
    pub(crate) fini_array: (u64, u64),
}

/// An object with its place in the image. Ranks and the unwinder read it as long as the process lives.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    pub(crate) source: &'a Source,
    pub(crate) exports: Exports<'a>,
    /// The names under which other objects ask for it.
    pub(crate) names: Vec<String>,
    /// The distance of its address 0 from the start of the image.
    pub(crate) offset: u64,
    /// The length of its pages. It is stored, since the unwinder asks for it for each frame.
    size: u64,
    /// The distance of its thread-local block below the thread pointer, if it has such a block.
    pub(crate) tls_distance: Option<u64>,
    pub(crate) code: Code,
    /// The path of the original file, for backtraces and debuggers.
    pub(crate) path: CString,
    /// Its program headers for `dl_iterate_phdr`.
    pub(crate) headers: Box<[libc::Elf64_Phdr]>,
    /// The run-time of Fortran in it, once somebody has looked for that.
    fortran: OnceLock<FortranRuntime>,
}

impl<'a> Object<'a> {
    /// Reads an object. Its place is determined later.
    pub(crate) fn new(source: &'a Source, names: Vec<String>) -> Result<Object<'a>, Malformed> {
        let elf = source.elf()?;
        check_extent(&elf)?;
        Ok(Object {
            code: code(&elf),
            path: CString::new(source.path.as_os_str().as_bytes()).unwrap_or_default(),
            headers: elf.segments.iter().map(header).collect(),
            size: page_up(elf.end()),
            exports: Exports::new(elf),
            source,
            names,
            offset: 0,
            tls_distance: None,
            fortran: OnceLock::new(),
        })
    }

    /// The parsed file.
    pub(crate) fn elf(&self) -> &Elf<'a> {
        &self.exports.elf
    }

    /// The run-time of Fortran that it contains.
    pub(crate) fn fortran(&self) -> FortranRuntime {
        *self.fortran.get_or_init(|| FortranRuntime::of(&self.exports))
    }

    /// The pages that become read-only after relocation: their start in the image, and their length.
    pub(crate) fn constant_pages(&self) -> Option<(u64, u64)> {
        let segment = self.elf().segment(abi::PT_GNU_RELRO)?;
        let start = page_down(segment.vaddr);
        let end = page_down(segment.end());
        (end > start).then_some((self.offset + start, end - start))
    }

    /// The end of its pages in the image.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.size
    }
}

/// Checks that all bytes of the segments are in the file. Pages that are mapped from behind its end cannot be accessed.
fn check_extent(elf: &Elf<'_>) -> Result<(), Malformed> {
    let length = elf.bytes.len() as u64;
    if elf.end() == 0 {
        Err(Malformed("nothing to load"))
    } else if elf.loads().all(|load| load.offset + load.file_size <= length) {
        Ok(())
    } else {
        Err(Malformed("a segment is cut off"))
    }
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

fn header(segment: &Segment) -> libc::Elf64_Phdr {
    libc::Elf64_Phdr {
        p_type: segment.kind,
        p_flags: segment.flags,
        p_offset: segment.offset,
        p_vaddr: segment.vaddr,
        p_paddr: segment.vaddr,
        p_filesz: segment.file_size,
        p_memsz: segment.mem_size,
        p_align: segment.align,
    }
}
