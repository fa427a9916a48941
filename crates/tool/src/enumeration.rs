//! Enumerations: names for the values of variables and for the elements of events.

use super::event::TYPES;
use simurgh_core::Purpose;
use simurgh_settings::{Kind, SETTINGS};
use std::sync::LazyLock;

/// A set of named numbers.
#[derive(Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// The names of the numbers, counted from 0.
    pub items: Vec<&'static str>,
}

/// The name of the enumeration for settings that are off or on.
const SWITCH: &str = "switch";
/// The name of the enumeration of a rank's phases.
const PHASE: &str = "phase";
/// The name of the enumeration of a rank's purposes.
const PURPOSE: &str = "purpose";

/// All enumerations, by index.
#[must_use]
pub fn all() -> &'static [Enumeration] {
    static ALL: LazyLock<Vec<Enumeration>> = LazyLock::new(|| {
        let enumeration = |name: &str, items: &[&'static str]| Enumeration {
            name: name.to_owned(),
            items: items.to_vec(),
        };
        let fixed = [
            enumeration(SWITCH, &["off", "on"]),
            enumeration(PHASE, &["before", "active", "after"]),
            enumeration(PURPOSE, &Purpose::NAMES),
        ];
        let choices = SETTINGS.iter().filter_map(|setting| match setting.kind {
            Kind::Choice(items) => Some(Enumeration {
                name: setting.name.to_owned(),
                items: items.iter().map(|item| item.name).collect(),
            }),
            _ => None,
        });
        let elements = TYPES.iter().map(|event| Enumeration {
            name: elements_of(event.name),
            items: event.elements.iter().map(|element| element.name).collect(),
        });
        fixed.into_iter().chain(choices).chain(elements).collect()
    });
    &ALL
}

/// The name of the enumeration that names the elements of an event.
fn elements_of(event: &str) -> String {
    format!("{event}_elements")
}

fn named(name: &str) -> Option<usize> {
    all().iter().position(|enumeration| enumeration.name == name)
}

/// The index of the enumeration of a setting's values; none if the values are amounts.
pub(super) fn of_kind(name: &str, kind: Kind) -> Option<usize> {
    match kind {
        Kind::Flag => named(SWITCH),
        Kind::Choice(_) => named(name),
        Kind::Count { .. }
        | Kind::Size { .. }
        | Kind::Time
        | Kind::WordOrPath(..)
        | Kind::Rules
        | Kind::Name(_)
        | Kind::Path(_)
        | Kind::Placement(_) => None,
    }
}

/// The index of the enumeration of a rank's phases.
pub(super) fn of_phase() -> Option<usize> {
    named(PHASE)
}

/// The index of the enumeration of a rank's purposes.
pub(super) fn of_purpose() -> Option<usize> {
    named(PURPOSE)
}

/// The index of the enumeration that names the elements of an event.
#[must_use]
pub fn of_event(kind: usize) -> Option<usize> {
    TYPES.get(kind).and_then(|event| named(&elements_of(event.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_enumeration_is_found_by_its_only_name() {
        for (place, enumeration) in all().iter().enumerate() {
            assert_eq!(named(&enumeration.name), Some(place));
            assert!(!enumeration.items.is_empty());
        }
        assert!((0..TYPES.len()).all(|kind| of_event(kind).is_some()));
    }
}
