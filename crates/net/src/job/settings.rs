//! The settings in a job description: an object with a member for each one that is no preset.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use simurgh_settings::{Origin, SETTINGS, Values};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    value: u64,
    /// The option or variable that set it; absent if the launcher has found it out.
    origin: Option<String>,
}

pub(super) fn serialize<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
    let entry = |value, origin: &Origin| Entry {
        value,
        origin: match origin {
            Origin::Given(origin) => Some(origin.clone()),
            Origin::Preset => None,
        },
    };
    let entries: BTreeMap<_, _> = values
        .iter()
        .map(|(setting, value, origin)| (setting.name, entry(value, origin)))
        .collect();
    entries.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
    let entries: BTreeMap<String, Entry> = BTreeMap::deserialize(deserializer)?;
    let mut values = Values::default();
    for (name, Entry { value, origin }) in entries {
        let setting = SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .ok_or_else(|| D::Error::custom(format!("there is no setting {name:?}")))?;
        let origin = origin.map_or(Origin::Preset, Origin::Given);
        values.set(setting.id, value, origin).map_err(D::Error::custom)?;
    }
    Ok(values)
}
