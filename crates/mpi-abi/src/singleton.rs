//! Singleton init, and the process of the calling thread.
//!
//! A thread may belong to no rank yet: one of a program that has its process to itself. `mpiexec` may have made that
//! process one of a job's ([`host::adopt`]). If not, it is a singleton, rank 0 of 1, until it asks for more
//! ([`host::offer_launcher`]).

use std::sync::{Arc, OnceLock};

use simurgh_core::RuntimeGuard;
use simurgh_host as host;
use simurgh_mpi::{Job, Process};
use simurgh_settings::Values;

/// The only rank of this process, once it has called `MPI_Init` outside a host.
static SINGLETON: OnceLock<Arc<Process>> = OnceLock::new();

/// Binds the calling thread to a rank: to the one it has already, or else to the singleton, which begins here.
pub(crate) fn adopt() {
    if !Process::with_current(|process| process.is_some()) {
        Process::bind(Arc::clone(
            SINGLETON.get_or_init(|| host::adopt().unwrap_or_else(begin)),
        ));
    }
}

fn begin() -> Arc<Process> {
    let settings = Values::from_environment(|name| std::env::var_os(name)).unwrap_or_else(|error| {
        eprintln!("simurgh: {error}");
        std::process::exit(1);
    });
    let job = Job::with_settings(1, settings);
    job.set_abort_hook(host::end_singleton);
    host::offer_launcher(&job);
    Process::new(job, 0)
}

/// Calls `body` with the process of the calling thread, which may be a thread that a program of one rank has started.
#[inline]
pub(crate) fn with_process<R>(body: impl FnOnce(Option<&Arc<Process>>) -> R) -> R {
    // One call of `body`, so that it is inlined.
    Process::with_current(|current| body(or_singleton(current)))
}

/// [`with_process`] for a thread that is within the runtime.
#[inline]
pub(crate) fn with_process_inside<R>(
    inside: &RuntimeGuard,
    body: impl FnOnce(Option<&Arc<Process>>) -> R,
) -> R {
    Process::with_current_inside(inside, |current| body(or_singleton(current)))
}

/// The process of the calling thread; the singleton, if it belongs to none yet.
#[inline(always)]
fn or_singleton(current: Option<&Arc<Process>>) -> Option<&Arc<Process>> {
    match current {
        Some(process) => Some(process),
        None => bound_to_singleton(),
    }
}

/// Binds a thread that belongs to no rank yet to the singleton, if there is one.
#[cold]
fn bound_to_singleton() -> Option<&'static Arc<Process>> {
    let process = SINGLETON.get()?;
    Process::bind(Arc::clone(process));
    Some(process)
}
