//! Arguments, environment, input, output and status between `mpiexec` and programs.

use std::process::Command;

use simurgh_testing::{Binary, Compile, Input, LIMIT, Outcome, Scratch, Stage, run};

fn plain() -> Binary {
    Compile::c("tests/c/launch_plain.c").build()
}

fn mpi_and_cwd() -> Binary {
    Compile::c("tests/c/launch_directory.c")
        .against(&Stage::locate())
        .build()
}

fn mpi(stage: &Stage) -> Binary {
    Compile::c("tests/c/launch_mpi.c").against(stage).build()
}

/// Runs mpiexec with these arguments; `@` stands for the program.
fn mpiexec(stage: &Stage, program: &Binary, words: &str) -> Outcome {
    let mut command = Command::new(stage.tool("mpiexec"));
    command.env("SIMURGH_MODE", "threads");
    for word in words.split_whitespace() {
        match word {
            "@" => command.arg(program.path()),
            _ => command.arg(word),
        };
    }
    run(&mut command, Input::Empty, LIMIT).unwrap()
}

#[test]
fn arguments_reach_the_program_as_they_are() {
    let outcome = Stage::locate()
        .mpiexec(2)
        .args(["", "a b", "-n", "'"])
        .run(&plain());
    for line in outcome.expect_success().stdout.lines() {
        assert!(line.ends_with("launch_plain,,a b,-n,'"), "{outcome}");
    }
    assert_eq!(outcome.stdout.lines().count(), 2);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn the_environment_is_passed_on_and_changed() {
    let (stage, program) = (Stage::locate(), plain());
    let show = |options: &[&str]| {
        let run = stage
            .mpiexec(1)
            .options(options)
            .env("SHOWN", "inherited")
            .args(["env", "SHOWN"]);
        run.run(&program).expect_success().stdout.clone()
    };
    assert_eq!(show(&[]), "SHOWN=inherited\n");
    assert_eq!(show(&["-x", "SHOWN=changed"]), "SHOWN=changed\n");
    assert_eq!(show(&["-env", "SHOWN", "changed"]), "SHOWN=changed\n");
    assert_eq!(
        show(&["-genv", "SHOWN", "all", "-env", "SHOWN", "one"]),
        "SHOWN=one\n"
    );
}

#[test]
fn internal_variables_do_not_reach_the_program() {
    let outcome = Stage::locate()
        .mpiexec(1)
        .args(["env", "SIMURGH_JOB_FD"])
        .run(&plain());
    assert_eq!(outcome.expect_success().stdout, "SIMURGH_JOB_FD=(unset)\n");
}

#[test]
fn rank_0_alone_reads_the_input() {
    let run = Stage::locate()
        .mpiexec(3)
        .options(["-l"])
        .args(["stdin"])
        .input("a\nb\nc\n");
    assert_eq!(
        run.run(&plain()).expect_success().sorted_lines(),
        ["[0] 3 lines", "[1] 0 lines", "[2] 0 lines"]
    );
}

#[test]
fn each_program_has_a_directory_of_its_own() {
    let (stage, program, scratch) = (Stage::locate(), mpi_and_cwd(), Scratch::new("wdir"));
    let here = scratch.path().canonicalize().unwrap();
    let there = here.join("there");
    std::fs::create_dir(&there).unwrap();
    for mode in ["threads", "processes"] {
        let words = [
            "-wdir", "HERE", "@", ":", "-n", "2", "-wdir", "THERE", "@", ":", "-wdir", "HERE", "@",
        ];
        let mut command = Command::new(stage.tool("mpiexec"));
        command.args(["--mode", mode]).args(words.map(|word| match word {
            "@" => program.path().as_os_str(),
            "HERE" => here.as_os_str(),
            "THERE" => there.as_os_str(),
            word => word.as_ref(),
        }));
        let outcome = run(&mut command, Input::Empty, LIMIT).unwrap();
        let (here, there) = (here.display(), there.display());
        assert_eq!(
            outcome.expect_success().sorted_lines(),
            [
                format!("0 of 4 in {here}"),
                format!("1 of 4 in {there}"),
                format!("2 of 4 in {there}"),
                format!("3 of 4 in {here}"),
            ]
        );
    }
}

#[test]
fn ranks_run_in_the_directory_that_is_asked_for() {
    let (stage, program, scratch) = (Stage::locate(), plain(), Scratch::new("wdir"));
    let wdir = scratch.path().canonicalize().unwrap().display().to_string();
    for option in ["-wdir", "--wd"] {
        let outcome = stage
            .mpiexec(2)
            .options([option, wdir.as_str()])
            .args(["cwd"])
            .run(&program);
        assert_eq!(
            outcome.expect_success().sorted_lines(),
            [wdir.as_str(), wdir.as_str()]
        );
    }
}

#[test]
fn several_programs_make_one_job() {
    let (stage, program) = (Stage::locate(), plain());
    let outcome = mpiexec(&stage, &program, "-l -n 2 -x A=1 @ env A : -n 1 -x A=2 @ env A");
    assert_eq!(
        outcome.expect_success().sorted_lines(),
        ["[0] A=1", "[1] A=1", "[2] A=2"]
    );
    let program = mpi(&stage);
    let outcome = mpiexec(&stage, &program, "-n 2 @ : -n 3 @");
    assert_eq!(outcome.expect_success().sorted_lines().len(), 5);
    assert!(outcome.stdout.contains("rank 4 of 5: sum 10\n"), "{outcome}");
}

#[test]
fn the_first_status_that_is_not_0_counts() {
    let (stage, program) = (Stage::locate(), plain());
    mpiexec(&stage, &program, "-n 2 @ exit 0 : -n 1 @ exit 3").expect_code(3);
    mpiexec(&stage, &program, "-n 2 @ exit 0").expect_code(0);
    mpiexec(&stage, &program, "-n 2 @ exit 256").expect_code(0);
}

#[test]
fn a_line_that_is_not_finished_is_passed_on_as_it_is() {
    let outcome = Stage::locate().mpiexec(1).args(["unfinished"]).run(&plain());
    assert!(
        outcome.expect_success().stdout.ends_with(",unfinished"),
        "{outcome}"
    );
}

#[test]
fn more_thread_local_storage_than_usual_is_provided() {
    let outcome = Stage::locate().mpiexec(3).args(["tls"]).run(&plain());
    assert_eq!(outcome.expect_success().stdout, "1 at 0\n1 at 0\n1 at 0\n");
}

#[test]
fn a_preloaded_tool_sees_the_calls_of_every_rank() {
    let stage = Stage::locate();
    let tool = Compile::c("tests/c/launch_tool.c")
        .flags(["-shared", "-fPIC"])
        .against(&stage)
        .build();
    let tool = tool.path().display().to_string();
    let program = mpi(&stage);
    for run in [
        stage.mpiexec(3).env("LD_PRELOAD", &tool),
        stage
            .mpiexec(3)
            .options(["-x".to_owned(), format!("LD_PRELOAD={tool}")]),
    ] {
        let outcome = run.run(&program);
        assert_eq!(
            outcome.expect_success().stdout.matches("tool: 1\n").count(),
            3,
            "{outcome}"
        );
    }
}

#[test]
fn statistics_are_printed_when_asked_for() {
    let (stage, program) = (Stage::locate(), plain());
    let asked = [
        stage.mpiexec(4).options(["--stats"]),
        stage.mpiexec(4).env("SIMURGH_STATS", "1"),
    ];
    for run in asked {
        let outcome = run.vps(1).run(&program);
        outcome
            .expect_success()
            .expect_stderr("statistics of 4 ranks on 1 virtual processors");
        outcome
            .expect_stderr("context switches")
            .expect_stderr(", ran for ")
            .expect_stderr("KiB per rank");
    }
}

#[test]
fn version_help_and_info_answer() {
    let stage = Stage::locate();
    let ask =
        |tool: &str, word: &str| run(Command::new(stage.tool(tool)).arg(word), Input::Empty, LIMIT).unwrap();
    assert!(
        ask("mpirun", "--version")
            .expect_success()
            .stdout
            .starts_with("mpirun (Simurgh) ")
    );
    assert!(
        ask("mpiexec", "-h")
            .expect_success()
            .stdout
            .contains("--stack-size")
    );
    assert!(
        ask("simurgh", "info")
            .expect_success()
            .stdout
            .contains("usable cores")
    );
    assert!(
        ask("simurgh", "--version")
            .expect_success()
            .stdout
            .starts_with("simurgh ")
    );
}
