//! Messages of hosts as such.

use crate::comm::Comm;
use crate::common::{into, out, run_hosts};

/// The host of a rank, and the number of hosts.
fn place(world: &Comm) -> (u32, u32) {
    let layout = world.process().job().layout();
    (layout.own(), layout.hosts())
}

#[test]
fn bytes_of_any_number_go_round_all_hosts() {
    run_hosts(3, 1, |world| {
        let (own, hosts) = place(world);
        let (next, previous) = ((own + 1) % hosts, (own + hosts - 1) % hosts);
        for (round, size) in (0..).zip([0, 1, 100, 4096, 5000, 100_000]) {
            let line = world.process().job().line(7, round);
            if own == 0 {
                let mine = vec![round as u8; size];
                line.send_bytes(next, &mine);
                assert_eq!(line.recv_bytes(previous).unwrap(), mine);
            } else {
                let theirs = line.recv_bytes(previous).unwrap();
                line.send_bytes(next, &theirs);
            }
        }
    });
}

#[test]
fn lines_do_not_mix_and_both_ways_work_at_once() {
    run_hosts(2, 2, |world| {
        let (own, _) = place(world);
        let other = 1 - own;
        let local = world.rank() as u32 % 2;
        for round in 0..20 {
            let line = world.process().job().line(local, round);
            let length = [3, 2000, 20_000][round as usize % 3];
            let mine = vec![(own * 2 + local) as i32 * 100 + round; length];
            let mut theirs = vec![0; length];
            let target = into(&mut theirs);
            let receive = line.start_recv(other, &target);
            let send = line.start_send(other, &out(&mine));
            assert_eq!(receive.wait(), Ok(4 * length));
            assert_eq!(send.wait(), Ok(4 * length));
            assert_eq!(theirs, vec![(other * 2 + local) as i32 * 100 + round; length]);
        }
    });
}
