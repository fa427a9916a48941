//! What tests, demo and benches share: where the staged installation is, how a C or C++ program is compiled
//! against it, and how a command runs under a time limit.
//!
//! ```no_run
//! use simurgh_testing::{Compile, Stage};
//! let stage = Stage::locate();
//! let hello = Compile::c("tests/c/hello.c").against(&stage).build();
//! stage.mpiexec(4).run(&hello).expect_success();
//! ```
//!
//! Everything panics with a full account on failure, as is right in a test, save [`run()`], [`wait()`] and
//! [`Compile::try_build`].

mod compile;
mod family;
mod mpiexec;
mod others;
mod outcome;
mod panic;
mod run;
mod scratch;
mod stage;
mod started;
mod texts;
mod virtual_time;

pub use compile::{Binary, Compile};
pub use family::{
    Signal, children, has_variable, is_alive, kill_descendants, marked, parent, signal, supervisor, words,
};
pub use mpiexec::{Mpiexec, TCP};
pub use others::{of_another, of_open_mpi};
pub use outcome::{AT_ONCE, Ending, Outcome};
pub use panic::panic_quietly;
pub use run::{Input, LIMIT, run, until, wait};
pub use scratch::Scratch;
pub use stage::Stage;
pub use started::{Started, behind};
pub use texts::{passed, sums};
pub use virtual_time::{Deadline, Stopwatch, processor_time};
