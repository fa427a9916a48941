//! The use of windows by ranks, for the statistics at the end of a job.

use super::stats::amount;
use simurgh_instrument::{OneSided, Synchronisation, TargetMemory, WindowTotals};
use simurgh_mpi::{Job, window_statistics};
use std::cmp::Reverse;
use std::fmt::Write;

/// The most names of windows that are shown, those with the most operations. The others are summed up.
const SHOWN: usize = 20;

/// The kinds of operations, as users read of them.
const OPERATIONS: [&str; OneSided::ALL.len()] = [
    "put",
    "got",
    "accumulated",
    "got and accumulated",
    "compared and swapped",
];

/// Where the memory of targets is.
const PLACES: [&str; TargetMemory::ALL.len()] = ["in the process", "in shared memory", "by messages"];

/// The kinds of calls that synchronise.
const CALLS: [&str; Synchronisation::ALL.len()] = [
    "fences",
    "posts",
    "starts",
    "completes",
    "waits",
    "locks",
    "unlocks",
    "flushes",
];

/// A line for each window and kind of operation, and one for its synchronisation.
pub(super) fn text(job: &Job) -> String {
    lines(window_statistics(job))
}

fn lines(mut windows: Vec<(Option<String>, WindowTotals)>) -> String {
    let operations = |window: &WindowTotals| window.operations.as_flattened().iter().sum::<u64>();
    // Those that are told by their name come first.
    windows.sort_by_key(|(name, window)| (name.is_none(), Reverse(operations(window))));
    let named = windows.iter().filter(|(name, _)| name.is_some()).count();
    let others = windows.split_off(named.min(SHOWN));
    let mut text = String::new();
    for (name, window) in &windows {
        match name.as_deref() {
            None | Some("") => add(&mut text, "windows without a name", window),
            Some(name) => add(&mut text, &format!("window \"{name}\""), window),
        }
    }
    let mut sum = WindowTotals::default();
    others.into_iter().for_each(|(_, window)| sum += window);
    add(&mut text, "other windows", &sum);
    text
}

fn add(text: &mut String, window: &str, totals: &WindowTotals) {
    let kinds = OPERATIONS
        .into_iter()
        .zip(totals.operations.iter().zip(&totals.bytes));
    for (kind, (operations, bytes)) in kinds {
        let count: u64 = operations.iter().sum();
        if count == 0 {
            continue;
        }
        let bytes = amount(bytes.iter().sum());
        let _ = write!(text, "\n  {window}: {kind} {bytes} in {count} operations");
        for (place, count) in PLACES
            .into_iter()
            .zip(operations)
            .filter(|(_, count)| **count > 0)
        {
            let _ = write!(text, ", {count} {place}");
        }
    }
    let calls = totals.calls.iter().zip(&totals.nanoseconds);
    let calls = CALLS.into_iter().zip(calls).filter(|(_, (count, _))| **count > 0);
    let calls: Vec<_> = calls
        .map(|(kind, (count, ns))| format!("{count} {kind} {:.3} s", *ns as f64 / 1e9))
        .collect();
    if !calls.is_empty() {
        let _ = write!(text, "\n  {window}: synchronised by {}", calls.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(operations: [u64; 3], bytes: u64) -> WindowTotals {
        let mut totals = WindowTotals::default();
        totals.operations[0] = operations;
        totals.bytes[0][0] = bytes;
        totals
    }

    #[test]
    fn each_window_and_kind_has_a_line_with_its_places() {
        let mut halo = put([3, 0, 2], 20 << 10);
        halo.operations[4][1] = 1;
        halo.bytes[4][1] = 8;
        halo.calls[0] = 12;
        halo.nanoseconds[0] = 31_000_000;
        halo.calls[7] = 1;
        let told = lines(vec![
            (Some(String::new()), put([1, 0, 0], 7)),
            (Some("halo".to_owned()), halo),
        ]);
        assert_eq!(
            told,
            "\n  window \"halo\": put 20 KiB in 5 operations, 3 in the process, 2 by messages\
             \n  window \"halo\": compared and swapped 8 B in 1 operations, 1 in shared memory\
             \n  window \"halo\": synchronised by 12 fences 0.031 s, 1 flushes 0.000 s\
             \n  windows without a name: put 7 B in 1 operations, 1 in the process"
        );
        assert_eq!(lines(Vec::new()), "");
    }

    #[test]
    fn many_windows_are_summed_up() {
        let window = |number: u64| (Some(number.to_string()), put([100 + number, 0, 0], 1));
        let mut windows: Vec<_> = (0..30).map(window).collect();
        windows.push((None, put([1000, 0, 0], 50)));
        let told = lines(windows);
        assert_eq!(told.lines().count(), 1 + SHOWN + 1, "{told}");
        assert!(
            told.contains("window \"29\"") && !told.contains("window \"9\""),
            "{told}"
        );
        assert!(
            told.ends_with("\n  other windows: put 60 B in 2045 operations, 2045 in the process"),
            "{told}"
        );
    }
}
