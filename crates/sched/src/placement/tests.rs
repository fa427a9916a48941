use super::*;

use simurgh_settings::placement::{Plan, Unit};
use simurgh_settings::{Id, Values};

/// Two packages with two NUMA nodes of two cores each, which have two hardware threads.
const MACHINE: &str = "package:2 numa:2 l3:1 core:2 pu:2";

fn plan(words: &[(Id, &str)]) -> Plan {
    let mut values = Values::default();
    for (id, text) in words {
        values
            .read(*id, "test", text.as_ref())
            .expect("words that are understood");
    }
    values.plan().expect("a plan")
}

fn placement(map: &str, rank: &str, bind: &str, ranks: usize) -> Result<Placement, SchedError> {
    let words = [(Id::MapBy, map), (Id::RankBy, rank), (Id::BindTo, bind)];
    let given: Vec<_> = words.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    Placement::new(&machine(), &plan(&given), ranks)
}

fn machine() -> Topology {
    Topology::synthetic(MACHINE).expect("a valid description")
}

/// The processors that the ranks may use.
fn cpus(map: &str, rank: &str, bind: &str, ranks: usize) -> Vec<String> {
    let placement = placement(map, rank, bind, ranks).expect("a placement");
    let seats = placement.ranks().iter();
    seats.map(|seat| show_processors(&seat.cpus)).collect()
}

#[test]
fn the_synthetic_machine_has_all_units() {
    let count = |unit| Pieces::of(&machine(), unit).expect("it has them").len();
    let units = [
        Unit::HwThread,
        Unit::Core,
        Unit::L3,
        Unit::Numa,
        Unit::Package,
        Unit::Machine,
    ];
    assert_eq!(units.map(count), [16, 8, 4, 4, 2, 1]);
}

#[test]
fn pieces_take_turns_and_ranks_are_bound_to_them() {
    assert_eq!(cpus("core", "", "", 3), ["0-1", "2-3", "4-5"]);
    assert_eq!(cpus("hwthread", "", "", 3), ["0", "1", "2"]);
    assert_eq!(cpus("package", "", "", 3), ["0-7", "8-15", "0-7"]);
    assert_eq!(cpus("numa", "", "", 5), ["0-3", "4-7", "8-11", "12-15", "0-3"]);
    assert_eq!(cpus("l3cache", "", "", 2), ["0-3", "4-7"]);
    assert_eq!(cpus("", "", "socket", 2), ["0-7", "8-15"]);
    assert_eq!(cpus("machine", "", "", 2), ["0-15", "0-15"]);
}

#[test]
fn ranks_may_be_bound_to_smaller_and_larger_pieces() {
    // The second rank of a package has its second core.
    assert_eq!(cpus("package", "", "core", 4), ["0-1", "8-9", "2-3", "10-11"]);
    assert_eq!(cpus("core", "", "hwthread", 9)[7..], ["14", "1"]);
    assert_eq!(cpus("core", "", "numa", 3), ["0-3", "0-3", "4-7"]);
    assert_eq!(cpus("hwthread", "", "core", 3), ["0-1", "0-1", "2-3"]);
    assert_eq!(cpus("package", "", "none", 2), ["0-15", "0-15"]);
}

#[test]
fn a_rank_may_have_several_elements() {
    assert_eq!(cpus("slot:PE=2", "", "", 2), ["0-3", "4-7"]);
    assert_eq!(cpus("", "", "core:3", 2), ["0-5", "6-11"]);
    assert_eq!(cpus("core:PE=2", "", "", 3), ["0-3", "4-7", "8-11"]);
    assert_eq!(cpus("core:PE=3", "", "", 3), ["0-5", "6-11", "0-5"]);
    assert_eq!(cpus("hwthread:PE=3", "", "", 2), ["0-2", "3-5"]);
    assert_eq!(cpus("core:PE=2:HWTCPUS", "", "", 2), ["0-1", "2-3"]);
    assert_eq!(cpus("core:PE=4:HWTCPUS", "", "", 2), ["0-3", "4-7"]);
    assert!(placement("core:PE=9", "", "", 1).is_err());
    let twos = plan(&[(Id::MapBy, "core:PE=2")]);
    assert_eq!(Placement::preset(&machine(), &twos).expect("it has them"), 4);
    assert_eq!(cpus("package:PE=2", "", "", 3), ["0-3", "8-11", "4-7"]);
    assert_eq!(cpus("package:PE=3:HWTCPUS", "", "", 3), ["0-2", "8-10", "3-5"]);
    let error = placement("numa:PE=3", "", "", 1).unwrap_err().to_string();
    assert_eq!(
        error,
        "no numa of this machine has the 3 cores that each rank is to have"
    );
}

