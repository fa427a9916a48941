//! Private copies of an ELF program and its libraries for each rank.
