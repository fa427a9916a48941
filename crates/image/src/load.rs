//! Loading a rank's copies and mapping them again from what all ranks share.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::memory;
use crate::own_process::number_in_proc;
use crate::template::{Data, Origin, Template};

/// The public part of the loader's record of an object (`struct link_map`).
#[repr(C)]
#[derive(Debug)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const c_void,
    next: *mut LinkMap,
    previous: *mut LinkMap,
}

/// Makes the paths of the copies of a rank.
///
/// The loader takes an object that it knows under the same name for the same object, and descriptors are used
/// again: so each path has a number in it that is never used again, in binary, as "/" and "/." which the kernel
/// ignores. The process is named by its number: debuggers would look at their own descriptors in /proc/self.
pub(crate) fn unique_path(file: &File) -> String {
    // Relaxed: only uniqueness matters.
    static COUNTER: AtomicU32 = AtomicU32::new(1);
    let mut number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut path = format!("/proc/{}/fd", number_in_proc());
    while number != 0 {
        path.push_str(if number & 1 == 1 { "/." } else { "/" });
        number >>= 1;
    }
    format!("{path}/./{}", file.as_raw_fd())
}

/// Size of a page as a length.
const PAGE: usize = crate::elf::PAGE as usize;

/// A page that loading has changed.
#[derive(Debug)]
struct Page {
    address: usize,
    content: [u8; PAGE],
}

/// Buffers for changed pages, used again by one rank after the other: what each allocates for itself would stay in
/// its part of the heap.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    idle: Mutex<Vec<Vec<Page>>>,
}

impl Scratch {
    fn take(&self) -> Vec<Page> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    fn give(&self, buffer: Vec<Page>) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
    }
}

/// A rank's copies, loaded. Nothing unloads them.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) handle: *mut c_void,
    /// Where each object lies, in the order of the templates.
    pub(crate) bases: Vec<usize>,
}

/// Why loading failed.
#[derive(Debug)]
pub(crate) enum LoadError {
    /// The loader's own words.
    Loader(String),
    /// A system call.
    System(&'static str, io::Error),
}

/// Loads copies of all objects; the first one is the program.
pub(crate) fn load(templates: &[Template], scratch: &Scratch) -> Result<Loaded, LoadError> {
    let mut files = Vec::with_capacity(templates.len());
    for _ in templates {
        files.push(memory::memory_file(0).map_err(|error| LoadError::System("memfd_create", error))?);
    }
    let paths: Vec<String> = files.iter().map(unique_path).collect();
    for (template, file) in templates.iter().zip(&files) {
        template
            .copy(file, &paths)
            .map_err(|error| LoadError::System("writing a copy", error))?;
    }
    let handle = open(&paths[0])?;
    let maps = find(handle, &paths)?;
    let mut saved = scratch.take();
    let mut bases = Vec::with_capacity(templates.len());
    for (template, map) in templates.iter().zip(maps) {
        // SAFETY: the record is valid: its object was loaded just now and is never unloaded.
        let base = unsafe { (*map).base };
        share(template, base, &mut saved).map_err(|error| LoadError::System("mmap", error))?;
        // SAFETY:
        // - only `name` is written, a word at a time, which the loader reads for messages and name lookups;
        // - `link_name` lives as long as the process: the templates belong to a `Prepared` that instances keep alive,
        //   and `Prepared::instantiate` leaks one count of it.
        unsafe { (*map).name = template.link_name.as_ptr() };
        bases.push(base);
    }
    scratch.give(saved);
    Ok(Loaded { handle, bases })
}

/// dlopen.
fn open(path: &str) -> Result<*mut c_void, LoadError> {
    let name = CString::new(path).unwrap_or_default();
    let mode = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
    // SAFETY: the copy has no constructors (its template took them out), so no foreign code runs except resolvers of
    // indirect functions, which run in any process that loads the library.
    let handle = unsafe { libc::dlopen(name.as_ptr(), mode) };
    if !handle.is_null() {
        return Ok(handle);
    }
    // SAFETY: dlerror gives a string of this thread, or null.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return Err(LoadError::Loader("no reason given".to_owned()));
    }
    // SAFETY: not null, hence a C string, copied at once.
    Err(LoadError::Loader(
        unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned(),
    ))
}

/// The loader's records of the copies. dlopen appends the program and what it needs to the list of objects, so they
/// follow the program's record.
fn find(handle: *mut c_void, paths: &[String]) -> Result<Vec<*mut LinkMap>, LoadError> {
    let mut found = vec![std::ptr::null_mut(); paths.len()];
    let mut missing = paths.len();
    let mut map = handle.cast::<LinkMap>();
    while missing > 0 && !map.is_null() {
        // SAFETY: glibc's handle is the record; the list only grows at its end.
        let (name, next) = unsafe { (CStr::from_ptr((*map).name), (*map).next) };
        if let Some(index) = paths.iter().position(|path| path.as_bytes() == name.to_bytes()) {
            found[index] = map;
            missing -= 1;
        }
        map = next;
    }
    if missing == 0 {
        Ok(found)
    } else {
        Err(LoadError::Loader("a copy was not loaded".to_owned()))
    }
}

/// Maps an object again: code from the original, tables and data from the master, changed pages kept.
fn share(template: &Template, base: usize, saved: &mut Vec<Page>) -> io::Result<()> {
    for run in template.runs.iter().chain(std::iter::once(&template.names)) {
        let file = match run.origin {
            Origin::Original => &*template.source.file,
            Origin::Master => &template.master,
        };
        // SAFETY: the range is a read-only part of an object that nothing has run or read yet but the loader, and
        // what is mapped has the content that the loader saw.
        unsafe {
            memory::map_over(
                base + run.vaddr as usize,
                run.length,
                run.protection,
                file,
                run.offset,
            )?
        };
    }
    template
        .data
        .iter()
        .try_for_each(|data| share_data(template, base, data, saved))
}

fn share_data(template: &Template, base: usize, data: &Data, saved: &mut Vec<Page>) -> io::Result<()> {
    let master = template.content.bytes();
    saved.clear();
    for &page in &data.touched {
        let address = base + page as usize;
        // SAFETY: the page belongs to a writable segment of the object, which is mapped readable; nobody writes to it.
        let now = unsafe { &*(address as *const [u8; PAGE]) };
        let at = (data.offset + (page - data.vaddr)) as usize;
        if master[at..at + PAGE] != *now {
            saved.push(Page {
                address,
                content: *now,
            });
        }
    }
    // SAFETY: nothing uses the object yet; pages that differ are put back below.
    unsafe {
        memory::map_over(
            base + data.vaddr as usize,
            data.length,
            data.protection,
            &template.master,
            data.offset,
        )?
    };
    for page in saved.iter() {
        // SAFETY: the page was mapped writable just now.
        unsafe { *(page.address as *mut [u8; PAGE]) = page.content };
    }
    Ok(())
}

/// Makes what is constant after relocation read-only.
pub(crate) fn seal(template: &Template, base: usize) -> io::Result<()> {
    let Some((vaddr, length)) = template.relro else {
        return Ok(());
    };
    // SAFETY: the linker has put only data there that no code writes after relocation.
    unsafe { memory::protect(base + vaddr as usize, length, libc::PROT_READ) }
}

/// Makes it writable again, for the loader's last changes.
pub(crate) fn unseal(template: &Template, base: usize) -> io::Result<()> {
    let Some((vaddr, length)) = template.relro else {
        return Ok(());
    };
    // SAFETY: more access breaks nobody.
    unsafe { memory::protect(base + vaddr as usize, length, libc::PROT_READ | libc::PROT_WRITE) }
}
