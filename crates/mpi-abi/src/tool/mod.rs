//! The calls of the tool information interface: they may be made at any time, and report a failure by the error code
//! alone.
//!
//! * `text`, `memory`: how strings and values are handed over.
//! * `callbacks`: the safe point where the functions of a tool are called.
//! * `code`: error codes.

mod callbacks;
mod code;
mod memory;
mod text;

pub(crate) use callbacks::{SOURCE, deliver};
pub(crate) use memory::{datatype_of, displacements_of, from_memory, structure_of, to_memory};
pub(crate) use text::{Name, place_of, set};

use std::ffi::c_int;

use simurgh_tool::{Tool, ToolError, ToolResult};

use simurgh_settings::Verbosity;

use crate::constants::MPI_SUCCESS;
use crate::constants::tool::*;
use crate::handles::{HandleTables, Rank};
use crate::singleton::{self, with_process};

/// The result of a call, which returns nothing but its error code.
pub(crate) type Outcome = ToolResult<()>;

/// Runs `body` for the calling rank and returns the error code.
pub(crate) fn enter(body: impl FnOnce(Rank<'_>) -> Outcome) -> c_int {
    singleton::adopt();
    let outcome = with_process(|process| {
        let tables = process.and_then(|process| Some((process, HandleTables::of(process)?)));
        let (process, tables) = tables.ok_or(ToolError::NotAccessible)?;
        body(Rank { process, tables })
    });
    outcome.map_or_else(code::of, |()| MPI_SUCCESS)
}

impl<'a> Rank<'a> {
    /// The rank's tool, which has to be initialised.
    pub(crate) fn tool(self) -> ToolResult<&'a Tool> {
        let tool = self.process.tool();
        tool.check()?;
        Ok(tool)
    }
}

/// The element at `index`.
pub(crate) fn at<T>(things: &[T], index: c_int) -> ToolResult<&T> {
    let place = usize::try_from(index).map_err(|_| ToolError::InvalidIndex)?;
    things.get(place).ok_or(ToolError::InvalidIndex)
}

/// The number of a level of verbosity.
pub(crate) fn verbosity_of(verbosity: Verbosity) -> c_int {
    match verbosity {
        Verbosity::UserBasic => MPI_T_VERBOSITY_USER_BASIC,
        Verbosity::UserDetail => MPI_T_VERBOSITY_USER_DETAIL,
        Verbosity::TunerBasic => MPI_T_VERBOSITY_TUNER_BASIC,
        Verbosity::TunerDetail => MPI_T_VERBOSITY_TUNER_DETAIL,
        Verbosity::Developer => MPI_T_VERBOSITY_MPIDEV_BASIC,
    }
}

/// A number of elements as an `int`.
pub(crate) fn count(things: usize) -> c_int {
    c_int::try_from(things).unwrap_or(c_int::MAX)
}
