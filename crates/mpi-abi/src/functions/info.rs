//! Info objects.

use std::ffi::{CStr, c_char, c_int};

use simurgh_core::sync::SpinLock;
use simurgh_mpi::{ErrorClass, Info};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{ArrayMut, InOut, Out, Text, TextOut, count_of};
use crate::constants::{MPI_INFO_NULL, MPI_MAX_INFO_KEY};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{Rank, handle_of, info_env};
use crate::types::MPI_Info;

/// Stores the handle of a new info object.
pub(super) fn give_out(rank: Rank<'_>, made: Info, info: Out<MPI_Info>) -> Outcome {
    info.check("info")?;
    let handle = handle_of(&rank.tables.infos, SpinLock::new(made))?;
    info.set("info", MPI_Info(handle))
}

/// The caller's string. A missing one is an error of the class that the standard has for wrong keys or values.
fn string<'a>(name: &str, text: &'a Text, class: ErrorClass) -> ResultOf<&'a [u8]> {
    text.bytes(name).map_err(|mut fault| {
        fault.code = class.into();
        fault
    })
}

fn key_of(key: &Text) -> ResultOf<&[u8]> {
    string("key", key, ErrorClass::InfoKey)
}

/// `MPI_Info_create`: an info object without keys.
#[mpi(early)]
fn info_create(rank: Rank<'_>, info: Out<MPI_Info>) -> Outcome {
    give_out(rank, Info::new(), info)
}

/// `MPI_Info_create_env`: an info object with the facts about the program's start, as in `MPI_INFO_ENV`.
#[mpi(early)]
fn info_create_env(
    rank: Rank<'_>,
    argc: c_int,
    mut argv: ArrayMut<*mut c_char>,
    info: Out<MPI_Info>,
) -> Outcome {
    let count = count_of("argc", argc)?;
    let arguments = if argv.is_null() {
        &mut []
    } else {
        argv.slice("argv", count)?
    };
    let arguments = arguments.iter().filter(|argument| !argument.is_null());
    // SAFETY:
    // - the program passed the `argc` and `argv` of `main`: strings that end in a null byte.
    let arguments = arguments.map(|&argument| unsafe { CStr::from_ptr(argument) }.to_bytes().to_vec());
    let made = info_env(rank.process, arguments.collect());
    give_out(rank, made, info)
}

/// `MPI_Info_dup`: a copy of an info object.
#[mpi(early)]
fn info_dup(rank: Rank<'_>, info: MPI_Info, newinfo: Out<MPI_Info>) -> Outcome {
    let copy = rank.read_info(info, Info::clone)?;
    newinfo.check("newinfo")?;
    give_out(rank, copy, newinfo)
}

/// `MPI_Info_free`: frees an info object.
#[mpi(early)]
fn info_free(rank: Rank<'_>, info: InOut<MPI_Info>) -> Outcome {
    let handle = info.get("info")?;
    rank.change_info(handle, |_| ())?;
    rank.tables.infos.remove(handle.0);
    info.set(MPI_INFO_NULL);
    Ok(())
}

/// `MPI_Info_set`: sets the value of a key.
#[mpi(early)]
fn info_set(rank: Rank<'_>, info: MPI_Info, key: Text, value: Text) -> Outcome {
    let (key, value) = (key_of(&key)?, string("value", &value, ErrorClass::InfoValue)?);
    Ok(rank.change_info(info, |info| info.set(key, value))??)
}

/// `MPI_Info_delete`: deletes a key and its value.
#[mpi(early)]
fn info_delete(rank: Rank<'_>, info: MPI_Info, key: Text) -> Outcome {
    let key = key_of(&key)?;
    Ok(rank.change_info(info, |info| info.delete(key))??)
}

/// The value of a key, if there is one.
fn find(rank: Rank<'_>, info: MPI_Info, key: &Text) -> ResultOf<Option<Vec<u8>>> {
    let key = key_of(key)?;
    let found = rank.read_info(info, |info| info.get(key).map(|value| value.map(<[u8]>::to_vec)))?;
    Ok(found?)
}

/// `MPI_Info_get`: the first `valuelen` characters of the value of a key.
#[mpi(early)]
fn info_get(
    rank: Rank<'_>,
    info: MPI_Info,
    key: Text,
    valuelen: c_int,
    value: TextOut,
    flag: Out<c_int>,
) -> Outcome {
    flag.check("flag")?;
    let found = find(rank, info, &key)?;
    if let Some(found) = &found {
        let room = usize::try_from(valuelen).map_err(|_| negative("valuelen", valuelen))?;
        value.set_bytes("value", found, room + 1)?;
    }
    flag.set("flag", c_int::from(found.is_some()))
}

/// `MPI_Info_get_string`: as much of the value of a key as fits into `buflen` characters, and the room that the whole
/// value needs.
#[mpi(early)]
fn info_get_string(
    rank: Rank<'_>,
    info: MPI_Info,
    key: Text,
    buflen: InOut<c_int>,
    value: TextOut,
    flag: Out<c_int>,
) -> Outcome {
    flag.check("flag")?;
    let found = find(rank, info, &key)?;
    if let Some(found) = &found {
        let room = buflen.get("buflen")?;
        match usize::try_from(room).map_err(|_| negative("buflen", room))? {
            0 => {}
            room => value.set_bytes("value", found, room)?,
        }
        buflen.set(length_of(found) + 1);
    }
    flag.set("flag", c_int::from(found.is_some()))
}

fn negative(name: &str, length: c_int) -> Box<CallError> {
    CallError::new(
        ErrorClass::Arg,
        format!("{name} is {length}: it must not be negative"),
    )
}

/// A length as an `int`; keys and values are short.
fn length_of(value: &[u8]) -> c_int {
    c_int::try_from(value.len()).unwrap_or(c_int::MAX - 1)
}

/// `MPI_Info_get_valuelen`: the length of the value of a key.
#[mpi(early)]
fn info_get_valuelen(
    rank: Rank<'_>,
    info: MPI_Info,
    key: Text,
    valuelen: Out<c_int>,
    flag: Out<c_int>,
) -> Outcome {
    flag.check("flag")?;
    let found = find(rank, info, &key)?;
    if let Some(found) = &found {
        valuelen.set("valuelen", length_of(found))?;
    }
    flag.set("flag", c_int::from(found.is_some()))
}

/// `MPI_Info_get_nkeys`: the number of keys.
#[mpi(early)]
fn info_get_nkeys(rank: Rank<'_>, info: MPI_Info, nkeys: Out<c_int>) -> Outcome {
    let keys = rank.read_info(info, Info::len)?;
    nkeys.set("nkeys", c_int::try_from(keys).unwrap_or(c_int::MAX))
}

/// `MPI_Info_get_nthkey`: the key with this number, in the order in which keys were set.
#[mpi(early)]
fn info_get_nthkey(rank: Rank<'_>, info: MPI_Info, n: c_int, key: TextOut) -> Outcome {
    let index = usize::try_from(n).map_err(|_| negative("n", n))?;
    let found = rank.read_info(info, |info| info.key(index).map(<[u8]>::to_vec))??;
    key.set_bytes("key", &found, MPI_MAX_INFO_KEY as usize)
}
