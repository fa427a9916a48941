//! State that a layer keeps with an object of a layer below it.
//!
//! A communicator knows its process and its job, but these know no communicators. So what the layer of communicators
//! keeps for each process or job is in a slot of that object, under its type. Finding a value takes a comparison of
//! types for each slot before it. No message, switch or collective does that.

use simurgh_core::AnyArc;
use simurgh_core::sync::Arc;
use std::any::Any;
use std::sync::OnceLock;

/// Values of different types, at most `N`.
pub(crate) struct LayerState<const N: usize>([OnceLock<AnyArc>; N]);

impl<const N: usize> LayerState<N> {
    /// The value of a type, made by `make` when it is asked for the first time.
    ///
    /// # Panics
    ///
    /// When values of `N` other types are there.
    pub(crate) fn get_or_init<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> &T {
        // Slots are filled in order and keep their first value, so that all callers find the same value of a type.
        let mut values = self
            .0
            .iter()
            .map(|slot| slot.get_or_init(|| AnyArc::new(Arc::new(make()))));
        let found = values.find_map(AnyArc::get);
        found.expect("there is a slot for each type")
    }
}

impl<const N: usize> Default for LayerState<N> {
    fn default() -> Self {
        Self([const { OnceLock::new() }; N])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let slots = LayerState::<2>::default();
        assert_eq!(*slots.get_or_init(|| 1_u8), 1);
        assert_eq!(*slots.get_or_init(|| 2_u16), 2);
        assert_eq!(*slots.get_or_init(|| 3_u8), 1);
        assert_eq!(*slots.get_or_init(|| 4_u16), 2);
    }

    #[test]
    #[should_panic(expected = "a slot for each type")]
    fn there_is_room_for_no_more_types_than_slots() {
        let slots = LayerState::<1>::default();
        slots.get_or_init(|| 1_u8);
        slots.get_or_init(|| 2_u16);
    }
}
