use super::*;
use crate::auth::Secret;
use crate::encoding::Bytes;
use proptest::prelude::*;
use rustix::io::write;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

fn hello() -> FromHost {
    let address = |index| Address {
        transport: format!("way {index}"),
        bytes: Bytes(vec![0, 1, 255]),
    };
    FromHost::Hello(Hello {
        version: VERSION,
        secret: Secret::random().unwrap(),
        host: 3,
        addresses: (0..2).map(address).collect(),
    })
}

/// A message that comes with a descriptor.
fn memory() -> ToHost {
    ToHost::Memory { hosts: vec![1, 2] }
}

fn own_stderr() -> Option<Arc<OwnedFd>> {
    Some(Arc::new(std::io::stderr().as_fd().try_clone_to_owned().unwrap()))
}

fn pair() -> (Channel, Channel) {
    let (launcher, host) = Channel::pair().unwrap();
    (launcher, Channel::inherited(host).unwrap())
}

#[test]
fn messages_arrive_with_their_descriptors() {
    let (launcher, host) = pair();
    assert!(launcher.receive_from_host().unwrap().is_none());
    let hello = hello();
    host.send(&hello).unwrap();
    let said = launcher.receive_from_host().unwrap().unwrap();
    assert_eq!((said.message, said.descriptors.len()), (hello, 0));
    let letters = [
        EncodedMessage::with_descriptor(memory(), own_stderr()),
        ToHost::Go.into(),
    ];
    for message in &letters {
        assert!(launcher.try_send(message).unwrap());
    }
    let told = host.receive_from_launcher().unwrap().unwrap();
    assert_eq!((told.message, told.descriptors.len()), (memory(), 1));
    assert_eq!(host.receive_from_launcher().unwrap().unwrap().message, ToHost::Go);
}

#[test]
fn the_end_of_the_other_side_is_seen_behind_what_it_has_said() {
    let (launcher, host) = pair();
    host.send(&FromHost::Ended { status: 3 }).unwrap();
    drop(host);
    assert_eq!(
        launcher.receive_from_host().unwrap().unwrap().message,
        FromHost::Ended { status: 3 }
    );
    assert!(matches!(launcher.receive_from_host(), Err(ControlError::Closed)));
    assert!(matches!(
        launcher.try_send(&ToHost::End.into()),
        Err(ControlError::Closed)
    ));
}

#[test]
fn a_host_that_ends_without_having_listened_is_heard_to_its_end() {
    let (launcher, host) = pair();
    assert!(launcher.try_send(&ToHost::Go.into()).unwrap());
    for status in [3, 4] {
        host.send(&FromHost::Ended { status }).unwrap();
    }
    drop(host);
    for status in [3, 4] {
        let said = launcher.receive_from_host().unwrap().unwrap();
        assert_eq!(said.message, FromHost::Ended { status });
    }
    assert!(matches!(launcher.receive_from_host(), Err(ControlError::Closed)));
}

#[test]
fn a_slow_host_does_not_stop_the_launcher() {
    let (launcher, host) = pair();
    let told = (0..1_000_000).take_while(|_| {
        launcher
            .try_send(&ToHost::Report { moving: true }.into())
            .unwrap()
    });
    let told = told.count();
    assert!((1..1_000_000).contains(&told), "{told}");
    assert_eq!(
        std::iter::from_fn(|| host.receive_from_launcher().unwrap()).count(),
        told
    );
    assert!(launcher.try_send(&ToHost::End.into()).unwrap());
}

#[test]
fn a_message_without_its_descriptors_is_refused() {
    let (launcher, host) = pair();
    let lost = EncodedMessage::from(memory());
    let strange = EncodedMessage::with_descriptor(ToHost::Go, own_stderr());
    for (message, expected) in [(lost, 1), (strange, 0)] {
        launcher.try_send(&message).unwrap();
        let refused = host.receive_from_launcher().unwrap_err();
        let found = 1 - expected;
        assert!(
            matches!(refused, ControlError::Descriptors { found: f, expected: e } if (f, e) == (found, expected)),
            "{refused}"
        );
    }
}

#[test]
fn as_many_hosts_as_a_message_tells_of_fit() {
    let (launcher, host) = pair();
    let peer = |host| Peer {
        host,
        addresses: vec![Address {
            transport: "ofi".to_owned(),
            bytes: Bytes(vec![255; 512]),
        }],
        place: None,
    };
    let message = ToHost::Peers((0..MAX_PEERS as u32).map(peer).collect());
    assert!(launcher.try_send(&message.clone().into()).unwrap());
    assert_eq!(host.receive_from_launcher().unwrap().unwrap().message, message);
}

#[test]
fn the_longest_text_fits_whatever_is_in_it() {
    let (launcher, host) = pair();
    for text in ["\u{1}", "€", "x"] {
        let message = shortened(&text.repeat(MAX_TEXT));
        assert!(message.len() <= MAX_TEXT);
        let abort = FromHost::Abort { status: 1, message };
        host.send(&abort).unwrap();
        assert_eq!(launcher.receive_from_host().unwrap().unwrap().message, abort);
    }
    assert_eq!(shortened("short"), "short");
}

#[test]
fn secrets_differ_and_are_not_shown() {
    let (a, b) = (Secret::random().unwrap(), Secret::random().unwrap());
    assert!(a == a.clone() && a != b);
    assert_eq!(format!("{a:?}"), "Secret(…)");
}

proptest! {
    #[test]
    fn any_bytes_give_a_result(bytes in proptest::collection::vec(any::<u8>(), 1..512)) {
        let (launcher, host) = pair();
        write(host.as_fd(), &bytes).unwrap();
        let _ = launcher.receive_from_host();
        write(launcher.as_fd(), &bytes).unwrap();
        let _ = host.receive_from_launcher();
    }

    #[test]
    fn a_damaged_message_gives_a_result(at in 0usize..4096, byte in any::<u8>()) {
        let (launcher, host) = pair();
        let mut json = serde_json::to_vec(&hello()).unwrap();
        let at = at % json.len();
        json[at] = byte;
        write(host.as_fd(), &json).unwrap();
        let _ = launcher.receive_from_host();
    }
}
