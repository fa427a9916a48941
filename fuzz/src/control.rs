//! The messages between launcher and hosts, and the description of a job.

use rustix::net::{SendFlags, send};
use simurgh_net::control::{Channel, FromHost, ToHost};
use simurgh_net::job::JobSpec;
use std::os::fd::OwnedFd;

/// Takes these bytes for them.
///
/// # Panics
///
/// If something is wrong.
pub fn run(data: &[u8]) {
    // An empty packet is the end of a connection.
    if data.is_empty() {
        return;
    }
    if let Some(message) = said(data) {
        let (launcher, end) = pair();
        let host = Channel::inherited(end).expect("it is open");
        if host.send(&message).is_ok() {
            let heard = launcher.receive_from_host().ok().flatten();
            assert!(heard.is_none_or(|heard| heard.message == message));
        }
    }
    if let Some(message) = told(data) {
        let (launcher, end) = pair();
        let host = Channel::inherited(end).expect("it is open");
        if let Ok(true) = launcher.try_send(&message.clone().into()) {
            let heard = host.receive_from_launcher().ok().flatten();
            assert!(heard.is_none_or(|heard| heard.message == message));
        }
    }
    if let Ok(spec) = JobSpec::parse(data) {
        assert_eq!(JobSpec::parse(&spec.to_json()).expect("it is one"), spec);
        let (place, number) = spec.place_on_node();
        assert!(spec.ranks().count > 0 && place < number);
    }
}

fn pair() -> (Channel, OwnedFd) {
    Channel::pair().expect("a socket")
}

/// The message that the launcher reads from these bytes.
fn said(data: &[u8]) -> Option<FromHost> {
    let (launcher, end) = pair();
    send(&end, data, SendFlags::DONTWAIT).ok()?;
    Some(launcher.receive_from_host().ok()??.message)
}

/// The message that a host reads from these bytes. Both ends have the same code, so here the directions are reversed.
fn told(data: &[u8]) -> Option<ToHost> {
    let (end, host) = pair();
    send(&end, data, SendFlags::DONTWAIT).ok()?;
    let host = Channel::inherited(host).expect("it is open");
    Some(host.receive_from_launcher().ok()??.message)
}
