//! The job description of programs that running ranks spawn.
//!
//! The programs run as those of the command line do, with the environment of `mpiexec`. Unknown info keys are ignored,
//! as MPI wants it.

use super::partition;
use super::{section, working_directory};
use crate::args::SectionArgs;
use crate::error::LaunchError;
use crate::nodes::{NodeChoice, NodePool, RankBlock};
use crate::program;
use simurgh_net::control::Command;
use simurgh_net::encoding::Text;
use simurgh_net::job::{JobSpec, Origin};
use simurgh_settings::Id;
use std::path::Path;

/// Describes programs that ranks spawn. `first` is the job of the command line, and `pool` has the nodes to which they
/// go.
///
/// # Errors
///
/// When a program cannot be found or run, or an info key has a wrong value.
pub(crate) fn describe(
    first: &JobSpec,
    pool: &NodePool,
    commands: &[Command],
    origin: Origin,
) -> Result<JobSpec, LaunchError> {
    let args: Vec<_> = commands.iter().map(arguments).collect::<Result<_, _>>()?;
    let mut settings = first.settings.clone();
    for command in commands {
        if let Some(handler) = hint(command, "mpi_initial_errhandler") {
            settings.read(
                Id::InitialErrhandler,
                "info key mpi_initial_errhandler",
                handler.as_os_str(),
            )?;
        }
    }
    let mut sections = Vec::new();
    for (mut args, command) in args.into_iter().zip(commands) {
        let wdir = working_directory(&args)?;
        look_in(&mut args, command, &wdir)?;
        sections.push(section(&args, &wdir, args.ranks.unwrap_or(1), &settings)?);
    }
    let mut spec = JobSpec {
        sections,
        hosts: Vec::new(),
        settings,
        origin,
        ..first.clone()
    };
    let most = spec.settings.get(Id::HostsPerNode).unwrap_or(1);
    let most = u32::try_from(most).unwrap_or(1);
    spec.hosts = partition::hosts_of_blocks(&spec.sections, &places(&spec, pool, commands)?, most);
    Ok(spec)
}

/// The nodes of the ranks. Unless info keys choose nodes for some of the programs, all ranks are placed together, as
/// those of a command line.
fn places(spec: &JobSpec, pool: &NodePool, commands: &[Command]) -> Result<Vec<RankBlock>, LaunchError> {
    if commands.iter().all(|command| choice(command).is_none()) {
        return Ok(pool.blocks(spec.total_ranks()?, None)?);
    }
    let mut runs = Vec::new();
    for (section, command) in spec.sections.iter().zip(commands) {
        runs.extend(pool.blocks(section.ranks, choice(command))?);
    }
    Ok(runs)
}

/// The nodes that info keys choose.
fn choice(command: &Command) -> Option<NodeChoice> {
    if let Some(list) = hint(command, "host") {
        return Some(NodeChoice::List(list.to_string()));
    }
    let file = hint(command, "hostfile").or_else(|| hint(command, "file"));
    file.map(|file| NodeChoice::File(file.as_path().to_path_buf()))
}

/// A command in the form of one of the command line.
fn arguments(command: &Command) -> Result<SectionArgs, LaunchError> {
    let words = std::iter::once(&command.program).chain(&command.arguments);
    Ok(SectionArgs {
        command: words.map(|word| word.as_os_str().to_owned()).collect(),
        ranks: Some(number(command)?),
        env: Vec::new(),
        wdir: hint(command, "wdir").map(|wdir| wdir.as_path().to_path_buf()),
    })
}

/// Looks for a program in the directories that the info key `path` names.
fn look_in(args: &mut SectionArgs, command: &Command, wdir: &Path) -> Result<(), LaunchError> {
    if let Some(path) = hint(command, "path") {
        let found = program::find(&args.command[0], wdir, Some(path.as_os_str()));
        args.command[0] = found?.into_os_string();
    }
    Ok(())
}

/// The value of an info key; the last one counts.
fn hint<'a>(command: &'a Command, key: &str) -> Option<&'a Text> {
    let mut all = command.info.iter().rev();
    all.find(|(known, _)| known.as_os_str() == key)
        .map(|(_, value)| value)
}

/// How many ranks run a command: as many as are asked for, or the largest number that the info key `soft` allows.
fn number(command: &Command) -> Result<u32, LaunchError> {
    let Some(soft) = hint(command, "soft") else {
        return Ok(command.processes);
    };
    let most = command.processes;
    let text = soft.to_string();
    let numbers = text.split(',').map(|item| largest(item, most));
    let numbers: Option<Vec<_>> = numbers.collect();
    let best = numbers.and_then(|numbers| numbers.into_iter().flatten().max());
    best.filter(|&number| number > 0)
        .ok_or_else(|| LaunchError::Soft {
            soft: text.clone(),
            most,
        })
}

/// The largest number up to `most` of an item `a`, `a:b` or `a:b:c`. The outer option is none if the text is no such
/// item, the inner one if no number of it is small enough.
fn largest(item: &str, most: u32) -> Option<Option<u32>> {
    let words: Option<Vec<i64>> = item.split(':').map(|word| word.trim().parse().ok()).collect();
    let (from, to, step) = match words?[..] {
        [only] => (only, only, 1),
        [from, to] => (from, to, 1),
        [from, to, step] if step != 0 => (from, to, step),
        _ => return None,
    };
    let most = i64::from(most);
    let steps = to.checked_sub(from)?.checked_div(step)?;
    if steps < 0 {
        return Some(None);
    }
    // The index of the largest number that is small enough, from either end of the sequence.
    let wanted = if step > 0 {
        most.checked_sub(from)?.div_euclid(step).min(steps)
    } else {
        from.checked_sub(most)?
            .max(0)
            .checked_add(-step - 1)?
            .checked_div(-step)?
    };
    let found = (0..=steps).contains(&wanted).then(|| from + wanted * step);
    Some(
        found
            .and_then(|number| u32::try_from(number).ok())
            .filter(|&number| i64::from(number) <= most),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(processes: u32, soft: &str) -> Result<u32, String> {
        let text = |word: &str| Text::new(word).unwrap();
        let command = Command {
            program: text("a"),
            arguments: Vec::new(),
            processes,
            info: vec![(text("soft"), text(soft))],
        };
        number(&command).map_err(|error| error.to_string())
    }

    #[test]
    fn the_largest_number_that_will_do_is_started() {
        assert_eq!(wanted(5, "1,3,8"), Ok(3));
        assert_eq!(wanted(5, "0:10"), Ok(5));
        assert_eq!(wanted(9, "2:10:4"), Ok(6));
        assert_eq!(wanted(9, "10:1:-4"), Ok(6));
        assert_eq!(wanted(2, "2:10:4,1"), Ok(2));
        assert_eq!(wanted(4, "7:1:-1"), Ok(4));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        for soft in ["8", "10:20", "x", "1:2:0", "0", ""] {
            assert!(wanted(5, soft).unwrap_err().contains("soft"), "{soft}");
        }
    }
}
