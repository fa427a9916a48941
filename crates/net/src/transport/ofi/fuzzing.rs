//! Entry points for the fuzzer: frames and addresses of other hosts.

use super::address::Address;
use super::frame;
use super::mac::MacKey;
use super::protection::Protection;

/// The number of the packet that is due.
const DUE: u64 = 7;

/// Parses a frame as the next packet of the host with this key. A frame that is genuine has to be written the same
/// again.
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
        // The number in the frame is not protected by itself: the receiver checks the one that is due.
        assert!(again[..12] == bytes[..12] && again[16..] == bytes[16..]);
    }
}

/// Gives a frame the code that the host with this key would make, so that more than its form is tested.
pub fn add_mac(bytes: &mut [u8], key: &[u8; 32]) {
    let Some((from, data)) = frame::read(bytes).map(|arrived| (arrived.from, arrived.data.len())) else {
        return;
    };
    let start = bytes.len() - data;
    let mac_key = MacKey::of(key, Protection::Everything);
    let digest = mac_key.digest(&bytes[start..]);
    frame::close(bytes, start, (from, DUE), &mac_key, digest);
}

/// Parses bytes as the address of a host.
pub fn address(bytes: &[u8]) {
    if let Some(address) = Address::from_bytes(bytes) {
        assert_eq!(address.to_bytes(), bytes);
    }
}
