//! Counted references whose type is known only to those that put them somewhere.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

use crate::sync::Arc;

/// A counted reference to an object, and the type of the object. With `dyn Any` alone, each check of the type would be
/// a call through its table.
#[repr(C)]
pub struct AnyArc {
    of: TypeId,
    place: NonNull<()>,
    /// Keeps the object alive.
    _object: Arc<dyn Any + Send + Sync>,
}

// SAFETY:
// - the pointer refers to the object, which may itself be shared and sent.
unsafe impl Send for AnyArc {}
// SAFETY:
// - as above.
unsafe impl Sync for AnyArc {}

/// A reference to the object of an [`AnyArc`], which keeps the object alive. It is an `Arc` for those who want to clone
/// it.
pub struct BorrowedArc<'a, T>(ManuallyDrop<Arc<T>>, PhantomData<&'a AnyArc>);

impl<T> Deref for BorrowedArc<'_, T> {
    type Target = Arc<T>;

    #[inline]
    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl AnyArc {
    /// Makes one of a reference to an object.
    #[must_use]
    pub fn new<T: Any + Send + Sync>(object: Arc<T>) -> Self {
        Self {
            of: TypeId::of::<T>(),
            // The pointer is the one from which `with` makes an `Arc` again.
            place: NonNull::new(Arc::as_ptr(&object).cast_mut().cast())
                .expect("an object does not lie at address zero"),
            _object: object,
        }
    }

    /// A reference to the object that is not counted, if the object is a `T`.
    #[inline]
    #[must_use]
    pub fn borrow<T: Any>(&self) -> Option<BorrowedArc<'_, T>> {
        // SAFETY:
        // - the place comes from an `Arc` of this type, whose count includes `_object`; this one is not dropped.
        let object = || unsafe { ManuallyDrop::new(Arc::from_raw(self.place.as_ptr().cast::<T>())) };
        (self.of == TypeId::of::<T>()).then(|| BorrowedArc(object(), PhantomData))
    }

    /// The object, if it is a `T`.
    #[inline]
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        // SAFETY:
        // - the object is of this type, and stays where it is as long as `self` lives.
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
        let typed = AnyArc::new(Arc::clone(&object));
        let found = typed.get::<String>().expect("it is a string");
        assert!(ptr::eq(found, &*object));
        assert_eq!(typed.get::<&str>(), None);
        assert!(Arc::ptr_eq(&typed.borrow::<String>().expect("as above"), &object));
        assert!(typed.borrow::<u8>().is_none());
        drop(typed);
        assert_eq!(Arc::strong_count(&object), 1);
    }

    #[test]
    fn an_object_without_size_is_found_too() {
        assert_eq!(AnyArc::new(Arc::new(())).get::<()>(), Some(&()));
    }
}
