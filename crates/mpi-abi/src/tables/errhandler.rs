//! Error handlers that are functions of the program.

use std::ffi::c_int;

use simurgh_core::sync::SpinLock;

use super::Slab;
use crate::types::{MPI_Comm, MPI_Comm_errhandler_function, MPI_Errhandler};
use std::sync::Arc;

/// A function to call when a call fails, as long as a communicator or a handle refers to it.
///
/// All handles of one error handler are the same number, however often it was asked for, and void after as many frees.
pub(crate) struct UserHandler {
    function: MPI_Comm_errhandler_function,
    named: SpinLock<Named>,
}

/// The handle of an error handler and how many times it was given out.
#[derive(Default)]
struct Named {
    handle: usize,
    times: usize,
}

impl UserHandler {
    pub(crate) fn new(function: MPI_Comm_errhandler_function) -> Arc<Self> {
        Arc::new(Self {
            function,
            named: SpinLock::new(Named::default()),
        })
    }

    /// Gives out the handle once more; `None` if the table is full.
    pub(crate) fn give_out(self: &Arc<Self>, table: &Slab<Arc<Self>>) -> Option<MPI_Errhandler> {
        let mut named = self.named.lock();
        if named.times == 0 {
            named.handle = table.insert(Arc::clone(self)).ok()?;
        }
        named.times += 1;
        Some(MPI_Errhandler(named.handle))
    }

    /// Takes the handle back once.
    pub(crate) fn take_back(&self, table: &Slab<Arc<Self>>) {
        let mut named = self.named.lock();
        named.times -= 1;
        if named.times == 0 {
            table.remove(named.handle);
        }
    }

    /// Calls the program's function.
    pub(crate) fn call(&self, mut comm: MPI_Comm, mut code: c_int) {
        // SAFETY:
        // - the program gave this function as an error handler, so it takes these arguments;
        // - both pointers are valid for the call.
        unsafe { (self.function)(&raw mut comm, &raw mut code) };
    }
}
