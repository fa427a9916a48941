//! The output of test programs.

/// The output of programs in `tests/c` that any number of ranks can run, when they have passed.
pub fn passed(ranks: usize) -> String {
    format!("passed with {ranks} ranks\n")
}

/// The output of the ranks of `tests/c/launch_mpi.c`, a line each.
pub fn sums(ranks: usize) -> Vec<String> {
    let sum = ranks * (ranks - 1) / 2;
    (0..ranks)
        .map(|rank| format!("rank {rank} of {ranks}: sum {sum}"))
        .collect()
}
