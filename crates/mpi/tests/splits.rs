//! Splitting communicators by the hardware that ranks use, on machines that do not exist, and by process sets.

use crate::common::{RUNNERS, run_job};
use simurgh_mpi::{Comm, ErrorClass, Hardware, Info, Job, SplitType};
use simurgh_sched::Topology;
use std::sync::Arc;

/// Two packages with two caches of two cores each.
const MACHINE: &str = "package:2 numa:1 l3:2 core:2 pu:1";

/// Runs `f` on ranks that use the cores of `machine` in turn.
fn run_on(machine: &str, ranks: usize, f: impl Fn(&Arc<Comm>) + Send + Sync + Copy + 'static) {
    let topology = Topology::synthetic(machine).expect("a valid description");
    let cores = topology.cores().len();
    for runner in RUNNERS {
        let job = Job::new(ranks);
        let places = (0..ranks).map(|rank| rank % cores);
        assert!(job.set_hardware(Hardware::new(&topology, cores, places)));
        run_job(&job, runner, f);
    }
}

fn info(pairs: &[(&str, &str)]) -> Info {
    let mut info = Info::new();
    for (key, value) in pairs {
        info.set(key, value).unwrap();
    }
    info
}

/// The world's ranks in a communicator.
fn world_ranks(comm: &Comm) -> Vec<i32> {
    let processes = comm.group().processes();
    processes.map(u32::cast_signed).collect()
}

/// The ranks with which the caller shares what is asked for; none if it shares it with nobody, not even itself.
fn shared(comm: &Comm, split_type: SplitType, pairs: &[(&str, &str)]) -> Vec<i32> {
    let made = comm.split_type(split_type, 0, &info(pairs)).unwrap();
    made.map_or_else(Vec::new, |(made, _)| world_ranks(&made))
}

#[test]
fn ranks_are_grouped_by_the_hardware_they_use() {
    run_on(MACHINE, 10, |world| {
        // Ranks 8 and 9 are on the cores of ranks 0 and 1.
        let core = world.rank() % 8;
        let members =
            |same: &dyn Fn(i32) -> bool| -> Vec<i32> { (0..10).filter(|rank| same(rank % 8)).collect() };
        let guided = |name| shared(world, SplitType::Guided, &[("mpi_hw_resource_type", name)]);
        assert_eq!(guided("hwloc://Package"), members(&|other| other / 4 == core / 4));
        assert_eq!(
            guided("hwloc://NUMANode"),
            members(&|other| other / 4 == core / 4)
        );
        assert_eq!(guided("l3"), members(&|other| other / 2 == core / 2));
        assert_eq!(guided("core"), members(&|other| other == core));
        assert_eq!(guided("mpi_shared_memory").len(), 10);
        assert!(guided("hwloc://L2Cache").is_empty(), "the machine has none");
        assert_eq!(shared(world, SplitType::Shared, &[]).len(), 10);
        assert!(shared(world, SplitType::Undefined, &[]).is_empty());
        assert!(shared(world, SplitType::Guided, &[]).is_empty());
    });
}

#[test]
fn resources_are_hardware_or_process_sets() {
    run_on(MACHINE, 8, |world| {
        let rank = world.rank();
        let by = |pairs: &[_]| shared(world, SplitType::ResourceGuided, pairs);
        assert_eq!(by(&[("mpi_hw_resource_type", "package")]).len(), 4);
        assert_eq!(by(&[("mpi_pset_name", "mpi://SELF")]), [rank]);
        assert_eq!(
            by(&[("mpi_pset_name", "simurgh://l3/1")]),
            if rank / 2 == 1 { vec![2, 3] } else { vec![] }
        );
        assert!(by(&[("mpi_pset_name", "nobody")]).is_empty());
        let both = info(&[("mpi_hw_resource_type", "core"), ("mpi_pset_name", "mpi://SELF")]);
        let error = world.split_type(SplitType::ResourceGuided, 0, &both).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Info);
    });
}

#[test]
fn unguided_splits_go_down_the_levels() {
    run_on(MACHINE, 16, |world| {
        let (mut comm, mut seen) = (Arc::clone(world), Vec::new());
        while let Some((made, kind)) = comm.split_type(SplitType::Unguided, 0, &Info::new()).unwrap() {
            assert!(made.size() < comm.size());
            seen.push((kind.unwrap(), made.size()));
            comm = made;
        }
        let levels = [
            ("hwloc://Package", 8),
            ("hwloc://L3Cache", 4),
            ("hwloc://Core", 2),
        ];
        assert_eq!(seen, levels);
    });
    // A machine with nothing to divide.
    run_on("core:1 pu:1", 3, |world| {
        assert!(
            world
                .split_type(SplitType::Unguided, 0, &Info::new())
                .unwrap()
                .is_none()
        );
    });
}

#[test]
fn keys_order_the_ranks_and_hints_go_along() {
    run_on(MACHINE, 8, |world| {
        let hints = info(&[
            ("mpi_assert_no_any_tag", "true"),
            ("mpi_hw_resource_type", "package"),
        ]);
        let (made, _) = world
            .split_type(SplitType::Guided, -world.rank(), &hints)
            .unwrap()
            .unwrap();
        assert_eq!(made.rank(), 3 - world.rank() % 4);
        assert_eq!(made.info().flag("mpi_assert_no_any_tag"), Some(true));
        assert_eq!(world.info().flag("mpi_assert_no_any_tag"), Some(false));
    });
}

#[test]
fn both_groups_of_an_intercommunicator_are_split() {
    run_on(MACHINE, 8, |world| {
        let half = world.split(world.rank() % 2, 0).unwrap().unwrap();
        let other = 1 - world.rank() % 2;
        let inter = half.create_inter(0, Some(&**world), other, 0).unwrap();
        let by_package = info(&[("mpi_hw_resource_type", "package")]);
        let (made, _) = inter
            .split_type(SplitType::Guided, 0, &by_package)
            .unwrap()
            .unwrap();
        assert_eq!((made.size(), made.peers()), (2, 2));
        // A core has ranks of one side only.
        let by_core = info(&[("mpi_hw_resource_type", "core")]);
        assert!(
            inter
                .split_type(SplitType::Guided, 0, &by_core)
                .unwrap()
                .is_none()
        );
    });
}
