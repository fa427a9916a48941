//! Shared objects whose type is known only to those who put them somewhere.

use std::any::{Any, TypeId};
use std::ptr::NonNull;

use crate::sync::Arc;

/// An object and its type. `dyn Any` alone would have to be asked what it is, by a call through its table, each time.
pub struct Typed {
    of: TypeId,
    place: NonNull<()>,
    /// Keeps the object.
    _object: Arc<dyn Any + Send + Sync>,
}

// SAFETY:
// - the pointer goes to the object, which may be shared and sent itself.
unsafe impl Send for Typed {}
// SAFETY:
// - as above.
unsafe impl Sync for Typed {}

impl Typed {
    /// Takes an object.
    #[must_use]
    pub fn new<T: Any + Send + Sync>(object: Arc<T>) -> Self {
        Self {
            of: TypeId::of::<T>(),
            place: NonNull::from(&*object).cast(),
            _object: object,
        }
    }

    /// The object, if it is a `T`.
    #[inline]
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        // SAFETY:
        // - the object is of this type, and lives as long as we do, where it is.
        (self.of == TypeId::of::<T>()).then(|| unsafe { &*self.place.as_ptr().cast::<T>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn an_object_is_found_as_what_it_is() {
        let object = Arc::new(String::from("text"));
        let typed = Typed::new(Arc::clone(&object));
        let found = typed.get::<String>().expect("it is a string");
        assert!(ptr::eq(found, &*object));
        assert_eq!(typed.get::<&str>(), None);
        drop(typed);
        assert_eq!(Arc::strong_count(&object), 1);
    }

    #[test]
    fn an_object_without_size_is_found_too() {
        assert_eq!(Typed::new(Arc::new(())).get::<()>(), Some(&()));
    }
}
