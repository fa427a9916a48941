//! From words to a request.

use super::suggest::{dashed, nearest};
use super::table::{Arity, FOREIGN, Id, OPTIONS, OptionInfo, Scope};
use super::value::Value;
use super::{ArgError, Request, Run, SectionArgs};
use simurgh_net::job::{EnvChange, MAX_RANKS, Output, Settings};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Understands a command line (without `argv[0]`), with the environment it was given in.
pub fn parse(
    words: impl IntoIterator<Item = OsString>,
    environment: impl Fn(&OsStr) -> Option<OsString>,
) -> Result<Request, ArgError> {
    let mut parser = Parser {
        run: Run::default(),
        all_env: Vec::new(),
        given: Vec::new(),
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

/// What reading one program led to.
enum Step {
    /// The user wants an answer, not a job.
    Answer(Request),
    /// A `:` follows.
    Another,
    /// The command line is read.
    End,
}

struct Parser<'a> {
    run: Run,
    all_env: Vec<EnvChange>,
    given: Vec<Id>,
    environment: &'a dyn Fn(&OsStr) -> Option<OsString>,
}

impl Parser<'_> {
    /// Reads the options of one program, the program and its arguments.
    fn section(&mut self, words: &mut VecDeque<OsString>) -> Result<Step, ArgError> {
        let mut section = SectionArgs {
            command: Vec::new(),
            ranks: 1,
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
        self.given.push(option.id);
        match option.arity {
            Arity::Flag if inline.is_some() => Err(ArgError::UnwantedValue { option: shown }),
            Arity::Flag => Ok(self.flag(option.id)),
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

    fn flag(&mut self, id: Id) -> Option<Request> {
        match id {
            Id::Help => return Some(Request::Help),
            Id::Version => return Some(Request::Version),
            Id::Tag => self.run.output = Output::Tagged,
            _ => self.run.settings.stats = true,
        }
        None
    }

    /// Takes the value of an option for one program or for the job.
    fn value(&mut self, id: Id, value: &Value<'_>, section: &mut SectionArgs) -> Result<(), ArgError> {
        match id {
            Id::Ranks => section.ranks = value.count("ranks", MAX_RANKS)?,
            Id::Wdir => section.wdir = Some(PathBuf::from(value.text)),
            Id::Export => section.env.extend(value.assignment(self.environment)?),
            _ => self.setting(id, value)?,
        }
        Ok(())
    }

    /// Takes the value of an option that an environment variable may set as well.
    fn setting(&mut self, id: Id, value: &Value<'_>) -> Result<(), ArgError> {
        let settings = &mut self.run.settings;
        match id {
            Id::Mode => self.run.mode = value.mode()?,
            Id::Vps => settings.vps = Some(value.count("virtual processors", Settings::MAX_VPS)?),
            Id::StackSize => settings.stack_size = value.stack_size()?,
            Id::Policy => settings.policy = value.policy()?,
            Id::Seed => settings.seed = Some(value.number()?),
            Id::Timeout => settings.timeout_ms = Some(value.milliseconds()?),
            Id::Tag if value.flag()? => self.run.output = Output::Tagged,
            Id::Stats => settings.stats = value.flag()?,
            _ => {}
        }
        Ok(())
    }

    /// Adds what the environment says where the command line is silent.
    fn finish(mut self) -> Result<Request, ArgError> {
        if !self.given.contains(&Id::StackSize) {
            self.run.settings.stack_size = stack_limit();
        }
        let environment = self.environment;
        for option in OPTIONS {
            let set = option
                .variables
                .iter()
                .map(|&name| (name, environment(OsStr::new(name)).unwrap_or_default()));
            let first = set.into_iter().find(|(_, text)| !text.is_empty());
            if let Some((origin, text)) = first.filter(|_| !self.given.contains(&option.id)) {
                self.setting(option.id, &Value { origin, text: &text })?;
            }
        }
        for section in &mut self.run.sections {
            section.env.splice(..0, self.all_env.iter().cloned());
        }
        Ok(Request::Run(Box::new(self.run)))
    }
}

/// Largest stack taken from `ulimit -s` (also if that is unlimited): it is address space for each rank.
const DEFAULT_STACK_CEILING: u64 = 64 << 20;

/// The soft limit on the stack of a process, which users set for programs that need more.
fn stack_limit() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    limit
        .unwrap_or(DEFAULT_STACK_CEILING)
        .clamp(Settings::MIN_STACK, DEFAULT_STACK_CEILING)
}

fn is_option(word: &OsStr) -> bool {
    word.as_bytes().first() == Some(&b'-') && word.len() > 1
}

/// An option as written, its bare name, and what follows `=`.
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
    if let Some(option) = OPTIONS.iter().find(|option| option.names.contains(&name)) {
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

/// All names of an option with their dashes, for `simurgh info`.
pub fn option_names(option: &OptionInfo) -> String {
    option
        .names
        .iter()
        .map(|name| dashed(name))
        .collect::<Vec<_>>()
        .join(", ")
}
