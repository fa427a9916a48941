//! Keeps libfabric from reading the names of all symbols of the kernel.
//!
//! When the verbs provider of libfabric 1.17 starts, also where no such network is, it looks for two names in
//! `/proc/kallsyms`, each time from the beginning. They tell whether the kernel can register the memory of other
//! devices, which Simurgh does not ask for. The file has millions of bytes, which the kernel makes as they are read:
//! 90 ms of processor time for each process. No setting prevents it.
//!
//! So libfabric's own reference to `fopen` leads to a function that does not find this one file. libfabric has a way on
//! for that case, as there are systems that do not show the file. References of other libraries stay as they are.

use simurgh_library::Library;
use std::ffi::{CStr, c_char};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

/// The file that is not found.
const KERNEL_SYMBOLS: &CStr = c"/proc/kallsyms";
/// The function that opens it.
const OPEN: &CStr = c"fopen";

// Entries of the dynamic section, and types of relocations that are the address of a function (System V ABI, AMD64).
const DT_NULL: usize = 0;
const DT_PLTRELSZ: usize = 2;
const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_RELA: usize = 7;
const DT_RELASZ: usize = 8;
const DT_JMPREL: usize = 23;
const R_X86_64_GLOB_DAT: usize = 6;
const R_X86_64_JUMP_SLOT: usize = 7;

/// An entry of the dynamic section.
#[repr(C)]
struct Dynamic {
    tag: usize,
    value: usize,
}

/// A relocation (`Elf64_Rela`).
#[repr(C)]
struct Relocation {
    offset: usize,
    info: usize,
    addend: usize,
}

/// The start of the loader's description of a library (`struct link_map`).
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const Dynamic,
}

/// Has libfabric find no names of symbols of the kernel. What cannot be done costs time only, so it is no error.
pub(crate) fn leave_unread(libfabric: Library) {
    let Some(memory) = OpenOptions::new().write(true).open("/proc/self/mem").ok() else {
        return;
    };
    let function = fopen as *const () as usize;
    for slot in slots(libfabric) {
        // A write to this file also reaches pages that the loader has made read-only. It stores one aligned word.
        let _ = memory.write_all_at(&function.to_ne_bytes(), slot as u64);
    }
}

/// The addresses of the words through which the library calls the C library's `fopen`.
fn slots(library: Library) -> Vec<usize> {
    let mut map: *const LinkMap = std::ptr::null();
    // SAFETY:
    // - the library is loaded, and this request gives one pointer.
    let outcome = unsafe { libc::dlinfo(library.as_ptr(), libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) };
    if outcome != 0 || map.is_null() {
        return Vec::new();
    }
    let original = libc::fopen as *const () as usize;
    // SAFETY:
    // - the loader's description of a library that is never unloaded: its tables are whole, as it has bound it by them.
    unsafe {
        let entry = |tag| value(&*map, tag);
        let (Some(symbols), Some(strings)) = (entry(DT_SYMTAB), entry(DT_STRTAB)) else {
            return Vec::new();
        };
        let tables = [(DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)];
        let tables = tables
            .into_iter()
            .filter_map(|(start, bytes)| Some((entry(start)?, entry(bytes)?)));
        let relocations = tables.flat_map(|(start, bytes)| {
            let count = bytes / size_of::<Relocation>();
            std::slice::from_raw_parts(start as *const Relocation, count)
        });
        let is_open = |relocation: &&Relocation| {
            let (kind, symbol) = (relocation.info & 0xffff_ffff, relocation.info >> 32);
            if kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT {
                return false;
            }
            let symbol = (symbols as *const libc::Elf64_Sym).add(symbol);
            CStr::from_ptr((strings + (*symbol).st_name as usize) as *const c_char) == OPEN
        };
        let slots = relocations
            .filter(is_open)
            .map(|relocation| (*map).base + relocation.offset);
        slots
            .filter(|slot| *(*slot as *const usize) == original)
            .collect()
    }
}

/// The value of an entry of a library's dynamic section. The loader has made addresses of the library's own memory.
///
/// # Safety
///
/// * The description is the loader's, of a library that stays loaded.
unsafe fn value(map: &LinkMap, tag: usize) -> Option<usize> {
    let mut entry = map.dynamic;
    // SAFETY:
    // - the section ends with a null entry.
    unsafe {
        while (*entry).tag != DT_NULL {
            if (*entry).tag == tag {
                return Some((*entry).value);
            }
            entry = entry.add(1);
        }
    }
    None
}

/// The C library's `fopen`, but for the names of the kernel's symbols, which it does not find.
///
/// # Safety
///
/// * As for `fopen`: both are C strings.
unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    // SAFETY:
    // - by the caller's word; the word for the number of an error is the thread's own.
    unsafe {
        if CStr::from_ptr(path) == KERNEL_SYMBOLS {
            *libc::__errno_location() = libc::ENOENT;
            return std::ptr::null_mut();
        }
        libc::fopen(path, mode)
    }
}

#[cfg(test)]
mod tests {
    use crate::Library;
    use crate::testing::{in_a_process_of_its_own, list_all};

    /// More bytes than the start of all providers reads from other files, and fewer than the symbols are.
    const MOST: u64 = 1 << 20;

    /// How many bytes the process has read from files.
    fn bytes_read() -> u64 {
        let counts = std::fs::read_to_string("/proc/self/io").unwrap();
        let count = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
        count.unwrap().parse().unwrap()
    }

    #[test]
    fn the_start_of_all_providers_does_not_read_the_symbols_of_the_kernel() {
        if !in_a_process_of_its_own(
            "kernel_symbols::tests::the_start_of_all_providers_does_not_read_the_symbols_of_the_kernel",
        ) {
            return;
        }
        let library = Library::load().unwrap();
        let before = bytes_read();
        list_all(library);
        let read = bytes_read() - before;
        assert!(read < MOST, "libfabric has read {read} bytes");
    }
}
