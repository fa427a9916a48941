//! `malloc_stats` and `malloc_info` for the programs of ranks: statistics of the calling rank's heaps as text.

use super::heap_use::caller;
use super::output::Stream;
use libc::{FILE, c_int, c_void};
use simurgh_core::enter_runtime;
use simurgh_heap::{Blocks, RankHeaps, Statistics};
use std::fmt::Write;

/// The functions of C, by name, with their addresses.
pub(super) fn functions() -> [(&'static str, usize); 2] {
    [
        ("malloc_stats", malloc_stats as *const () as usize),
        ("malloc_info", malloc_info as *const () as usize),
    ]
}

/// Writes the statistics to the rank's standard error.
unsafe extern "C" fn malloc_stats() {
    let _inside = enter_runtime();
    let (Some(rank), Some(statistics)) = (caller(), RankHeaps::statistics_of_caller()) else {
        return;
    };
    // As in a process, nobody learns of an error.
    let _ = rank
        .stream(Stream::Error)
        .write(plain(rank.id(), &statistics).as_bytes());
}

/// Writes the statistics to a stream, in XML as glibc does, with an element for each size class in use.
unsafe extern "C" fn malloc_info(options: c_int, stream: *mut FILE) -> c_int {
    if options != 0 {
        return libc::EINVAL;
    }
    let Some(statistics) = RankHeaps::statistics_of_caller() else {
        return libc::EINVAL;
    };
    let text = xml(&statistics);
    // SAFETY:
    // - the bytes are those of the text; the stream is the caller's.
    unsafe { libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stream) };
    0
}

/// The sizes of classes, with the blocks in use.
fn classes(statistics: &Statistics) -> impl Iterator<Item = (usize, Blocks)> {
    let sizes = Statistics::sizes().into_iter().zip(statistics.classes);
    sizes.filter(|(_, blocks)| blocks.count > 0)
}

fn plain(rank: u32, statistics: &Statistics) -> String {
    let in_use = statistics.in_use();
    let mut text = format!("heaps of rank {rank}: {}\n", statistics.heaps);
    for (name, value) in [
        ("held bytes", statistics.held),
        ("in use bytes", in_use.bytes),
        ("in use blocks", in_use.count),
        ("spare bytes", statistics.spare),
        ("max held bytes", statistics.most_held),
        ("long blocks", statistics.long.count),
        ("long bytes", statistics.long.bytes),
    ] {
        let _ = writeln!(text, "{name:<15} = {value:>12}");
    }
    for (size, blocks) in classes(statistics) {
        let _ = writeln!(text, "blocks of {size:<5} = {:>12}", blocks.count);
    }
    text
}

fn xml(statistics: &Statistics) -> String {
    let in_use = statistics.in_use();
    let mut text = "<malloc version=\"1\">\n<sizes>\n".to_owned();
    for (size, Blocks { count, bytes }) in classes(statistics) {
        let _ = writeln!(text, "<size to=\"{size}\" total=\"{bytes}\" count=\"{count}\"/>");
    }
    let _ = write!(
        text,
        "</sizes>\n<total type=\"used\" count=\"{}\" size=\"{}\"/>\n<total type=\"long\" count=\"{}\" size=\"{}\"/>\n\
         <system type=\"current\" size=\"{}\"/>\n<system type=\"max\" size=\"{}\"/>\n</malloc>\n",
        in_use.count,
        in_use.bytes,
        statistics.long.count,
        statistics.long.bytes,
        statistics.held,
        statistics.most_held
    );
    text
}
