//! The mappings of memory of this process, as `/proc/self/maps` lists them.

use std::io;
use std::ops::Range;
use std::path::Path;

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping<'a> {
    pub(super) range: Range<usize>,
    pub(super) is_writable: bool,
    /// Whether other processes may have mapped this memory as well.
    pub(super) is_shared: bool,
    /// The file that it has been mapped from.
    pub(super) file: Option<&'a Path>,
}

/// The text of the list. That of the first thread would be empty if that thread had ended.
pub(super) fn read() -> io::Result<String> {
    std::fs::read_to_string("/proc/thread-self/maps")
}

/// The mappings in a text of the list.
pub(super) fn all(maps: &str) -> impl Iterator<Item = Mapping<'_>> {
    maps.lines().filter_map(parse)
}

/// The mapping that holds an address.
pub(super) fn holding(maps: &str, address: usize) -> Option<Mapping<'_>> {
    all(maps).find(|mapping| mapping.range.contains(&address))
}

fn parse(line: &str) -> Option<Mapping<'_>> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let permissions = rest.as_bytes().get(..4)?;
    Some(Mapping {
        range: address(start)?..address(end)?,
        is_writable: permissions.starts_with(b"rw"),
        is_shared: permissions.ends_with(b"s"),
        // The fields before the path have no slash.
        file: rest.find('/').map(|place| Path::new(&rest[place..])),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_list_are_understood() {
        let maps = "1000-3000 ---p 00000000 00:00 0\n3000-9000 rw-s 00000000 00:01 7 /dev/zero\nno line\n";
        let [guard, shared] = [0x2ff8, 0x3000].map(|address| holding(maps, address));
        let guard = guard.expect("it is in the list");
        assert_eq!(
            (guard.is_writable, guard.is_shared, guard.file),
            (false, false, None)
        );
        let shared = shared.expect("it is in the list");
        assert_eq!(shared.range, 0x3000..0x9000);
        assert!(shared.is_writable && shared.is_shared);
        assert_eq!(shared.file, Some(Path::new("/dev/zero")));
        assert_eq!(holding(maps, 0x9000), None);
    }
}