#[test]
fn so_many_ranks_go_to_each_piece() {
    assert_eq!(
        cpus("ppr:2:package", "", "core", 4),
        ["0-1", "2-3", "8-9", "10-11"]
    );
    assert_eq!(cpus("ppr:1:numa:PE=2", "", "", 2), ["0-3", "4-7"]);
    let error = placement("ppr:2:package", "", "", 5).unwrap_err().to_string();
    assert_eq!(
        error,
        "5 ranks are too many for the 4 places that this machine has for them"
    );
    let plan = plan(&[(Id::MapBy, "ppr:3:numa")]);
    assert_eq!(Placement::preset(&machine(), &plan).expect("it has them"), 12);
}

#[test]
fn ranks_are_numbered_in_another_order() {
    assert_eq!(cpus("package", "fill", "core", 4), ["0-1", "2-3", "8-9", "10-11"]);
    assert_eq!(cpus("core", "package", "", 4), ["0-1", "2-3", "4-5", "6-7"]);
    assert_eq!(cpus("core", "numa", "", 4), ["0-1", "4-5", "2-3", "6-7"]);
}

#[test]
fn places_are_given_out_again_unless_that_is_unwanted() {
    assert_eq!(cpus("core", "", "", 9)[8], "0-1");
    let places = |map, ranks| {
        placement(map, "", "", ranks)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(places("core:NOOVERSUBSCRIBE", 8), Ok(()));
    let told = "9 ranks are too many for the 8 places that this machine has for them";
    assert_eq!(places("core:NOOVERSUBSCRIBE", 9), Err(told.to_owned()));
    assert_eq!(places("ppr:9:package:NOOVERSUBSCRIBE", 9), Err(told.to_owned()));
}

#[test]
fn processors_can_be_named_one_by_one() {
    assert_eq!(cpus("", "", "user:3,0", 3), ["3", "0", "3"]);
    let error = placement("", "", "user:16", 1).unwrap_err().to_string();
    assert_eq!(
        error,
        "processor 16 is not among those that may be used here: 0-15"
    );
}

#[test]
fn hardware_that_is_not_there_is_named() {
    let error = placement("l2cache", "", "", 1).unwrap_err().to_string();
    assert!(error.starts_with("this machine has no l2cache"), "{error}");
    assert!(
        error.ends_with("hwthread, core, l1cache, l3cache, numa, package, machine"),
        "{error}"
    );
}

#[test]
fn what_ranks_are_bound_to_is_told() {
    let told = |map, bind| -> Vec<_> {
        let placement = placement(map, "", bind, 2).expect("a placement");
        placement.ranks().iter().map(|seat| seat.bound.clone()).collect()
    };
    let words = |text: &str| Some(text.to_owned());
    assert_eq!(
        told("package", ""),
        [
            words("package 0 (processors 0-7)"),
            words("package 1 (processors 8-15)")
        ]
    );
    assert_eq!(told("", "core:2")[1], words("cores 2-3 (processors 4-7)"));
    assert_eq!(told("core", "none"), [None, None]);
}

#[test]
fn a_process_has_the_cores_of_its_ranks_which_begin_on_their_own() {
    let four = placement("package", "", "numa", 4).expect("a placement");
    // Ranks 1 and 2: the first half of the second package, the second half of the first.
    let (part, homes) = four.of_process(1..3, machine());
    let cores: Vec<_> = part.cores().iter().map(|core| core.cpus[0]).collect();
    assert_eq!((cores, homes), (vec![0, 2, 8, 10], vec![2, 1]));
    assert!(part.joins(0, 1) && !part.joins(1, 2));
    assert_eq!(part.root().children.len(), 2);
    assert!(part.is_oversubscribed());
    let two = placement("package", "", "", 2).expect("a placement");
    let (part, homes) = two.of_process(1..2, machine());
    assert_eq!(
        (part.cores().len(), homes, part.is_oversubscribed()),
        (4, vec![0], false)
    );
}

#[test]
fn hardware_threads_can_count_as_cores() {
    let four = placement("hwthread", "", "", 4).expect("a placement");
    let (part, homes) = four.of_process(0..4, machine());
    assert_eq!((part.cores().len(), homes), (4, vec![0, 1, 2, 3]));
    assert!(part.cores().iter().all(|core| core.cpus.len() == 1));
    assert!(!part.joins(0, 1));
}
