//! Sessions and their process sets.

use crate::common::{RUNNERS, run_with};
use simurgh_mpi::{ErrorClass, ErrorHandler, Process, Session, SessionId};
use std::sync::Arc;

fn with_process<R>(f: impl FnOnce(&Arc<Process>) -> R) -> R {
    Process::with_current(|process| f(process.expect("a rank")))
}

#[test]
fn sessions_open_and_close_beside_the_world() {
    let process = Process::singleton();
    let first = Session::init(&process, ErrorHandler::Return);
    let second = Session::init(&process, ErrorHandler::Return);
    assert_ne!(first.id(), second.id());
    assert!(
        process
            .session(first.id())
            .is_some_and(|found| Arc::ptr_eq(&found, &first))
    );
    process.check_active().unwrap();
    first.finalize().unwrap();
    assert_eq!(first.finalize().unwrap_err().class(), ErrorClass::Session);
    assert!(process.session(first.id()).is_none());
    process.init().unwrap();
    second.finalize().unwrap();
    process.check_active().unwrap();
    process.finalize().unwrap();
    assert!(process.check_active().is_err());
    let third = Session::init(&process, ErrorHandler::Return);
    process.check_active().unwrap();
    assert_eq!(process.init().unwrap_err().class(), ErrorClass::Other);
    third.finalize().unwrap();
    assert!(process.check_active().is_err());
}

#[test]
fn all_ranks_see_the_same_process_sets() {
    for runner in RUNNERS {
        run_with(runner, 5, |world| {
            with_process(|process| {
                let session = Session::init(process, ErrorHandler::Return);
                let names: Vec<_> = session.process_sets().into_iter().map(|set| set.name).collect();
                assert_eq!(names[..3], ["mpi://WORLD", "mpi://SELF", "simurgh://host"]);
                for name in &names {
                    let (set, group) = (session.process_set(name).unwrap(), session.group(name).unwrap());
                    assert_eq!(group.session(), session.id());
                    assert_eq!(set.info().text("mpi_size"), Some(&*group.size().to_string()));
                    assert!(group.size() > 0, "{name}");
                }
                assert_eq!(session.group("MPI://world").unwrap().size(), 5);
                let own = session.group("mpi://self").unwrap();
                assert_eq!(
                    own.processes().collect::<Vec<_>>(),
                    [world.rank().cast_unsigned()]
                );
                assert_eq!(
                    session.group("mpi://nobody").unwrap_err().class(),
                    ErrorClass::Arg
                );
                session.finalize().unwrap();
            });
        });
    }
}

#[test]
fn groups_made_from_a_process_set_stay_in_its_session() {
    let process = Process::singleton();
    let session = Session::init(&process, ErrorHandler::Return);
    let group = session.group("mpi://WORLD").unwrap();
    assert_eq!(group.include(&[0]).unwrap().session(), session.id());
    assert_eq!(group.union(&group).session(), session.id());
    assert_eq!(process.job().group().session(), SessionId::NONE);
    session.finalize().unwrap();
}
