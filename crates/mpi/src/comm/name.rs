//! Names of communicators.

use super::Comm;
use crate::limits::MAX_OBJECT_NAME;

impl Comm {
    /// The name, empty unless it has been set.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.lock().clone()
    }

    /// Sets the name, cut off at the standard's longest length.
    pub fn set_name(&self, name: &str) {
        let mut end = name.len().min(MAX_OBJECT_NAME - 1);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        let name = name[..end].to_owned();
        let old = std::mem::replace(&mut *self.name.lock(), name);
        drop(old);
    }
}
