//! The fuzz targets: each gets bytes, which stand for decisions, and takes them for what another process sends.
//!
//! A panic, a failed assertion, an invalid access, more than a second or a gigabyte is a finding. `./x fuzz` builds
//! programs in which libFuzzer invents the bytes and varies them so that they reach new code. The folder `corpus` has
//! bytes to begin with, which reach most of the code that has been reached so far; `tests/corpus` replays them, and
//! variations of them, without libFuzzer.
//!
//! # Layers
//!
//! Each module imports only from those before it.
//!
//! * `input`: bytes, read as decisions
//! * `wire`: a transport whose other end is the input
//! * `control`: the messages between launcher and hosts
//! * `frames`: frames of other hosts over libfabric
//! * `packets`: packets of another host, for the engine
//! * `shared_memory`: memory that other processes of the node write

pub mod control;
pub mod frames;
mod input;
pub mod packets;
pub mod shared_memory;
mod wire;
