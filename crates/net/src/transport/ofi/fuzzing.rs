//! Looks at what comes from other hosts, for the fuzzer.

use super::address::Address;
use super::frame;
use super::mac::MacKey;
use super::protection::Protection;

/// The number of the packet that is due.
const DUE: u64 = 7;

/// Takes a frame for the next one of a host with this key. What is taken for genuine is written the same again.
pub fn frame(bytes: &[u8], key: &[u8; 32]) {
    let mac_key = MacKey::of(key, Protection::Everything);
    let Some(arrived) = frame::read(bytes) else {
        return;
    };
    if arrived.is_genuine(DUE, &mac_key) {
        let start = bytes.len() - arrived.data.len();
        let mut again = vec![0; bytes.len()];
        frame::write(&mut again, &arrived.header, start);
        again[start..].copy_from_slice(arrived.data);
        frame::close(
            &mut again,
            start,
            (arrived.from, DUE),
            &mac_key,
            mac_key.digest(arrived.data),
        );
        // The number that is told is not protected by itself: it says which one is due.
        assert!(again[..12] == bytes[..12] && again[16..] == bytes[16..]);
    }
}

/// Makes a frame of bytes genuine, as a host with this key would, so that more than its form is looked at.
pub fn add_mac(bytes: &mut [u8], key: &[u8; 32]) {
    let Some((from, data)) = frame::read(bytes).map(|arrived| (arrived.from, arrived.data.len())) else {
        return;
    };
    let start = bytes.len() - data;
    let mac_key = MacKey::of(key, Protection::Everything);
    let digest = mac_key.digest(&bytes[start..]);
    frame::close(bytes, start, (from, DUE), &mac_key, digest);
}

/// Takes bytes for the address of a host.
pub fn address(bytes: &[u8]) {
    if let Some(address) = Address::from_bytes(bytes) {
        assert_eq!(address.to_bytes(), bytes);
    }
}
