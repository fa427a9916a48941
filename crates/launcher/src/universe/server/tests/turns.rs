//! New worlds are wired up to the group.

use super::{Fake, FromServer, Served, ToServer, are_wired_up, visit, wire_up};

fn two(served: &Served) -> [Fake; 2] {
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    wire_up(&mut a, &mut b);
    [a, b]
}

impl Fake {
    /// Is granted its turn for a world of one host.
    fn grow(&mut self) {
        self.send(&ToServer::Turn);
        self.receives(&FromServer::Granted);
        self.announce();
    }

    /// Reports that the new world is wired up to its own hosts.
    fn announce(&mut self) {
        let peers = vec![self.peer(1, 1)];
        self.send(&ToServer::New { peers });
    }
}

/// Has the second member wait while it is the turn of the first.
fn queue(a: &mut Fake, b: &mut Fake) {
    a.send(&ToServer::Turn);
    a.receives(&FromServer::Granted);
    b.send(&ToServer::Turn);
    b.receives_nothing();
}

#[test]
fn a_new_world_is_wired_up_to_its_group() {
    let served = Served::new();
    let [mut a, mut b] = two(&served);
    let mut c = served.enroll(1);
    a.grow();
    a.receives_nothing();
    b.meet(vec![a.peer(1, 1)]);
    a.receives(&FromServer::Introduced);
    c.receives_nothing();
    // From now on others know it.
    let [world, first_host] = [a.number(1); 2];
    a.send(&ToServer::Gone {
        world,
        first_host,
        hosts: 1,
    });
    b.receives(&FromServer::Gone { first_host, hosts: 1 });
    a.receives_nothing();
}

#[test]
fn a_world_that_is_given_up_or_that_nobody_is_to_know_takes_no_time() {
    let served = Served::new();
    let [mut a, mut b] = two(&served);
    a.send(&ToServer::Turn);
    a.receives(&FromServer::Granted);
    a.send(&ToServer::New { peers: Vec::new() });
    a.receives(&FromServer::Introduced);
    b.receives_nothing();
    let mut c = served.enroll(1);
    c.grow();
    c.receives(&FromServer::Introduced);
}

#[test]
fn turns_follow_each_other() {
    let served = Served::new();
    let [mut a, mut b] = two(&served);
    queue(&mut a, &mut b);
    a.announce();
    b.meet(vec![a.peer(1, 1)]);
    a.receives(&FromServer::Introduced);
    b.receives(&FromServer::Granted);
    b.announce();
    a.meet(vec![b.peer(1, 1)]);
    b.receives(&FromServer::Introduced);
}

#[test]
fn a_member_that_waits_for_its_turn_takes_part_in_what_is_under_way() {
    let served = Served::new();
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    visit(&mut a, &mut b);
    b.gather();
    a.send(&ToServer::Turn);
    a.gather();
    a.meet(b.peers());
    b.meet(a.peers());
    are_wired_up(&mut a, &mut b);
    a.receives(&FromServer::Granted);
    a.announce();
    b.meet(vec![a.peer(1, 1)]);
    a.receives(&FromServer::Introduced);
}

#[test]
fn a_member_that_leaves_in_its_turn_is_not_waited_for() {
    let served = Served::new();
    let [mut a, mut b] = two(&served);
    let of_a = FromServer::Gone {
        first_host: a.number(0),
        hosts: 1,
    };
    queue(&mut a, &mut b);
    drop(a);
    b.receives(&of_a);
    b.receives(&FromServer::Granted);
}

#[test]
fn a_member_that_leaves_before_its_turn_does_not_get_it() {
    let served = Served::new();
    let [mut a, mut b] = two(&served);
    queue(&mut a, &mut b);
    b.universe.leave(&ToServer::Farewell);
    a.announce();
    while a.next_message() != FromServer::Introduced {}
    let mut c = served.enroll(1);
    c.grow();
    c.receives(&FromServer::Introduced);
}

#[test]
fn a_member_that_leaves_while_its_new_world_is_wired_up_is_forgotten() {
    let served = Served::new();
    let [mut a, mut b] = two(&served);
    let new = a.peer(1, 1);
    a.grow();
    b.receives(&FromServer::Meet {
        peers: vec![new.clone()],
    });
    let first = a.number(0);
    drop(a);
    for first_host in [first, new.host] {
        b.receives(&FromServer::Gone { first_host, hosts: 1 });
    }
    b.send(&ToServer::Met);
    b.grow();
    b.receives(&FromServer::Introduced);
}
