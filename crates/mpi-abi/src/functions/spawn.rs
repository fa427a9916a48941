//! Dynamic processes: starting programs from running ranks.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use simurgh_mpi::{Comm, ErrorClass, Info};
use simurgh_mpi_abi_macros::mpi;
use simurgh_net::control::Command;
use simurgh_net::encoding::Text;

use super::comm::release;
use super::comm_create::give_out;
use crate::arguments::{self, Array, ArrayMut, InOut, Out};
use crate::constants::*;
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{Rank, handle_of};
use crate::types::{MPI_Comm, MPI_Info};

/// The strings of a list that ends in a null pointer. A null pointer instead of the list means no strings.
fn strings(list: *mut *mut c_char) -> ResultOf<Vec<Text>> {
    let mut strings = Vec::new();
    let mut place = list;
    while !place.is_null() {
        // SAFETY:
        // - the program passed a list of strings that ends in a null pointer, which has not been reached.
        let string = unsafe { *place };
        if string.is_null() {
            break;
        }
        // SAFETY:
        // - the strings of the list end in a null byte.
        strings.push(text(unsafe { CStr::from_ptr(string) }.to_bytes())?);
        // SAFETY:
        // - the list goes on behind an entry that is no null pointer.
        place = unsafe { place.add(1) };
    }
    Ok(strings)
}

/// A word of a command, for the launcher.
fn text(bytes: &[u8]) -> ResultOf<Text> {
    let text = Text::new(OsStr::from_bytes(bytes));
    text.ok_or_else(|| CallError::new(ErrorClass::Spawn, "a word of the command contains a NUL byte"))
}

/// The program that the caller means. A caller that names its own executable by a link in `/proc`, or names the
/// executable of the host that it lives in, means the program that it runs.
fn resolve_program<'a>(rank: Rank<'_>, program: &'a [u8]) -> Cow<'a, [u8]> {
    let own = format!("/proc/{}/exe", std::process::id());
    let is_link = [b"/proc/self/exe", own.as_bytes()].contains(&program);
    let is_own = || std::env::current_exe().is_ok_and(|own| own.as_os_str().as_bytes() == program);
    match rank.process.launch() {
        Some(launch) if is_link || is_own() => Cow::Owned(launch.program.as_os_str().as_bytes().to_vec()),
        _ => Cow::Borrowed(program),
    }
}

/// A command for the launcher.
fn command(
    rank: Rank<'_>,
    program: &[u8],
    arguments: *mut *mut c_char,
    maxprocs: c_int,
    info: Info,
) -> ResultOf<Command> {
    let program = &*resolve_program(rank, program);
    let processes = u32::try_from(maxprocs).ok().filter(|&processes| processes > 0);
    let processes = processes.ok_or_else(|| {
        let reason = format!("maxprocs is {maxprocs}: at least one process is to be started");
        CallError::new(ErrorClass::Arg, reason)
    })?;
    if program.is_empty() {
        return Err(CallError::new(
            ErrorClass::Arg,
            "command is empty: it is the name of a program",
        ));
    }
    let hints = info.iter().map(|(key, value)| Ok((text(key)?, text(value)?)));
    Ok(Command {
        program: text(program)?,
        arguments: strings(arguments)?,
        processes,
        info: hints.collect::<ResultOf<_>>()?,
    })
}

/// Starts the commands of the root, and stores an error code for each process that was wanted.
fn spawn(
    rank: Rank<'_>,
    (comm, root): (&Arc<Comm>, c_int),
    commands: impl FnOnce() -> ResultOf<Vec<Command>>,
    intercomm: Out<MPI_Comm>,
    mut errcodes: ArrayMut<c_int>,
) -> Outcome {
    intercomm.check("intercomm")?;
    let ignored = errcodes.is_special(MPI_ERRCODES_IGNORE);
    let mut wanted = Vec::new();
    let commands = || {
        let commands = commands()?;
        wanted = commands
            .iter()
            .map(|command| command.processes as usize)
            .collect();
        Ok(commands)
    };
    let spawned = comm.spawn(root, commands);
    let (started, failure) = match &spawned {
        Ok(spawned) => (
            spawned.processes.iter().map(|&number| number as usize).collect(),
            MPI_ERR_SPAWN,
        ),
        Err(error) => (vec![0; wanted.len()], error.code().number()),
    };
    if !ignored {
        let codes = each(&started, &wanted, failure);
        errcodes
            .slice("array_of_errcodes", codes.len())?
            .copy_from_slice(&codes);
    }
    give_out(rank, Some(spawned?.comm), intercomm)
}

