//! The MPI 5.0 standard C ABI of Simurgh: libmpi_abi.so.1.
