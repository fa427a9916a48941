//! The library, found at run time.

use simurgh_library::{Library as Shared, function};
use std::ffi::{CStr, c_char, c_int, c_void};

use crate::{fi_fabric_attr, fi_info, fid_fabric, kernel_symbols};

/// The soname of libfabric since its first version.
const SONAME: &CStr = c"libfabric.so.1";

/// The version of the interface that is asked for: 1.17.
pub const VERSION: u32 = (1 << 16) | 17;

/// Why libfabric cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The loader does not find it.
    #[error(
        "{0}; install libfabric 1.17 or newer (Debian: libfabric1), or name its directory in LD_LIBRARY_PATH"
    )]
    Absent(String),
    /// It lacks a function.
    #[error("libfabric.so.1 has no function {0}: it is older than 1.17")]
    Old(&'static str),
}

type GetInfo =
    unsafe extern "C" fn(u32, *const c_char, *const c_char, u64, *const fi_info, *mut *mut fi_info) -> c_int;
type FreeInfo = unsafe extern "C" fn(*mut fi_info);
type DupInfo = unsafe extern "C" fn(*const fi_info) -> *mut fi_info;
type Fabric = unsafe extern "C" fn(*mut fi_fabric_attr, *mut *mut fid_fabric, *mut c_void) -> c_int;
type StrError = unsafe extern "C" fn(c_int) -> *const c_char;
type Version = unsafe extern "C" fn() -> u32;

/// The functions that are found by name.
///
/// The library is never unloaded, as threads of providers may outlive the objects that have been closed.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    getinfo: GetInfo,
    freeinfo: FreeInfo,
    dupinfo: DupInfo,
    fabric: Fabric,
    strerror: StrError,
    version: Version,
}

impl Library {
    /// Finds and loads the library. Libraries of providers may install signal handlers then, unless
    /// [`leave_signals_alone`](crate::leave_signals_alone) has told them not to.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn load() -> Result<Self, LoadError> {
        // SAFETY:
        // - loading runs the library's constructors, which libfabric writes to be run so.
        let library = unsafe { Shared::load(SONAME) }.map_err(LoadError::Absent)?;
        kernel_symbols::leave_unread(library);
        // SAFETY:
        // - the library's functions of these names have these signatures: the headers declare them so.
        unsafe { Self::of(library) }.map_err(LoadError::Old)
    }

    /// Looks up the functions. The error is the name of one that the library lacks.
    ///
    /// # Safety
    ///
    /// * Its functions are those that the headers declare.
    unsafe fn of(library: Shared) -> Result<Self, &'static str> {
        // SAFETY:
        // - by the caller's word.
        unsafe {
            Ok(Self {
                getinfo: function!(library, c"fi_getinfo", GetInfo)?,
                freeinfo: function!(library, c"fi_freeinfo", FreeInfo)?,
                dupinfo: function!(library, c"fi_dupinfo", DupInfo)?,
                fabric: function!(library, c"fi_fabric", Fabric)?,
                strerror: function!(library, c"fi_strerror", StrError)?,
                version: function!(library, c"fi_version", Version)?,
            })
        }
    }

    /// `fi_getinfo` for [`VERSION`], without node and service: the entries that fit `hints`.
    ///
    /// # Safety
    ///
    /// * `hints` come from [`Library::fi_dupinfo`].
    ///
    /// # Errors
    ///
    /// The negative error number.
    pub unsafe fn fi_getinfo(&self, hints: *const fi_info) -> Result<*mut fi_info, c_int> {
        let mut list = std::ptr::null_mut();
        let (node, service) = (std::ptr::null(), std::ptr::null());
        // SAFETY:
        // - the hints are whole by the caller's word; null stands for any node and service.
        match unsafe { (self.getinfo)(VERSION, node, service, 0, hints, &raw mut list) } {
            0 => Ok(list),
            error => Err(error),
        }
    }

    /// `fi_freeinfo`.
    ///
    /// # Safety
    ///
    /// * `list` comes from this library and is used no more.
    pub unsafe fn fi_freeinfo(&self, list: *mut fi_info) {
        // SAFETY:
        // - by the caller's word.
        unsafe { (self.freeinfo)(list) }
    }

    /// `fi_dupinfo`: a copy of one entry, or of null, an empty one; null if memory is short.
    ///
    /// # Safety
    ///
    /// * `info` is null or comes from this library.
    pub unsafe fn fi_dupinfo(&self, info: *const fi_info) -> *mut fi_info {
        // SAFETY:
        // - by the caller's word.
        unsafe { (self.dupinfo)(info) }
    }

    /// `fi_fabric`.
    ///
    /// # Safety
    ///
    /// * `attributes` are those of an entry that this library gave.
    ///
    /// # Errors
    ///
    /// The negative error number.
    pub unsafe fn fi_fabric(&self, attributes: *mut fi_fabric_attr) -> Result<*mut fid_fabric, c_int> {
        let mut fabric = std::ptr::null_mut();
        // SAFETY:
        // - by the caller's word.
        match unsafe { (self.fabric)(attributes, &raw mut fabric, std::ptr::null_mut()) } {
            0 => Ok(fabric),
            error => Err(error),
        }
    }

    /// The meaning of an error number, which may have either sign.
    #[must_use]
    pub fn message(&self, error: c_int) -> String {
        // SAFETY:
        // - the function takes any number and gives a constant text.
        unsafe { CStr::from_ptr((self.strerror)(error.abs())) }
            .to_string_lossy()
            .into_owned()
    }

    /// The library's version: major, minor.
    #[must_use]
    pub fn version(&self) -> (u32, u32) {
        // SAFETY:
        // - the function only gives a constant.
        let version = unsafe { (self.version)() };
        (version >> 16, version & 0xffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_library_is_found_and_offers_tcp() {
        let library = Library::load().unwrap();
        assert!(library.version() >= (1, 17));
        // SAFETY:
        // - the hints are made and freed by the library.
        unsafe {
            let hints = library.fi_dupinfo(std::ptr::null());
            (*(*hints).fabric_attr).prov_name = libc::strdup(c"tcp".as_ptr());
            (*(*hints).ep_attr).type_ = crate::FI_EP_RDM;
            let list = library.fi_getinfo(hints).unwrap();
            let name = CStr::from_ptr((*(*list).fabric_attr).prov_name);
            assert!(name.to_str().unwrap().starts_with("tcp"));
            library.fi_freeinfo(hints);
            library.fi_freeinfo(list);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        // SAFETY:
        // - the C library has been loaded since the process began, and has no function of libfabric's.
        let missing = unsafe { Library::of(Shared::load(c"libc.so.6").unwrap()) };
        assert_eq!(missing.unwrap_err(), "fi_getinfo");
        assert!(Library::load().unwrap().message(-11).contains("unavailable"));
    }
}
