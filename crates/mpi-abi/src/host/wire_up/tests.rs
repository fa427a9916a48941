//! Routes between hosts.

use super::super::description::own_job;
use super::*;
use simurgh_net::job::Realm;
use simurgh_settings::Values;
use std::ffi::OsStr;

/// The second of three hosts in a realm; the last two are on one node. All use this transport.
fn host(realm: Realm, transport: &str) -> JobSpec {
    let variable = |name: &OsStr| (name == "SIMURGH_TRANSPORT").then(|| transport.into());
    let settings = Values::from_environment(variable).unwrap();
    let mut spec = own_job(1, &[0, 1, 1], settings).unwrap();
    spec.origin.realm = realm;
    spec.origin.first_host = realm.number(0);
    spec
}

#[test]
fn hosts_of_other_launchers_are_reached_over_the_network() {
    let (own, other) = (Realm(2), Realm(3));
    let to =
        |realm: Realm, node, transport| Route::to(&host(own, transport), realm.number(9), realm.number(node));
    assert_eq!(to(own, 1, "auto").unwrap(), Route::Shm);
    assert_eq!(to(own, 0, "auto").unwrap(), Route::Ofi);
    assert_eq!(to(other, 1, "auto").unwrap(), Route::Ofi);
    assert_eq!(to(own, 1, "ofi").unwrap(), Route::Ofi);
    assert!(to(other, 1, "shm").is_err());
}

#[test]
fn who_is_started_in_a_universe_may_know_hosts_of_others() {
    let child = |realm, transport| {
        let mut spec = host(realm, transport);
        spec.origin.parent = Some(Bytes(vec![1]));
        may_have_foreign(&spec)
    };
    assert!(child(Realm(2), "auto") && child(Realm(2), "ofi"));
    assert!(!child(Realm(2), "shm") && !child(Realm::default(), "auto"));
    assert!(!may_have_foreign(&host(Realm(2), "auto")));
}

#[test]
fn others_may_be_on_other_machines() {
    let of = |realm| {
        let mut spec = host(realm, "auto");
        spec.hosts.iter_mut().for_each(|host| host.node = 0);
        choice(&spec).one_machine
    };
    assert!(of(Realm::default()) && !of(Realm(1)));
}
