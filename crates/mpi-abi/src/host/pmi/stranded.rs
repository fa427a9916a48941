//! Processes that a launcher has started as one of several, but that it does not serve: each would take itself for a
//! job of its own.

/// How many tasks a step of Slurm has.
pub(super) const TASKS: &str = "SLURM_STEP_NUM_TASKS";

/// Why a process is no job of its own, if it is none.
pub(super) fn reason(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let several = |name: &str| {
        let count: Option<u32> = variable(name)?.trim().parse().ok();
        count.filter(|&count| count > 1)
    };
    let pmix = variable("PMIX_NAMESPACE").is_some() && variable("PMIX_RANK").is_some();
    if pmix {
        return Some(
            "a launcher that speaks PMIx has started this program, which Simurgh does not speak: start it with \
             Simurgh's mpiexec, with srun --mpi=pmi2, or with a launcher that speaks PMI-1"
                .to_owned(),
        );
    }
    if let Some(tasks) = several(TASKS).filter(|_| variable("SLURM_PROCID").is_some()) {
        return Some(format!(
            "srun has started {tasks} tasks of this program without a way for them to find each other: add --mpi=pmi2, \
             or start it with Simurgh's mpiexec"
        ));
    }
    if let Some(ranks) = several("OMPI_COMM_WORLD_SIZE") {
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
        let pmix = of(&[("PMIX_NAMESPACE", "x"), ("PMIX_RANK", "0")]).unwrap();
        assert!(pmix.contains("PMIx"), "{pmix}");
        let srun = of(&[("SLURM_PROCID", "1"), (TASKS, "4")]).unwrap();
        assert!(
            srun.contains("srun has started 4 tasks") && srun.contains("--mpi=pmi2"),
            "{srun}"
        );
        assert!(of(&[("OMPI_COMM_WORLD_SIZE", "2")]).is_some());
    }

    #[test]
    fn a_single_process_is_alone() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("SLURM_PROCID", "0"), (TASKS, "1")]), None);
        // A batch script has no step of several tasks.
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
        assert_eq!(of(&[("OMPI_COMM_WORLD_SIZE", "1")]), None);
    }
}
