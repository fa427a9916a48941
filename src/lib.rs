//! MPI whose ranks are user-level threads: the API for native Rust programs.