/// An error code for each process. `started` and `wanted` have the number of processes by command. A rank that does not
/// know how many were wanted takes those that have been started for all.
fn each(started: &[usize], wanted: &[usize], failure: c_int) -> Vec<c_int> {
    let wanted = if wanted.is_empty() { started } else { wanted };
    let of_command = |(&started, &wanted): (&usize, &usize)| {
        let good = std::iter::repeat_n(MPI_SUCCESS, started);
        good.chain(std::iter::repeat_n(failure, wanted.saturating_sub(started)))
    };
    started.iter().zip(wanted).flat_map(of_command).collect()
}

/// `MPI_Comm_spawn`: starts processes of a program, and makes an inter-communicator with them.
#[mpi(raises = comm)]
fn comm_spawn(
    rank: Rank<'_>,
    command: arguments::Text,
    argv: ArrayMut<*mut c_char>,
    maxprocs: c_int,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: Out<MPI_Comm>,
    array_of_errcodes: ArrayMut<c_int>,
) -> Outcome {
    let commands = || {
        let hints = rank.hints(info)?;
        Ok(vec![self::command(
            rank,
            command.bytes("command")?,
            argv.address(),
            maxprocs,
            hints,
        )?])
    };
    spawn(
        rank,
        (rank.comm(comm)?, root),
        commands,
        intercomm,
        array_of_errcodes,
    )
}

/// `MPI_Comm_spawn_multiple`: starts several programs as one world.
#[mpi(raises = comm)]
fn comm_spawn_multiple(
    rank: Rank<'_>,
    count: c_int,
    mut array_of_commands: ArrayMut<*mut c_char>,
    mut array_of_argv: ArrayMut<*mut *mut c_char>,
    array_of_maxprocs: Array<c_int>,
    array_of_info: Array<MPI_Info>,
    root: c_int,
    comm: MPI_Comm,
    intercomm: Out<MPI_Comm>,
    array_of_errcodes: ArrayMut<c_int>,
) -> Outcome {
    let commands = || {
        let number = usize::try_from(count).ok().filter(|&number| number > 0);
        let number = number.ok_or_else(|| {
            CallError::new(
                ErrorClass::Arg,
                format!("count is {count}: at least one command is to be started"),
            )
        })?;
        let programs = array_of_commands.slice("array_of_commands", number)?;
        let arguments = match array_of_argv.is_special(MPI_ARGVS_NULL) {
            true => vec![MPI_ARGV_NULL; number],
            false => array_of_argv.slice("array_of_argv", number)?.to_vec(),
        };
        let maxprocs = array_of_maxprocs.slice("array_of_maxprocs", number)?;
        let infos = array_of_info.slice("array_of_info", number)?;
        let mut commands = Vec::new();
        for index in 0..number {
            let program = programs[index];
            let program = match program.is_null() {
                true => &[],
                // SAFETY:
                // - the program passed strings that end in a null byte.
                false => unsafe { CStr::from_ptr(program) }.to_bytes(),
            };
            let hints = rank.hints(infos[index])?;
            commands.push(command(rank, program, arguments[index], maxprocs[index], hints)?);
        }
        Ok(commands)
    };
    spawn(
        rank,
        (rank.comm(comm)?, root),
        commands,
        intercomm,
        array_of_errcodes,
    )
}

/// `MPI_Comm_get_parent`: the inter-communicator with the parents, or the null handle.
#[mpi]
fn comm_get_parent(rank: Rank<'_>, parent: Out<MPI_Comm>) -> Outcome {
    parent.check("parent")?;
    let handle = match rank.process.comm_parent()? {
        Some(comm) => {
            let mut known = rank.tables.parent.lock();
            match *known {
                Some(handle) => handle,
                None => *known.insert(MPI_Comm(handle_of(&rank.tables.comms, comm)?)),
            }
        }
        None => MPI_COMM_NULL,
    };
    parent.set("parent", handle)
}

/// `MPI_Comm_disconnect`: frees the communicator when all its ranks do so and nothing is under way on it.
#[mpi]
fn comm_disconnect(rank: Rank<'_>, comm: InOut<MPI_Comm>) -> Outcome {
    release(rank, comm, "disconnected", |comm| Ok(comm.disconnect()?))
}
