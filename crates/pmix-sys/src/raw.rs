//! Types and constants.

use std::ffi::{CStr, c_char, c_int, c_void};

/// `pmix_status_t`.
pub type Status = c_int;

/// `PMIX_SUCCESS`.
pub const SUCCESS: Status = 0;
/// `PMIX_ERR_LOST_CONNECTION`.
pub const ERR_LOST_CONNECTION: Status = -61;
/// `PMIX_ERR_NOT_FOUND`.
pub const ERR_NOT_FOUND: Status = -46;
/// `PMIX_ERR_NOT_SUPPORTED`.
pub const ERR_NOT_SUPPORTED: Status = -47;
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
/// `PMIX_STRING`.
pub const STRING: u16 = 3;
/// `PMIX_UINT16`.
pub const UINT16: u16 = 13;
/// `PMIX_UINT32`.
pub const UINT32: u16 = 14;
/// `PMIX_INFO`.
pub const INFO: u16 = 24;
/// `PMIX_BYTE_OBJECT`.
pub const BYTE_OBJECT: u16 = 27;
/// `PMIX_DATA_ARRAY`.
pub const DATA_ARRAY: u16 = 39;
/// `PMIX_PROC_RANK`.
pub const PROC_RANK: u16 = 40;

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

impl Proc {
    /// A process of the job of this name.
    #[must_use]
    pub fn new(nspace: &CStr, rank: u32) -> Self {
        Self {
            nspace: padded(nspace),
            rank,
        }
    }
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

/// `pmix_data_array_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DataArray {
    /// The kind of its elements.
    pub kind: u16,
    /// The number of elements.
    pub size: usize,
    /// The address of the elements.
    pub array: *mut c_void,
}

/// The content of a value. There are more kinds than are named here.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// The content of a [`BOOL`].
    pub flag: bool,
    /// The content of a [`STRING`].
    pub string: *mut c_char,
    /// The content of a [`UINT16`].
    pub uint16: u16,
    /// The content of a [`UINT32`] or a [`PROC_RANK`].
    pub uint32: u32,
    /// The content of a [`DATA_ARRAY`].
    pub array: *mut DataArray,
    /// The content of a [`BYTE_OBJECT`].
    pub bo: ByteObject,
    /// The size of the longest kind.
    pub longest: [u64; 3],
}

/// `pmix_value_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    /// The kind of the value.
    pub kind: u16,
    /// The content of the value.
    pub data: Data,
}

/// `pmix_info_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Info {
    /// The name of the value.
    pub key: [c_char; KEY],
    /// The flags that say how the value is meant.
    pub flags: u32,
    /// The value.
    pub value: Value,
}

impl Info {
    /// A value of something.
    #[must_use]
    pub fn new(key: &CStr, kind: u16, data: Data) -> Self {
        Self {
            key: padded(key),
            flags: 0,
            value: Value { kind, data },
        }
    }
}

/// A string in an array, which has room for it and its end.
fn padded<const N: usize>(text: &CStr) -> [c_char; N] {
    let mut array = [0; N];
    let bytes = text.to_bytes().iter().take(N - 1);
    for (place, &byte) in array.iter_mut().zip(bytes) {
        *place = byte.cast_signed();
    }
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_in_an_array_has_an_end() {
        assert_eq!(padded::<4>(c"ab"), [97, 98, 0, 0]);
        assert_eq!(padded::<3>(c"abc"), [97, 98, 0]);
    }
}
