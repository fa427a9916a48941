//! Files: the programs `tests/c/mpi_files.c`, `mpi_files_forms.c` and `mpi_files_random.c` in all modes.

use std::path::Path;

use simurgh_testing::{Binary, Compile, Scratch, Stage, passed, seed};

/// The ways in which ranks run: their number, and options of mpiexec.
const WAYS: &[(usize, &[&str])] = &[
    (1, &[]),
    (2, &["--check"]),
    (7, &[]),
    (64, &[]),
    (3, &["--mode", "processes"]),
    (6, &["--hosts-per-node", "2"]),
    (16, &["--hosts-per-node", "3"]),
    (7, &["--mode", "processes"]),
    (2, &["--hosts-per-node", "2", "--transport", "ofi"]),
];

struct Program {
    stage: Stage,
    binary: Binary,
    folder: Scratch,
}

impl Program {
    fn build(name: &str) -> Self {
        let stage = Stage::locate();
        let compile = Compile::c(format!("tests/c/{name}.c")).flags(["-O1", "-Wall", "-Werror"]);
        let binary = compile.against(&stage).build();
        Self {
            stage,
            binary,
            folder: Scratch::new("files"),
        }
    }

    fn run(&self, ranks: usize, options: &[&str], file: &Path, arguments: &[String]) {
        let run = self.stage.mpiexec(ranks).options(options).args([file]);
        let outcome = run.args(arguments).run(&self.binary);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }

    fn passes_in_all_ways(&self, arguments: &[String]) {
        for (number, (ranks, options)) in WAYS.iter().enumerate() {
            let file = self.folder.path().join(number.to_string());
            self.run(*ranks, options, &file, arguments);
            assert!(!file.exists(), "the program deletes the file when it closes it");
        }
    }
}

#[test]
fn files_do_what_the_standard_says() {
    Program::build("mpi_files").passes_in_all_ways(&[]);
}

#[test]
fn every_form_of_an_access_moves_what_it_says() {
    Program::build("mpi_files_forms").passes_in_all_ways(&[]);
}

#[test]
fn random_views_and_accesses_agree_with_a_model() {
    let arguments = [seed().to_string(), "25".to_owned()];
    Program::build("mpi_files_random").passes_in_all_ways(&arguments);
}

/// What tools count, and what `--stats` prints: bytes, calls, time and rate by file and kind of access.
#[test]
fn accesses_are_counted_by_file_and_kind() {
    let program = Program::build("mpi_file_statistics");
    let ways: [(u64, u64, &[&str]); 3] = [
        (3, 1, &[]),
        (2, 2, &["--mode", "processes"]),
        (4, 2, &["--hosts-per-node", "2"]),
    ];
    for (ranks, hosts, options) in ways {
        let [one, other] = ["one", "other"].map(|name| program.folder.path().join(name));
        let mpiexec = program.stage.mpiexec(ranks as usize);
        let run = mpiexec.options(options).options(["--stats"]).args([&one, &other]);
        let outcome = run.run(&program.binary);
        outcome.expect_success();
        let calls = ranks / hosts;
        let told = |file: &Path, kind: &str, bytes: u64| {
            let amount = if bytes < 10240 {
                format!("{bytes} B")
            } else {
                format!("{} KiB", bytes / 1024)
            };
            let begin = format!("file \"{}\": {kind} {amount} in {calls} calls, ", file.display());
            let lines: Vec<_> = outcome
                .stderr
                .lines()
                .filter(|line| line.contains(&begin))
                .collect();
            assert_eq!(lines.len() as u64, hosts, "{begin}\n{outcome}");
            assert!(lines.iter().all(|line| line.ends_with(" MB/s")), "{outcome}");
        };
        told(&one, "written together", 300_000 * calls);
        told(&one, "written", 300_000 * calls);
        told(&one, "read together", 100 * calls);
        told(&other, "written", 10 * calls);
    }
}

#[test]
fn a_rank_with_a_processor_to_itself_moves_long_data_by_itself() {
    let program = Program::build("mpi_file_threads");
    let ways: [(usize, &[&str]); 2] = [(1, &[]), (3, &["--mode", "processes"])];
    for (ranks, options) in ways {
        program.run(ranks, options, &program.folder.path().join("file"), &[]);
    }
}

/// Each rank prints on how many processors the I/O threads of its process may run.
#[test]
fn io_threads_run_on_all_processors_of_the_job() {
    let program = Program::build("mpi_file_processors");
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for (ranks, options) in [
        (2, [].as_slice()),
        (1, &["--vps", "1"]),
        (2, &["--bind-to", "none"]),
    ] {
        let file = program.folder.path().join("processors");
        let arguments = [file.into_os_string(), all.to_string().into()];
        let run = program.stage.mpiexec(ranks).options(options).args(arguments);
        let outcome = run.run(&program.binary);
        outcome.expect_success();
        let expected = vec![format!("{all} processors"); ranks];
        assert_eq!(outcome.sorted_lines(), expected, "{options:?}: {outcome}");
    }
}
