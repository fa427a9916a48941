//! Frames and addresses of other hosts over libfabric.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| simurgh_fuzz::frames::run(data));
