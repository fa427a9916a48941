//! The declarations that bindgen makes from the headers.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    unreachable_pub,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    unsafe_op_in_unsafe_fn,
    reason = "written by bindgen from a C header"
)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
