//! Keys of attributes.

use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use super::trampoline::Procedure;
use crate::attribute::{Integer, Object, Value};
use crate::foreign::*;
use crate::memory::allocate;

/// A copy function of Fortran.
type CopyFunction<I> = unsafe extern "C" fn(
    object: *mut c_int,
    keyval: *mut c_int,
    extra_state: *mut I,
    attribute_val_in: *mut I,
    attribute_val_out: *mut I,
    flag: *mut c_int,
    ierror: *mut c_int,
);

/// A delete function of Fortran.
type DeleteFunction<I> = unsafe extern "C" fn(
    object: *mut c_int,
    keyval: *mut c_int,
    attribute_val: *mut I,
    extra_state: *mut I,
    ierror: *mut c_int,
);

/// The procedures of a key, and the state that they get. Its address is the extra state of the key in C.
///
/// A record stays until the rank ends: attributes use their key after it has been freed, and MPI does not say when the
/// last one is gone. Keys with the same procedures and the same state share a record, as far as it is found among the
/// newest ones, so a loop that makes and frees keys uses no more and more memory.
pub(super) struct Record {
    older: *const Record,
    copy: Procedure,
    delete: Procedure,
    extra_state: isize,
}

/// The newest record.
static NEWEST: AtomicPtr<Record> = AtomicPtr::new(null_mut());

/// Number of records among which a shared one is looked for.
const LOOKED_AT: usize = 64;

impl Record {
    /// A record with these parts.
    pub(super) fn of(copy: Procedure, delete: Procedure, extra_state: isize) -> *mut c_void {
        let mut newest = NEWEST.load(Ordering::Acquire);
        let mut older = newest.cast_const();
        for _ in 0..LOOKED_AT {
            // SAFETY:
            // - records in the list are complete and stay.
            let Some(record) = (unsafe { older.as_ref() }) else {
                break;
            };
            if (record.copy, record.delete, record.extra_state) == (copy, delete, extra_state) {
                return older.cast_mut().cast();
            }
            older = record.older;
        }
        let made: *mut Record = allocate(size_of::<Record>()).cast();
        loop {
            // SAFETY:
            // - the memory has the size of a record, and nobody else has its address before it is in the list.
            unsafe {
                made.write(Record {
                    older: newest,
                    copy,
                    delete,
                    extra_state,
                });
            }
            match NEWEST.compare_exchange(newest, made, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return made.cast(),
                Err(other) => newest = other,
            }
        }
    }
}

/// The copy function for C of keys whose procedures take integers of this size.
pub(super) unsafe extern "C" fn copy<O: Object, I: Integer>(
    object: O,
    mut keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY:
    // - the key was made with the address of a record.
    let record = unsafe { &*extra_state.cast::<Record>() };
    let value = Value::of(attribute_val_in);
    let mut object = object.integer();
    let mut state = I::narrow(record.extra_state);
    let mut given = I::narrow(value.integer());
    let (mut copied, mut wanted, mut ierror) = (I::narrow(0), 0, MPI_SUCCESS);
    // SAFETY:
    // - the program has passed a copy function for integers of this size.
    unsafe {
        transmute::<Procedure, CopyFunction<I>>(record.copy)(
            &raw mut object,
            &raw mut keyval,
            &raw mut state,
            &raw mut given,
            &raw mut copied,
            &raw mut wanted,
            &raw mut ierror,
        );
    }
    let wanted = ierror == MPI_SUCCESS && wanted != 0;
    // SAFETY:
    // - MPI passes the address of an `int`.
    unsafe { *flag = c_int::from(wanted) };
    if !wanted {
        return ierror;
    }
    // SAFETY:
    // - MPI passes the address of a pointer.
    unsafe { *attribute_val_out.cast() = value.copied_as(copied).into_attribute() };
    MPI_SUCCESS
}

