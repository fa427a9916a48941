//! Byte arrays of a fixed length: their JSON encoding (`#[serde(with = "array")]`), and a comparison in constant time.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::Bytes;

/// Whether two arrays are equal. The time it takes does not depend on where they differ.
pub(crate) fn equal<const N: usize>(a: &[u8; N], b: &[u8; N]) -> bool {
    let pairs = a.iter().zip(b);
    pairs.fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

/// Encodes an array as [`Bytes`].
pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Bytes(bytes.to_vec()).serialize(serializer)
}

/// Decodes [`Bytes`]. Another number of bytes than `N` is an error.
pub(crate) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let Bytes(bytes) = Bytes::deserialize(deserializer)?;
    let length = bytes.len();
    bytes
        .try_into()
        .map_err(|_| D::Error::custom(format!("{length} bytes where {N} are due")))
}
