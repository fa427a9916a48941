//! Info objects: ordered lists of pairs of a key and a value (chapter 10 of the standard).
//!
//! Keys and values are bytes, because the standard does not say what characters a program may use. What the library
//! itself looks for is text.

use crate::error::{Error, ErrorClass, Result};
use crate::limits::{MAX_INFO_KEY, MAX_INFO_VAL};
use std::time::Duration;

/// The key for the kinds of memory that buffers may be in, and its value.
pub const MEMORY_KINDS: (&str, &str) = ("mpi_memory_alloc_kinds", "system,mpi");

/// Pairs of keys and values, in the order in which the keys were first set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pairs: Vec<Pair>,
}

/// A key and its value.
type Pair = (Box<[u8]>, Box<[u8]>);

impl Info {
    /// An info without keys.
    #[must_use]
    pub const fn new() -> Self {
        Self { pairs: Vec::new() }
    }

    /// Sets the value of `key`, and replaces an older one.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::InfoKey`] if the key is empty or longer than the standard's limit, [`ErrorClass::InfoValue`] if
    /// the value is too long.
    pub fn set(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        let (key, value) = (key.as_ref(), value.as_ref());
        check_key(key)?;
        if value.len() >= MAX_INFO_VAL {
            let (len, most) = (value.len(), MAX_INFO_VAL - 1);
            return Err(Error::new(
                ErrorClass::InfoValue,
                format!("the value has {len} characters; at most {most} are allowed"),
            ));
        }
        match self.pairs.iter_mut().find(|(known, _)| **known == *key) {
            Some((_, old)) => *old = value.into(),
            None => self.pairs.push((key.into(), value.into())),
        }
        Ok(())
    }

    /// The value of `key`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::InfoKey`] if the key is empty or too long.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<&[u8]>> {
        let key = key.as_ref();
        check_key(key)?;
        let found = self.pairs.iter().find(|(known, _)| **known == *key);
        Ok(found.map(|(_, value)| &**value))
    }

    /// The value of `key`, if there is one and it is text: for keys that the library looks for.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        let (_, value) = self.pairs.iter().find(|(known, _)| **known == *key.as_bytes())?;
        std::str::from_utf8(value).ok()
    }

    /// The value of a boolean `key`; `None` if it is absent or neither `true` nor `false`.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.text(key)?.trim().parse().ok()
    }

    /// The value of a `key` that is a time in seconds; `None` if it is absent or has another value.
    #[must_use]
    pub fn seconds(&self, key: &str) -> Option<Duration> {
        Duration::try_from_secs_f64(self.text(key)?.trim().parse().ok()?).ok()
    }

    /// Removes `key` and its value.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::InfoNokey`] if it is not there, [`ErrorClass::InfoKey`] if it is empty or too long.
    pub fn delete(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        let key = key.as_ref();
        check_key(key)?;
        let place = self.pairs.iter().position(|(known, _)| **known == *key);
        let Some(place) = place else {
            let key = String::from_utf8_lossy(key);
            return Err(Error::new(
                ErrorClass::InfoNokey,
                format!("the info object has no key \"{key}\""),
            ));
        };
        self.pairs.remove(place);
        Ok(())
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Key number `index`, counted from zero.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there are not so many.
    pub fn key(&self, index: usize) -> Result<&[u8]> {
        self.pairs.get(index).map(|(key, _)| &**key).ok_or_else(|| {
            let len = self.len();
            Error::new(
                ErrorClass::Arg,
                format!("the info object has no key number {index}: it has {len} keys, counted from 0"),
            )
        })
    }

    /// All pairs, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.pairs.iter().map(|(key, value)| (&**key, &**value))
    }
}

/// Sets a pair of the library's own, which is within the limits.
impl<K: Into<Box<[u8]>>, V: Into<Box<[u8]>>> FromIterator<(K, V)> for Info {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value.into()));
        Self {
            pairs: pairs.collect(),
        }
    }
}

fn check_key(key: &[u8]) -> Result<()> {
    if key.is_empty() {
        return Err(Error::new(
            ErrorClass::InfoKey,
            "the key is empty: give it a name",
        ));
    }
    if key.len() >= MAX_INFO_KEY {
        let (len, most) = (key.len(), MAX_INFO_KEY - 1);
        return Err(Error::new(
            ErrorClass::InfoKey,
            format!("the key has {len} characters; at most {most} are allowed"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(result: Result<impl std::fmt::Debug>) -> ErrorClass {
        result.expect_err("an error").class()
    }

    #[test]
    fn keys_keep_their_order() {
        let mut info = Info::new();
        for (key, value) in [("b", "1"), ("a", "2"), ("c", "3"), ("b", "4")] {
            info.set(key, value).unwrap();
        }
        info.delete("a").unwrap();
        info.set("a", "5").unwrap();
        let pairs: Vec<_> = info.iter().collect();
        assert_eq!(
            pairs,
            [
                (&b"b"[..], &b"4"[..]),
                (&b"c"[..], &b"3"[..]),
                (&b"a"[..], &b"5"[..])
            ]
        );
        assert_eq!(info.key(2), Ok(&b"a"[..]));
        assert_eq!((info.text("c"), info.text("d")), (Some("3"), None));
    }

    #[test]
    fn wrong_keys_and_values_are_refused() {
        let mut info = Info::new();
        let (key, value) = ("k".repeat(MAX_INFO_KEY - 1), "v".repeat(MAX_INFO_VAL - 1));
        info.set(&key, &value).unwrap();
        assert_eq!(class(info.set(key + "k", "")), ErrorClass::InfoKey);
        assert_eq!(class(info.set("", "")), ErrorClass::InfoKey);
        assert_eq!(class(info.get("")), ErrorClass::InfoKey);
        assert_eq!(class(info.set("v", value + "v")), ErrorClass::InfoValue);
        assert_eq!(class(info.delete("absent")), ErrorClass::InfoNokey);
        assert_eq!(class(info.key(1)), ErrorClass::Arg);
        assert_eq!(info.len(), 1);
    }

    #[test]
    fn flags_are_true_or_false() {
        let mut info = Info::new();
        for (key, value) in [("yes", "true"), ("no", " false"), ("what", "1")] {
            info.set(key, value).unwrap();
        }
        assert_eq!(info.flag("yes"), Some(true));
        assert_eq!(info.flag("no"), Some(false));
        assert_eq!((info.flag("what"), info.flag("absent")), (None, None));
    }

    #[test]
    fn times_are_in_seconds() {
        let of = |value: &str| {
            let mut info = Info::new();
            info.set("timeout", value).unwrap();
            info.seconds("timeout")
        };
        assert_eq!(of(" 20 "), Some(Duration::from_secs(20)));
        assert_eq!(of("0.5"), Some(Duration::from_millis(500)));
        for no_time in ["-1", "soon", "", "nan", "1e99"] {
            assert_eq!(of(no_time), None, "{no_time}");
        }
        assert_eq!(Info::new().seconds("timeout"), None);
    }
}
