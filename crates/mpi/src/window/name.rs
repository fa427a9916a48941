//! Names of windows.

use super::Window;
use crate::limits::MAX_OBJECT_NAME;

impl Window {
    /// The name, empty unless it has been set.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.lock().clone()
    }

    /// Sets the name, cut off at the standard's longest length.
    pub fn set_name(&self, name: &str) {
        let end = name.floor_char_boundary(MAX_OBJECT_NAME - 1);
        self.meter.set_name(&name[..end]);
        let old = std::mem::replace(&mut *self.name.lock(), name[..end].to_owned());
        drop(old);
    }
}
