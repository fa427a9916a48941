//! Shared parts of the fuzz targets.
//!
//! Each program in `targets` gets bytes from libFuzzer, which varies them so that they reach new code, and takes them
//! for what another process sends. A panic, a failed assertion, an invalid access, more than a second or a gigabyte is
//! a finding. `./x fuzz` builds and runs the programs; `corpus` has bytes to begin with, which reach most of the code
//! that has been reached so far.

mod input;
mod wire;

pub use input::Input;
pub use wire::Wire;
