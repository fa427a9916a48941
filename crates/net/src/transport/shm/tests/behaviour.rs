//! Tests of the contract of transports.

use super::super::pool::{BUFFERS, ROOM};
use super::super::ring::{CELL, SLOTS};
use super::*;
use crate::transport::{Access, Transfer, WaitMethod, WaitObject};
use simurgh_core::sync::{AtomicU64, Ordering};

#[test]
fn data_of_every_length_arrives_whole_and_in_order() {
    let hosts = hosts(2, false);
    let notes = Notes::default();
    let lengths = (0..300).chain([ROOM - 1, ROOM]).cycle().take(5000);
    for (number, length) in (0..).zip(lengths.clone()) {
        send(&hosts[1], 0, number, length).expect("there is room");
        assert!(hosts[0].has_incoming() && hosts[0].poll(&notes));
    }
    assert!(!hosts[0].has_incoming() && !hosts[0].poll(&notes));
    let expected = (0..).zip(lengths).map(|(number, length)| (1, number, length));
    assert!(notes.take().into_iter().eq(expected));
}

#[test]
fn two_hosts_share_out_the_chunks_of_a_transfer() {
    let hosts = hosts(2, true);
    let counter = hosts[0].open_counter().expect("all are free");
    let takers = [0, 1, 1, 0, 1, 0, 1];
    let taken = takers.map(|host: usize| hosts[host].take_chunk(0, counter, 5));
    assert_eq!(taken, [Some(0), Some(1), Some(2), Some(3), Some(4), None, None]);
    hosts[0].close_counter(counter);
    let next = hosts[0].open_counter().expect("all are free");
    assert_eq!(hosts[1].take_chunk(0, counter, 5), None, "it is closed");
    assert_eq!(hosts[1].take_chunk(0, next, 5), Some(0));
    assert_eq!(
        hosts[1].take_chunk(0, u64::MAX, 5),
        None,
        "there is no such counter"
    );
}

#[test]
fn a_full_ring_says_so_and_goes_round() {
    let hosts = hosts(2, false);
    let notes = Notes::default();
    let mut number = 0;
    for _ in 0..10 {
        let before = number;
        while send(&hosts[0], 1, number, 8) == Ok(()) {
            number += 1;
        }
        assert_eq!(number - before, SLOTS as u64);
        while hosts[1].poll(&notes) {}
        assert!(
            notes
                .take()
                .into_iter()
                .eq((before..number).map(|number| (0, number, 8)))
        );
    }
}

#[test]
fn buffers_run_out_and_come_back() {
    let hosts = hosts(2, false);
    let notes = Notes::default();
    for _ in 0..5 {
        let sent = (0..)
            .take_while(|number| send(&hosts[0], 1, *number, CELL + 1) == Ok(()))
            .count();
        assert_eq!(sent, BUFFERS);
        send(&hosts[0], 1, 99, CELL).expect("short packets need no buffer");
        while hosts[1].poll(&notes) {}
        assert_eq!(notes.take().len(), sent + 1);
        // Who goes to sleep keeps none.
        assert!(hosts[1].arm(WaitMethod::Futex));
        hosts[1].disarm();
    }
}

#[test]
fn who_answers_uses_the_buffers_of_what_it_has_read() {
    const LONG: usize = 8 << 10;
    let hosts = hosts(3, false);
    let notes = Notes::default();
    let fill = |host: &Shm, to| {
        let sent = (0..).take_while(|number| send(host, to, *number, LONG) == Ok(()));
        sent.count()
    };
    assert_eq!(fill(&hosts[0], 1), BUFFERS);
    while hosts[1].poll(&notes) {}
    let kept = fill(&hosts[1], 2) - BUFFERS;
    assert!(kept > 0, "some buffers of host 0 went on to host 2");
    assert_eq!(fill(&hosts[0], 2), BUFFERS - kept);
    while hosts[2].poll(&notes) {}
    let all = notes.take();
    assert_eq!(all.len(), 3 * BUFFERS);
    assert!(hosts[2].arm(WaitMethod::Futex));
    hosts[2].disarm();
    for host in &hosts[..2] {
        assert_eq!(fill(host, 2), BUFFERS, "all came back");
    }
}

