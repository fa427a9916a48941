//! Libraries that exist once in the process, as the dynamic loader has loaded them.

use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::LinkError;
use crate::elf::abi;
use crate::elf::exports::{Exports, Reference};
use crate::elf::symbols::Symbol;
use crate::link_map::LinkMap;
use crate::source::Source;

/// The functions that take the place of those of shared libraries, by name.
static REPLACED: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();

/// Lets these functions take the place of those of shared libraries that have the same names, for everything that is
/// linked from now on. Those of private objects stay. The first call counts.
pub(crate) fn replace(functions: &[(&'static str, usize)]) {
    REPLACED.get_or_init(|| functions.iter().copied().collect());
}

/// A loaded library, which is never unloaded.
#[derive(Debug)]
pub(crate) struct SharedLibrary {
    exports: Exports<'static>,
    base: usize,
}

impl SharedLibrary {
    /// Opens a library, and loads it if it is not loaded yet.
    pub(super) fn open(name: &str) -> Result<&'static SharedLibrary, LinkError> {
        static KNOWN: Mutex<Option<HashMap<String, &'static SharedLibrary>>> = Mutex::new(None);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(library) = known.get(name) {
            return Ok(library);
        }
        let library: &'static SharedLibrary = Box::leak(Box::new(load(name)?));
        known.insert(name.to_owned(), library);
        Ok(library)
    }

    /// The address of the definition, if the library has one.
    pub(super) fn find(&self, reference: &Reference<'_>) -> Option<SharedSymbol> {
        let symbol = self.exports.find(reference)?;
        if let Some(address) = REPLACED.get().and_then(|functions| functions.get(reference.name)) {
            return Some(SharedSymbol::Address(*address, symbol.size));
        }
        Some(match symbol.kind() {
            abi::STT_TLS => SharedSymbol::ThreadLocal,
            _ => SharedSymbol::Address(self.address(&symbol), symbol.size),
        })
    }

    fn address(&self, symbol: &Symbol<'_>) -> usize {
        if symbol.section == abi::SHN_ABS {
            return symbol.value as usize;
        }
        let address = self.base + symbol.value as usize;
        if symbol.kind() != abi::STT_GNU_IFUNC {
            return address;
        }
        // SAFETY: the library is loaded and relocated, and the symbol names a function that chooses, without arguments.
        let choose: extern "C" fn() -> usize = unsafe { std::mem::transmute(address) };
        choose()
    }
}

/// A definition of a shared library.
pub(super) enum SharedSymbol {
    /// An address and the size of the definition.
    Address(usize, u64),
    ThreadLocal,
}

fn load(name: &str) -> Result<SharedLibrary, LinkError> {
    let c_name = CString::new(name).unwrap_or_default();
    // SAFETY: the libraries that ranks share are those of the C library and ours, made to be loaded at any time.
    let handle = unsafe { libc::dlopen(c_name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(LinkError::Library(last_error()));
    }
    // SAFETY: the handle of glibc is its record of the object, which begins with the public part and lives as long as
    // the object; its name is a C string.
    let (base, path) = unsafe {
        let map = &*handle.cast::<LinkMap>();
        (map.base, CStr::from_ptr(map.name))
    };
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    let unreadable =
        |error: &dyn std::fmt::Display| LinkError::Library(format!("{}: {error}", path.display()));
    let source: &'static Source = Box::leak(Box::new(Source::open(path).map_err(|e| unreadable(&e))?));
    Ok(SharedLibrary {
        exports: Exports::new(source.elf().map_err(|e| unreadable(&e))?),
        base,
    })
}

fn last_error() -> String {
    // SAFETY: dlerror gives a string of this thread, or null.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "the dynamic loader gave no reason".to_owned();
    }
    // SAFETY: not null, hence a C string, copied at once.
    unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
}
