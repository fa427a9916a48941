//! All procedures, and their names.
//!
//! # Safety
//!
//! The arguments are what the MPI standard asks for: addresses of variables of the declared types, of arrays of the
//! declared lengths, or of the variables with a special meaning. Compilers pass the lengths of strings behind them.

#![allow(
    missing_docs,
    non_snake_case,
    unreachable_pub,
    unused_mut,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    reason = "generated; the module says what holds for all of them"
)]

use core::ffi::{c_int, c_void};

use crate::error;
use crate::foreign::*;
use crate::handles::Handles;
use crate::index;
use crate::peers::{self, at_root};
use crate::section::{self, Address, Choice, Count, Descriptor, Use, pending};
use crate::sentinel;
use crate::start;
use crate::text::{Text, TextOut};

include!(concat!(env!("OUT_DIR"), "/procedures.rs"));
