//! Keys of attributes that the program makes: two functions, and a pointer that is passed to them.

use std::ffi::{c_int, c_void};
use std::ptr::{null_mut, with_exposed_provenance_mut};

use simurgh_mpi::attribute::Behaviour;
use simurgh_mpi::{ErrorCode, Result};

use crate::arguments::BufferMut;
use crate::callback::Callback;
use crate::error::ResultOf;

/// A copy function of the program; its first argument is the handle of a communicator, a datatype or a window.
pub(crate) type CopyFunction = unsafe extern "C" fn(
    object: usize,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;

/// A delete function of the program; its first argument is as that of [`CopyFunction`].
pub(crate) type DeleteFunction = unsafe extern "C" fn(
    object: usize,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;

/// The fate of an attribute when its object is duplicated.
enum Copy {
    Nothing,
    Same,
    Call(CopyFunction),
}

/// A key of the program.
pub(crate) struct UserKeyval {
    copy: Copy,
    delete: Option<DeleteFunction>,
    /// A pointer that only the program's functions use.
    extra_state: usize,
}

impl UserKeyval {
    /// A key with these functions; each may be one of the standard's numbers for a function of the library.
    pub(crate) fn new(
        copy: Callback<CopyFunction>,
        delete: Callback<DeleteFunction>,
        extra_state: BufferMut,
    ) -> ResultOf<Self> {
        let copy = if copy == Callback::special(0) {
            Copy::Nothing
        } else if copy == Callback::special(1) {
            Copy::Same
        } else {
            Copy::Call(copy.get("copy_attr_fn")?)
        };
        let delete = if delete == Callback::special(0) {
            None
        } else {
            Some(delete.get("delete_attr_fn")?)
        };
        Ok(Self {
            copy,
            delete,
            extra_state: extra_state.address().expose_provenance(),
        })
    }

    fn extra_state(&self) -> *mut c_void {
        with_exposed_provenance_mut(self.extra_state)
    }
}

impl Behaviour for UserKeyval {
    fn copy(&self, object: usize, key: i32, value: usize) -> Result<Option<usize>> {
        let function = match self.copy {
            Copy::Nothing => return Ok(None),
            Copy::Same => return Ok(Some(value)),
            Copy::Call(function) => function,
        };
        let mut copied: *mut c_void = null_mut();
        let mut flag = 0;
        let value = with_exposed_provenance_mut(value);
        // SAFETY:
        // - the program gave this function for these arguments, and the state with it;
        // - the last two are the addresses of a pointer and of an `int`, valid for the call.
        let code = unsafe {
            function(
                object,
                key,
                self.extra_state(),
                value,
                (&raw mut copied).cast(),
                &raw mut flag,
            )
        };
        ErrorCode::new(code).check(|| format!("the copy function of keyval {key} returned {code}"))?;
        Ok((flag != 0).then_some(copied.expose_provenance()))
    }

    fn delete(&self, object: usize, key: i32, value: usize) -> Result<()> {
        let Some(function) = self.delete else {
            return Ok(());
        };
        let value = with_exposed_provenance_mut(value);
        // SAFETY:
        // - the program gave this function for these arguments, and the state with it.
        let code = unsafe { function(object, key, value, self.extra_state()) };
        ErrorCode::new(code).check(|| format!("the delete function of keyval {key} returned {code}"))
    }
}
