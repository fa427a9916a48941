//! The procedures that set and get attributes.

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

use super::{Integer, Object, Value};
use crate::foreign::*;

/// Sets an attribute by `set`, which gets the attribute for C.
unsafe fn set<I: Integer>(value: *mut I, set: impl FnOnce(*mut c_void) -> c_int) -> c_int {
    // SAFETY:
    // - the program has passed the address of the value.
    let attribute = Value::Integer(unsafe { *value }.widen()).into_attribute();
    let code = set(attribute);
    if code != MPI_SUCCESS {
        Value::free(attribute);
    }
    code
}

/// Gets an attribute by `get`, which stores C's attribute, and whether there is one.
unsafe fn get<O: Object, I: Integer>(
    keyval: *mut c_int,
    (value, flag): (*mut I, *mut c_int),
    get: impl FnOnce(*mut c_void, *mut c_int) -> c_int,
) -> c_int {
    let mut attribute: *mut c_void = null_mut();
    let code = get((&raw mut attribute).cast(), flag);
    // SAFETY:
    // - the program has passed the addresses of a key, a value and a truth value;
    // - the attribute is that of an object of this kind.
    unsafe {
        if code == MPI_SUCCESS && *flag != 0 {
            *value = I::narrow(O::integer_of(*keyval, attribute));
        }
    }
    code
}

/// `MPI_COMM_SET_ATTR`: attaches an address-sized integer to a communicator.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn comm_set_attr(
    comm: *mut c_int,
    comm_keyval: *mut c_int,
    attribute_val: *mut isize,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        set(attribute_val, |value| {
            MPI_Comm_set_attr(MPI_Comm::of(*comm), *comm_keyval, value)
        })
    }
}

/// `MPI_COMM_GET_ATTR`: the attribute of a communicator as an address-sized integer.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn comm_get_attr(
    comm: *mut c_int,
    comm_keyval: *mut c_int,
    attribute_val: *mut isize,
    flag: *mut c_int,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        get::<MPI_Comm, _>(comm_keyval, (attribute_val, flag), |value, found| {
            MPI_Comm_get_attr(MPI_Comm::of(*comm), *comm_keyval, value, found)
        })
    }
}

/// `MPI_ATTR_PUT`: attaches an INTEGER to a communicator.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn attr_put(comm: *mut c_int, keyval: *mut c_int, attribute_val: *mut c_int) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        set(attribute_val, |value| {
            MPI_Attr_put(MPI_Comm::of(*comm), *keyval, value)
        })
    }
}

/// `MPI_ATTR_GET`: the attribute of a communicator as an INTEGER.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn attr_get(
    comm: *mut c_int,
    keyval: *mut c_int,
    attribute_val: *mut c_int,
    flag: *mut c_int,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        get::<MPI_Comm, _>(keyval, (attribute_val, flag), |value, found| {
            MPI_Attr_get(MPI_Comm::of(*comm), *keyval, value, found)
        })
    }
}

/// `MPI_TYPE_SET_ATTR`: attaches an address-sized integer to a datatype.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn type_set_attr(
    datatype: *mut c_int,
    type_keyval: *mut c_int,
    attribute_val: *mut isize,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        set(attribute_val, |value| {
            MPI_Type_set_attr(MPI_Datatype::of(*datatype), *type_keyval, value)
        })
    }
}

/// `MPI_TYPE_GET_ATTR`: the attribute of a datatype as an address-sized integer.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn type_get_attr(
    datatype: *mut c_int,
    type_keyval: *mut c_int,
    attribute_val: *mut isize,
    flag: *mut c_int,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        get::<MPI_Datatype, _>(type_keyval, (attribute_val, flag), |value, found| {
            MPI_Type_get_attr(MPI_Datatype::of(*datatype), *type_keyval, value, found)
        })
    }
}

/// `MPI_WIN_SET_ATTR`: attaches an address-sized integer to a window.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn win_set_attr(
    win: *mut c_int,
    win_keyval: *mut c_int,
    attribute_val: *mut isize,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        set(attribute_val, |value| {
            MPI_Win_set_attr(MPI_Win::of(*win), *win_keyval, value)
        })
    }
}

/// `MPI_WIN_GET_ATTR`: the attribute of a window as an address-sized integer.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn win_get_attr(
    win: *mut c_int,
    win_keyval: *mut c_int,
    attribute_val: *mut isize,
    flag: *mut c_int,
) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe {
        get::<MPI_Win, _>(win_keyval, (attribute_val, flag), |value, found| {
            MPI_Win_get_attr(MPI_Win::of(*win), *win_keyval, value, found)
        })
    }
}
