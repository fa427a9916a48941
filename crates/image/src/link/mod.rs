//! Linking a program with its libraries, once for all ranks.
//!
//! The dynamic loader would do it anew for each rank, look through the list of all that is loaded meanwhile, and keep
//! each copy in it for ever. But the result is the same but for one number: objects lie at the same distances in each
//! image, and shared libraries at the same addresses. So every relocation gives a word that is the same in all ranks,
//! and stands in the master, or one to which the image's address is added. The rules are those of the dynamic loader
//! for `dlopen` with `RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND`, but that the program is the main program.

mod relocate;
pub(crate) mod scope;
mod shared_library;
#[cfg(test)]
mod tests;
mod thread_local;

use crate::elf::Malformed;

pub(crate) use relocate::{Copied, Origin as CopyOrigin, Relocations, is_known, link};
pub(crate) use scope::{Definition, Scope};

/// Why a program cannot be linked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    #[error("{object}: undefined symbol: {symbol}")]
    Undefined { object: String, symbol: String },
    #[error("{object}: {symbol} is a thread-local variable of a shared library")]
    ForeignThreadLocal { object: String, symbol: String },
    #[error("{object}: a relocation of the unknown kind {kind}")]
    Unknown { object: String, kind: u32 },
    #[error("no library defines {0}, which the program copies at start")]
    MissingData(String),
    #[error("{object}: {error}")]
    Malformed { object: String, error: Malformed },
    #[error("{0}")]
    Library(String),
}
