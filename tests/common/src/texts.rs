//! What test programs say.

/// What programs of `tests/c` say that any number of ranks can run, when they have passed.
pub fn passed(ranks: usize) -> String {
    format!("passed with {ranks} ranks\n")
}

/// What the ranks of `tests/c/launch_mpi.c` say, a line each.
pub fn sums(ranks: usize) -> Vec<String> {
    let sum = ranks * (ranks - 1) / 2;
    (0..ranks)
        .map(|rank| format!("rank {rank} of {ranks}: sum {sum}"))
        .collect()
}
