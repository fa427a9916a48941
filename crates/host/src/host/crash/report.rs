//! The report of a crash for the user.

use super::record::CrashRecord;
use super::{noted, overflow};
use crate::host::state::Host;
use crate::host::symbols::functions_at;
use libc::c_int;
use std::fmt::Write;

/// The text of the report, and the signal that was the cause.
pub(in crate::host) fn report(host: &Host) -> (String, c_int) {
    let record = noted();
    let who = record
        .rank
        .and_then(|id| host.ranks().iter().find(|rank| rank.id() == id));
    let who = match who {
        Some(rank) => format!("rank {} ({})", rank.id(), rank.program()),
        None => "a thread that belongs to no rank".to_owned(),
    };
    let mut text = format!("{who} {}", cause(host, record));
    add_backtrace(&mut text, &record.frames[..record.depth]);
    (text, record.signal)
}

/// The cause of the crash.
fn cause(host: &Host, record: &CrashRecord) -> String {
    let at = |place: &str| {
        record
            .address
            .map_or_else(String::new, |address| format!(" at {place}{address:#x}"))
    };
    match record.signal {
        libc::SIGSEGV | libc::SIGBUS if overflow::is_one(record) => overflow::words(host, record),
        libc::SIGSEGV => {
            let wild = record.address.is_some_and(simurgh_heap::is_unused);
            let hint = match wild {
                true => ", that belongs to no block (a wild pointer to free or realloc?)",
                false => "",
            };
            format!("crashed: segmentation fault (SIGSEGV){}{hint}", at("address "))
        }
        libc::SIGBUS => format!("crashed: bus error (SIGBUS){}", at("address ")),
        libc::SIGFPE => format!(
            "crashed: arithmetic error (SIGFPE), {}",
            arithmetic_error(record.code)
        ),
        libc::SIGILL => format!("crashed: illegal instruction (SIGILL){}", at("")),
        _ => "aborted (SIGABRT): abort() or a failed assertion".to_owned(),
    }
}

/// The arithmetic error of a SIGFPE, by the kernel's code.
fn arithmetic_error(code: c_int) -> &'static str {
    // The numbers are those of POSIX's names, FPE_INTDIV and so on.
    match code {
        1 => "division of an integer by zero, or its overflow",
        2 => "overflow of an integer",
        3 => "floating-point division by zero",
        4 => "floating-point overflow",
        5 => "floating-point underflow",
        6 => "inexact floating-point result",
        7 => "invalid floating-point operation",
        _ => "such as a division by zero",
    }
}

/// Adds a line for each function; repetitions in a row are counted.
fn add_backtrace(text: &mut String, frames: &[usize]) {
    let mut previous = (String::new(), 0);
    for (index, &address) in frames
        .iter()
        .enumerate()
        .take_while(|(_, address)| **address != 0)
    {
        // A return address may be the start of the next function, so the call before it is looked up.
        let functions = functions(if index == 0 { address } else { address - 1 });
        if functions.text == previous.0 {
            previous.1 += 1;
            continue;
        }
        add_repetitions(text, previous.1);
        let _ = write!(text, "\n  {address:#x} {}", functions.text);
        previous = (functions.text, 0);
        if functions.is_beginning {
            break;
        }
    }
    add_repetitions(text, previous.1);
}

fn add_repetitions(text: &mut String, count: usize) {
    let _ = match count {
        0 => Ok(()),
        1 => write!(text, "\n  the same once more"),
        _ => write!(text, "\n  the same {count} more times"),
    };
}

/// The functions at an address: several if they are inlined into each other.
#[derive(Default)]
pub(in crate::host) struct Functions {
    /// Their names, each with file and line.
    pub(in crate::host) text: String,
    /// Whether one of them is where a program or a thread begins.
    pub(in crate::host) is_beginning: bool,
}

/// The functions at an address of code.
pub(in crate::host) fn functions(address: usize) -> Functions {
    let mut found = Functions::default();
    for function in functions_at(address) {
        let separator = if found.text.is_empty() {
            ""
        } else {
            "\n      inlined into "
        };
        let _ = write!(
            found.text,
            "{separator}{}",
            function.name.as_deref().unwrap_or("?")
        );
        if let Some((file, line)) = &function.place {
            let _ = write!(found.text, " at {file}:{line}");
        }
        found.is_beginning |= function.is_beginning();
    }
    if found.text.is_empty() {
        found.text.push('?');
    }
    found
}
