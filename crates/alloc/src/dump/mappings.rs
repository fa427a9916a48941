//! The mappings of this process that lie in a range of addresses.

use std::io;
use std::ops::Range;

use rustix::mm::ProtFlags;

/// A mapping, or the part of it that lies in the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) addresses: Range<usize>,
    pub(super) protection: ProtFlags,
    pub(super) is_of_file: bool,
}

impl Mapping {
    pub(super) fn is_writable(&self) -> bool {
        self.protection.contains(ProtFlags::WRITE)
    }
}

/// Those that can be read; the others only reserve addresses.
pub(super) fn within(range: &Range<usize>) -> io::Result<Vec<Mapping>> {
    // The list of the first thread would be empty if that thread had ended.
    let list = std::fs::read_to_string("/proc/thread-self/maps")?;
    Ok(list.lines().filter_map(|line| parse(line, range)).collect())
}

fn parse(line: &str, range: &Range<usize>) -> Option<Mapping> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let letters = fields.next()?;
    let inode = fields.nth(2)?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    let addresses = number(start)?.max(range.start)..number(end)?.min(range.end);
    let pairs = [
        ('r', ProtFlags::READ),
        ('w', ProtFlags::WRITE),
        ('x', ProtFlags::EXEC),
    ];
    let granted = pairs.into_iter().filter(|(letter, _)| letters.contains(*letter));
    let protection = granted.fold(ProtFlags::empty(), |all, (_, flag)| all | flag);
    let mapping = Mapping {
        addresses,
        protection,
        is_of_file: inode != "0",
    };
    let counts = !mapping.addresses.is_empty() && protection.contains(ProtFlags::READ);
    counts.then_some(mapping)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_to_the_range() {
        let range = 0x2000..0x8000;
        let of = |line| parse(line, &range);
        let mapping = |addresses, protection, is_of_file| Mapping {
            addresses,
            protection,
            is_of_file,
        };
        let data = ProtFlags::READ | ProtFlags::WRITE;
        let code = ProtFlags::READ | ProtFlags::EXEC;
        assert_eq!(
            of("1000-3000 rw-p 00000000 00:00 0 "),
            Some(mapping(0x2000..0x3000, data, false))
        );
        assert_eq!(
            of("7000-9000 r-xp 00001000 08:01 77 /bin/a b"),
            Some(mapping(0x7000..0x8000, code, true))
        );
        for other in ["3000-4000 ---p 0 00:00 0", "8000-9000 rw-p 0 00:00 0", "nothing"] {
            assert_eq!(of(other), None);
        }
    }
}
