//! Shared memory that another host of the node writes as it likes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| simurgh_fuzz::shared_memory::run(data));
