//! The table of all settings.

mod choices;
mod memory;
mod rows;
mod scheduling;

pub use rows::SETTINGS;

use crate::{Id, Preset, Setting};

impl Id {
    /// The row of the setting.
    #[must_use]
    pub fn setting(self) -> &'static Setting {
        &SETTINGS[self as usize]
    }

    /// The value if nobody sets the setting; none if it has no preset value.
    #[must_use]
    pub const fn preset(self) -> Option<u64> {
        match SETTINGS[self as usize].preset {
            Preset::Value(value) => Some(value),
            Preset::Absent(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spelling;
    use std::collections::BTreeSet;

    #[test]
    fn settings_stand_at_their_numbers_under_names_of_their_own() {
        let mut names = BTreeSet::new();
        for (place, setting) in SETTINGS.iter().enumerate() {
            assert_eq!(setting.id as usize, place);
            let options = setting.options.iter().map(|option| option.name());
            let all = options.chain(setting.variables.iter().copied());
            for name in all.chain([setting.name]) {
                let own = name == setting.name || names.insert(name);
                assert!(own, "{name} stands in the table twice");
            }
            assert!(setting.variables[0] == format!("SIMURGH_{}", setting.name.to_uppercase()));
            assert!(!setting.doc.ends_with('.'), "{}", setting.name);
        }
    }

    #[test]
    fn presets_and_switches_are_allowed_values() {
        for setting in SETTINGS {
            if let Preset::Value(value) = setting.preset {
                assert!(setting.kind.allows(value), "{}", setting.name);
            }
            for option in setting.options {
                if let Spelling::Sets(name, value) = option {
                    assert!(setting.kind.allows(*value), "{name}");
                }
            }
        }
    }
}
