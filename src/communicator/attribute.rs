//! Attributes: values that a program attaches to its communicators and windows (section 7.7 of the standard).

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Communicator;

/// A value that can be attached to a communicator or a window. The type is the key: each of these has at most one value
/// of each type. So a library gives its values a type of its own.
pub trait Attribute: 'static {
    /// The value for a duplicate of the communicator (`MPI_Comm_copy_attr_function`); none unless this says otherwise.
    fn copy(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// A value of any type, with what copies it.
#[derive(Clone)]
struct Attached {
    value: Rc<dyn Any>,
    copy: fn(&dyn Any) -> Option<Rc<dyn Any>>,
}

/// The attributes of a communicator or a window.
#[derive(Default)]
pub(crate) struct Attributes(RefCell<HashMap<TypeId, Attached>>);

impl Attributes {
    /// The attributes of a duplicate. The functions of the program are called while nothing is borrowed.
    pub(super) fn copies(&self) -> Self {
        let attached = self.0.borrow().clone();
        let copies = attached.into_iter().filter_map(|(key, attached)| {
            let value = (attached.copy)(&*attached.value)?;
            Some((key, Attached { value, ..attached }))
        });
        Self(RefCell::new(copies.collect()))
    }

    /// Attaches a value, and returns the one of the type that it takes the place of.
    pub(crate) fn set<A: Attribute>(&self, value: A) -> Option<Rc<A>> {
        let attached = Attached {
            value: Rc::new(value),
            copy: |value| Some(Rc::new(value.downcast_ref::<A>()?.copy()?)),
        };
        let before = self.0.borrow_mut().insert(TypeId::of::<A>(), attached);
        value_of(before)
    }

    /// The value of a type.
    pub(crate) fn get<A: Attribute>(&self) -> Option<Rc<A>> {
        let attached = self.0.borrow().get(&TypeId::of::<A>()).cloned();
        value_of(attached)
    }

    /// Takes the value of a type.
    pub(crate) fn remove<A: Attribute>(&self) -> Option<Rc<A>> {
        let attached = self.0.borrow_mut().remove(&TypeId::of::<A>());
        value_of(attached)
    }
}

impl Communicator {
    /// Attaches a value to the communicator, as this rank sees it, and returns the value of the type that it takes the
    /// place of (`MPI_Comm_set_attr`). The value goes away with the communicator.
    ///
    /// ```
    /// use simurgh::Attribute;
    ///
    /// /// What a library keeps with a communicator.
    /// struct Plan { calls: u32 }
    ///
    /// impl Attribute for Plan {
    ///     fn copy(&self) -> Option<Self> {
    ///         Some(Plan { calls: 0 })
    ///     }
    /// }
    ///
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// world.set_attribute(Plan { calls: 5 });
    /// assert_eq!(world.attribute::<Plan>().map(|plan| plan.calls), Some(5));
    /// assert_eq!(world.dup()?.attribute::<Plan>().map(|plan| plan.calls), Some(0));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn set_attribute<A: Attribute>(&self, value: A) -> Option<Rc<A>> {
        self.attributes.set(value)
    }

    /// The value of a type that is attached to the communicator (`MPI_Comm_get_attr`).
    #[must_use]
    pub fn attribute<A: Attribute>(&self) -> Option<Rc<A>> {
        self.attributes.get()
    }

    /// Takes the value of a type from the communicator (`MPI_Comm_delete_attr`).
    pub fn remove_attribute<A: Attribute>(&self) -> Option<Rc<A>> {
        self.attributes.remove()
    }
}

fn value_of<A: Attribute>(attached: Option<Attached>) -> Option<Rc<A>> {
    attached?.value.downcast().ok()
}
