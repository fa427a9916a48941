//! The per-rank shim as the loader sees it: its file, and the addresses of what it defines.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::elf::{Elf, abi};
use crate::error::ImageError;
use crate::own_process::number_in_proc;
use crate::source::Source;

/// A file as part of this library, at the start of a page, so that it can be mapped from there.
#[repr(C, align(4096))]
struct Embedded<Bytes: ?Sized>(Bytes);

static EMBEDDED: &Embedded<[u8]> = &Embedded(*include_bytes!(concat!(env!("OUT_DIR"), "/simurgh-shim.so")));

/// The shared object that build.rs has compiled.
pub(crate) static BYTES: &[u8] = &EMBEDDED.0;

/// Addresses of the shim's functions and data, relative to where it is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbols {
    pub(crate) record: u64,
    pub(crate) setup: u64,
    pub(crate) enter: u64,
    pub(crate) flush: u64,
    pub(crate) flush_runtime: u64,
    pub(crate) attend: u64,
    pub(crate) fault: u64,
    pub(crate) come: u64,
    pub(crate) threads: u64,
    pub(crate) memory_users: u64,
}

impl Symbols {
    /// Finds them.
    pub(crate) fn of(elf: &Elf<'_>) -> Option<Symbols> {
        let value = |name| elf.exported(name).map(|symbol| symbol.value);
        Some(Symbols {
            record: value("simurgh_shim_rank")?,
            setup: value("simurgh_shim_setup")?,
            enter: value("simurgh_shim_enter")?,
            flush: value("simurgh_shim_flush")?,
            flush_runtime: value("simurgh_shim_flush_runtime")?,
            attend: value("simurgh_shim_attend")?,
            fault: value("simurgh_shim_fault")?,
            come: value("simurgh_shim_come")?,
            threads: value("simurgh_shim_threads")?,
            memory_users: value("simurgh_shim_memory_users")?,
        })
    }
}

/// The shim as a file, with the table of libc's functions filled in; made once per process.
pub(crate) fn source() -> Result<Source, ImageError> {
    static SOURCE: OnceLock<Source> = OnceLock::new();
    if let Some(source) = SOURCE.get() {
        return Ok(source.clone());
    }
    let bytes = with_libc_table()?;
    let system = |error| ImageError::System {
        path: "the shim".into(),
        call: "memfd_create",
        error,
    };
    let mut file: File = crate::memory::memory_file(0).map_err(system)?;
    file.write_all(&bytes).map_err(system)?;
    let path = PathBuf::from(format!("/proc/{}/fd/{}", number_in_proc(), file.as_raw_fd()));
    let source = Source::from_file(&path, file).map_err(system)?;
    // The path has to go on leading there: debuggers and backtraces read symbols from it.
    std::mem::forget(Arc::clone(&source.file));
    // Tools open the files that executable pages are mapped from (/proc/self/maps): it has to be one that they can.
    let source = match own_file() {
        Some((file, start)) => source.mapped_from(file, start),
        None => source,
    };
    Ok(SOURCE.get_or_init(|| source).clone())
}

/// The file with this library, and where in it the shim stands; none if it has been replaced meanwhile.
fn own_file() -> Option<(File, u64)> {
    let (path, start) = own_place()?;
    let file = File::open(path).ok()?;
    let mut there = vec![0; BYTES.len()];
    file.read_exact_at(&mut there, start).ok()?;
    (there == BYTES).then_some((file, start))
}

fn own_place() -> Option<(PathBuf, u64)> {
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _size: usize, result: *mut c_void) -> c_int {
        let address = BYTES.as_ptr() as u64;
        // SAFETY: dl_iterate_phdr passes a valid record with that many program headers, and a C string for a name.
        let (info, headers, name) = unsafe {
            let info = &*info;
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
            (info, headers, CStr::from_ptr(info.dlpi_name))
        };
        let holds = |header: &&libc::Elf64_Phdr| {
            let start = info.dlpi_addr.wrapping_add(header.p_vaddr);
            header.p_type == abi::PT_LOAD && start <= address && address < start + header.p_filesz
        };
        let Some(header) = headers.iter().find(holds) else {
            return 0;
        };
        let path = match name.to_bytes() {
            // The executable has no name.
            b"" => PathBuf::from("/proc/self/exe"),
            name => PathBuf::from(OsStr::from_bytes(name)),
        };
        let start = header.p_offset + (address - info.dlpi_addr.wrapping_add(header.p_vaddr));
        // SAFETY: `result` is the address of our variable.
        unsafe { *result.cast::<Option<(PathBuf, u64)>>() = Some((path, start)) };
        1
    }
    let mut place: Option<(PathBuf, u64)> = None;
    // SAFETY: the callback keeps to dl_iterate_phdr's contract and `place` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut place).cast()) };
    place
}

/// The shim's file with the addresses of libc's functions in its table.
fn with_libc_table() -> Result<Vec<u8>, ImageError> {
    let missing = || ImageError::MissingFunction("table in the shim".to_owned());
    let elf = Elf::parse(BYTES).map_err(|_| missing())?;
    let place = |name| elf.exported(name).and_then(|symbol| elf.offset_of(symbol.value));
    let names = place("simurgh_shim_libc_names").ok_or_else(missing)? as usize;
    let mut table = place("simurgh_shim_libc").ok_or_else(missing)? as usize;
    let mut bytes = BYTES.to_vec();
    for name in BYTES[names..]
        .split(|&b| b == 0)
        .take_while(|name| !name.is_empty())
    {
        bytes[table..table + 8].copy_from_slice(&libc_function(name)?.to_le_bytes());
        table += 8;
    }
    Ok(bytes)
}

/// The functions for blocks of libc. libc itself calls those of an allocator that the user has put before it, or those
/// of the host, which tell whose a block is.
const FOR_BLOCKS: [&[u8]; 4] = [b"free", b"malloc", b"malloc_usable_size", b"realloc"];

/// The address of a function (or variable) of the C library itself, whatever stands before it in this process; of those
/// for blocks, that of the process.
fn libc_function(name: &[u8]) -> Result<usize, ImageError> {
    let missing = || ImageError::MissingFunction(String::from_utf8_lossy(name).into_owned());
    let is_for_blocks = FOR_BLOCKS.contains(&name);
    let name = CString::new(name).map_err(|_| missing())?;
    let library = if is_for_blocks {
        libc::RTLD_DEFAULT
    } else {
        // SAFETY: the C library is loaded already: this only finds it.
        unsafe { libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) }
    };
    if library.is_null() && !is_for_blocks {
        return Err(missing());
    }
    // SAFETY: a valid handle and a C string.
    let address = unsafe { libc::dlsym(library, name.as_ptr().cast::<c_char>()) };
    if address.is_null() {
        Err(missing())
    } else {
        Ok(address as usize)
    }
}
