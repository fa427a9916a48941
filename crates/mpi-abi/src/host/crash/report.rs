//! What the user reads of a crash.

use super::note::Note;
use super::noted;
use crate::host::state::Host;
use libc::c_int;
use std::fmt::Write;
use std::ops::ControlFlow;

/// A fault this far below the stack pointer's stack is still taken for an overflow: one large frame may step over the
/// guard page.
const OVERSHOOT: usize = 1 << 20;

/// The text of the report, and the signal that was the cause.
pub(in crate::host) fn report(host: &Host) -> (String, c_int) {
    let note = noted();
    let mut text = String::new();
    let who = note
        .rank
        .and_then(|id| host.ranks().iter().find(|rank| rank.id() == id));
    match who {
        Some(rank) => {
            let _ = write!(text, "rank {} ({}) ", rank.id(), rank.program());
        }
        None => text.push_str("a thread that belongs to no rank "),
    }
    text.push_str(&cause(note));
    for (index, &address) in note.frames[..note.depth].iter().enumerate() {
        // A return address may be the first of the next function: look at the call before it.
        let inside = if index == 0 {
            address
        } else {
            address.saturating_sub(1)
        };
        if frame(&mut text, index, inside).is_break() {
            break;
        }
    }
    (text, note.signal)
}

/// What happened, in words.
fn cause(note: &Note) -> String {
    if let Some(size) = overflown(note) {
        return format!(
            "has overflown its stack of {} KiB: run it with a larger one, such as --stack-size {}M",
            size >> 10,
            (size * 4 >> 20).max(1)
        );
    }
    let address = note.address;
    match note.signal {
        libc::SIGSEGV => format!("crashed: segmentation fault (SIGSEGV) at address {address:#x}"),
        libc::SIGBUS => format!("crashed: bus error (SIGBUS) at address {address:#x}"),
        libc::SIGFPE => "crashed: arithmetic error (SIGFPE), such as a division by zero".to_owned(),
        libc::SIGILL => format!("crashed: illegal instruction (SIGILL) at {address:#x}"),
        _ => "aborted (SIGABRT): abort() or a failed assertion".to_owned(),
    }
}

/// The size of the stack, if the crash was its overflow.
fn overflown(note: &Note) -> Option<usize> {
    let stack = note.stack?;
    let memory = matches!(note.signal, libc::SIGSEGV | libc::SIGBUS);
    let below = |address: usize| (stack.guard.saturating_sub(OVERSHOOT)..stack.low).contains(&address);
    let near = note.address.abs_diff(note.stack_pointer) < OVERSHOOT;
    (memory && below(note.address) && (below(note.stack_pointer) || near)).then_some(stack.high - stack.low)
}

/// Adds the line of one frame, or of several if functions were inlined; breaks where the program begins.
fn frame(text: &mut String, index: usize, address: usize) -> ControlFlow<()> {
    let mut known = false;
    let mut flow = ControlFlow::Continue(());
    backtrace::resolve(address as *mut _, |symbol| {
        let name = symbol
            .name()
            .map_or_else(|| "?".to_owned(), |name| name.to_string());
        let _ = write!(text, "\n  #{index:<2} {address:#x} {name}");
        if let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno()) {
            let _ = write!(text, " at {}:{line}", file.display());
        }
        if name == "main" || name == "_start" {
            flow = ControlFlow::Break(());
        }
        known = true;
    });
    if !known {
        let _ = write!(text, "\n  #{index:<2} {address:#x} ?");
    }
    flow
}
