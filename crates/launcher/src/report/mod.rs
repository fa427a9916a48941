//! What the tool `simurgh` prints: about this machine, about settings, and about programs.

pub mod check;
pub mod collectives;
pub mod info;
