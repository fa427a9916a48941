//! The entry of the host's executable.

use std::ffi::c_int;

/// Runs the job that `mpiexec` has described, and ends the process with its status. Called by the host's executable on
/// the main thread of a process that has done nothing yet.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn simurgh_host_main() -> c_int {
    simurgh_host::main()
}
