//! Procedures of Fortran that MPI calls.
//!
//! C's callbacks get handles, C integers and pointers; Fortran's procedures get addresses of INTEGERs. Between the two
//! stands a C function of this library, which finds the procedure
//!
//! * by the trampoline through which it has been called, where C passes no state (operations, error handlers);
//! * in a record whose address is C's extra state, where C passes one (keys of attributes, generalised requests).
//!
//! # Layers
//!
//! * `trampoline`: C functions that know which procedure they stand for
//! * `op`: operations
//! * `errhandler`: error handlers
//! * `keyval`: keys of attributes
//! * `predefined`: the standard's own callbacks
//! * `generalised_request`: generalised requests
//! * `datarep`: data representations

mod datarep;
mod errhandler;
mod generalised_request;
mod keyval;
mod op;
mod predefined;
mod trampoline;

pub(crate) use datarep::{register_datarep, register_datarep_c};
pub(crate) use errhandler::{
    comm_create_errhandler, file_create_errhandler, session_create_errhandler, win_create_errhandler,
};
pub(crate) use generalised_request::grequest_start;
pub(crate) use keyval::{comm_create_keyval, keyval_create, type_create_keyval, win_create_keyval};
pub(crate) use op::{op_create, op_create_c};
