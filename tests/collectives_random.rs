//! Random collectives (`tests/c/random`), and reductions of numbers whose sum depends on the order.

use std::collections::BTreeSet;

use simurgh_testing::{Binary, Compile, Outcome, Stage, passed, seed};

/// The files of the program besides its main file.
const MODULES: &[&str] = &[
    "buffer", "element", "failure", "layout", "move", "parts", "place", "reduce",
];

/// The program, and how many ranks and processors run it.
struct Random {
    stage: Stage,
    program: Binary,
}

impl Random {
    fn build() -> Self {
        let stage = Stage::locate();
        let main = Compile::c("tests/c/random/main.c").flags(["-O1", "-Wall", "-Wextra", "-Werror"]);
        let add = |program: Compile, module: &&str| program.source(format!("tests/c/random/{module}.c"));
        let program = MODULES.iter().fold(main, add).against(&stage).build();
        Self { stage, program }
    }

    fn rounds(&self, ranks: usize, vps: usize, rounds: usize) {
        self.rounds_with(&[], ranks, vps, rounds);
    }

    fn rounds_with(&self, options: &[&str], ranks: usize, vps: usize, rounds: usize) {
        let run = self.stage.mpiexec(ranks).vps(vps).options(options);
        let outcome = run
            .args([seed().to_string(), rounds.to_string()])
            .run(&self.program);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

#[test]
fn random_collectives_of_few_ranks_and_of_a_crowd() {
    let random = Random::build();
    for ranks in 1..=5 {
        random.rounds(ranks, 2, 150);
    }
    for ranks in [2, 9] {
        random.rounds(ranks, 1, 150);
    }
    for (ranks, count) in [(16, 60), (33, 30), (64, 15), (130, 12)] {
        random.rounds(ranks, 2, count);
    }
}

#[test]
fn random_collectives_by_any_algorithm() {
    let random = Random::build();
    for rules in ["any=last", "any=shared", "any=striped"] {
        for ranks in [3, 8] {
            random.rounds_with(&["--collectives", rules], ranks, 2, 40);
        }
    }
}

/// Every operation that hosts can do in slices is done so.
const SLICED: &str = "bcast:::hosts=ring/3,allgather:::hosts=bruck/2,alltoall:::hosts=parcels/3,\
                      reduce:::hosts=binomial/2,allreduce:::hosts=halving/4,reduce_scatter:::hosts=pairwise/3";

#[test]
fn random_collectives_between_hosts() {
    let random = Random::build();
    for (hosts, ranks, transport) in [("2", 4, "shm"), ("3", 9, "shm"), ("4", 8, "ofi")] {
        let options = ["--hosts-per-node", hosts, "--transport", transport];
        random.rounds_with(&options, ranks, 2, 40);
    }
}

#[test]
fn random_collectives_between_hosts_in_slices() {
    let random = Random::build();
    for (hosts, ranks, transport) in [("2", 5, "shm"), ("4", 9, "shm"), ("2", 4, "ofi")] {
        let options = ["--hosts-per-node", hosts, "--transport", transport];
        random.rounds_with(&[&options[..], &["--collectives", SLICED]].concat(), ranks, 4, 40);
    }
}

#[test]
fn random_collectives_with_all_checks() {
    let random = Random::build();
    for ranks in [1, 4, 9] {
        random.rounds_with(&["--check"], ranks, 2, 40);
    }
}

/// The output of `program` with so many ranks, in an order of the ranks that the seed determines.
fn printed(stage: &Stage, program: &Binary, ranks: usize, vps: usize, seed: Option<usize>) -> String {
    let mut run = stage.mpiexec(ranks).vps(vps);
    if let Some(seed) = seed {
        run = run.options(["--seed".to_owned(), seed.to_string()]);
    }
    let outcome: Outcome = run.run(program);
    outcome.expect_success();
    outcome.stdout
}

#[test]
fn reductions_give_the_same_bits_in_every_run() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/reproducible.c")
        .flags(["-O1", "-Wall", "-Wextra", "-Werror"])
        .against(&stage)
        .build();
    for ranks in [2, 7, 24] {
        let ways = [
            (1, None),
            (1, Some(1)),
            (1, Some(2)),
            (2, None),
            (2, None),
            (3, None),
        ];
        let results: BTreeSet<String> = ways
            .iter()
            .map(|&(vps, seed)| printed(&stage, &program, ranks, vps, seed))
            .collect();
        assert_eq!(results.len(), 1, "{ranks} ranks: {results:#?}");
    }
}
