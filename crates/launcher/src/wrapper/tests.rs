use super::*;
use std::path::PathBuf;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn command(line: &str) -> String {
    let flags = Flags::of(&Installation::at(PathBuf::from("/p")));
    let command = flags.command(&words("cc"), &words(line));
    command
        .iter()
        .map(|word| word.to_str().unwrap())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn linking_flags_are_there_only_when_linking() {
    let link = " -L/p/lib -Wl,-rpath,/p/lib -lmpi_abi";
    assert_eq!(command("a.c -o a"), format!("cc -I/p/include a.c -o a{link}"));
    assert_eq!(command("a.o"), format!("cc -I/p/include a.o{link}"));
    assert_eq!(command("-x c -"), format!("cc -I/p/include -x c -{link}"));
    for line in ["-c a.c", "-E a.c", "--version", "-v", "a.c -MM", "-o a"] {
        assert_eq!(command(line), format!("cc -I/p/include {line}"));
    }
}

#[test]
fn questions_have_one_dash_or_two() {
    assert_eq!(Query::find(&words("a.c -show")), Some(Query::Command));
    assert_eq!(Query::find(&words("--showme:link")), Some(Query::LinkFlags));
    assert_eq!(Query::find(&words("-shown a.c")), None);
}

#[test]
fn the_compiler_is_chosen_by_option_then_environment() {
    let (chosen, rest) = compiler::take_choice(Language::C, words("-cc=clang a.c"));
    assert_eq!((chosen, rest), (Some(words("clang")), words("a.c")));
    let environment = |name: &str| (name == "MPICH_CC").then(|| OsString::from("ccache gcc"));
    assert_eq!(
        compiler::from_environment(Language::C, environment).unwrap(),
        words("ccache gcc")
    );
    let error = compiler::from_environment(Language::Cxx, |_| None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("SIMURGH_CXX"), "{error}");
}

#[test]
fn printed_words_are_quoted_for_a_shell() {
    let mut line = Vec::new();
    quote(b"-DX=\"it's\"", &mut line);
    assert_eq!(line, b"'-DX=\"it'\\''s\"'");
}
