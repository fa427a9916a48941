//! The output of the tool `simurgh`: reports about this machine, about settings, and about programs.

pub mod check;
pub mod collectives;
pub mod info;
pub mod model;
