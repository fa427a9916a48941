//! Two groups become one.

use super::{
    Answer, Fake, FromServer, Question, Served, ToServer, are_partners, are_wired_up, visit, wire_up,
};
use simurgh_net::control::Refusal;

/// The message about the end of all hosts of a member that has two.
fn gone(realm_first: u32) -> FromServer {
    FromServer::Gone {
        first_host: realm_first,
        hosts: 2,
    }
}

fn three(served: &Served) -> [Fake; 3] {
    [served.enroll(2), served.enroll(2), served.enroll(2)]
}

fn is_partner(said: &FromServer) -> bool {
    matches!(said, FromServer::Answer { answer, .. } if matches!(answer, Answer::Partner { .. }))
}

#[test]
fn two_are_wired_up_when_they_meet_first() {
    let served = Served::new();
    let [mut a, mut b, mut c] = three(&served);
    wire_up(&mut a, &mut b);
    // The second time they know each other already.
    visit(&mut a, &mut b);
    are_partners(&mut a, &mut b);
    visit(&mut b, &mut a);
    are_partners(&mut b, &mut a);
    c.receives_nothing();
}

#[test]
fn nobody_goes_on_before_all_have_met() {
    let served = Served::new();
    let [mut a, mut b, _] = three(&served);
    visit(&mut a, &mut b);
    a.gather();
    a.receives_nothing();
    a.asked -= 1;
    b.gather();
    a.meet(b.peers());
    a.receives_nothing();
    a.asked -= 1;
    b.meet(a.peers());
    are_wired_up(&mut a, &mut b);
}

#[test]
fn a_wire_up_under_way_makes_no_group() {
    let served = Served::new();
    let [mut a, mut b, _] = three(&served);
    visit(&mut a, &mut b);
    a.gather();
    b.gather();
    a.receives(&FromServer::Meet { peers: b.peers() });
    b.receives(&FromServer::Meet { peers: a.peers() });
    visit(&mut a, &mut b);
    for fake in [&mut a, &mut b] {
        fake.receives_nothing();
        fake.send(&ToServer::Met);
    }
    for fake in [&mut a, &mut b] {
        fake.receives(&FromServer::Introduced);
        for _ in 0..2 {
            let said = fake.next_message();
            assert!(is_partner(&said), "{said:?}");
        }
    }
}

#[test]
fn the_groups_of_both_are_wired_up_as_well() {
    let served = Served::new();
    let [mut a, mut b, mut c] = three(&served);
    let mut d = served.enroll(1);
    wire_up(&mut a, &mut b);
    wire_up(&mut c, &mut d);
    visit(&mut b, &mut c);
    for fake in [&mut a, &mut b, &mut c, &mut d] {
        fake.gather();
    }
    let far = [c.peers(), d.peers()].concat();
    let near = [a.peers(), b.peers()].concat();
    a.meet(far.clone());
    b.meet(far);
    c.meet(near.clone());
    d.meet(near);
    for fake in [&mut a, &mut d] {
        fake.receives(&FromServer::Introduced);
        fake.receives_nothing();
    }
    are_wired_up(&mut b, &mut c);
    visit(&mut a, &mut d);
    are_partners(&mut a, &mut d);
}

#[test]
fn wire_ups_follow_each_other() {
    let served = Served::new();
    let [mut a, mut b, mut c] = three(&served);
    visit(&mut a, &mut b);
    a.receives(&FromServer::Gather);
    b.receives(&FromServer::Gather);
    let port = c.open_port();
    c.accept(&port);
    // The third meets the first, which is busy.
    let asked = a.asked;
    a.connect(&port);
    c.receives_nothing();
    c.asked -= 1;
    for fake in [&mut a, &mut b] {
        let peers = fake.peers();
        fake.send(&ToServer::Gathered { peers });
    }
    a.meet(b.peers());
    b.meet(a.peers());
    let later = std::mem::replace(&mut a.asked, asked);
    are_wired_up(&mut a, &mut b);
    a.asked = later;
    for fake in [&mut a, &mut b, &mut c] {
        fake.gather();
    }
    let near = [a.peers(), b.peers()].concat();
    c.meet(near);
    a.meet(c.peers());
    b.meet(c.peers());
    b.receives(&FromServer::Introduced);
    for fake in [&mut c, &mut a] {
        fake.receives(&FromServer::Introduced);
    }
    are_partners(&mut c, &mut a);
}

