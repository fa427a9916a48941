//! Shared libraries that are found at run time, because a site may have them and a program does not need them.
//!
//! Depends on no other crate of Simurgh. `unsafe` by its nature.

use std::ffi::{CStr, c_void};

/// A loaded library. It is never unloaded, as threads of its own may outlive the objects that have been closed.
#[derive(Clone, Copy, Debug)]
pub struct Library(*mut c_void);

impl Library {
    /// Finds and loads a library by its name, as the dynamic loader does.
    ///
    /// # Safety
    ///
    /// * The library's constructors may run on this thread at this time.
    ///
    /// # Errors
    ///
    /// The message of the loader.
    pub unsafe fn load(name: &CStr) -> Result<Self, String> {
        // SAFETY:
        // - the name is a C string; that the constructors may run is the caller's word.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(said().unwrap_or_else(|| format!("{} cannot be loaded", name.to_string_lossy())));
        }
        Ok(Self(library))
    }

    /// The loader's handle of it.
    #[must_use]
    pub fn as_ptr(self) -> *mut c_void {
        self.0
    }

    /// Where something of this name is in it, if it has it.
    #[must_use]
    pub fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY:
        // - the library has been loaded and stays.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }
}

/// Looks up a function that has the given type. The error is its name.
///
/// # Safety
///
/// * The function of this name has this type.
#[macro_export]
macro_rules! function {
    ($library:expr, $name:literal, $type:ty) => {
        $library
            .symbol($name)
            .map(|found| ::std::mem::transmute::<*mut ::std::ffi::c_void, $type>(found))
            .ok_or_else(|| $name.to_str().unwrap_or_default())
    };
}

/// The loader's message about its last failure.
fn said() -> Option<String> {
    // SAFETY:
    // - the text is the thread's own, until its next call of the loader.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return None;
    }
    // SAFETY:
    // - as above: it is a C string.
    Some(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_what_is_missing_is_named() {
        // SAFETY:
        // - the C library has been loaded since the process began.
        let library = unsafe { Library::load(c"libc.so.6") }.unwrap();
        assert!(library.symbol(c"getpid").is_some());
        // SAFETY:
        // - there is no such function.
        let missing = unsafe { function!(library, c"no_such_function", extern "C" fn()) };
        assert_eq!(missing.unwrap_err(), "no_such_function");
        // SAFETY:
        // - there is no such library.
        let absent = unsafe { Library::load(c"libno-such.so.9") };
        assert!(absent.unwrap_err().contains("libno-such.so.9"));
    }
}
