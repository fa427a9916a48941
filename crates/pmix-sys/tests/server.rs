//! A server, asked for what it gives its clients. What clients make of it is seen in `tests/pmi/open_mpi.rs`.

use simurgh_pmix_sys::{Job, Library, Process, RemoteNodes, Reply, Server};
use std::collections::BTreeMap;

/// Nobody meets anybody here.
struct Nobody;

impl RemoteNodes for Nobody {
    fn fence(&self, ranks: Vec<u32>, _shown: Vec<u8>, _reply: Reply) {
        panic!("{ranks:?} meet");
    }

    fn fetch(&self, rank: u32, _reply: Reply) {
        panic!("{rank} is looked for");
    }
}

#[test]
fn a_process_finds_its_place_by_variables() {
    if let Err(error) = Library::load() {
        eprintln!("skipped: {error}");
        return;
    }
    let process = |node, program| Process { node, program };
    let job = Job {
        name: c"job".to_owned(),
        nodes: vec![c"there".to_owned(), c"here".to_owned()],
        here: 1,
        processes: vec![process(0, 0), process(1, 0), process(1, 1)],
        files: "/nowhere".into(),
    };
    let server = Server::start(job, Box::new(Nobody)).unwrap();
    for rank in 1..3 {
        let variables: BTreeMap<_, _> = server
            .register_client(rank, Box::new(|_| ()))
            .unwrap()
            .into_iter()
            .collect();
        let says = |name: &str| variables[std::ffi::OsStr::new(name)].to_str().unwrap();
        assert_eq!(
            (says("PMIX_NAMESPACE"), says("PMIX_RANK")),
            ("job", &*rank.to_string())
        );
        assert!(
            says("PMIX_SERVER_URI4").contains("tcp4://127.0.0.1:"),
            "{variables:?}"
        );
        assert_eq!(says("PMIX_GDS_MODULE"), "hash");
        assert_eq!(says("PMIX_HOSTNAME"), "here");
    }
}
