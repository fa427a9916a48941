//! Hosts in processes of their own.

use simurgh_core::sync::Ordering;

use super::process::{Process, deny_cross_memory};
use super::*;
use crate::transport::{Access, Region, Transfer, WaitMethod, WaitObject};

/// Number of the packet that says that a process is done.
const DONE: u64 = u64::MAX;

/// Sleeps until there are packets.
fn sleep(host: &Shm, waiting: WaitMethod) {
    match host.wait_object(waiting).expect("there is one") {
        WaitObject::Word(word) => {
            let before = word.load(Ordering::SeqCst);
            if host.arm(waiting) {
                use rustix::thread::{Timespec, futex};
                let limit = Timespec {
                    tv_sec: LIMIT.as_secs() as i64,
                    tv_nsec: 0,
                };
                let slept = futex::wait(word, futex::Flags::empty(), before, Some(&limit));
                assert_ne!(slept, Err(rustix::io::Errno::TIMEDOUT), "the bell rings");
            }
        }
        WaitObject::Descriptor(bell) => {
            if host.arm(waiting) {
                wait_readable(bell);
            }
        }
        WaitObject::Descriptors(_) => panic!("it has one of each kind"),
    }
    host.disarm();
}

/// Exchanges packets between this process and another; each of them waits as said.
fn to_and_fro(rounds: u64, waiting: Option<WaitMethod>) {
    let both = group(0..2);
    let play = |host: Shm, own: u32| {
        let notes = Notes::default();
        for number in 0..rounds {
            let length = (number * 13 % 2000) as usize;
            if own == 0 {
                send(&host, 1, number, length).expect("there is room");
            }
            until("the other answers", || {
                waiting.into_iter().for_each(|waiting| sleep(&host, waiting));
                host.poll(&notes)
            });
            assert_eq!(notes.take(), [(1 - own, number, length)]);
            if own == 1 {
                send(&host, 0, number, length).expect("there is room");
            }
        }
    };
    let other = Process::start(|| play(join(&both, 1, false), 1));
    play(join(&both, 0, false), 0);
    assert!(other.join());
}

#[test]
fn processes_talk_while_polling() {
    to_and_fro(20_000, None);
}

#[test]
fn processes_wake_each_other_by_futex() {
    to_and_fro(2_000, Some(WaitMethod::Futex));
}

#[test]
fn processes_wake_each_other_by_descriptor() {
    to_and_fro(2_000, Some(WaitMethod::Poll));
}

#[test]
fn many_processes_flood_one() {
    const EACH: u64 = 5_000;
    let all = group(0..5);
    let others: Vec<_> = (1..5)
        .map(|own| {
            Process::start(|| {
                let host = join(&all, own, false);
                for number in 0..EACH {
                    let length = (number % 200) as usize;
                    until("there is room in the end", || {
                        send(&host, 0, number, length) == Ok(())
                    });
                }
            })
        })
        .collect();
    let host = join(&all, 0, false);
    let notes = Notes::default();
    let mut next = [0; 5];
    until("all arrive", || {
        sleep_briefly(&host);
        host.poll(&notes);
        for (from, number, _) in notes.take() {
            assert_eq!(number, next[from as usize], "in order");
            next[from as usize] += 1;
        }
        next[1..].iter().all(|count| *count == EACH)
    });
    assert!(others.into_iter().all(Process::join));
}

/// Sleeps if there is no packet, so that the senders have the cores.
fn sleep_briefly(host: &Shm) {
    if !host.has_incoming() {
        sleep(host, WaitMethod::Futex);
    }
}

#[test]
fn a_killed_sender_breaks_nothing() {
    for round in 0..20 {
        let all = group(0..2);
        let sender = Process::start(|| {
            let host = join(&all, 1, false);
            for number in 0.. {
                until("there is room", || {
                    send(&host, 0, number, (number % 3 * 100) as usize) == Ok(())
                });
            }
        });
        let host = join(&all, 0, false);
        let notes = Notes::default();
        let mut count = 0;
        until("something comes", || {
            host.poll(&notes);
            count += notes.take().len();
            count > round * 100
        });
        sender.kill();
        assert!(!sender.join());
        while host.poll(&notes) {}
        assert_eq!(host.dropped(), 0);
    }
}

/// The child of the next tests: reads the memory that the parent has exposed, reverses it, and writes it back.
fn reverse_remotely(host: &Shm, region: Region) {
    let mut bytes = vec![0u8; region.length as usize];
    // SAFETY:
    // - the vector is so long.
    let read = unsafe { host.read(0, region, 0, bytes.as_mut_ptr(), bytes.len(), 0) };
    assert_eq!(read, Ok(Transfer::Done));
    bytes.reverse();
    // SAFETY:
    // - as above; the parent waits until it is done.
    let written = unsafe { host.write(0, region, 0, bytes.as_ptr(), bytes.len(), 0) };
    assert_eq!(written, Ok(Transfer::Done));
}

#[test]
fn a_process_accesses_anothers_memory() {
    let mut memory: Vec<u8> = (0..3_000_000u32).map(|index| index as u8).collect();
    let all = group(0..2);
    let host = join(&all, 0, false);
    let region = Region {
        address: memory.as_mut_ptr().expose_provenance() as u64,
        length: memory.len() as u64,
        key: 0,
    };
    let child = Process::start(|| {
        let host = join(&all, 1, true);
        if host.access(0) != Access::default() {
            reverse_remotely(&host, region);
        }
        send(&host, 0, u64::from(host.access(0).write), 0).expect("there is room");
    });
    let notes = Notes::default();
    until("the child is done", || host.poll(&notes));
    let [(1, accessed, 0)] = notes.take()[..] else {
        panic!("one packet")
    };
    assert!(child.join());
    if accessed == 0 {
        println!("skipped: this system does not allow processes to access each other's memory");
        return;
    }
    let reversed = (0..3_000_000u32).rev().map(|index| index as u8);
    assert!(memory.into_iter().eq(reversed));
}

#[test]
fn denied_access_is_noticed_and_packets_go_on() {
    let all = group(0..2);
    let host = join(&all, 0, true);
    let child = Process::start(|| {
        deny_cross_memory();
        let host = join(&all, 1, true);
        assert_eq!(host.access(0), Access::default());
        send(&host, 0, DONE, 8192).expect("there is room");
    });
    let notes = Notes::default();
    until("the child says so", || host.poll(&notes));
    assert_eq!(notes.take(), [(1, DONE, 8192)]);
    assert!(child.join());
}

#[test]
fn a_wrong_process_is_not_accessed() {
    let hosts = hosts(2, true);
    let (_, probe) = hosts[1].contents().header.owner().expect("it has come");
    hosts[1].contents().header.introduce(1, probe);
    assert_eq!(hosts[0].access(1), Access::default());
}

#[test]
fn segments_have_no_names() {
    let _hosts = hosts(3, false);
    let maps = std::fs::read_to_string("/proc/self/maps").expect("there is /proc");
    let segments: Vec<_> = maps.lines().filter(|line| line.contains("simurgh-shm")).collect();
    assert!(segments.len() >= 3, "each host has mapped it once");
    assert!(
        segments
            .iter()
            .all(|line| line.contains("/memfd:") && line.ends_with("(deleted)"))
    );
}
