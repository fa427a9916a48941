//! JSON encodings of bytes and of operating-system strings, which JSON has no types for.

pub(crate) mod array;
mod bytes;
mod text;

pub use bytes::Bytes;
pub use text::Text;
