//! Limits of the objects here. `simurgh-mpi` has the table of all limits, with these in it.

/// Longest text of an error code in bytes, with the terminating zero (`MPI_MAX_ERROR_STRING`).
pub const MAX_ERROR_STRING: usize = 512;

/// Longest key of an info object in bytes, with the terminating zero (`MPI_MAX_INFO_KEY`).
pub const MAX_INFO_KEY: usize = 256;

/// Longest value of an info object in bytes, with the terminating zero (`MPI_MAX_INFO_VAL`).
pub const MAX_INFO_VAL: usize = 1024;
