//! Questions that build systems ask a wrapper.

use super::flags::Flags;
use super::print_words;
use crate::VERSION;
use crate::error::LaunchError;
use std::ffi::{OsStr, OsString};

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    /// The whole command.
    Command,
    /// Compiler and flags for compiling.
    CompileCommand,
    /// Compiler and flags for linking.
    LinkCommand,
    /// Flags for compiling.
    CompileFlags,
    /// Flags for linking.
    LinkFlags,
    /// Directories of headers.
    IncludeDirs,
    /// Directories of libraries.
    LibDirs,
    /// Names of libraries.
    Libs,
    /// The compiler.
    Compiler,
    /// The version of this MPI.
    Version,
    /// The list of questions.
    Help,
}

/// The questions in the forms of MPICH and Open MPI.
const QUESTIONS: &[(&str, Query)] = &[
    ("-show", Query::Command),
    ("-showme", Query::Command),
    ("-compile_info", Query::CompileCommand),
    ("-compile-info", Query::CompileCommand),
    ("-link_info", Query::LinkCommand),
    ("-link-info", Query::LinkCommand),
    ("-showme:compile", Query::CompileFlags),
    ("-showme:link", Query::LinkFlags),
    ("-showme:incdirs", Query::IncludeDirs),
    ("-showme:libdirs", Query::LibDirs),
    ("-showme:libs", Query::Libs),
    ("-showme:command", Query::Compiler),
    ("-showme:version", Query::Version),
    ("-showme:help", Query::Help),
];

impl Query {
    /// The first question among the words.
    pub(super) fn find(words: &[OsString]) -> Option<Self> {
        words.iter().find_map(Self::of_word)
    }

    /// The question that a word asks, with one dash or two.
    fn of_word(word: &OsString) -> Option<Self> {
        let word = word.to_str()?;
        let word = if word.starts_with("--") { &word[1..] } else { word };
        QUESTIONS
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, query)| *query)
    }

    /// Whether the answer has flags, or parts of them.
    pub(super) fn is_about_flags(self) -> bool {
        !matches!(self, Self::Compiler | Self::Version | Self::Help)
    }

    /// Prints the answer.
    pub(super) fn answer(
        self,
        compiler: &[OsString],
        flags: &Flags,
        words: &[OsString],
    ) -> Result<(), LaunchError> {
        let words: Vec<_> = words
            .iter()
            .filter(|word| Self::of_word(word).is_none())
            .cloned()
            .collect();
        let answer = match self {
            // Alone, the question is about compiling and linking. Beside arguments it is about these.
            Self::Command if words.is_empty() => [compiler.to_vec(), flags.compile(), flags.link()].concat(),
            Self::Command => flags.command(compiler, &words),
            Self::CompileCommand => [compiler.to_vec(), flags.compile()].concat(),
            Self::LinkCommand => [compiler.to_vec(), flags.link()].concat(),
            Self::CompileFlags => flags.compile(),
            Self::LinkFlags => flags.link(),
            Self::IncludeDirs => words_of(&flags.include_dirs),
            Self::LibDirs => words_of(&flags.lib_dirs),
            Self::Libs => words_of(&flags.libraries),
            Self::Compiler => compiler.to_vec(),
            Self::Version => {
                println!("Simurgh {VERSION} (MPI 5.0 standard ABI)");
                return Ok(());
            }
            Self::Help => {
                println!(
                    "{}",
                    QUESTIONS
                        .iter()
                        .map(|(name, _)| *name)
                        .collect::<Vec<_>>()
                        .join("\n")
                );
                return Ok(());
            }
        };
        print_words(&answer)
    }
}

fn words_of(items: &[impl AsRef<OsStr>]) -> Vec<OsString> {
    items.iter().map(|item| item.as_ref().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn questions_have_one_dash_or_two() {
        assert_eq!(Query::find(&words("a.c -show")), Some(Query::Command));
        assert_eq!(Query::find(&words("--showme:link")), Some(Query::LinkFlags));
        assert_eq!(Query::find(&words("-shown a.c")), None);
    }
}
