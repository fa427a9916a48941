//! Windows by handle, with their predefined attributes.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use simurgh_mpi::{Flavor, Window};

use crate::constants::*;
use crate::types::MPI_Aint;

/// A window, and the values of its predefined attributes, of which the program gets the addresses.
pub(crate) struct WindowEntry {
    pub(crate) window: Arc<Window>,
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: c_int,
    flavor: c_int,
    model: c_int,
}

// SAFETY:
// - the base address is a value that the program gets back.
unsafe impl Send for WindowEntry {}
// SAFETY:
// - as above.
unsafe impl Sync for WindowEntry {}

impl WindowEntry {
    pub(crate) fn new(window: Arc<Window>) -> Self {
        let region = window.region();
        Self {
            base: region.map_or(std::ptr::null_mut(), |region| region.address().cast()),
            size: region.map_or(0, |region| region.bytes() as MPI_Aint),
            disp_unit: c_int::try_from(window.unit()).unwrap_or(c_int::MAX),
            flavor: match window.flavor() {
                Flavor::Create => MPI_WIN_FLAVOR_CREATE,
                Flavor::Allocate => MPI_WIN_FLAVOR_ALLOCATE,
                Flavor::Dynamic => MPI_WIN_FLAVOR_DYNAMIC,
                Flavor::Shared => MPI_WIN_FLAVOR_SHARED,
            },
            model: MPI_WIN_UNIFIED,
            window,
        }
    }

    /// Whether this number belongs to a predefined attribute of windows.
    pub(crate) fn is_predefined_keyval(keyval: c_int) -> bool {
        (MPI_WIN_BASE..=MPI_WIN_MODEL).contains(&keyval)
    }

    /// The value of a predefined attribute: the base address, or the address of any other one.
    pub(crate) fn predefined_attribute(&self, keyval: c_int) -> Option<*mut c_void> {
        let place: *const c_void = match keyval {
            MPI_WIN_BASE => self.base.cast_const(),
            MPI_WIN_SIZE => (&raw const self.size).cast(),
            MPI_WIN_DISP_UNIT => (&raw const self.disp_unit).cast(),
            MPI_WIN_CREATE_FLAVOR => (&raw const self.flavor).cast(),
            MPI_WIN_MODEL => (&raw const self.model).cast(),
            _ => return None,
        };
        Some(place.cast_mut())
    }
}
