//! The host: the process in which the ranks of a node live.
//!
//! `mpiexec` starts a tiny executable that loads this library and calls [`main`]. From there:
//!
//! 1. [`job`] reads the job description, and starts the virtual processors and one execution context for each rank.
//! 2. On its execution context, [`rank`] makes the rank's private image of the program and runs it. The image calls the
//!    functions of [`hooks`].
//! 3. The main thread only waits ([`event_loop`], [`self_pipe`]): for the last rank to end, a crash ([`crash`]), a
//!    signal ([`signals`]), the time limit, or a message of the launcher. It ends the process ([`end`]).
//!
//! If there are several hosts, they find each other with the help of the launcher ([`control`], [`wire_up`]) before
//! ranks begin.
//!
//! The ranks of a Rust program are closures of its process, which becomes a host when it asks for its ranks:
//! [`native`].
//!
//! A rank may have a process of its own, in which the launcher has started the rank's program: [`own_process`]. A
//! process that was started without any launcher gets one when it asks for something that only a launcher can do:
//! [`singleton_launcher`].
//!
//! The output of ranks passes through [`output`], which keeps lines whole; [`flush`] writes out what is still in
//! buffers where the job ends before its ranks do. Every message for the user begins with
//! `simurgh:` and goes to the standard error.

mod binding;
mod calls;
mod communication;
mod control;
mod crash;
mod description;
mod descriptor;
mod end;
mod environment;
mod error;
mod event_loop;
mod file_use;
mod flush;
mod heap_profile;
mod heap_registrations;
mod heap_use;
mod heaps;
mod hooks;
mod interrupts;
mod job;
mod launch;
mod malloc_info;
mod mappings;
mod memory;
mod native;
mod output;
mod own_process;
mod pmi;
mod policies;
mod programs;
mod questions;
mod quiescence;
mod ranges;
mod rank;
mod rank_memory;
mod relocation;
mod self_pipe;
mod signal_sources;
mod signals;
mod singleton_launcher;
mod state;
mod stats;
mod symbols;
mod takeover;
mod threads;
mod wait_report;
mod window_use;
mod wire_up;

pub use communication::CommunicationProfile;
pub use heap_use::{Moment, note as note_heap};
pub use memory::{choose_placement, placement_of, policy_of};
pub use native::{Claim, NativeJob, claim, end_native_job};
pub use output::say;
pub use own_process::{adopt, bias_locks, connect, end_singleton, join, leave, register};
pub use policies::{PolicyError, policy_of_settings};
pub use relocation::{NotNow, dump_and_restore, dumps, is_wanted as are_relocatable};
pub use singleton_launcher::offer_launcher;

/// Runs the job that `mpiexec` has described, and ends the process with its status. Called by the host's executable on
/// the main thread of a process that has done nothing yet.
pub fn main() -> ! {
    match (job::run(), state::Host::running()) {
        (Ok(status), _) => end::exit(status),
        (Err(error), Some(host)) => end::end_job(host, 1, &error.to_string()),
        (Err(error), None) => {
            control::give_up(1, &error.to_string());
            end::exit(1)
        }
    }
}
