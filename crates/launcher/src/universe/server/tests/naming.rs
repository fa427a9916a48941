//! Ports and names of several mpiexecs.

use super::{Answer, FromServer, PATIENCE, Question, Served, ToServer, are_partners};
use crate::universe::UniverseEvent;
use simurgh_net::control::Refusal;

fn look_up() -> Question {
    let service = "ocean".to_owned();
    Question::Lookup { service }
}

fn publish(port: &str) -> Question {
    Question::Publish {
        service: "ocean".to_owned(),
        port: port.to_owned(),
    }
}

fn unpublish(port: &str) -> Question {
    Question::Unpublish {
        service: "ocean".to_owned(),
        port: port.to_owned(),
    }
}

fn refusal(answer: Answer) -> Refusal {
    match answer {
        Answer::Refused { refusal, .. } => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_are_known_to_all() {
    let served = Served::new();
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    assert_eq!(refusal(b.answer_to(look_up())), Refusal::Name);
    let port = a.open_port();
    assert_eq!(a.answer_to(publish(&port)), Answer::Done);
    assert_eq!(b.answer_to(look_up()), Answer::Port(port.clone()));
    assert_eq!(refusal(b.answer_to(publish(&port))), Refusal::Service);
    assert_eq!(refusal(b.answer_to(unpublish("other"))), Refusal::Service);
    assert_eq!(b.answer_to(unpublish(&port)), Answer::Done);
    assert_eq!(refusal(a.answer_to(look_up())), Refusal::Name);
}

#[test]
fn names_and_ports_go_with_the_hosts_of_their_owners() {
    let served = Served::new();
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    let port = a.open_port();
    assert_eq!(a.answer_to(publish(&port)), Answer::Done);
    let (world, first_host) = (a.number(0), a.number(0));
    a.send(&ToServer::Gone {
        world,
        first_host,
        hosts: 1,
    });
    a.receives_nothing();
    assert_eq!(refusal(b.answer_to(look_up())), Refusal::Name);
    assert_eq!(refusal(b.answer_to(Question::ClosePort { port })), Refusal::Port);

    let port = a.open_port();
    assert_eq!(a.answer_to(publish(&port)), Answer::Done);
    a.universe.leave(&ToServer::Farewell);
    assert_eq!(refusal(b.answer_to(look_up())), Refusal::Name);
    b.connect(&port);
    assert!(b.refused().contains("it has been closed"));
}

#[test]
fn a_visitor_of_a_port_that_is_closed_is_refused() {
    let served = Served::new();
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    let port = a.open_port();
    b.connect(&port);
    b.receives_nothing();
    assert_eq!(a.answer_to(Question::ClosePort { port }), Answer::Done);
    b.asked -= 1;
    assert!(b.refused().contains("closed while it was waited for"));
}

#[test]
fn ranks_of_one_mpiexec_meet_without_a_wire_up() {
    let served = Served::new();
    let mut a = served.enroll(2);
    let port = a.open_port();
    let one = a.accept(&port);
    let other = a.connect(&port);
    let answers = [a.next_message(), a.next_message()];
    let askers = answers.map(|message| match message {
        FromServer::Answer {
            asker,
            answer: Answer::Partner { .. },
        } => asker,
        other => panic!("{other:?}"),
    });
    assert!(askers.contains(&one) && askers.contains(&other));
}

#[test]
fn visitors_go_with_their_mpiexec() {
    let served = Served::new();
    let [mut a, mut b, mut c] = [served.enroll(1), served.enroll(1), served.enroll(1)];
    let port = c.open_port();
    a.accept(&port);
    a.receives_nothing();
    a.universe.leave(&ToServer::Farewell);
    // A visitor that was still there would meet this one.
    c.connect(&port);
    b.accept(&port);
    for fake in [&mut b, &mut c] {
        fake.gather();
    }
    b.meet(c.peers());
    c.meet(b.peers());
    for fake in [&mut b, &mut c] {
        fake.receives(&FromServer::Introduced);
    }
    are_partners(&mut b, &mut c);
}

#[test]
fn a_member_that_violates_the_protocol_is_removed() {
    let served = Served::new();
    let mut other = served.enroll(1);
    let world = other.number(0);
    let asker = other.ask(Question::OpenPort);
    other.answer();
    let peers = other.peers();
    let nonsense = [
        ToServer::Met,
        ToServer::Ended { world },
        ToServer::Tied {
            a: world,
            b: 1,
            so: true,
        },
        ToServer::Gathered { peers: Vec::new() },
        ToServer::New { peers: peers.clone() },
        ToServer::Gathered { peers },
        ToServer::Declined {
            reason: String::new(),
        },
        ToServer::Gone {
            world,
            first_host: world,
            hosts: 1,
        },
        ToServer::Ask {
            asker,
            question: Question::OpenPort,
        },
        ToServer::Enroll {
            hosts: 1,
            silence: None,
        },
    ];
    for message in nonsense {
        let mut a = served.enroll(1);
        a.send(&message);
        let event = a.event(PATIENCE);
        assert!(
            matches!(event, Some(UniverseEvent::Lost(_))),
            "{message:?}: {event:?}"
        );
    }
    other.receives_nothing();
}
