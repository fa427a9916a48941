//! Errors of ranks of other hosts. A rank is told of its own when it waits for replies to its operations, or for their
//! completion: the reply says that there is one, and the rank asks for it.

use super::Window;
use super::error::fault;
use super::packet::Kind;
use crate::error::{Error, ErrorClass, ErrorCode};
use crate::memory;
use crate::network::Service;
use simurgh_core::sync::{AtomicBool, Ordering, SpinLock};
use simurgh_net::HostId;
use std::collections::HashMap;

/// The most bytes of a description.
const DESCRIPTION: usize = 512;

/// The errors by rank: the first that each has not been told.
#[derive(Default)]
pub(super) struct Untold {
    errors: SpinLock<HashMap<u32, Error>>,
    /// Whether there has been one.
    is_used: AtomicBool,
}

impl Untold {
    /// Notes an error of a rank.
    pub(super) fn add(&self, origin: u32, error: Error) {
        self.errors.lock().entry(origin).or_insert(error);
        self.is_used.store(true, Ordering::SeqCst);
    }

    /// The error of which a rank has not been told.
    pub(super) fn code(&self, origin: u32) -> Option<ErrorCode> {
        if !self.is_used.load(Ordering::SeqCst) {
            return None;
        }
        self.errors.lock().get(&origin).map(|error| error.class().into())
    }

    /// The description of that error, which is forgotten.
    pub(super) fn take(&self, origin: u32) -> String {
        let error = self.errors.lock().remove(&origin);
        let mut description = error.map_or_else(String::new, |error| error.message().to_owned());
        description.truncate(description.floor_char_boundary(DESCRIPTION));
        description
    }
}

impl Window {
    /// The error of this rank with a code of which a reply of a host has told.
    #[cold]
    pub(super) fn told(&self, host: HostId, code: ErrorCode) -> Error {
        let numbers = self.label(Kind::Untold, 0, 0).numbers();
        let mut length = 0;
        let told = memory::collect(DESCRIPTION, |target| {
            let status = self.network().ask(Service::Windows, host, numbers, &[], target)?;
            length = DESCRIPTION.min(status.bytes as usize);
            Ok(())
        });
        let class = code.class().unwrap_or(ErrorClass::RmaRange);
        match told {
            Err(error) => error,
            // Another thread of the rank has been told.
            Ok(_) if length == 0 => fault(class, format!("host {host} has refused an access")),
            Ok(text) => fault(class, String::from_utf8_lossy(&text[..length]).into_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_told_its_first_error_once() {
        let untold = Untold::default();
        assert_eq!(untold.code(1), None);
        untold.add(1, fault(ErrorClass::RmaRange, "too far"));
        untold.add(1, fault(ErrorClass::RmaConflict, "too late"));
        untold.add(2, fault(ErrorClass::RmaConflict, "ö".repeat(DESCRIPTION)));
        assert_eq!(
            untold.code(1).and_then(ErrorCode::class),
            Some(ErrorClass::RmaRange)
        );
        assert_eq!(
            (untold.take(1).as_str(), untold.take(1).as_str()),
            ("too far", "")
        );
        assert_eq!((untold.code(1), untold.code(2).is_some()), (None, true));
        assert_eq!(untold.take(2), "ö".repeat(DESCRIPTION / 2));
    }
}
