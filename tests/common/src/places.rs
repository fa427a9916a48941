//! Runs of one program whose ranks live in different places.

use crate::{Binary, Stage, TCP, passed};

/// Runs a program with so many ranks in each of the places, which are options of `mpiexec`, and with each of the seeds,
/// which comes after the other arguments. Every rank has to say that it has passed.
#[track_caller]
pub fn expect_passed_in(
    stage: &Stage,
    program: &Binary,
    (ranks, places): (usize, &[&[&str]]),
    (arguments, seeds): (&[&str], &[&str]),
) {
    for options in places {
        for seed in seeds {
            let mpiexec = stage.mpiexec(ranks).options(TCP).options(*options);
            let outcome = mpiexec.args(arguments).args([seed]).run(program);
            outcome.expect_success();
            assert_eq!(
                outcome.stdout,
                passed(ranks),
                "{options:?}, seed {seed}: {outcome}"
            );
        }
    }
}
