//! The messages between launcher and hosts, and the description of a job.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| simurgh_fuzz::control::run(data));
