//! Types and constants.

use std::ffi::{CStr, c_char, c_int};

/// `pmix_status_t`.
pub type Status = c_int;

/// `PMIX_SUCCESS`.
pub const SUCCESS: Status = 0;
/// `PMIX_ERR_LOST_CONNECTION`.
pub const ERR_LOST_CONNECTION: Status = -61;
/// `PMIX_OPERATION_SUCCEEDED`: it is done, and nobody will be called back.
pub const OPERATION_SUCCEEDED: Status = -157;
/// `PMIX_EVENT_ACTION_COMPLETE`: no other handler need hear of it.
pub const EVENT_ACTION_COMPLETE: Status = -334;

/// `PMIX_RANK_WILDCARD`: all processes of a job.
pub const RANK_WILDCARD: u32 = u32::MAX - 1;

/// `PMIX_GLOBAL`: a value is for all processes of the job.
pub const GLOBAL: u8 = 3;

/// `PMIX_BOOL`.
pub const BOOL: u16 = 1;
/// `PMIX_UINT32`.
pub const UINT32: u16 = 14;
/// `PMIX_BYTE_OBJECT`.
pub const BYTE_OBJECT: u16 = 27;

/// `PMIX_JOB_SIZE`.
pub const JOB_SIZE: &CStr = c"pmix.job.size";
/// `PMIX_COLLECT_DATA`.
pub const COLLECT_DATA: &CStr = c"pmix.collect";

/// `PMIX_MAX_NSLEN`, and the end of the string.
pub const NSPACE: usize = 256;
/// `PMIX_MAX_KEYLEN`, and the end of the string.
pub const KEY: usize = 512;

/// `pmix_proc_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Proc {
    /// The job's name.
    pub nspace: [c_char; NSPACE],
    /// The process's number.
    pub rank: u32,
}

/// `pmix_byte_object_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ByteObject {
    /// Where they are.
    pub bytes: *mut c_char,
    /// How many.
    pub size: usize,
}

/// What a value is; of more kinds than are named here.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// Of a [`BOOL`].
    pub flag: bool,
    /// Of a [`UINT32`].
    pub uint32: u32,
    /// Of a [`BYTE_OBJECT`].
    pub bo: ByteObject,
    /// As long as the longest kind.
    pub longest: [u64; 3],
}

/// `pmix_value_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    /// Which kind.
    pub kind: u16,
    /// What it is.
    pub data: Data,
}

/// `pmix_info_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Info {
    /// Of what.
    pub key: [c_char; KEY],
    /// How it is meant.
    pub flags: u32,
    /// What.
    pub value: Value,
}