/// The delete function for C of keys whose procedures take integers of this size.
pub(super) unsafe extern "C" fn delete<O: Object, I: Integer>(
    object: O,
    mut keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    // SAFETY:
    // - the key was made with the address of a record.
    let record = unsafe { &*extra_state.cast::<Record>() };
    let mut object = object.integer();
    let mut state = I::narrow(record.extra_state);
    let mut value = I::narrow(Value::of(attribute_val).integer());
    let mut ierror = MPI_SUCCESS;
    // SAFETY:
    // - the program has passed a delete function for integers of this size.
    unsafe {
        transmute::<Procedure, DeleteFunction<I>>(record.delete)(
            &raw mut object,
            &raw mut keyval,
            &raw mut value,
            &raw mut state,
            &raw mut ierror,
        );
    }
    if ierror == MPI_SUCCESS {
        Value::free(attribute_val);
    }
    ierror
}

/// A function of C that makes a key.
type CreateKeyval = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut c_void) -> c_int;

/// Makes a key by `create`. The procedures take integers of the type that the extra state has.
unsafe fn make<O: Object, I: Integer>(
    create: CreateKeyval,
    (copy_fn, delete_fn): (Procedure, Procedure),
    keyval: *mut c_int,
    extra_state: *mut I,
) -> c_int {
    // SAFETY:
    // - the program has passed the address of its state.
    let record = Record::of(copy_fn, delete_fn, unsafe { *extra_state }.widen());
    let (copy, delete) = (copy::<O, I> as *mut c_void, delete::<O, I> as *mut c_void);
    // SAFETY:
    // - the functions are those for keys with a record as their state;
    // - the program has passed the address of a key.
    unsafe { create(copy, delete, keyval, record) }
}

/// `MPI_COMM_CREATE_KEYVAL`: makes a key for attributes of communicators.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn comm_create_keyval(
    copy_fn: Procedure,
    delete_fn: Procedure,
    keyval: *mut c_int,
    extra_state: *mut isize,
) -> c_int {
    let procedures = (copy_fn, delete_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make::<MPI_Comm, isize>(MPI_Comm_create_keyval, procedures, keyval, extra_state) }
}

/// `MPI_KEYVAL_CREATE`: the deprecated form, whose values and state are INTEGERs.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn keyval_create(
    copy_fn: Procedure,
    delete_fn: Procedure,
    keyval: *mut c_int,
    extra_state: *mut c_int,
) -> c_int {
    let procedures = (copy_fn, delete_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make::<MPI_Comm, c_int>(MPI_Keyval_create, procedures, keyval, extra_state) }
}

/// `MPI_TYPE_CREATE_KEYVAL`: makes a key for attributes of datatypes.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn type_create_keyval(
    copy_fn: Procedure,
    delete_fn: Procedure,
    keyval: *mut c_int,
    extra_state: *mut isize,
) -> c_int {
    let procedures = (copy_fn, delete_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make::<MPI_Datatype, isize>(MPI_Type_create_keyval, procedures, keyval, extra_state) }
}

/// `MPI_WIN_CREATE_KEYVAL`: makes a key for attributes of windows.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn win_create_keyval(
    copy_fn: Procedure,
    delete_fn: Procedure,
    keyval: *mut c_int,
    extra_state: *mut isize,
) -> c_int {
    let procedures = (copy_fn, delete_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make::<MPI_Win, isize>(MPI_Win_create_keyval, procedures, keyval, extra_state) }
}

#[cfg(test)]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    #[test]
    fn equal_keys_share_a_record() {
        let procedure = |number: usize| without_provenance_mut(number);
        let first = Record::of(procedure(1), procedure(2), 3);
        assert_eq!(Record::of(procedure(1), procedure(2), 3), first);
        let others = [
            Record::of(procedure(1), procedure(2), 4),
            Record::of(procedure(1), procedure(3), 3),
            Record::of(procedure(2), procedure(2), 3),
        ];
        assert!(!others.contains(&first));
        assert_eq!(Record::of(procedure(1), procedure(2), 3), first);
    }
}