#[test]
fn hosts_that_answer_each_other_mix_up_no_buffers() {
    const EACH: u64 = 1000;
    const HOSTS: usize = 4;
    let hosts = hosts(HOSTS as u32, false);
    let arrived = AtomicU64::new(0);
    let life = |own: usize| {
        let (host, notes) = (&hosts[own], Notes::default());
        let poll = || {
            host.poll(&notes);
            arrived.fetch_add(notes.take().len() as u64, Ordering::Relaxed);
        };
        for number in 0..EACH {
            let to = (own + 1 + number as usize % (HOSTS - 1)) % HOSTS;
            let length = CELL + 1 + (number as usize * 977) % (ROOM - CELL);
            until("there is room in the end", || {
                poll();
                send(host, to as HostId, number, length) == Ok(())
            });
        }
        until("all arrive", || {
            poll();
            arrived.load(Ordering::Relaxed) == HOSTS as u64 * EACH
        });
    };
    let life = &life;
    std::thread::scope(|scope| {
        for own in 0..HOSTS {
            scope.spawn(move || life(own));
        }
    });
}

#[test]
fn a_packet_whose_writer_panics_holds_nobody_up() {
    let hosts = hosts(2, false);
    let notes = Notes::default();
    for length in [8, 800] {
        let mut fill = |_: &mut [u8]| panic!("on purpose");
        let send_it = std::panic::AssertUnwindSafe(|| hosts[0].send(1, &header(1), length, &mut fill));
        assert!(std::panic::catch_unwind(send_it).is_err());
        send(&hosts[0], 1, 2, length).expect("there is room");
        assert!(hosts[1].poll(&notes));
        assert_eq!(notes.take(), [(0, 2, length)]);
    }
    assert_eq!(hosts[1].dropped(), 0);
}

#[test]
fn many_threads_of_many_hosts_lose_and_mix_up_nothing() {
    const EACH: u64 = 20_000;
    let hosts = hosts(4, false);
    let notes = Notes::default();
    std::thread::scope(|scope| {
        for (host, thread) in (1..4).flat_map(|host| (0..2).map(move |thread| (host, thread))) {
            let host = &hosts[host];
            scope.spawn(move || {
                for turn in 0..EACH {
                    let length = if turn % 5 == 0 { 500 } else { (turn % 80) as usize };
                    let number = turn * 2 + thread;
                    until("there is room in the end", || {
                        send(host, 0, number, length) == Ok(())
                    });
                }
            });
        }
        let mut next = [[0; 2]; 4];
        until("all arrive", || {
            hosts[0].poll(&notes);
            for (from, number, _) in notes.take() {
                let expected = &mut next[from as usize][number as usize % 2];
                assert_eq!(number / 2, *expected, "in order");
                *expected += 1;
            }
            next[1..].iter().flatten().all(|count| *count == EACH)
        });
    });
}

#[test]
fn memory_of_a_host_is_read_and_written_within_what_it_exposed() {
    let hosts = hosts(2, true);
    let all = Access {
        read: true,
        write: true,
    };
    assert_eq!((hosts[0].access(1), hosts[1].access(0)), (all, all));
    assert_eq!(hosts[0].access(7), Access::default());
    let (mut remote, mut local) = ([1u8, 2, 3, 4], [0u8; 2]);
    // SAFETY:
    // - `remote` lives to the end of this test, and only the transport uses it meanwhile.
    let region = unsafe { hosts[1].expose(remote.as_mut_ptr(), 4) }.expect("memory");
    let to = local.as_mut_ptr();
    // SAFETY:
    // - `local` has two bytes, which nobody else uses.
    let read = |offset| unsafe { hosts[0].read(1, region, offset, to, 2, 0) };
    assert_eq!(read(2), Ok(Transfer::Done));
    assert!(matches!(read(3), Err(TransferError::Refused(_))));
    assert!(matches!(read(u64::MAX), Err(TransferError::Refused(_))));
    // SAFETY:
    // - as above.
    let written = unsafe { hosts[0].write(1, region, 0, to, 2, 0) };
    assert_eq!(written, Ok(Transfer::Done));
    hosts[1].conceal(region);
    assert_eq!((remote, local), ([3, 4, 3, 4], [3, 4]));
}

#[test]
fn memory_that_is_not_there_is_refused() {
    let hosts = hosts(2, true);
    let region = crate::transport::Region {
        address: 16,
        length: 64,
        key: 0,
    };
    let mut local = [0u8; 64];
    // SAFETY:
    // - `local` has so many bytes, which nobody else uses.
    let read = unsafe { hosts[0].read(1, region, 0, local.as_mut_ptr(), 64, 0) };
    assert!(matches!(read, Err(TransferError::Refused(_))));
}

