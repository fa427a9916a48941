//! Names of process sets.

use core::ffi::c_int;

use crate::foreign::*;
use crate::text::TextOut;

/// `MPI_Session_get_nth_pset`: the name of a process set, and its length. Fortran's lengths have no null byte; with the
/// length 0 the call only asks for it.
///
/// # Safety
///
/// The arguments are those of the standard.
pub(crate) unsafe fn session_get_nth_pset(
    session: *mut c_int,
    info: *mut c_int,
    n: *mut c_int,
    pset_len: *mut c_int,
    pset_name: *mut u8,
    pset_name_length: usize,
) -> c_int {
    // SAFETY:
    // - the caller's promise; C gets room for the null byte, too.
    unsafe {
        let wanted = *pset_len;
        let mut room = match wanted {
            1.. => wanted.saturating_add(1),
            other => other,
        };
        let mut name = TextOut::new(room);
        let (session, info) = (MPI_Session::of(*session), MPI_Info::of(*info));
        let code = MPI_Session_get_nth_pset(session, info, *n, &raw mut room, name.as_mut_ptr());
        if code == MPI_SUCCESS {
            *pset_len = room - 1;
            if wanted > 0 {
                name.give(pset_name, pset_name_length);
            }
        }
        code
    }
}
