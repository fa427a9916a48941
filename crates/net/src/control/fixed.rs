//! Secrets, and what proves that one knows them: bytes of a fixed number, random or made of others.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::Bytes;

/// So many bytes, from the kernel's random numbers.
///
/// # Errors
///
/// When the kernel has none.
pub(crate) fn random<const LENGTH: usize>() -> std::io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    let mut filled = 0;
    while filled < LENGTH {
        filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

/// Whether they are the same, in a time that does not tell how much of them is.
pub(crate) fn equal<const LENGTH: usize>(a: &[u8; LENGTH], b: &[u8; LENGTH]) -> bool {
    let pairs = a.iter().zip(b);
    pairs.fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

/// As [`Bytes`].
pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Bytes(bytes.to_vec()).serialize(serializer)
}

/// Of [`Bytes`], if there are so many.
pub(crate) fn deserialize<'de, D: Deserializer<'de>, const LENGTH: usize>(
    deserializer: D,
) -> Result<[u8; LENGTH], D::Error> {
    let Bytes(bytes) = Bytes::deserialize(deserializer)?;
    let length = bytes.len();
    bytes
        .try_into()
        .map_err(|_| D::Error::custom(format!("{length} bytes where {LENGTH} are due")))
}
