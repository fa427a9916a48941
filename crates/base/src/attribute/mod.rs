//! Attributes: words that a program attaches to its communicators, datatypes and windows (section 7.7 of the standard).
//!
//! * [`Keys`]: the keys of a process, each with its behaviour when attributes are copied or deleted ([`Behaviour`]).
//! * [`Cache`]: the attributes of all objects of a process, by the number by which the layer above knows an object. So
//!   one table serves every kind of object, and an object without attributes costs nothing.
//!
//! Callbacks run while no lock is held: they may read and change attributes themselves.

mod cache;
mod key;

pub use cache::Cache;
pub use key::{Behaviour, Key, Keys, Kind};
