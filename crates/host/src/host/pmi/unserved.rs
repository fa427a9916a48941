//! Processes that a launcher has started as several but does not serve: each would take itself for a job of its own.

/// The number of tasks of a Slurm step.
pub(super) const TASKS: &str = "SLURM_STEP_NUM_TASKS";

/// The number of processes that Open MPI's launcher has started.
pub(super) const RANKS: &str = "OMPI_COMM_WORLD_SIZE";

/// The reason why this process must not be a job of its own, if there is one.
pub(super) fn reason(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let several = |name: &str| {
        let count: Option<u32> = variable(name)?.trim().parse().ok();
        count.filter(|&count| count > 1)
    };
    if let Some(tasks) = several(TASKS).filter(|_| variable("SLURM_PROCID").is_some()) {
        return Some(format!(
            "srun has started {tasks} tasks of this program without a way for them to find each other: add --mpi=pmi2 \
             or --mpi=pmix, or start it with Simurgh's mpiexec"
        ));
    }
    if let Some(ranks) = several(RANKS) {
        return Some(format!(
            "Open MPI's launcher has started {ranks} processes of this program, which Simurgh cannot connect: start it \
             with Simurgh's mpiexec"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<String> {
        reason(|name| {
            let known = variables.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_that_do_not_serve_us_are_named() {
        let srun = of(&[("SLURM_PROCID", "1"), (TASKS, "4")]).unwrap();
        assert!(
            srun.contains("srun has started 4 tasks") && srun.contains("--mpi=pmi2"),
            "{srun}"
        );
        assert!(of(&[(RANKS, "2")]).is_some());
    }

    #[test]
    fn a_single_process_is_alone() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("SLURM_PROCID", "0"), (TASKS, "1")]), None);
        // A batch script has no step of several tasks.
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
        assert_eq!(of(&[(RANKS, "1")]), None);
    }
}
