//! derive(Equivalence): MPI datatypes of Rust structs.
