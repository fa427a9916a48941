//! The attributes of objects.

use super::Key;
use crate::error::Result;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

/// A word attached to an object.
#[derive(Clone, Debug)]
struct Attribute {
    /// Number of the setting, which distinguishes it from a later one with the same key and value.
    serial: u64,
    key: Arc<Key>,
    value: usize,
}

#[derive(Debug, Default)]
struct Table {
    settings: u64,
    /// By object, in the order of setting.
    objects: HashMap<usize, Vec<Attribute>>,
}

impl Table {
    fn find(&mut self, object: usize, key: i32) -> Option<&mut Attribute> {
        let attributes = self.objects.get_mut(&object)?;
        attributes
            .iter_mut()
            .find(|attribute| attribute.key.number() == key)
    }

    /// Attaches an attribute, and replaces the present one of this key.
    fn put(&mut self, object: usize, key: Arc<Key>, value: usize) -> Option<Attribute> {
        self.settings += 1;
        let attribute = Attribute {
            serial: self.settings,
            key,
            value,
        };
        match self.find(object, attribute.key.number()) {
            Some(place) => Some(std::mem::replace(place, attribute)),
            None => {
                self.objects.entry(object).or_default().push(attribute);
                None
            }
        }
    }

    /// Removes the attribute of this setting, if it is still there.
    fn take(&mut self, object: usize, serial: u64) -> Option<Attribute> {
        let attributes = self.objects.get_mut(&object)?;
        let place = attributes
            .iter()
            .position(|attribute| attribute.serial == serial)?;
        let taken = attributes.remove(place);
        if attributes.is_empty() {
            self.objects.remove(&object);
        }
        Some(taken)
    }
}

/// The attributes of all objects of a process.
#[derive(Debug, Default)]
pub struct Cache(SpinLock<Table>);

impl Cache {
    /// The value that an object has for a key.
    #[must_use]
    pub fn get(&self, object: usize, key: i32) -> Option<usize> {
        self.0.lock().find(object, key).map(|attribute| attribute.value)
    }

    /// Attaches a value; an older one of the same key is deleted first.
    ///
    /// # Errors
    ///
    /// The error that deleting the older value reports. The older value then stays.
    pub fn set(&self, object: usize, key: Arc<Key>, value: usize) -> Result<()> {
        let old = self.0.lock().find(object, key.number()).cloned();
        if let Some(old) = old {
            old.key.delete(object, old.value)?;
        }
        let replaced = self.0.lock().put(object, key, value);
        drop(replaced);
        Ok(())
    }

    /// Deletes the attribute of a key, if the object has one.
    ///
    /// # Errors
    ///
    /// The error that the key's function reports. The attribute then stays.
    pub fn delete(&self, object: usize, key: i32) -> Result<()> {
        let found = self.0.lock().find(object, key).cloned();
        found.map_or(Ok(()), |attribute| self.remove(object, attribute))
    }

    fn remove(&self, object: usize, attribute: Attribute) -> Result<()> {
        attribute.key.delete(object, attribute.value)?;
        let taken = self.0.lock().take(object, attribute.serial);
        drop(taken);
        Ok(())
    }