#[test]
fn whoever_sleeps_is_woken_and_told_not_to_sleep_over_mail() {
    let hosts = hosts(2, false);
    let notes = Notes::default();
    let Some(WaitObject::Word(word)) = hosts[0].wait_object(WaitMethod::Futex) else {
        panic!("there is a word");
    };
    let before = word.load(simurgh_core::sync::Ordering::SeqCst);
    assert!(hosts[0].arm(WaitMethod::Futex));
    send(&hosts[1], 0, 1, 0).expect("there is room");
    assert_ne!(word.load(simurgh_core::sync::Ordering::SeqCst), before);
    hosts[0].disarm();
    assert!(!hosts[0].arm(WaitMethod::Futex) && !hosts[0].arm(WaitMethod::Poll));
    assert!(hosts[0].poll(&notes));

    let Some(WaitObject::Descriptor(bell)) = hosts[0].wait_object(WaitMethod::Poll) else {
        panic!("there is a descriptor");
    };
    for _ in 0..3 {
        assert!(hosts[0].arm(WaitMethod::Poll));
        send(&hosts[1], 0, 2, 0).expect("there is room");
        wait_readable(bell);
        hosts[0].disarm();
        assert!(hosts[0].poll(&notes));
    }
}

#[test]
fn hosts_come_later_and_go() {
    let world = group(0..2);
    let mut hosts: Vec<_> = (0..2).map(|own| join(&world, own, false)).collect();
    let mut worlds = vec![world];
    let notes = Notes::default();
    for late in [7, 300] {
        let world = group([late]);
        for host in &hosts {
            host.add_hosts(&world).expect("it is their memory");
            assert_eq!(host.add_hosts(&world), Err(ShmError::Twice(late)));
        }
        let newcomer = join(&world, late, false);
        for other in &worlds {
            newcomer.add_hosts(other).expect("it is their memory");
        }
        worlds.push(world);
        for (number, length) in [(0, 8), (1, ROOM)] {
            send(&newcomer, 1, number, length).expect("there is room");
            send(&hosts[0], late, number, length).expect("there is room");
        }
        if late == 300 {
            // That one host has removed it does not concern the others.
            hosts[0].remove_host(late);
        }
        while hosts[1].poll(&notes) || newcomer.poll(&notes) {}
        assert_eq!(
            notes.take(),
            [(late, 0, 8), (late, 1, ROOM), (0, 0, 8), (0, 1, ROOM)]
        );
        match late {
            7 => hosts.push(newcomer),
            _ => {
                drop(newcomer);
                // A host that does not know it yet may remove it, too.
                hosts[1..].iter().for_each(|host| host.remove_host(late));
                send(&hosts[1], late, 5, ROOM).expect("there is room");
            }
        }
    }
    send(&hosts[2], 0, 9, ROOM).expect("there is room");
    while hosts[0].poll(&notes) {}
    assert_eq!(notes.take(), [(7, 9, ROOM)]);
}

#[test]
fn packets_wait_for_who_has_not_come() {
    let all = group([3, 5, 90]);
    let early = join(&all, 5, true);
    assert_eq!(early.access(90), Access::default(), "nobody is there");
    for (number, length) in [(0, 8), (1, ROOM)] {
        send(&early, 90, number, length).expect("there is room");
    }
    let late = join(&all, 90, true);
    let notes = Notes::default();
    while late.poll(&notes) {}
    assert_eq!(notes.take(), [(5, 0, 8), (5, 1, ROOM)]);
    assert_eq!(
        (early.access(90), late.access(3)),
        (late.access(5), Access::default())
    );
}

#[test]
fn who_is_not_among_the_hosts_has_no_place() {
    let all = group([1, 2]);
    assert_eq!(
        Shm::join(3, &all, CrossMemory::Off).err(),
        Some(ShmError::NotAnArena)
    );
    let ShmGroup { memory, .. } = all;
    for hosts in [vec![2, 1], vec![1, 1]] {
        let strange = ShmGroup {
            hosts,
            memory: memory.as_fd(),
        };
        assert_eq!(
            Shm::join(1, &strange, CrossMemory::Off).err(),
            Some(ShmError::NotAnArena)
        );
    }
}
