use super::*;
use crate::error::ArgError;
use simurgh_settings::Id;
use std::ffi::OsStr;

fn parse_with(line: &str, environment: &[(&str, &str)]) -> Result<Request, ArgError> {
    parse(line.split_whitespace().map(OsString::from), |name: &OsStr| {
        environment
            .iter()
            .find(|(n, _)| name == *n)
            .map(|(_, value)| OsString::from(value))
    })
}

fn run(line: &str) -> Run {
    run_with(line, &[])
}

fn run_with(line: &str, environment: &[(&str, &str)]) -> Run {
    match parse_with(line, environment).unwrap() {
        Request::Run(run) => *run,
        other => panic!("{other:?}"),
    }
}

fn message(line: &str) -> String {
    parse_with(line, &[]).unwrap_err().to_string()
}

fn changes(section: &SectionArgs) -> Vec<String> {
    let show = |c: &EnvChange| format!("{}={}", c.name, c.value.as_ref().unwrap());
    section.env.iter().map(show).collect()
}

#[test]
fn every_spelling_of_a_long_option_works() {
    for line in ["-n 3 a", "-np 3 a", "--np 3 a", "-np=3 a", "--n=3 a", "-c 3 a"] {
        assert_eq!(run(line).sections[0].ranks, Some(3), "{line}");
    }
}

#[test]
fn arguments_of_the_program_are_left_alone() {
    let run = run("-n 2 prog -n 5 --vps x -l");
    assert_eq!(run.sections[0].command, ["prog", "-n", "5", "--vps", "x", "-l"]);
    assert_eq!(run.sections[0].ranks, Some(2));
}

#[test]
fn programs_are_separated_by_a_colon() {
    let run = run("-l -genv G 1 -n 2 -env A 1 a x : -np 3 -x B=2 b");
    assert_eq!(run.sections.len(), 2);
    assert_eq!(run.sections[0].command, ["a", "x"]);
    assert_eq!(run.sections[1].ranks, Some(3));
    assert_eq!(changes(&run.sections[0]), ["G=1", "A=1"]);
    assert_eq!(changes(&run.sections[1]), ["G=1", "B=2"]);
    assert!(run.settings.is_on(Id::TagOutput));
}

#[test]
fn sizes_and_times_have_units() {
    assert_eq!(
        run("--stack-size 512K a").settings.get(Id::StackSize),
        Some(512 << 10)
    );
    assert_eq!(
        run("--stack-size 64MiB a").settings.get(Id::StackSize),
        Some(64 << 20)
    );
    assert_eq!(run("--timeout 1.5 a").settings.get(Id::Timeout), Some(1500));
    assert!(message("--stack-size 12 a").contains("512K"));
    assert!(message("--stack-size 99999999999G a").contains("64G"));
    assert!(message("--timeout 0 a").contains("seconds"));
    assert!(message("--timeout nan a").contains("seconds"));
}

#[test]
fn the_environment_sets_what_the_command_line_does_not() {
    let environment = [
        ("MPIEXEC_TIMEOUT", "7"),
        ("SIMURGH_VPS", "4"),
        ("SIMURGH_STATS", "1"),
    ];
    let settings = run_with("--vps 2 a", &environment).settings;
    assert_eq!(settings.get(Id::Timeout), Some(7000));
    assert_eq!(settings.get(Id::Vps), Some(2));
    assert!(settings.is_on(Id::Stats));
    let error = parse_with("a", &[("SIMURGH_VPS", "many")])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("SIMURGH_VPS: \"many\" is not a number from 1 to 1024"),
        "{error}"
    );
}

#[test]
fn hosts_are_shared_out_and_started_as_asked() {
    let words = [
        "--hosts-per-node",
        "4",
        "--host-wrapper",
        "ip netns exec h{host}",
        "a",
    ];
    let Ok(Request::Run(run)) = parse(words.map(OsString::from), |_| None) else {
        panic!("a job");
    };
    assert_eq!(run.settings.get(Id::HostsPerNode), Some(4));
    assert_eq!(
        run.host_wrapper,
        HostWrapper::new("ip netns exec h{host}".as_ref())
    );
    assert!(message("--hosts-per-node 0 a").contains("from 1 to"));
}

#[test]
fn a_variable_without_value_is_taken_as_it_is() {
    let run = run_with("-x HERE -x GONE a", &[("HERE", "value")]);
    assert_eq!(changes(&run.sections[0]), ["HERE=value"]);
}

#[test]
fn unknown_options_name_their_nearest_neighbour() {
    assert!(message("--tag-ouput a").contains("did you mean --tag-output?"));
    assert!(message("--stacksize 1M a").contains("did you mean --stack-size?"));
    assert!(!message("--zzzzzz a").contains("did you mean"));
    assert!(message("--allow-run-as-root a").contains("leave it out"));
}

#[test]
fn incomplete_command_lines_say_what_is_missing() {
    assert_eq!(message(""), "no program to run");
    assert_eq!(
        message("-n 2 a :"),
        "no program to run: one is missing beside a `:`"
    );
    assert_eq!(message("-n"), "option -n needs N after it");
    assert_eq!(message("-env A"), "option -env needs VALUE after it");
    assert_eq!(message("-l=1 a"), "option -l takes no value");
    assert!(message("-n 0 a").contains("from 1 to"));
    assert!(message("-n 2 a : --vps 2 b").contains("before the first program"));
    assert!(message("--mode whim a").contains("auto, threads"));
    assert!(message("-env A=B 1 a").contains("name of an environment variable"));
}

#[test]
fn help_and_version_need_no_program() {
    assert_eq!(parse_with("-h", &[]).unwrap(), Request::Help);
    assert_eq!(parse_with("-n 2 --version", &[]).unwrap(), Request::Version);
    let text = help("mpirun");
    for option in options() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(&option.help)), "{option:?}");
    }
    assert!(text.lines().all(|line| line.len() <= 120));
}
