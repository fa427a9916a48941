//! The MPI engine of Simurgh.
