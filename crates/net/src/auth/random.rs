//! Random bytes of a fixed number: secrets and nonces.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;

use super::handshake::LENGTH;
use crate::encoding::array;

/// `N` bytes from the kernel's random numbers.
///
/// # Errors
///
/// When the kernel has none.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

/// Declares a type that holds [`LENGTH`] random bytes.
macro_rules! random_bytes {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(#[serde(with = "array")] [u8; LENGTH]);

        impl $name {
            /// New random bytes, from the kernel.
            ///
            /// # Errors
            ///
            /// When the kernel has none.
            pub fn random() -> io::Result<Self> {
                random().map(Self)
            }

            /// Takes bytes that were made before; none unless they are 32.
            #[must_use]
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self)
            }

            /// The bytes.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; LENGTH] {
                &self.0
            }
        }

        impl PartialEq for $name {
            /// Takes a time that does not depend on where the two differ.
            fn eq(&self, other: &Self) -> bool {
                array::equal(&self.0, &other.0)
            }
        }

        impl Eq for $name {}
    };
}

random_bytes! {
    /// The secret of a job, or of a universe: whoever knows it belongs to it. It is never sent over a network; see
    /// [`Handshake`](super::Handshake) for what is made of it.
    Secret
}

random_bytes! {
    /// A random number that is used once, so that a proof or key made with it holds for one handshake only.
    Nonce
}

impl fmt::Debug for Secret {
    /// Does not show the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Nonce").field(&self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_are_unlike_each_other_and_encode_and_decode() {
        let nonce = Nonce::random().unwrap();
        assert_ne!(nonce, Nonce::random().unwrap());
        let text = serde_json::to_string(&nonce).unwrap();
        assert_eq!(serde_json::from_str::<Nonce>(&text).unwrap(), nonce);
        assert_eq!(Nonce::from_bytes(nonce.as_bytes()), Some(nonce));
        assert_eq!(Nonce::from_bytes(&[0; 31]), None);
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Secret::random().unwrap()), "Secret(…)");
    }
}
