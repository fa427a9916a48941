//! What the system says, as errors of MPI.

use std::io;
use std::path::Path;

use rustix::io::Errno;
use simurgh_base::error::{Error, ErrorClass};

/// The error of an operation on a file: the file's name, what was to be done, and the system's reason.
#[must_use]
pub fn fault(name: &str, action: &str, reason: &io::Error) -> Error {
    Error::new(class_of(reason), format!("{action} \"{name}\": {reason}"))
}

/// [`fault`] of an operation that takes the file's name.
#[must_use]
pub fn path_fault(path: &Path, action: &str, reason: &io::Error) -> Error {
    fault(&path.to_string_lossy(), action, reason)
}

fn class_of(reason: &io::Error) -> ErrorClass {
    let errno = reason.raw_os_error().map(Errno::from_raw_os_error);
    match errno {
        Some(Errno::NOENT) => ErrorClass::NoSuchFile,
        Some(Errno::EXIST) => ErrorClass::FileExists,
        Some(Errno::ACCESS | Errno::PERM) => ErrorClass::Access,
        Some(Errno::ROFS) => ErrorClass::ReadOnly,
        Some(Errno::NOSPC) => ErrorClass::NoSpace,
        // Too big is what is beyond the limit of the process, as a rule.
        Some(Errno::DQUOT | Errno::FBIG) => ErrorClass::Quota,
        Some(Errno::BUSY | Errno::TXTBSY) => ErrorClass::FileInUse,
        Some(Errno::NAMETOOLONG | Errno::ISDIR | Errno::NOTDIR | Errno::LOOP) => ErrorClass::BadFile,
        _ => ErrorClass::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_class_file_and_reason() {
        let reason = io::Error::from(Errno::NOSPC);
        let error = fault("a/b", "writing", &reason);
        assert_eq!(error.class(), ErrorClass::NoSpace);
        assert!(
            error.message().starts_with("writing \"a/b\": No space left"),
            "{error}"
        );
        assert_eq!(class_of(&io::Error::other("x")), ErrorClass::Io);
        for errno in [Errno::DQUOT, Errno::FBIG] {
            assert_eq!(class_of(&io::Error::from(errno)), ErrorClass::Quota);
        }
    }
}
