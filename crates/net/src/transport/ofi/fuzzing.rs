//! Looks at what comes from other hosts, for the fuzzer.

use super::address::Address;
use super::frame::{self, FRAME, MARK, Token};

/// Takes a frame for one of the job with this token. What is taken for one is written the same again.
pub fn frame(bytes: &[u8], token: u64) {
    if let Some(from) = frame::read_mark(bytes, Token(token)) {
        let mut again = [0; MARK];
        frame::write_mark(&mut again, Token(token), from);
        assert_eq!(again, bytes);
    }
    let Some((from, header, data)) = frame::read(bytes, Token(token)) else {
        return;
    };
    let mut again = vec![0; FRAME + data.len()];
    frame::write(&mut again, Token(token), from, header);
    again[FRAME..].copy_from_slice(data);
    assert_eq!(again, bytes);
}

/// Takes bytes for the address of a host.
pub fn address(bytes: &[u8]) {
    if let Some(address) = Address::from_bytes(bytes) {
        assert_eq!(address.to_bytes(), bytes);
    }
}
