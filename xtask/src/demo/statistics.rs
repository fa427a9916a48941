//! The statistics that `mpiexec --stats` prints at the end of a job, among the program's own messages.

/// The figures that the demo shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// The context switches of all virtual processors.
    pub(crate) switches: u64,
    /// The memory of the process: its proportional set size.
    pub(crate) memory_kib: u64,
}

/// Reads lines such as `vp 0: 25 context switches, …` and `memory: 3000 KiB in all (PSS), …`.
pub(crate) fn parse(text: &str) -> Option<Statistics> {
    let number_before = |line: &str, unit: &str| -> Option<u64> {
        let (before, _) = line.split_once(unit)?;
        before.rsplit(' ').next()?.parse().ok()
    };
    let switches: Vec<u64> = text
        .lines()
        .filter_map(|line| number_before(line, " context switches"))
        .collect();
    let memory_kib = text.lines().find_map(|line| number_before(line, " KiB in all"))?;
    (!switches.is_empty()).then(|| Statistics {
        switches: switches.iter().sum(),
        memory_kib,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_and_added_up() {
        let text = "mpiexec: statistics of 16 ranks on 2 virtual processors:\n\
            \x20 vp 0: 100 context switches, 99.1 % busy, slept 3 times\n\
            \x20 vp 1: 23 context switches, 98.0 % busy, slept 1 times\n\
            \x20 memory: 3000 KiB in all (PSS), 187 KiB per rank\n";
        assert_eq!(
            parse(text),
            Some(Statistics {
                switches: 123,
                memory_kib: 3000
            })
        );
        assert_eq!(parse("nothing of the kind"), None);
    }
}
