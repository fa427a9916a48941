//! Parsing a command line.

use super::suggest::nearest;
use super::table::{Arity, FOREIGN, Id, OptionInfo, Scope, options};
use super::value::Value;
use super::{Request, Run, SectionArgs};
use crate::error::ArgError;
use crate::host_wrapper::HostWrapper;
use simurgh_net::job::EnvChange;
use simurgh_settings::Id::StackSize;
use simurgh_settings::Origin;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Parses a command line without `argv[0]`. `environment` returns the value of a variable.
///
/// # Errors
///
/// When it cannot be understood.
pub fn parse(
    words: impl IntoIterator<Item = OsString>,
    environment: impl Fn(&OsStr) -> Option<OsString>,
) -> Result<Request, ArgError> {
    let mut parser = Parser {
        run: Run::default(),
        all_env: Vec::new(),
        environment: &environment,
    };
    let mut words: VecDeque<OsString> = words.into_iter().collect();
    loop {
        match parser.section(&mut words)? {
            Step::Answer(request) => return Ok(request),
            Step::Another => {}
            Step::End => break,
        }
    }
    parser.finish()
}

/// The result of reading one program.
enum Step {
    /// The user wants information, not a job.
    Answer(Request),
    /// A `:` follows.
    Another,
    /// The command line is read.
    End,
}

struct Parser<'a> {
    run: Run,
    all_env: Vec<EnvChange>,
    environment: &'a dyn Fn(&OsStr) -> Option<OsString>,
}

impl Parser<'_> {
    /// Reads the options of one program, the program and its arguments.
    fn section(&mut self, words: &mut VecDeque<OsString>) -> Result<Step, ArgError> {
        let mut section = SectionArgs {
            command: Vec::new(),
            ranks: None,
            env: Vec::new(),
            wdir: None,
        };
        while let Some(word) = words.front().filter(|word| is_option(word)) {
            let word = word.clone();
            words.pop_front();
            if word == "--" {
                break;
            }
            if let Some(answer) = self.option(&word, words, &mut section)? {
                return Ok(Step::Answer(answer));
            }
        }
        let mut separated = false;
        while let Some(word) = words.pop_front() {
            if word == ":" {
                separated = true;
                break;
            }
            section.command.push(word);
        }
        if section.command.is_empty() {
            let several = separated || !self.run.sections.is_empty();
            let place = several.then_some(": one is missing beside a `:`");
            return Err(ArgError::NoProgram { place });
        }
        self.run.sections.push(section);
        Ok(if separated { Step::Another } else { Step::End })
    }

    /// Reads one option and what follows it.
    fn option(
        &mut self,
        word: &OsStr,
        words: &mut VecDeque<OsString>,
        section: &mut SectionArgs,
    ) -> Result<Option<Request>, ArgError> {
        let (shown, name, inline) = split(word);
        let option = lookup(&shown, &name)?;
        let job_wide = option.scope == Scope::Job && option.id != Id::GlobalEnv;
        if job_wide && !self.run.sections.is_empty() {
            return Err(ArgError::Late { option: shown });
        }
        match &option.arity {
            Arity::Flag if inline.is_some() => Err(ArgError::UnwantedValue { option: shown }),
            Arity::Flag => self.flag(option.id, &shown),
            Arity::One(needs) => {
                let text = match inline {
                    Some(value) => value,
                    None => next(words, &shown, needs)?,
                };
                self.value(
                    option.id,
                    &Value {
                        origin: &format!("option {shown}"),
                        text: &text,
                    },
                    section,
                )?;
                Ok(None)
            }
            Arity::Two(first, second) => {
                let name = match inline {
                    Some(value) => value,
                    None => next(words, &shown, first)?,
                };
                let value = next(words, &shown, second)?;
                let change = Value {
                    origin: &format!("option {shown}"),
                    text: &name,
                }
                .variable(&name, &value)?;
                match option.id {
                    Id::GlobalEnv => self.all_env.push(change),
                    _ => section.env.push(change),
                }
                Ok(None)
            }
        }
    }

    fn flag(&mut self, id: Id, shown: &str) -> Result<Option<Request>, ArgError> {
        match id {
            Id::Help => return Ok(Some(Request::Help)),
            Id::Version => return Ok(Some(Request::Version)),
            Id::Setting(setting, Some(value)) => {
                let origin = Origin::Given(format!("option {shown}"));
                self.run.settings.set(setting, value, origin)?;
            }
            _ => {}
        }
        Ok(None)
    }

    /// Takes the value of an option for one program or for the job.
    fn value(&mut self, id: Id, value: &Value<'_>, section: &mut SectionArgs) -> Result<(), ArgError> {
        match id {
            Id::Ranks => section.ranks = Some(value.ranks()?),
            Id::Wdir => section.wdir = Some(PathBuf::from(value.text)),
            Id::Export => section.env.extend(value.assignment(self.environment)?),
            Id::HostWrapper => self.run.host_wrapper = HostWrapper::new(value.text),
            Id::Setting(setting, _) => self.run.settings.read(setting, value.origin, value.text)?,
            Id::Place(place) => value.place(place, &mut self.run.nodes)?,
            Id::Env | Id::GlobalEnv | Id::Help | Id::Version => {}
        }
        Ok(())
    }

    /// Adds the settings of the environment that the command line does not make.
    fn finish(mut self) -> Result<Request, ArgError> {
        let settings = &mut self.run.settings;
        settings.read_environment(self.environment)?;
        if !settings.is_given(StackSize) {
            settings.set(StackSize, stack_limit(), Origin::Preset)?;
        }
        for section in &mut self.run.sections {
            section.env.splice(..0, self.all_env.iter().cloned());
        }
        Ok(Request::Run(Box::new(self.run)))
    }
}

