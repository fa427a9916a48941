//! The common parts of tests, demo and benches: the staged installation, compiling C and C++ programs against it, and
//! running commands under a time limit.
//!
//! ```no_run
//! use simurgh_testing::{Compile, Stage};
//! let stage = Stage::locate();
//! let hello = Compile::c("tests/c/hello.c").against(&stage).build();
//! stage.mpiexec(4).run(&hello).expect_success();
//! ```
//!
//! Everything panics with a full account on failure, as is right in a test, except [`run()`], [`wait()`] and
//! [`Compile::try_build`].
//!
//! # Layers
//!
//! Each module imports only from those before it.
//!
//! * `panic`: expected panics
//! * `random`: random numbers that follow from a seed
//! * `scratch`: scratch directories
//! * `texts`: the output of test programs
//! * `virtual_time`: time limits that can tell a hang from a busy machine
//! * `process_tree`: the tree of processes, and signals to them
//! * `outcome`: the outcome of a command
//! * `run`: running a command under a time limit
//! * `alone`: tests that need a process of their own
//! * `started`: a command that a test starts and acts on
//! * `mpiexec`: a run of mpiexec
//! * `stage`: the staged installation
//! * `compile`: compiling test programs
//! * `example`: programs in Rust
//! * `places`: runs of one program whose ranks live in different places
//! * `other_mpis`: other MPIs, which `./x test` installs

mod alone;
mod compile;
mod example;
mod mpiexec;
mod other_mpis;
mod outcome;
mod panic;
mod places;
mod process_tree;
mod random;
mod run;
mod scratch;
mod stage;
mod started;
mod texts;
mod virtual_time;

pub use alone::alone;
pub use compile::{Binary, Compile, PROGRAMS};
pub use example::example;
pub use mpiexec::{Mpiexec, TCP};
pub use other_mpis::{of_another, of_open_mpi};
pub use outcome::{AT_ONCE, Ending, Outcome};
pub use panic::panic_quietly;
pub use places::expect_passed_in;
pub use process_tree::{
    Signal, children, has_variable, is_alive, kill_descendants, marked, parent, signal, supervisor, words,
};
pub use random::{Random, seed};
pub use run::{Input, LIMIT, run, until, wait};
pub use scratch::Scratch;
pub use stage::Stage;
pub use started::{Started, behind, run_with_few_addresses};
pub use texts::{passed, sums};
pub use virtual_time::{Deadline, Stopwatch, processor_time};
