//! Members that send nothing.

use crate::ports::Asker;
use crate::universe::server::registry::Registry;
use crate::universe::server::stage::PATIENCE;
use crate::universe::{FromServer, ToServer};
use simurgh_net::control::{Answer, Question, Refusal};
use simurgh_net::job::Realm;
use std::time::Instant;

/// The messages for a realm.
fn heard(registry: &mut Registry, realm: Realm) -> Vec<FromServer> {
    let outbox = registry.outbox().into_iter();
    outbox
        .filter_map(|(to, message)| (to == realm).then_some(message))
        .collect()
}

fn ask(registry: &mut Registry, realm: Realm, number: u64, question: Question) {
    let host = realm.number(0);
    let asker = Asker { host, number };
    registry.handle(realm, ToServer::Ask { asker, question }).unwrap();
}

/// Two members whose ranks are about to meet. Only the first has sent the addresses of its hosts.
fn one_is_silent() -> (Registry, [Realm; 2]) {
    let mut registry = Registry::new();
    let realms = [(); 2].map(|()| registry.enroll(1).unwrap().0);
    let [first, second] = realms;
    ask(&mut registry, first, 0, Question::OpenPort);
    let Some(FromServer::Answer {
        answer: Answer::Port(port),
        ..
    }) = heard(&mut registry, first).pop()
    else {
        panic!("a port is opened");
    };
    let process = first.number(0);
    ask(
        &mut registry,
        first,
        1,
        Question::Accept {
            port: port.clone(),
            process,
        },
    );
    let process = second.number(0);
    let patience = None;
    ask(
        &mut registry,
        second,
        0,
        Question::Connect {
            port,
            process,
            patience,
        },
    );
    assert_eq!(heard(&mut registry, first), [FromServer::Gather]);
    registry
        .handle(first, ToServer::Gathered { peers: Vec::new() })
        .unwrap();
    (registry, realms)
}

#[test]
fn a_member_that_is_silent_for_long_is_not_waited_for() {
    let (mut registry, [first, second]) = one_is_silent();
    registry.expire(Instant::now() + PATIENCE);
    assert!(registry.has(first) && !registry.has(second));
    let [FromServer::Introduced, FromServer::Answer { answer, .. }] = &heard(&mut registry, first)[..] else {
        panic!("it goes on");
    };
    assert!(
        matches!(
            answer,
            Answer::Refused {
                refusal: Refusal::Port,
                ..
            }
        ),
        "{answer:?}"
    );
}

#[test]
fn nobody_is_sent_away_before() {
    let (mut registry, realms) = one_is_silent();
    registry.expire(Instant::now());
    assert!(realms.into_iter().all(|realm| registry.has(realm)));
    assert!(registry.outbox().is_empty());
}
