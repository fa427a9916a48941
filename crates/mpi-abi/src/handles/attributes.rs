//! The predefined attributes of communicators.

use std::ffi::{c_int, c_void};

use simurgh_mpi::Process;
use simurgh_mpi::constants::{ANY_SOURCE, PROC_NULL, TAG_UB};

use super::Rank;
use crate::constants::*;

/// The values; the program gets their addresses.
pub(crate) struct Attributes {
    tag_ub: c_int,
    io: c_int,
    host: c_int,
    wtime_is_global: c_int,
    appnum: Option<c_int>,
    universe_size: c_int,
}

impl Attributes {
    /// The attributes of a process. They never change, except `MPI_LASTUSEDCODE`, which is not kept here.
    pub(crate) fn new(process: &Process) -> Self {
        let job = process.job();
        Self {
            tag_ub: TAG_UB,
            // Every rank can read and write files and the standard streams.
            io: ANY_SOURCE,
            host: PROC_NULL,
            // The ranks of a host read one clock.
            wtime_is_global: 1,
            appnum: process
                .launch()
                .and_then(|launch| c_int::try_from(launch.application).ok()),
            universe_size: c_int::try_from(job.size()).unwrap_or(c_int::MAX),
        }
    }
}

impl Rank<'_> {
    /// Whether this number belongs to a predefined attribute of communicators.
    pub(crate) fn is_predefined_keyval(keyval: c_int) -> bool {
        (MPI_TAG_UB..=MPI_UNIVERSE_SIZE).contains(&keyval)
    }

    /// The address of a predefined attribute of communicators; `None` if it has no value here.
    pub(crate) fn predefined_attribute(self, keyval: c_int) -> Option<*mut c_void> {
        let values = &self.tables.attributes;
        let place: *const c_int = match keyval {
            MPI_TAG_UB => &raw const values.tag_ub,
            MPI_IO => &raw const values.io,
            MPI_HOST => &raw const values.host,
            MPI_WTIME_IS_GLOBAL => &raw const values.wtime_is_global,
            MPI_APPNUM => values.appnum.as_ref()?,
            MPI_LASTUSEDCODE => self.tables.codes.last().as_ptr(),
            MPI_UNIVERSE_SIZE => &raw const values.universe_size,
            _ => return None,
        };
        Some(place.cast_mut().cast())
    }
}
