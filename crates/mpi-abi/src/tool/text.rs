//! Strings for tools, and arguments that a tool may leave out.

use std::ffi::c_int;

use simurgh_tool::{ToolError, ToolResult};

use super::Outcome;
use crate::arguments::{InOut, Out, Text, TextOut};

/// A buffer for a string and the string's length, either of which may be NULL.
///
/// On entry the length is the size of the buffer; on return it is the size that the whole string needs, with the null
/// byte at its end. Without a length nothing is returned; without a buffer only the length.
pub(crate) struct Name {
    pub(crate) room: TextOut,
    pub(crate) length: InOut<c_int>,
}

impl Name {
    /// Stores a string, or as much of it as there is room for.
    pub(crate) fn set(self, text: &str) -> Outcome {
        let Ok(room) = self.length.get("length") else {
            return Ok(());
        };
        if let Some(room) = usize::try_from(room).ok().filter(|&room| room > 0)
            && !self.room.is_null()
        {
            self.room.set_bytes("name", text.as_bytes(), room)?;
        }
        self.length.set(super::count(text.len() + 1));
        Ok(())
    }
}

/// Stores a value through a pointer that must not be NULL.
pub(crate) fn set<T>(place: Out<T>, value: T) -> Outcome {
    Ok(place.set("result", value)?)
}

/// The index of the element with this name.
pub(crate) fn place_of<'a>(name: Text, names: impl IntoIterator<Item = &'a str>) -> ToolResult<c_int> {
    let wanted = name.bytes("name")?;
    let place = names.into_iter().position(|name| name.as_bytes() == wanted);
    place.map(super::count).ok_or(ToolError::InvalidName)
}
