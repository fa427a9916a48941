//! Worlds end together, well or badly.

use super::{Fake, FromServer, Served, ToServer, wire_up};

impl Fake {
    /// Reports that its first world is connected with that of another, or is not any more.
    fn connection(&mut self, other: &Fake, so: bool) {
        let (a, b) = (self.number(0), other.number(0));
        self.send(&ToServer::Tied { a, b, so });
    }

    fn end_world(&mut self) {
        let world = self.number(0);
        self.send(&ToServer::Ended { world });
    }

    fn is_released(&mut self) {
        let worlds = vec![self.number(0)];
        self.receives(&FromServer::Release { worlds });
    }

    fn fail(self, message: &str) {
        let message = message.to_owned();
        self.universe.leave(&ToServer::Failed { message });
    }
}

fn failed(message: &str) -> FromServer {
    let message = message.to_owned();
    FromServer::Failed { message }
}

fn gone(fake: &Fake) -> FromServer {
    FromServer::Gone {
        first_host: fake.number(0),
        hosts: 1,
    }
}

/// Three members: the first is connected with the second, and the second with the third.
fn chain(served: &Served) -> [Fake; 3] {
    let [mut a, mut b, mut c] = [served.enroll(1), served.enroll(1), served.enroll(1)];
    a.connection(&b, true);
    b.connection(&a, true);
    b.connection(&c, true);
    [&mut a, &mut b, &mut c]
        .into_iter()
        .for_each(Fake::receives_nothing);
    [a, b, c]
}

#[test]
fn worlds_that_are_connected_by_chains_end_together() {
    let served = Served::new();
    let [mut a, mut b, mut c] = chain(&served);
    for fake in [&mut c, &mut a] {
        fake.end_world();
        fake.receives_nothing();
    }
    b.end_world();
    [&mut a, &mut b, &mut c].into_iter().for_each(Fake::is_released);
}

#[test]
fn worlds_that_are_not_connected_any_more_end_alone() {
    let served = Served::new();
    let [mut a, mut b, mut c] = chain(&served);
    a.end_world();
    a.connection(&b, false);
    a.receives_nothing();
    b.connection(&a, false);
    a.is_released();
    c.end_world();
    c.receives_nothing();
    // A connection with a world whose member has left does not count.
    b.universe.leave(&ToServer::Farewell);
    c.is_released();
}

#[test]
fn connections_with_what_has_gone_do_not_count() {
    let served = Served::new();
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    b.end_world();
    b.is_released();
    let [world, first_host] = [b.number(0); 2];
    b.send(&ToServer::Gone {
        world,
        first_host,
        hosts: 1,
    });
    b.receives_nothing();
    a.connection(&b, true);
    a.end_world();
    a.is_released();
    let mut c = served.enroll(1);
    let gone = served.enroll(1);
    let world = gone.number(0);
    gone.universe.leave(&ToServer::Farewell);
    c.send(&ToServer::Tied {
        a: c.number(0),
        b: world,
        so: true,
    });
    c.end_world();
    c.is_released();
}

#[test]
fn a_failed_job_takes_the_connected_ones_with_it() {
    let served = Served::new();
    let [mut a, mut b, mut c] = [served.enroll(1), served.enroll(1), served.enroll(1)];
    wire_up(&mut a, &mut b);
    a.connection(&b, true);
    b.connection(&c, true);
    b.receives_nothing();
    let of_a = gone(&a);
    a.fail("rank 0 was killed");
    b.receives(&failed("rank 0 was killed"));
    b.receives(&of_a);
    c.receives(&failed("rank 0 was killed"));
}

#[test]
fn a_job_of_the_same_group_goes_on_without_it() {
    let served = Served::new();
    let [mut a, mut b, mut c] = [served.enroll(1), served.enroll(1), served.enroll(1)];
    wire_up(&mut a, &mut b);
    a.connection(&b, true);
    a.connection(&b, false);
    a.receives_nothing();
    let of_a = gone(&a);
    // Its link breaks.
    drop(a);
    b.receives(&of_a);
    b.receives_nothing();
    c.receives_nothing();
}

#[test]
fn a_link_that_breaks_without_a_word_is_a_failure() {
    let served = Served::new();
    let [a, mut b, mut c] = chain(&served);
    drop(a);
    for fake in [&mut b, &mut c] {
        fake.receives(&failed("its mpiexec is gone"));
    }
}

#[test]
fn a_connection_with_a_job_that_has_failed_already_comes_too_late() {
    let served = Served::new();
    let [a, mut b] = [served.enroll(1), served.enroll(1)];
    let (one, other) = (b.number(0), a.number(0));
    a.fail("out of memory");
    b.receives_nothing();
    b.send(&ToServer::Tied {
        a: one,
        b: other,
        so: true,
    });
    b.receives(&failed("out of memory"));
}

#[test]
fn farewells_leave_nothing_behind() {
    let served = Served::new();
    let [mut a, mut b] = [served.enroll(1), served.enroll(1)];
    wire_up(&mut a, &mut b);
    let of_a = gone(&a);
    a.universe.leave(&ToServer::Farewell);
    b.receives(&of_a);
    b.receives_nothing();
}
