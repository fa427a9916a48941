//! What comes over libfabric: frames of packets, and the addresses of hosts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simurgh_net::transport::ofi::fuzzing;

/// The token of the job.
const TOKEN: u64 = 0x0123_4567_89ab_cdef;

fuzz_target!(|data: &[u8]| {
    fuzzing::frame(data, TOKEN);
    // With the token, which nobody guesses, as a host shows it.
    if let Some((host, rest)) = data.split_first() {
        let mut frame = TOKEN.wrapping_add(u64::from(*host)).to_le_bytes().to_vec();
        frame.extend(rest);
        fuzzing::frame(&frame, TOKEN);
    }
    fuzzing::address(data);
});
