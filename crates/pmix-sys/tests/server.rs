//! A server, asked for what it gives its clients. What clients make of it is seen in `tests/pmi/open_mpi.rs`.

use simurgh_pmix_sys::{Library, Server};
use std::collections::BTreeMap;

#[test]
fn a_process_finds_its_place_by_variables() {
    if let Err(error) = Library::load() {
        eprintln!("skipped: {error}");
        return;
    }
    let server = Server::start(c"here", &[0, 0, 1]).unwrap();
    for rank in 0..3 {
        let variables: BTreeMap<_, _> = server
            .admit(rank, Box::new(|_| ()))
            .unwrap()
            .into_iter()
            .collect();
        let says = |name: &str| variables[std::ffi::OsStr::new(name)].to_str().unwrap();
        assert_eq!(
            (says("PMIX_NAMESPACE"), says("PMIX_RANK")),
            ("simurgh", &*rank.to_string())
        );
        assert!(
            says("PMIX_SERVER_URI4").contains("tcp4://127.0.0.1:"),
            "{variables:?}"
        );
        assert_eq!(says("PMIX_GDS_MODULE"), "hash");
    }
}