/// Largest stack that is taken from `ulimit -s`, also if that is unlimited: each rank needs address space for it.
const DEFAULT_STACK_CEILING: u64 = 64 << 20;

/// The soft limit on the stack of a process. Users raise it for programs that need more.
pub(crate) fn stack_limit() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    let least = *StackSize.setting().kind.range().start();
    limit
        .unwrap_or(DEFAULT_STACK_CEILING)
        .clamp(least, DEFAULT_STACK_CEILING)
}

fn is_option(word: &OsStr) -> bool {
    word.as_bytes().first() == Some(&b'-') && word.len() > 1
}

/// An option as written, its bare name, and the value after `=`.
fn split(word: &OsStr) -> (String, String, Option<OsString>) {
    let bytes = word.as_bytes();
    let end = bytes.iter().position(|&b| b == b'=').unwrap_or(bytes.len());
    let shown = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let name = shown
        .strip_prefix("--")
        .or(shown.strip_prefix('-'))
        .unwrap_or(&shown)
        .to_owned();
    let inline = bytes
        .get(end + 1..)
        .map(|value| OsString::from_vec(value.to_vec()));
    (shown, name, inline)
}

fn lookup(shown: &str, name: &str) -> Result<&'static OptionInfo, ArgError> {
    if let Some(option) = options().iter().find(|option| option.names.contains(&name)) {
        return Ok(option);
    }
    if let Some((_, reason)) = FOREIGN.iter().find(|(names, _)| names.contains(&name)) {
        return Err(ArgError::Foreign {
            option: shown.to_owned(),
            reason,
        });
    }
    Err(ArgError::Unknown {
        option: shown.to_owned(),
        nearest: nearest(name),
    })
}

fn next(words: &mut VecDeque<OsString>, option: &str, needs: &str) -> Result<OsString, ArgError> {
    words
        .pop_front()
        .filter(|word| word != ":")
        .ok_or_else(|| ArgError::MissingValue {
            option: option.to_owned(),
            needs: needs.to_owned(),
        })
}
