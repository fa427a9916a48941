//! Which processors hosts may use.

use crate::error::LaunchError;
use rustix::thread::CpuSet;

/// The processors of a list such as `0-3,6`.
pub(crate) fn parse(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= CpuSet::MAX_CPU {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// Lets this process, and so the hosts that it starts, run on these processors only.
pub(crate) fn bind(cpus: &[usize]) -> Result<(), LaunchError> {
    let system = |error: rustix::io::Errno| LaunchError::Supervise(error.into());
    let allowed = rustix::thread::sched_getaffinity(None).map_err(system)?;
    let mut wanted = CpuSet::new();
    for &cpu in cpus {
        if !allowed.is_set(cpu) {
            let allowed = (0..CpuSet::MAX_CPU)
                .filter(|&cpu| allowed.is_set(cpu))
                .collect::<Vec<_>>();
            return Err(LaunchError::Processor {
                cpu,
                allowed: shown(&allowed),
            });
        }
        wanted.set(cpu);
    }
    rustix::thread::sched_setaffinity(None, &wanted).map_err(system)
}

/// A list of numbers as it is written.
fn shown(cpus: &[usize]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[usize]| match (run.first(), run.last()) {
        (Some(first), Some(last)) if first != last => format!("{first}-{last}"),
        (Some(first), _) => first.to_string(),
        _ => String::new(),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_shown() {
        assert_eq!(parse("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(shown(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        for text in ["", "a", "3-1", "1,,2", "0-99999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_processor_that_is_not_there_is_named() {
        let error = bind(&[CpuSet::MAX_CPU - 1]).unwrap_err().to_string();
        assert!(error.contains("processor 1023"), "{error}");
    }
}
