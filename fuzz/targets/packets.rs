//! Packets of another host, while ranks send and receive.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| simurgh_fuzz::packets::run(data));
