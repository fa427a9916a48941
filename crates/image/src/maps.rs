//! `/proc/self/maps` as a rank is to see it: its program and libraries under the names of their files, and not those of
//! other ranks.

use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::OsStrExt;

use crate::memory::memory_file;
use crate::template::Template;

/// How the kernel calls the files of copies, and of the masters whose pages they have.
const COPY: &[u8] = b"/memfd:simurgh-image";

/// Where the objects of a rank lie.
#[derive(Debug)]
pub(crate) struct Place {
    objects: Vec<(Range<usize>, &'static CStr)>,
    /// The files of the objects of all ranks.
    files: &'static [Template],
}

impl Place {
    /// Of a rank whose copies of these objects lie there.
    pub(crate) fn new(templates: &'static [Template], bases: &[usize]) -> Self {
        let object = |(template, base): (&'static Template, &usize)| {
            let end = template.names.vaddr + template.names.length;
            (*base..*base + end as usize, template.link_name.as_c_str())
        };
        Self {
            objects: templates.iter().zip(bases).map(object).collect(),
            files: templates,
        }
    }

    /// The lines of `maps` that are about the rank.
    fn filter(&self, maps: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(maps.len());
        for line in maps.split_inclusive(|&byte| byte == b'\n') {
            let path = line.iter().position(|&byte| byte == b'/').unwrap_or(line.len());
            let (front, file) = line.split_at(path);
            let own =
                start(front).and_then(|start| self.objects.iter().find(|(range, _)| range.contains(&start)));
            match own {
                Some((_, name)) if !file.is_empty() => {
                    text.extend_from_slice(front);
                    text.extend_from_slice(name.to_bytes());
                    text.push(b'\n');
                }
                None if self.is_of_ranks(file) => {}
                _ => text.extend_from_slice(line),
            }
        }
        text
    }

    /// Whether a file is one that the objects of ranks are mapped from.
    fn is_of_ranks(&self, file: &[u8]) -> bool {
        let file = file.trim_ascii_end();
        let is = |template: &Template| template.source.path.as_os_str().as_bytes() == file;
        file.starts_with(COPY) || self.files.iter().any(is)
    }

    fn open(&self) -> io::Result<File> {
        let text = self.filter(&std::fs::read("/proc/self/maps")?);
        let mut file = memory_file(0)?;
        file.write_all(&text)?;
        file.rewind()?;
        Ok(file)
    }

    /// Makes such a file: its descriptor, or a negative error. Of the type in [`RankRecord`](crate::shim::RankRecord).
    ///
    /// # Safety
    ///
    /// `place` is one of these.
    pub(crate) unsafe extern "C" fn open_maps(place: *const c_void) -> c_int {
        // SAFETY: the caller's.
        match unsafe { &*place.cast::<Self>() }.open() {
            Ok(file) => file.into_raw_fd(),
            Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
        }
    }
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
        let place = Place {
            objects: vec![(0x1000..0x4000, c"/bin/a")],
            files: &[],
        };
        let maps = b"1000-2000 r-xp 0 08:01 5 /bin/a\n\
            2000-3000 rw-p 0 00:01 6 /memfd:simurgh-image (deleted)\n\
            3000-4000 rw-p 0 00:00 0 \n\
            5000-6000 rw-p 0 00:01 7 /memfd:simurgh-image (deleted)\n\
            7000-8000 rw-p 0 00:00 0 [heap]\n";
        let expected = "1000-2000 r-xp 0 08:01 5 /bin/a\n2000-3000 rw-p 0 00:01 6 /bin/a\n3000-4000 rw-p 0 00:00 0 \n\
            7000-8000 rw-p 0 00:00 0 [heap]\n";
        assert_eq!(String::from_utf8(place.filter(maps)).unwrap(), expected);
    }
}
