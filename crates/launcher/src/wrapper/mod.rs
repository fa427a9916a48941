//! The compiler wrappers `mpicc`, `mpicxx` and `mpifort`: the user's compiler with the flags for this installation.
//!
//! Programs in C and C++ need one include directory, one library, and no preparation. So a wrapper only adds flags. In
//! Fortran the modules besides have to be compiled by the user's compiler, which `fortran` does once. A wrapper also
//! answers the questions by which CMake's FindMPI, meson and configure scripts find an MPI.

mod compiler;
mod flags;
mod fortran;
mod query;

pub use compiler::Language;

use crate::error::LaunchError;
use crate::installation::Installation;
use flags::Flags;
use fortran::integers;
use query::Query;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Answers a question, or replaces this process by the compiler.
///
/// # Errors
///
/// When there is no compiler, or it cannot be started.
pub fn run(language: Language, words: Vec<OsString>) -> Result<(), LaunchError> {
    let installation = Installation::of_this_tool()?;
    let (chosen, words) = compiler::take_choice(language, words);
    let compiler = match chosen {
        Some(compiler) => compiler,
        None => compiler::from_environment(language, |name| std::env::var_os(name))?,
    };
    let query = Query::find(&words);
    let flags = match language {
        Language::Fortran if query.is_none_or(Query::is_about_flags) => {
            Flags::of_fortran(&installation, fortran::modules(&installation, &compiler)?)
        }
        _ => Flags::of(&installation),
    };
    if let Some(query) = query {
        return query.answer(&compiler, &flags, &words);
    }
    let command = flags.command(&compiler, &words);
    if language == Language::Fortran
        && let Some(option) = integers::enlarging_option(&words)
    {
        return integers::compile(&command, option);
    }
    let source = process(&command).exec();
    Err(not_started(&command, source))
}

/// The compiler's process.
fn process(command: &[OsString]) -> Command {
    let mut process = Command::new(&command[0]);
    process.args(&command[1..]);
    process
}

/// The error of a compiler that cannot be started.
fn not_started(command: &[OsString], source: std::io::Error) -> LaunchError {
    let compiler = command[0].to_string_lossy().into_owned();
    LaunchError::Compiler { compiler, source }
}

/// Prints words, quoted so that a shell reads the same words.
fn print_words(words: &[OsString]) -> Result<(), LaunchError> {
    let mut line = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        quote(word.as_bytes(), &mut line);
    }
    line.push(b'\n');
    std::io::stdout().write_all(&line).map_err(LaunchError::Output)
}

fn quote(word: &[u8], line: &mut Vec<u8>) {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_=+,./:@%".contains(b);
    if !word.is_empty() && word.iter().all(plain) {
        line.extend_from_slice(word);
        return;
    }
    line.push(b'\'');
    for &byte in word {
        match byte {
            b'\'' => line.extend_from_slice(b"'\\''"),
            _ => line.push(byte),
        }
    }
    line.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_words_are_quoted_for_a_shell() {
        let mut line = Vec::new();
        quote(b"-DX=\"it's\"", &mut line);
        assert_eq!(line, b"'-DX=\"it'\\''s\"'");
    }
}
