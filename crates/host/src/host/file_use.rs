//! The use of files by ranks, for the statistics at the end of a job.

use super::stats::amount;
use simurgh_mpi::{AccessStatistics, Job, file_statistics};
use std::fmt::Write;

/// The most files that are shown, those with the most bytes. The others are summed up.
const SHOWN: usize = 20;

/// The kinds of accesses, as users read of them.
const KINDS: [&str; 4] = ["read", "written", "read together", "written together"];

/// The accesses of each kind.
type ByKind = [AccessStatistics; KINDS.len()];

/// A line for each file and kind of access.
pub(super) fn text(job: &Job) -> String {
    let files = file_statistics(job).into_iter();
    lines(files.map(|(name, file)| (name, file.by_kind())).collect())
}

fn lines(mut files: Vec<(String, ByKind)>) -> String {
    let bytes = |file: &ByKind| file.iter().map(|kind| kind.bytes).sum::<u64>();
    // Those that are told by their name come first.
    files.sort_by_key(|(name, file)| (name.is_empty(), std::cmp::Reverse(bytes(file))));
    let others = files.split_off(files.len().min(SHOWN));
    let mut text = String::new();
    for (name, file) in &files {
        add(&mut text, &format!("file \"{name}\""), file);
    }
    if !others.is_empty() {
        let sum = others.iter().fold(ByKind::default(), |sum, (_, file)| {
            std::array::from_fn(|kind| plus(sum[kind], file[kind]))
        });
        add(&mut text, "other files", &sum);
    }
    text
}

fn plus(one: AccessStatistics, other: AccessStatistics) -> AccessStatistics {
    AccessStatistics {
        accesses: one.accesses + other.accesses,
        bytes: one.bytes + other.bytes,
        time: one.time + other.time,
    }
}

fn add(text: &mut String, file: &str, by_kind: &ByKind) {
    for (kind, access) in KINDS.into_iter().zip(by_kind) {
        let AccessStatistics {
            accesses,
            bytes,
            time,
        } = *access;
        if accesses == 0 {
            continue;
        }
        let seconds = time.as_secs_f64();
        let _ = write!(
            text,
            "\n  {file}: {kind} {} in {accesses} calls, {seconds:.3} s",
            amount(bytes)
        );
        if bytes > 0 && seconds > 0.0 {
            let _ = write!(text, ", {:.1} MB/s", bytes as f64 / seconds / 1e6);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn written(bytes: u64) -> ByKind {
        let mut by_kind = ByKind::default();
        by_kind[1] = AccessStatistics {
            accesses: 2,
            bytes,
            time: Duration::from_millis(500),
        };
        by_kind
    }

    #[test]
    fn each_file_and_kind_has_a_line_with_its_rate() {
        let mut file = written(1 << 20);
        file[2] = AccessStatistics {
            accesses: 3,
            ..AccessStatistics::default()
        };
        let told = lines(vec![("a".to_owned(), written(7)), ("b".to_owned(), file)]);
        assert_eq!(
            told,
            "\n  file \"b\": written 1024 KiB in 2 calls, 0.500 s, 2.1 MB/s\
             \n  file \"b\": read together 0 B in 3 calls, 0.000 s\
             \n  file \"a\": written 7 B in 2 calls, 0.500 s, 0.0 MB/s"
        );
        assert_eq!(lines(Vec::new()), "");
    }

    #[test]
    fn many_files_are_summed_up() {
        let file = |number: u64| (number.to_string(), written(1000 + number));
        let mut files: Vec<_> = (0..30).map(file).collect();
        files.push((String::new(), written(1 << 30)));
        let told = lines(files);
        assert_eq!(told.lines().count(), 1 + SHOWN + 1, "{told}");
        assert!(
            told.contains("file \"29\"") && !told.contains("file \"9\""),
            "{told}"
        );
        assert!(
            told.contains("\n  other files: written 1024 MiB in 22 calls, 5.500 s"),
            "{told}"
        );
    }
}