    /// Copies the attributes of `from` to its duplicate `to`, as the functions of their keys decide, in the order in
    /// which they were set.
    ///
    /// # Errors
    ///
    /// The error that a key's function reports. `to` then has no attributes.
    pub fn copy(&self, from: usize, to: usize) -> Result<()> {
        let attributes = self.0.lock().objects.get(&from).cloned().unwrap_or_default();
        for Attribute { key, value, .. } in attributes {
            match key.copy(from, value) {
                Ok(None) => {}
                Ok(Some(copied)) => {
                    let replaced = self.0.lock().put(to, key, copied);
                    drop(replaced);
                }
                Err(error) => {
                    self.forget(to);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Deletes all attributes of an object, the last one set first.
    ///
    /// # Errors
    ///
    /// The error that a key's function reports. The attribute of that key and those set before it then stay.
    pub fn delete_all(&self, object: usize) -> Result<()> {
        while let Some(attribute) = self.last(object) {
            self.remove(object, attribute)?;
        }
        Ok(())
    }

    /// Deletes all attributes of an object that goes, whatever the keys' functions return.
    fn forget(&self, object: usize) {
        while let Some(attribute) = self.last(object) {
            // The caller gets the error that made the object go.
            let _ = attribute.key.delete(object, attribute.value);
            let taken = self.0.lock().take(object, attribute.serial);
            drop(taken);
        }
    }

    fn last(&self, object: usize) -> Option<Attribute> {
        self.0.lock().objects.get(&object)?.last().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Behaviour, Keys, Kind};
    use super::*;
    use crate::error::{Error, ErrorCode};

    /// Copies add one to the value; deletions are noted, and fail for the value 13.
    #[derive(Clone, Default)]
    struct Noting(Arc<SpinLock<Vec<(usize, usize)>>>);

    impl Behaviour for Noting {
        fn copy(&self, _: usize, _: i32, value: usize) -> Result<Option<usize>> {
            match value {
                13 => Err(Error::new(ErrorCode::new(0x5000), "unlucky")),
                0 => Ok(None),
                _ => Ok(Some(value + 1)),
            }
        }

        fn delete(&self, object: usize, _: i32, value: usize) -> Result<()> {
            self.0.lock().push((object, value));
            if value == 13 {
                return Err(Error::new(ErrorCode::new(0x4000), "unlucky"));
            }
            Ok(())
        }
    }

    /// A cache, three keys, and the list of what they have deleted.
    fn fixture() -> (Cache, Vec<Arc<Key>>, Noting) {
        let (keys, noting) = (Keys::default(), Noting::default());
        let made = (0..3).map(|_| {
            let number = keys.create(Kind::Comm, Box::new(noting.clone())).unwrap();
            keys.find(Kind::Comm, number).unwrap()
        });
        let made = made.collect();
        (Cache::default(), made, noting)
    }

    #[test]
    fn attributes_are_copied_by_their_keys() {
        let (cache, keys, noting) = fixture();
        cache.set(1, Arc::clone(&keys[0]), 5).unwrap();
        cache.set(1, Arc::clone(&keys[1]), 0).unwrap();
        cache.copy(1, 2).unwrap();
        assert_eq!(cache.get(2, keys[0].number()), Some(6));
        assert_eq!(cache.get(2, keys[1].number()), None);
        cache.set(1, Arc::clone(&keys[2]), 13).unwrap();
        assert_eq!(cache.copy(1, 3).unwrap_err().code().number(), 0x5000);
        assert_eq!(cache.get(3, keys[0].number()), None);
        assert_eq!(
            *noting.0.lock(),
            [(3, 6)],
            "what had been copied is deleted again"
        );
    }

    #[test]
    fn the_last_one_set_is_deleted_first() {
        let (cache, keys, noting) = fixture();
        for (key, value) in [(0, 1), (1, 2), (2, 3)] {
            cache.set(7, Arc::clone(&keys[key]), value).unwrap();
        }
        cache.set(7, Arc::clone(&keys[0]), 4).unwrap();
        cache.delete(7, keys[1].number()).unwrap();
        cache.delete(7, keys[1].number()).unwrap();
        cache.delete_all(7).unwrap();
        assert_eq!(*noting.0.lock(), [(7, 1), (7, 2), (7, 3), (7, 4)]);
        assert!(cache.0.lock().objects.is_empty());
    }

    #[test]
    fn an_attribute_that_cannot_be_deleted_stays() {
        let (cache, keys, _) = fixture();
        cache.set(1, Arc::clone(&keys[0]), 13).unwrap();
        cache.set(1, Arc::clone(&keys[1]), 2).unwrap();
        for failure in [
            cache.set(1, Arc::clone(&keys[0]), 3),
            cache.delete(1, keys[0].number()),
            cache.delete_all(1),
        ] {
            assert_eq!(failure.unwrap_err().code().number(), 0x4000);
        }
        assert_eq!(cache.get(1, keys[0].number()), Some(13));
        assert_eq!(cache.get(1, keys[1].number()), None);
    }
}
