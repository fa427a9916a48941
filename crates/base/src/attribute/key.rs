//! Keys of attributes.

use crate::error::{Error, ErrorClass, Result};
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Weak;

/// The behaviour of a key: the functions that the program gave with it.
///
/// `object` is the number of the object as the layer above knows it. If a function returns an error, nothing changes
/// and the caller gets the error.
pub trait Behaviour: Send + Sync {
    /// The value for a duplicate of `object`; `None` if it gets no attribute.
    ///
    /// # Errors
    ///
    /// The error that the program's function returns.
    fn copy(&self, object: usize, key: i32, value: usize) -> Result<Option<usize>>;

    /// Called before the attribute is deleted or replaced.
    ///
    /// # Errors
    ///
    /// The error that the program's function returns.
    fn delete(&self, object: usize, key: i32, value: usize) -> Result<()>;
}

/// The kinds of objects that have attributes; a key is for one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Communicators.
    Comm,
    /// Datatypes.
    Type,
    /// Windows.
    Win,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comm => "communicators",
            Self::Type => "datatypes",
            Self::Win => "windows",
        })
    }
}

/// A key.
pub struct Key {
    number: i32,
    kind: Kind,
    behaviour: Box<dyn Behaviour>,
}

impl Key {
    /// The number by which the program knows the key.
    #[must_use]
    pub fn number(&self) -> i32 {
        self.number
    }

    pub(super) fn copy(&self, object: usize, value: usize) -> Result<Option<usize>> {
        self.behaviour.copy(object, self.number, value)
    }

    pub(super) fn delete(&self, object: usize, value: usize) -> Result<()> {
        self.behaviour.delete(object, self.number, value)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, kind, .. } = self;
        f.debug_struct("Key")
            .field("number", number)
            .field("kind", kind)
            .finish_non_exhaustive()
    }
}

/// The first number given to a key; the standard has numbers of its own below it.
const FIRST: i32 = 0x1000;
/// Number of keys in the table before it is searched for dead ones for the first time.
const FIRST_SWEEP: usize = 64;

/// A key as the table knows it. It lives as long as the program has not freed it or an attribute uses it.
#[derive(Debug)]
struct Known {
    held: Option<Arc<Key>>,
    key: Weak<Key>,
}

#[derive(Debug)]
struct Table {
    next: i32,
    sweep_at: usize,
    keys: BTreeMap<i32, Known>,
}

impl Table {
    /// A number that no key has.
    fn number(&mut self) -> Option<i32> {
        if self.keys.len() >= self.sweep_at {
            self.keys.retain(|_, known| known.key.strong_count() > 0);
            self.sweep_at = FIRST_SWEEP.max(2 * self.keys.len());
        }
        let range = (self.next..i32::MAX).chain(FIRST..self.next);
        let number = range.into_iter().find(|number| !self.keys.contains_key(number))?;
        self.next = number + 1;
        Some(number)
    }
}

/// The keys of a process.
#[derive(Debug)]
pub struct Keys(SpinLock<Table>);

impl Default for Keys {
    fn default() -> Self {
        Self(SpinLock::new(Table {
            next: FIRST,
            sweep_at: FIRST_SWEEP,
            keys: BTreeMap::new(),
        }))
    }
}

impl Keys {
    /// A new key for attributes of this kind of objects.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`] when all numbers are in use.
    pub fn create(&self, kind: Kind, behaviour: Box<dyn Behaviour>) -> Result<i32> {
        let mut table = self.0.lock();
        let Some(number) = table.number() else {
            drop(table);
            return Err(Error::new(
                ErrorClass::Intern,
                "too many attribute keys are alive; free those not used",
            ));
        };
        let key = Arc::new(Key {
            number,
            kind,
            behaviour,
        });
        let known = Known {
            key: Arc::downgrade(&key),
            held: Some(key),
        };
        table.keys.insert(number, known);
        Ok(number)
    }

    /// The key with this number, also if it has been freed but an attribute still uses it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Keyval`] if there is none for this kind of objects.
    pub fn find(&self, kind: Kind, number: i32) -> Result<Arc<Key>> {
        let found = self
            .0
            .lock()
            .keys
            .get(&number)
            .and_then(|known| known.key.upgrade());
        match found {
            Some(key) if key.kind == kind => Ok(key),
            Some(key) => Err(wrong(format!(
                "keyval {number} is a key for {}, not for {kind}",
                key.kind
            ))),
            None => Err(wrong(format!(
                "keyval {number} is no key of the program: it was never made, or has been freed"
            ))),
        }
    }

    /// The kinds of objects of the keys that the program has made and not freed, in the order of their numbers.
    #[must_use]
    pub fn held(&self) -> Vec<Kind> {
        let table = self.0.lock();
        let held = table.keys.values().filter_map(|known| known.held.as_ref());
        held.map(|key| key.kind).collect()
    }

    /// Frees a key. It goes when no attribute uses it any more; until then freeing it again changes nothing.
    ///
    /// # Errors
    ///
    /// As for [`Keys::find`].
    pub fn free(&self, kind: Kind, number: i32) -> Result<()> {
        let key = self.find(kind, number)?;
        let held = self
            .0
            .lock()
            .keys
            .get_mut(&number)
            .and_then(|known| known.held.take());
        drop((held, key));
        Ok(())
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorClass::Keyval, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Behaviour for Nothing {
        fn copy(&self, _: usize, _: i32, _: usize) -> Result<Option<usize>> {
            Ok(None)
        }

        fn delete(&self, _: usize, _: i32, _: usize) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_key_lives_while_somebody_has_it() {
        let keys = Keys::default();
        let number = keys.create(Kind::Comm, Box::new(Nothing)).unwrap();
        let held = keys.find(Kind::Comm, number).unwrap();
        assert_eq!(
            keys.find(Kind::Type, number).unwrap_err().class(),
            ErrorClass::Keyval
        );
        assert_eq!(keys.held(), [Kind::Comm]);
        keys.free(Kind::Comm, number).unwrap();
        keys.free(Kind::Comm, number).unwrap();
        assert_eq!(keys.held(), []);
        assert_eq!(keys.find(Kind::Comm, number).unwrap().number(), number);
        drop(held);
        assert_eq!(
            keys.free(Kind::Comm, number).unwrap_err().class(),
            ErrorClass::Keyval
        );
    }

    #[test]
    fn keys_that_are_gone_leave_the_table() {
        let keys = Keys::default();
        for _ in 0..10 * FIRST_SWEEP {
            let number = keys.create(Kind::Win, Box::new(Nothing)).unwrap();
            keys.free(Kind::Win, number).unwrap();
        }
        assert!(keys.0.lock().keys.len() <= FIRST_SWEEP);
    }

    #[test]
    fn numbers_are_used_again_when_they_run_out() {
        let keys = Keys::default();
        let first = keys.create(Kind::Comm, Box::new(Nothing)).unwrap();
        keys.0.lock().next = i32::MAX;
        let second = keys.create(Kind::Comm, Box::new(Nothing)).unwrap();
        assert_eq!((first, second), (FIRST, FIRST + 1));
    }
}
