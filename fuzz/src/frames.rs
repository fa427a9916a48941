//! Frames and addresses of other hosts over libfabric.

use simurgh_net::transport::ofi::fuzzing;

/// The key of the host that is heard.
const KEY: [u8; 32] = *b"what only the two hosts can make";

/// Takes these bytes for them.
///
/// # Panics
///
/// If something is wrong.
pub fn run(data: &[u8]) {
    fuzzing::frame(data, &KEY);
    // The same frame with its code, which the fuzzer cannot guess.
    let mut frame = data.to_vec();
    fuzzing::add_mac(&mut frame, &KEY);
    fuzzing::frame(&frame, &KEY);
    fuzzing::address(data);
}
