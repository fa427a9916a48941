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
            let _ = writeln!(
                text,
                "  {:<26} {}",
                format!("{}{values}", names.join(", ")),
                option.help
            );
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
