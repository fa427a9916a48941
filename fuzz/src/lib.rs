//! What the fuzz targets share.
//!
//! Each program in `targets` is handed bytes by libFuzzer, which changes them so that they reach code they have not
//! reached before, and takes them for what another process does. A panic, a failed assertion, an access outside of
//! memory, more than a second or a gigabyte is a finding. `./x fuzz` builds and runs them; `corpus` has bytes to begin
//! with, which reach most of what has been reached so far.

mod input;
mod wire;

pub use input::Input;
pub use wire::Wire;
