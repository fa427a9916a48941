//! The settings in a job description: an object with a member for each setting that is not at its preset.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use simurgh_settings::{Kind, Origin, SETTINGS, Value, Values};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    value: Shown,
    /// The option or variable that set it; absent if the launcher has found it out.
    origin: Option<String>,
}

/// A value: a number as such, every other value as a user would write it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Shown {
    Number(u64),
    Text(String),
}

impl Shown {
    fn of(value: &Value, kind: Kind) -> Self {
        match value {
            Value::Number(number) => Self::Number(*number),
            Value::Rules(_) | Value::Name(_) => Self::Text(value.show(kind)),
        }
    }
}

pub(super) fn serialize<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
    let entry = |value, kind, origin: &Origin| Entry {
        value: Shown::of(value, kind),
        origin: match origin {
            Origin::Given(origin) => Some(origin.clone()),
            Origin::Preset => None,
        },
    };
    let entries: BTreeMap<_, _> = values
        .iter()
        .map(|(setting, value, origin)| (setting.name, entry(value, setting.kind, origin)))
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
        let set = match (value, origin) {
            (Shown::Number(number), origin) => {
                let origin = origin.map_or(Origin::Preset, Origin::Given);
                values.set(setting.id, number, origin)
            }
            (Shown::Text(text), origin) => {
                let origin = origin.unwrap_or_else(|| setting.name.to_owned());
                values.read(setting.id, &origin, text.as_ref())
            }
        };
        set.map_err(D::Error::custom)?;
    }
    Ok(values)
}
