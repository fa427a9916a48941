//! Collective communication within a host.
mod board;
mod meeting;

pub use board::Board;
