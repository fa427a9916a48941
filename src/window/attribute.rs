//! What a program says of a window: its name, and attributes (sections 7.7 and 7.8 of the standard).

use std::rc::Rc;

use super::Window;
use crate::{Attribute, Equivalence, hints};

impl<T: Equivalence> Window<T> {
    /// Attaches a value to the window, as this rank sees it, and returns the value of the type that it takes the place
    /// of (`MPI_Win_set_attr`). The value goes away with the window.
    ///
    /// ```
    /// /// What a library keeps with a window.
    /// struct Layout { rows: usize }
    ///
    /// impl simurgh::Attribute for Layout {}
    ///
    /// # simurgh::Builder::new().ranks(2).run(|world| {
    /// let window = world.allocate_window::<f64>(12)?;
    /// window.set_attribute(Layout { rows: 3 });
    /// assert_eq!(window.attribute::<Layout>().map(|layout| layout.rows), Some(3));
    /// assert!(world.attribute::<Layout>().is_none());
    /// assert_eq!(window.remove_attribute::<Layout>().map(|layout| layout.rows), Some(3));
    /// assert!(window.attribute::<Layout>().is_none());
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn set_attribute<A: Attribute>(&self, value: A) -> Option<Rc<A>> {
        self.attributes.set(value)
    }

    /// The value of a type that is attached to the window (`MPI_Win_get_attr`).
    #[must_use]
    pub fn attribute<A: Attribute>(&self) -> Option<Rc<A>> {
        self.attributes.get()
    }

    /// Takes the value of a type from the window (`MPI_Win_delete_attr`).
    pub fn remove_attribute<A: Attribute>(&self) -> Option<Rc<A>> {
        self.attributes.remove()
    }

    /// The name (`MPI_Win_get_name`).
    #[must_use]
    pub fn name(&self) -> String {
        self.window.name()
    }

    /// Sets the name. One that is longer than the standard allows is cut off (`MPI_Win_set_name`).
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(1).run(|world| {
    /// let window = world.allocate_window::<f64>(12)?;
    /// window.set_name("halo");
    /// assert_eq!(window.name(), "halo");
    /// assert!(window.hints().iter().any(|(key, _)| key == "accumulate_ops"));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn set_name(&self, name: &str) {
        self.window.set_name(name);
    }

    /// The hints that are in use, with their values (`MPI_Win_get_info`). None can be given, since some of them take
    /// away what keeps accesses from conflicting.
    #[must_use]
    pub fn hints(&self) -> Vec<(String, String)> {
        hints::texts(&self.window.info())
    }
}
