//! Which peers may enroll with a universe.

use super::{Folder, PATIENCE, Served, ToServer};
use crate::error::UniverseError;
use crate::oob::{HandshakeError, Link, Protocol};
use crate::universe::file::{Contact, Written};
use crate::universe::message::{UNIVERSE_PROTOCOL, VERSION};
use crate::universe::server::registry::Registry;
use crate::universe::{Universe, UniverseEvent, serve};
use serde::Serialize;
use simurgh_mpi::limits::MAX_LATER_HOSTS;
use simurgh_net::auth::Secret;
use simurgh_net::job::Realm;
use std::collections::BTreeSet;
use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(1);

fn contact(served: &Served) -> Contact {
    Contact::wait_for(&served.folder.file(), PATIENCE).unwrap()
}

fn call(served: &Served) -> TcpStream {
    TcpStream::connect((Ipv4Addr::LOCALHOST, contact(served).port)).unwrap()
}

/// The answer to the first message of an unknown peer.
fn reply(served: &Served, word: &impl Serialize) -> Option<serde_json::Value> {
    let mut link = Link::over(call(served), true).unwrap();
    link.send(word, &[]);
    link.wait(Some(Instant::now() + PATIENCE)).unwrap_or_default()
}

#[test]
fn each_has_numbers_of_its_own() {
    let served = Served::new();
    let [a, b] = [served.enroll(2), served.enroll(100)];
    assert_eq!([a.realm, b.realm], [Realm(1), Realm(2)]);
    let (of_a, of_b) = (a.universe.shares().to_vec(), b.universe.shares().to_vec());
    assert_eq!((of_a.len(), of_b.len()), (66, 200));
    assert_eq!(of_a.iter().chain(&of_b).collect::<BTreeSet<_>>().len(), 266);
    assert_eq!(*a.universe.secret(), contact(&served).secret);
    // The link of a member that has sent its last message is closed.
    a.universe.leave(&ToServer::Farewell);
    let c = served.enroll(1);
    assert_eq!((c.realm, c.universe.shares()), (Realm(3), &of_a[..65]));
}

#[test]
fn more_hosts_than_there_can_be_are_refused() {
    let served = Served::new();
    let most = MAX_LATER_HOSTS as usize;
    assert_eq!(served.enroll(most).universe.shares().len(), most);
    let refused = Universe::enroll(&served.folder.file(), most + 1, Some(PATIENCE))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("hosts are too many"), "{refused}");
}

#[test]
fn numbers_are_not_given_away_again() {
    let mut registry = Registry::new();
    for number in 1..=Realm::MAX.0 {
        let (realm, _) = registry.enroll(1).unwrap();
        assert_eq!(realm, Realm(number));
        registry.leave(realm, None);
    }
    let refused = registry.enroll(1).unwrap_err();
    assert!(refused.contains("has had 2047 jobs"), "{refused}");
}

#[test]
fn unauthenticated_peers_are_refused() {
    let served = Served::new();
    let enroll = ToServer::Enroll {
        hosts: 1,
        silence: None,
    };
    // A peer that sends something unexpected, or too much, gets no answer.
    assert_eq!(reply(&served, &enroll), None);
    assert_eq!(reply(&served, &ToServer::Met), None);
    let message = "x".repeat(8 << 10);
    assert_eq!(reply(&served, &ToServer::Failed { message }), None);
    call(&served).write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    let _silent = call(&served);
    served.enroll(1).receives_nothing();
}

/// Connects to a universe with a secret, in a version of the protocol.
fn connect(served: &Served, version: u32, secret: &Secret) -> Result<Link, HandshakeError> {
    let protocol = Protocol {
        version,
        ..UNIVERSE_PROTOCOL
    };
    let mut link = Link::over(call(served), false).unwrap();
    protocol.authenticate(&mut link, secret, Instant::now() + PATIENCE)?;
    Ok(link)
}

#[test]
fn a_peer_without_the_secret_is_not_admitted() {
    let served = Served::new();
    let good = contact(&served).secret;
    let stranger = connect(&served, VERSION, &Secret::random().unwrap());
    assert!(matches!(stranger, Err(HandshakeError::Impostor)));
    let foreign = connect(&served, VERSION + 1, &good);
    assert!(matches!(foreign, Err(HandshakeError::Version(VERSION))));
    assert!(connect(&served, VERSION, &good).is_ok());
}

