//! The dynamic loader's record of an object.

use std::ffi::{c_char, c_void};

/// The public part of the loader's record of an object (`struct link_map`); ours have no more.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct LinkMap {
    pub(crate) base: usize,
    pub(crate) name: *const c_char,
    pub(crate) dynamic: *const c_void,
    pub(crate) next: *mut LinkMap,
    pub(crate) previous: *mut LinkMap,
}
