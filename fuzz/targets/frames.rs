//! What comes over libfabric: frames of packets, and the addresses of hosts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simurgh_net::transport::ofi::fuzzing;

/// The key of the host that is heard.
const KEY: [u8; 32] = *b"what only the two hosts can make";

fuzz_target!(|data: &[u8]| {
    fuzzing::frame(data, &KEY);
    // With its code, which nobody guesses.
    let mut frame = data.to_vec();
    fuzzing::add_mac(&mut frame, &KEY);
    fuzzing::frame(&frame, &KEY);
    fuzzing::address(data);
});