/// The file of a universe whose port another program has.
#[test]
fn a_server_with_the_port_but_not_the_secret_learns_nothing() {
    let (served, folder) = (Served::new(), Folder::new());
    let stale = Contact {
        secret: Secret::random().unwrap(),
        ..contact(&served)
    };
    let _written = Written::new(&folder.file(), &stale).unwrap();
    let refused = Universe::enroll(&folder.file(), 1, Some(PATIENCE))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("does not know the secret"), "{refused}");
    assert!(!refused.contains("remove"), "{refused}");
}

#[test]
fn the_loopback_interface_of_another_machine_is_not_tried() {
    let (served, folder) = (Served::new(), Folder::new());
    let of_another = Contact {
        machine: "another".to_owned(),
        ..contact(&served)
    };
    let _written = Written::new(&folder.file(), &of_another).unwrap();
    let refused = Universe::enroll(&folder.file(), 1, Some(PATIENCE))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("loopback interface of another machine"),
        "{refused}"
    );
}

#[test]
fn there_is_room_for_others_when_many_are_silent() {
    let served = Served::new();
    let _silent: Vec<_> = (0..400).map(|_| call(&served)).collect();
    served.enroll(1).receives_nothing();
}

#[test]
fn the_file_is_for_its_user_and_there_while_the_universe_is() {
    let mut served = Served::new();
    let file = served.folder.file();
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(&served.folder.0).unwrap().count(), 1);
    let error = serve(&file, None).unwrap_err().to_string();
    assert!(
        error.contains("there already") && error.contains("remove it"),
        "{error}"
    );
    served.end();
    assert!(!file.exists());
}

#[test]
fn the_file_of_another_universe_is_not_removed() {
    let mut served = Served::new();
    let (file, contact) = (served.folder.file(), contact(&served));
    std::fs::remove_file(&file).unwrap();
    let other = Written::new(&file, &contact).unwrap();
    served.end();
    assert!(file.exists());
    drop(other);
    assert!(!file.exists());
}

#[test]
fn files_of_no_use_are_told_apart() {
    let folder = Folder::new();
    let file = folder.file();
    let wait = || Contact::wait_for(&file, SHORT).unwrap_err();
    let absent = wait();
    assert!(matches!(absent, UniverseError::Absent { .. }), "{absent}");
    assert!(absent.to_string().contains("`simurgh universe /"), "{absent}");
    std::fs::write(&file, "{}").unwrap();
    assert!(matches!(wait(), UniverseError::Malformed { .. }));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(matches!(wait(), UniverseError::Unreadable { .. }));
    let refused = Universe::enroll(&file, 1, Some(PATIENCE)).unwrap_err();
    assert!(matches!(refused, UniverseError::Unreadable { .. }));
}

#[test]
fn a_file_that_comes_late_is_waited_for() {
    let (served, folder) = (Served::new(), Folder::new());
    let (from, to) = (served.folder.file(), folder.file());
    let late = std::thread::spawn({
        let to = to.clone();
        move || Universe::enroll(&to, 1, Some(PATIENCE)).map(|universe| universe.realm())
    });
    std::fs::rename(from, to).unwrap();
    assert_eq!(late.join().unwrap().unwrap(), Realm(1));
}

#[test]
fn a_universe_that_was_killed_is_known_by_its_silence() {
    let served = Served::new();
    let contact = contact(&served);
    drop(served);
    let folder = Folder::new();
    let _written = Written::new(&folder.file(), &contact).unwrap();
    let error = Universe::enroll(&folder.file(), 1, Some(PATIENCE))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot be reached") && error.contains("remove the file"),
        "{error}"
    );
}

#[test]
fn the_end_of_the_universe_is_told_once() {
    let mut served = Served::new();
    let mut a = served.enroll(1);
    served.end();
    match a.event(PATIENCE) {
        Some(UniverseEvent::Lost(reason)) => assert!(reason.contains("the universe has ended"), "{reason}"),
        other => panic!("{other:?}"),
    }
    a.send(&ToServer::Met);
    assert_eq!(a.universe.next_event(), None);
    a.universe.leave(&ToServer::Farewell);
}
