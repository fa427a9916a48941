//! The help text.

use super::suggest::dashed;
use super::table::{Arity, Scope, options};
use std::fmt::Write;

/// The help text of the launcher, which is called `tool`.
pub fn help(tool: &str) -> String {
    let mut text = format!(
        "Runs MPI programs.\n\n\
         Usage: {tool} [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...\n"
    );
    for (scope, title) in [
        (Scope::Program, "For each program"),
        (Scope::Job, "For the whole job"),
    ] {
        let _ = writeln!(text, "\n{title}:");
        for option in options().iter().filter(|option| option.scope == scope) {
            let names: Vec<_> = option.names.iter().map(|name| dashed(name)).collect();
            let values = match &option.arity {
                Arity::Flag => String::new(),
                Arity::One(value) => format!(" {value}"),
                Arity::Two(first, second) => format!(" {first} {second}"),
            };
            let head = format!("{}{values}", names.join(", "));
            describe(&mut text, &head, &option.help);
            if !option.variables.is_empty() {
                let _ = writeln!(text, "  {:<26} (also by {})", "", option.variables.join(", "));
            }
        }
    }
    text.push_str(
        "\nRank 0 reads the standard input; the environment is passed on; the exit status is that of the first rank\n\
         that fails, 128+N if a signal N ends it. LD_PRELOAD is applied to the ranks, not to the launcher's process.\n\
         `simurgh check PROGRAM` tells whether a program can run, `simurgh info` shows machine and settings.\n",
    );
    text
}

/// The column in which the descriptions of options begin.
const INDENT: usize = 29;
/// Longest line.
const WIDTH: usize = 120;

/// Adds an option and its description, in as many lines as it needs.
fn describe(text: &mut String, head: &str, description: &str) {
    let mut line = format!("  {head:<26}");
    if line.len() >= INDENT {
        let _ = writeln!(text, "{line}");
        line = " ".repeat(INDENT - 1);
    }
    for word in description.split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = " ".repeat(INDENT - 1);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
}
