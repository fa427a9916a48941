//! The Fortran interface over the standard ABI: `libmpifort_abi.so.1`.