#[test]
fn a_member_that_declines_is_not_wired_up() {
    let served = Served::new();
    let [mut a, mut b, _] = three(&served);
    visit(&mut a, &mut b);
    a.receives(&FromServer::Gather);
    let reason = "host 0 cannot be reached".to_owned();
    a.send(&ToServer::Declined { reason });
    // The server waits for the answers of all.
    a.receives_nothing();
    a.asked -= 1;
    b.gather();
    for fake in [&mut a, &mut b] {
        fake.receives(&FromServer::Introduced);
        let refused = fake.answer();
        let expected = Answer::refused(Refusal::Port, "host 0 cannot be reached");
        assert_eq!(refused, expected);
    }
    // They are not of one group.
    visit(&mut a, &mut b);
    a.gather();
    b.gather();
}

#[test]
fn a_visitor_that_leaves_while_it_waits_is_not_met() {
    let served = Served::new();
    let [mut a, mut b, mut c] = three(&served);
    visit(&mut a, &mut b);
    a.receives(&FromServer::Gather);
    let port = b.open_port_while_gathering();
    c.accept(&port);
    c.receives_nothing();
    c.asked -= 1;
    // When the second leaves, both its meetings are over: the one under way, and the one that waits.
    b.connect(&port);
    b.receives_nothing();
    b.universe.leave(&ToServer::Farewell);
    assert!(c.refused().contains("has ended"));
    let peers = a.peers();
    a.send(&ToServer::Gathered { peers });
    a.receives(&FromServer::Introduced);
    assert!(a.refused().contains("has ended"));
    c.receives_nothing();
}

#[test]
fn a_visitor_that_leaves_while_hosts_meet_is_forgotten() {
    let served = Served::new();
    let [mut a, mut b, _] = three(&served);
    visit(&mut a, &mut b);
    a.gather();
    b.gather();
    let peers = b.peers();
    a.receives(&FromServer::Meet { peers });
    b.receives(&FromServer::Meet { peers: a.peers() });
    let of_b = b.number(0);
    drop(b);
    a.receives(&gone(of_b));
    a.receives_nothing();
    a.asked -= 1;
    a.send(&ToServer::Met);
    a.receives(&FromServer::Introduced);
    assert!(a.refused().contains("has ended"));
}

#[test]
fn others_that_leave_are_not_waited_for() {
    let served = Served::new();
    for while_gathering in [true, false] {
        let [mut a, mut b, mut c] = three(&served);
        wire_up(&mut a, &mut b);
        visit(&mut a, &mut c);
        a.gather();
        c.gather();
        b.receives(&FromServer::Gather);
        let of_b = b.number(0);
        let peers = b.peers();
        if while_gathering {
            drop(b);
            a.receives(&gone(of_b));
            c.meet(a.peers());
        } else {
            b.send(&ToServer::Gathered { peers: peers.clone() });
            b.receives(&FromServer::Meet { peers: c.peers() });
            drop(b);
            c.meet([a.peers(), peers].concat());
            c.receives(&gone(of_b));
        }
        a.meet(c.peers());
        if !while_gathering {
            a.receives(&gone(of_b));
        }
        are_wired_up(&mut a, &mut c);
    }
}

impl Fake {
    fn open_port_while_gathering(&mut self) -> String {
        self.receives(&FromServer::Gather);
        match self.answer_to(Question::OpenPort) {
            Answer::Port(port) => port,
            other => panic!("{other:?}"),
        }
    }
}
