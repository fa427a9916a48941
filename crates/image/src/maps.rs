//! `/proc/self/maps` as a rank is to see it: with its own program and libraries under the names of their files, and
//! without those of other ranks.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::IntoRawFd;

use crate::arena::{self, Place};
use crate::memory::memory_file;

/// The kernel's name of the master, from which writable data is mapped.
const MASTER: &[u8] = b"/memfd:simurgh-image";

/// The owner of a mapping.
enum Owner {
    /// An object of the rank, from the file of this name.
    Own(&'static CStr),
    /// Another rank.
    Other,
    /// The process.
    Process,
}

/// Makes such a file for the rank in whose image an address lies. Gives its descriptor, or a negative error number. Has
/// the type of the field of `RankRecord` (`instance/record`).
pub(crate) unsafe extern "C" fn open_maps(image: *const c_void) -> c_int {
    match open(image as usize) {
        Ok(file) => file.into_raw_fd(),
        Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
    }
}

fn open(image: usize) -> io::Result<File> {
    let place = arena::locate(image).map(|located| located.place);
    let own: Vec<usize> = place
        .into_iter()
        .flat_map(Place::images)
        .map(Place::address)
        .collect();
    let owner = |address| match arena::locate(address) {
        Some(located) if own.contains(&located.place.address()) => Owner::Own(&located.object().path),
        Some(_) => Owner::Other,
        None => Owner::Process,
    };
    let text = filter(&std::fs::read("/proc/self/maps")?, owner);
    let mut file = memory_file(0)?;
    file.write_all(&text)?;
    file.rewind()?;
    Ok(file)
}

/// The lines of `maps` that are about a rank. The process's own mappings of the ranks' files, by which it makes images
/// of them, are left out.
fn filter(maps: &[u8], owner: impl Fn(usize) -> Owner) -> Vec<u8> {
    let lines = || maps.split_inclusive(|&byte| byte == b'\n');
    let names: BTreeSet<&[u8]> = lines()
        .filter_map(|line| match owner(start(line)?) {
            Owner::Own(name) => Some(name.to_bytes()),
            Owner::Other | Owner::Process => None,
        })
        .collect();
    let is_of_ranks = |file: &[u8]| file.starts_with(MASTER) || names.contains(file.trim_ascii_end());
    let mut text = Vec::with_capacity(maps.len());
    for line in lines() {
        let path = line.iter().position(|&byte| byte == b'/').unwrap_or(line.len());
        let (front, file) = line.split_at(path);
        match start(front).map_or(Owner::Process, &owner) {
            Owner::Other => {}
            Owner::Process if is_of_ranks(file) => {}
            Owner::Own(name) if file.starts_with(MASTER) => {
                text.extend_from_slice(front);
                text.extend_from_slice(name.to_bytes());
                text.push(b'\n');
            }
            Owner::Own(_) | Owner::Process => text.extend_from_slice(line),
        }
    }
    text
}

/// The address with which a line begins.
fn start(line: &[u8]) -> Option<usize> {
    let digits = line.split(|&byte| byte == b'-').next()?;
    usize::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_objects_have_the_names_of_their_files_and_others_are_left_out() {
        let maps = b"1000-2000 r-xp 0 08:01 5 /bin/a\n\
            2000-3000 rw-p 0 00:01 6 /memfd:simurgh-image (deleted)\n\
            3000-4000 rw-p 0 00:00 0 \n\
            5000-6000 rw-p 0 00:01 7 /memfd:simurgh-image (deleted)\n\
            7000-8000 rw-p 0 00:00 0 [heap]\n\
            8000-9000 rw-s 0 00:01 6 /memfd:simurgh-image (deleted)\n\
            9000-a000 r--p 0 08:01 5 /bin/a\n";
        let expected = "1000-2000 r-xp 0 08:01 5 /bin/a\n2000-3000 rw-p 0 00:01 6 /bin/a\n3000-4000 rw-p 0 00:00 0 \n\
            7000-8000 rw-p 0 00:00 0 [heap]\n";
        let owner = |address| match address {
            0x1000..0x4000 => Owner::Own(c"/bin/a"),
            0x5000..0x6000 => Owner::Other,
            _ => Owner::Process,
        };
        assert_eq!(String::from_utf8(filter(maps, owner)).unwrap(), expected);
    }
}
