//! The records that the shim and the host share (shim/shim.h), and the types of the shim's functions.

use std::ffi::{c_char, c_int, c_void};

use crate::dl::RankCalls;
use crate::hooks::{Hooks, MainThread};
use crate::object_code::ObjectCode;

/// `struct rank_record` of the shim.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RankRecord {
    pub(crate) user: *mut c_void,
    pub(crate) hooks: &'static Hooks,
    pub(crate) image: &'static RankCalls,
    pub(crate) objects: *const ObjectCode,
    pub(crate) object_count: usize,
    pub(crate) tls_start: unsafe extern "C" fn(*const c_void, usize),
    pub(crate) tls_layout: *const c_void,
    pub(crate) address: usize,
    pub(crate) saved_stack: *mut c_void,
    pub(crate) main_thread: usize,
    pub(crate) program: *const c_char,
    pub(crate) open_maps: unsafe extern "C" fn(*const c_void) -> c_int,
    pub(crate) ignored_signals: u64,
    pub(crate) data_segment: usize,
    pub(crate) data_size: usize,
    pub(crate) rank: i32,
    pub(crate) host_pid: i32,
    pub(crate) main: MainThread,
}

/// `simurgh_shim_setup`.
pub(crate) type Setup = unsafe extern "C" fn() -> c_int;
/// `simurgh_shim_enter`.
pub(crate) type Enter = unsafe extern "C" fn(
    entry: usize,
    block: *const usize,
    bytes: usize,
    saved_stack: *mut *mut c_void,
) -> c_int;
/// `simurgh_shim_flush`.
pub(crate) type Flush = unsafe extern "C" fn();
/// `simurgh_shim_flush_runtime`.
pub(crate) type FlushRuntime = unsafe extern "C" fn(function: usize, argument: *mut c_void);
