//! Layouts of one realm and of several.

use super::*;

fn record(host: u32, world: u32, processes: Range<u32>) -> HostRecord {
    HostRecord {
        host,
        node: host % 2,
        world,
        processes,
        share: 0,
    }
}

#[test]
fn processes_are_found_on_their_hosts() {
    let layout = Layout::new(1, [(3, 0), (2, 0), (4, 1)]);
    assert_eq!(
        (layout.processes(), layout.hosts(), layout.here()),
        (0..9, 0..3, 3..5)
    );
    let hosts = (0..9).map(|process| layout.host_of(process));
    assert!(hosts.eq([0, 0, 0, 1, 1, 2, 2, 2, 2]));
    assert!((0..9).all(|process| layout.is_here(process) == (3..5).contains(&process)));
    assert_eq!((layout.place(3), layout.place(4), layout.node_of(2)), (0, 1, 1));
    assert_eq!((layout.find_host(9), layout.world_of(3)), (None, None));
}

#[test]
fn processes_that_have_a_host_each_are_found_too() {
    let there = [record(2, 1, 5..6), record(3, 1, 6..7), record(4, 1, 7..8)];
    let layout = Layout::among(3, &there);
    let hosts = (4..9).map(|process| layout.find_host(process));
    assert!(hosts.eq([None, Some(2), Some(3), Some(4), None]));
    layout.admit(&[record(7, 2, 9..12)]).unwrap();
    assert_eq!((layout.find_host(8), layout.find_host(11)), (None, Some(7)));
}

#[test]
fn other_worlds_are_known_as_far_as_they_have_been_admitted() {
    // The world of host 1 has ended.
    let there = [record(0, 0, 0..2), record(2, 2, 5..6), record(3, 2, 6..9)];
    let layout = Layout::among(3, &there);
    assert_eq!(
        (layout.processes(), layout.hosts(), layout.here()),
        (5..9, 2..4, 6..9)
    );
    assert_eq!((layout.find_host(1), layout.find_host(3)), (Some(0), None));
    assert_eq!(layout.find_host(9), None);
    layout
        .admit(&[record(4, 3, 9..10), record(7, 5, 12..13)])
        .unwrap();
    let hosts = [0, 5, 9, 12].map(|process| layout.host_of(process));
    assert_eq!(hosts, [0, 2, 4, 7]);
    let nowhere = [2, 10, 11, 13].map(|process| layout.find_host(process));
    assert_eq!(nowhere, [None; 4]);
    assert_eq!(
        (layout.node_of(7), layout.node_of(2), layout.world_of(4)),
        (1, 0, Some(3))
    );
    assert_eq!((layout.world_of(5), layout.others().count()), (None, 3));
}

#[test]
fn other_realms_come_in_any_order() {
    let of = |realm: u32, host, world, processes: Range<u32>| {
        let realm = Realm(realm);
        let processes = realm.number(processes.start)..realm.number(processes.end);
        HostRecord {
            node: realm.number(0),
            share: realm.0 * 10 + host,
            ..record(realm.number(host), realm.number(world), processes)
        }
    };
    let layout = Layout::among(Realm(2).number(1), &[of(2, 0, 0, 0..2), of(2, 1, 0, 2..4)]);
    assert_eq!(
        (layout.realm(), layout.find_host(Realm(3).number(0))),
        (Realm(2), None)
    );
    layout.admit(&[of(3, 0, 0, 0..3), of(3, 1, 0, 3..4)]).unwrap();
    layout.admit(&[of(1, 4, 2, 7..9)]).unwrap();
    layout.admit(&[of(3, 2, 1, 4..5), of(2, 2, 1, 4..6)]).unwrap();
    let found = [(2, 3), (2, 5), (3, 2), (3, 3), (3, 4), (1, 8)]
        .map(|(realm, process)| layout.host_of(Realm(realm).number(process)));
    let expected = [(2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (1, 4)];
    assert_eq!(found, expected.map(|(realm, host)| Realm(realm).number(host)));
    let nowhere = [(2, 6), (3, 5), (1, 0), (1, 9), (4, 0), (0, 0)]
        .map(|(realm, process)| layout.find_host(Realm(realm).number(process)));
    assert_eq!(nowhere, [None; 6]);
    let host = |realm: u32, host| Realm(realm).number(host);
    assert_eq!(layout.world_of(host(3, 2)), Some(host(3, 1)));
    assert_eq!(
        (layout.world_of(host(1, 3)), layout.world_of(host(5, 0))),
        (None, None)
    );
    assert_eq!(
        (layout.node_of(host(1, 4)), layout.node_of(host(2, 0))),
        (host(1, 0), host(2, 0))
    );
    let voices =
        [(2, 0), (2, 2), (3, 1), (1, 4)].map(|(realm, number)| layout.short_id_of(host(realm, number)));
    assert_eq!((voices, layout.others().count()), ([20, 22, 31, 14], 5));
    let names = [(2, 3), (2, 5), (3, 3), (9, 0)].map(|(realm, process)| layout.name_of(host(realm, process)));
    let nobody = format!("of process {}", host(9, 0));
    assert_eq!(names, ["3", "1.1", "0.3 of another mpiexec", &nobody]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let realm = Realm(2);
    let of = |host: u32, world: u32, processes: Range<u32>| {
        record(
            realm.number(host),
            realm.number(world),
            realm.number(processes.start)..realm.number(processes.end),
        )
    };
    let layout = Layout::among(realm.number(2), &[of(0, 0, 0..2), of(2, 1, 4..5)]);
    let strange = HostRecord {
        processes: 7..8,
        ..of(4, 2, 7..8)
    };
    let refused = [
        of(0, 2, 6..7),
        of(2, 3, 6..7),
        of(3, 1, 6..7),
        of(3, 2, 1..3),
        strange,
    ];
    assert!(
        refused
            .iter()
            .all(|host| layout.admit(std::slice::from_ref(host)).is_err())
    );
    assert_eq!(layout.others().count(), 1);
    layout.admit(&[of(4, 2, 7..8)]).unwrap();
    assert_eq!(layout.find_host(realm.number(7)), Some(realm.number(4)));
}
