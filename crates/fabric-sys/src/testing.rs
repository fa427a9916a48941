//! What tests share.

use crate::Library;
use std::process::Command;

/// The variable by which a test knows that it has a process of its own.
const ALONE: &str = "SIMURGH_TEST_ALONE";

/// Whether this process runs one test alone. If not, runs the test of this path in a process of its own, as others
/// here may have loaded the library already.
pub(crate) fn in_a_process_of_its_own(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let command = command.args(["--exact", test, "--test-threads", "1"]);
    let outcome = command.env(ALONE, "1").output().unwrap();
    assert!(outcome.status.success(), "{outcome:?}");
    false
}

/// Has the library list the entries of all providers, for which it starts them.
pub(crate) fn list_all(library: Library) {
    // SAFETY:
    // - the hints are the library's.
    unsafe {
        let hints = library.fi_dupinfo(std::ptr::null());
        let list = library.fi_getinfo(hints);
        library.fi_freeinfo(hints);
        list.map(|list| library.fi_freeinfo(list)).unwrap();
    }
}
