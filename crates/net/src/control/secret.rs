//! What the processes of a job know and others do not.

use super::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// Length of a secret in bytes.
const LENGTH: usize = 32;

/// The secret of a job: whoever shows it belongs to the job.
#[derive(Clone)]
pub struct Secret([u8; LENGTH]);

impl Secret {
    /// A new one, from the kernel's random numbers.
    ///
    /// # Errors
    ///
    /// When the kernel has none.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; LENGTH];
        let mut filled = 0;
        while filled < LENGTH {
            filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
        }
        Ok(Self(bytes))
    }

    /// That of these bytes, if they can be one.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes, from which transports make what proves the origin of their packets.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }
}

impl PartialEq for Secret {
    /// In a time that does not tell how much of it is equal.
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        pairs.fold(0, |different, (a, b)| different | (a ^ b)) == 0
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Bytes(self.0.to_vec()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Bytes(bytes) = Bytes::deserialize(deserializer)?;
        let bytes = bytes
            .try_into()
            .map_err(|_| D::Error::custom("a secret of another length"))?;
        Ok(Self(bytes))
    }
}
