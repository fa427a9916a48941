//! Operating-system strings in JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// A path, an argument or a value of the environment: bytes without NUL, which need not be UTF-8.
///
/// In JSON it is a string if it is UTF-8, and an array of its bytes otherwise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(OsString);

impl Text {
    /// Takes a string, unless it contains a NUL byte, which no argument, path or environment string may.
    pub fn new(text: impl Into<OsString>) -> Option<Self> {
        let text = text.into();
        (!text.as_bytes().contains(&0)).then_some(Self(text))
    }

    /// The string.
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    /// The string as a path.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// The bytes, without a final NUL.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The string as C wants it.
    pub fn to_c_string(&self) -> CString {
        CString::new(self.as_bytes()).expect("a Text has no NUL byte")
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string_lossy())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => self.as_bytes().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Utf8(String),
            Bytes(Vec<u8>),
        }
        let text = match Form::deserialize(deserializer)? {
            Form::Utf8(text) => OsString::from(text),
            Form::Bytes(bytes) => OsString::from_vec(bytes),
        };
        Self::new(text).ok_or_else(|| D::Error::custom("a string contains a NUL byte"))
    }
}
