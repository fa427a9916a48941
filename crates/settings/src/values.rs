//! The settings of one job.

use crate::placement::{Binding, Map, Memory, Plan, Ranking};
use crate::rules::{self, Rule};
use crate::{BadValue, Id, Kind, Preset, SETTINGS, Setting};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// The value of every setting, and its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<Id, Given>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    value: Value,
    origin: Origin,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, whose meaning the setting's [`Kind`] decides.
    Number(u64),
    /// Rules, for a setting of that kind.
    Rules(Vec<Rule>),
    /// A name, path or words on placement, for a setting of one of these kinds.
    Name(String),
}

/// The origin of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Nobody has set it: it is the preset, or what the library found out about the machine.
    #[default]
    Preset,
    /// This option or environment variable has set it, or somebody else.
    Given(String),
}

impl Values {
    /// The values that the environment sets, and presets for the rest.
    ///
    /// # Errors
    ///
    /// When a variable has a value that its setting cannot have.
    pub fn from_environment(get: impl Fn(&OsStr) -> Option<OsString>) -> Result<Self, BadValue> {
        let mut values = Self::default();
        values.read_environment(get)?;
        Ok(values)
    }

    /// Takes those settings from the environment that have not been set yet.
    ///
    /// # Errors
    ///
    /// When a variable has a value that its setting cannot have.
    pub fn read_environment(&mut self, get: impl Fn(&OsStr) -> Option<OsString>) -> Result<(), BadValue> {
        for setting in SETTINGS {
            let text_of = |&name: &&'static str| Some((name, get(OsStr::new(name))?));
            let set = setting
                .variables
                .iter()
                .filter_map(text_of)
                .find(|(_, text)| !text.is_empty());
            if let Some((name, text)) = set
                && !self.is_given(setting.id)
            {
                self.read(setting.id, name, &text)?;
            }
        }
        Ok(())
    }

    /// Sets a value from a text that `origin` gave.
    ///
    /// # Errors
    ///
    /// When the setting cannot have this value.
    pub fn read(&mut self, id: Id, origin: &str, text: &OsStr) -> Result<(), BadValue> {
        let setting = id.setting();
        let understood = match text.to_str() {
            Some(text) => Value::parse(setting.kind, text),
            None => Err(setting.kind.expected()),
        };
        let value = understood.map_err(|expected| BadValue {
            origin: origin.to_owned(),
            value: text.to_string_lossy().into_owned(),
            expected,
        })?;
        self.insert(id, value, Origin::Given(origin.to_owned()));
        Ok(())
    }

    /// Sets a number that `origin` gave.
    ///
    /// # Errors
    ///
    /// When the setting cannot have this value.
    pub fn set(&mut self, id: Id, value: u64, origin: Origin) -> Result<(), BadValue> {
        if !id.setting().kind.allows(value) {
            let origin = match origin {
                Origin::Given(origin) => origin,
                Origin::Preset => id.setting().name.to_owned(),
            };
            return Err(BadValue {
                origin,
                value: value.to_string(),
                expected: id.setting().kind.expected(),
            });
        }
        self.insert(id, Value::Number(value), origin);
        Ok(())
    }

    fn insert(&mut self, id: Id, value: Value, origin: Origin) {
        self.0.insert(id, Given { value, origin });
    }

    /// The value as a number; none if nobody has set it and it has no preset, or if it is not a number.
    #[must_use]
    pub fn get(&self, id: Id) -> Option<u64> {
        match self.0.get(&id).map(|given| &given.value) {
            None => id.preset(),
            Some(Value::Number(value)) => Some(*value),
            Some(Value::Rules(_) | Value::Name(_)) => None,
        }
    }

    /// The rules that somebody has set.
    #[must_use]
    pub fn rules(&self, id: Id) -> &[Rule] {
        match self.0.get(&id).map(|given| &given.value) {
            Some(Value::Rules(rules)) => rules,
            _ => &[],
        }
    }

    /// The name, path or words on placement that somebody has set.
    #[must_use]
    pub fn name(&self, id: Id) -> Option<&str> {
        match self.0.get(&id).map(|given| &given.value) {
            Some(Value::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// The value as a number of things in memory; zero if there is none.
    #[must_use]
    pub fn amount(&self, id: Id) -> usize {
        usize::try_from(self.get(id).unwrap_or(0)).unwrap_or(usize::MAX)
    }

    /// The value as a time, if it is a time or a number of milliseconds; none if there is no value, or it is zero.
    #[must_use]
    pub fn time(&self, id: Id) -> Option<Duration> {
        self.get(id).filter(|time| *time > 0).map(Duration::from_millis)
    }

    /// Whether the setting is on.
    #[must_use]
    pub fn is_on(&self, id: Id) -> bool {
        self.get(id) == Some(1)
    }

    /// Whether somebody has set it.
    #[must_use]
    pub fn is_given(&self, id: Id) -> bool {
        matches!(self.origin(id), Origin::Given(_))
    }

    /// The origin of the value.
    #[must_use]
    pub fn origin(&self, id: Id) -> &Origin {
        self.0.get(&id).map_or(&Origin::Preset, |given| &given.origin)
    }

    /// The value in words.
    #[must_use]
    pub fn show(&self, id: Id) -> String {
        let setting = id.setting();
        match (self.0.get(&id), setting.preset) {
            (Some(given), _) => given.value.show(setting.kind),
            (None, Preset::Absent(text)) => text.to_owned(),
            (None, Preset::Value(value)) => setting.kind.show(value),
        }
    }

    /// The value of `--map-by`.
    #[must_use]
    pub fn map(&self) -> Map {
        self.name(Id::MapBy).and_then(Map::parse).unwrap_or_default()
    }

    /// The value of `--rank-by`.
    #[must_use]
    pub fn ranking(&self) -> Ranking {
        self.name(Id::RankBy).and_then(Ranking::parse).unwrap_or_default()
    }

    /// The value of `--bind-to`.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.name(Id::BindTo).and_then(Binding::parse).unwrap_or_default()
    }

    /// The value of `--memory-placement`.
    #[must_use]
    pub fn memory(&self) -> Memory {
        self.name(Id::MemoryPlacement)
            .and_then(Memory::parse)
            .unwrap_or_default()
    }

    /// The plan for the ranks of each node; none if the user asks for none: then hosts share the cores of a node.
    #[must_use]
    pub fn plan(&self) -> Option<Plan> {
        let oversubscribe = self.is_on(Id::Oversubscribe);
        Plan::new(self.map(), self.ranking(), self.binding(), oversubscribe)
    }

    /// All values that are not presets, with setting and origin.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Setting, &Value, &Origin)> {
        self.0
            .iter()
            .map(|(id, given)| (id.setting(), &given.value, &given.origin))
    }
}

impl Value {
    /// Parses a text. The error is what it should be, in words that follow "is not".
    fn parse(kind: Kind, text: &str) -> Result<Self, String> {
        match kind {
            Kind::Rules => rules::parse(text)
                .map(Self::Rules)
                .map_err(|reason| format!("{}: {reason}", kind.expected())),
            Kind::Name(_) if text.is_empty() || text.contains(char::is_whitespace) => Err(kind.expected()),
            Kind::Path(_) if text.is_empty() => Err(kind.expected()),
            Kind::WordOrPath(..) if text.contains('/') => Ok(Self::Name(text.to_owned())),
            Kind::Placement(part) if !part.understands(text) => Err(kind.expected()),
            Kind::Name(_) | Kind::Path(_) | Kind::Placement(_) => Ok(Self::Name(text.to_owned())),
            _ => kind.parse(text).map(Self::Number).ok_or_else(|| kind.expected()),
        }
    }

    /// The text that is parsed as this value.
    #[must_use]
    pub fn show(&self, kind: Kind) -> String {
        match self {
            Self::Number(number) => kind.show(*number),
            Self::Rules(rules) => rules::show(rules),
            Self::Name(name) => name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(set: &'static [(&str, &str)]) -> impl Fn(&OsStr) -> Option<OsString> {
        move |name| {
            let found = set.iter().find(|(variable, _)| name == *variable);
            found.map(|(_, value)| OsString::from(value))
        }
    }

    #[test]
    fn names_are_kept_as_they_are() {
        let mut values = Values::default();
        assert_eq!(
            (values.name(Id::Provider), values.get(Id::Provider)),
            (None, None)
        );
        values
            .read(Id::Provider, "--provider", "tcp;ofi_rxm".as_ref())
            .unwrap();
        assert_eq!(values.name(Id::Provider), Some("tcp;ofi_rxm"));
        assert_eq!(values.show(Id::Provider), "tcp;ofi_rxm");
        let error = values
            .read(Id::Interface, "--interface", "two words".as_ref())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "--interface: \"two words\" is not a name without blanks"
        );
        assert!(values.set(Id::Interface, 1, Origin::Preset).is_err());
    }

    #[test]
    fn the_first_variable_that_is_set_counts() {
        let get = environment(&[
            ("SIMURGH_TIMEOUT", ""),
            ("MPIEXEC_TIMEOUT", "7"),
            ("SIMURGH_EAGER_LIMIT", "1M"),
        ]);
        let values = Values::from_environment(get).unwrap();
        assert_eq!(values.get(Id::Timeout), Some(7000));
        assert_eq!(values.amount(Id::EagerLimit), 1 << 20);
        assert_eq!(
            values.origin(Id::Timeout),
            &Origin::Given("MPIEXEC_TIMEOUT".to_owned())
        );
        assert_eq!(values.origin(Id::Seed), &Origin::Preset);
        assert_eq!(
            (values.get(Id::Seed), values.show(Id::Vps).as_str()),
            (None, "one per core")
        );
        assert_eq!(values.iter().count(), 2);
    }

    #[test]
    fn rules_are_no_number() {
        let get = environment(&[("SIMURGH_COLLECTIVES", "any=last,bcast:1M=shared")]);
        let values = Values::from_environment(get).unwrap();
        assert_eq!(
            (values.get(Id::Collectives), values.amount(Id::Collectives)),
            (None, 0)
        );
        assert_eq!(values.rules(Id::Collectives).len(), 2);
        assert_eq!(
            values.show(Id::Collectives),
            "any:0:0:core=last,bcast:1M:0:core=shared"
        );
        let error =
            Values::from_environment(environment(&[("SIMURGH_COLLECTIVES", "bcast=fast")])).unwrap_err();
        let told = "SIMURGH_COLLECTIVES: \"bcast=fast\" is not rules such as allreduce:64K=shared: \"fast\" is not \
                    one of last, shared, ";
        assert!(error.to_string().starts_with(told), "{error}");
        assert!(Values::default().set(Id::Collectives, 0, Origin::Preset).is_err());
        assert_eq!(Values::default().show(Id::Collectives), "as built in");
        assert!(Values::default().rules(Id::Vps).is_empty());
    }

    #[test]
    fn what_has_a_slash_is_a_path_and_what_has_none_is_a_word() {
        let mut values = Values::default();
        values.read(Id::Policy, "--policy", "nd".as_ref()).unwrap();
        assert_eq!((values.get(Id::Policy), values.name(Id::Policy)), (Some(1), None));
        values.read(Id::Policy, "--policy", "./nd".as_ref()).unwrap();
        assert_eq!(
            (values.get(Id::Policy), values.name(Id::Policy)),
            (None, Some("./nd"))
        );
        assert_eq!(values.show(Id::Policy), "./nd");
        let error = values.read(Id::Policy, "--policy", "whim".as_ref()).unwrap_err();
        let told = error.to_string();
        assert!(
            told.ends_with("purpose, or the path of a file, with a slash"),
            "{told}"
        );
    }

    #[test]
    fn what_is_given_stays() {
        let mut values = Values::default();
        values.read(Id::Vps, "option --vps", OsStr::new("2")).unwrap();
        values
            .read_environment(environment(&[("SIMURGH_VPS", "nonsense")]))
            .unwrap();
        assert_eq!(values.get(Id::Vps), Some(2));
    }

    #[test]
    fn wrong_values_are_named_with_what_is_right() {
        let error = Values::from_environment(environment(&[("SIMURGH_VPS", "many")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "SIMURGH_VPS: \"many\" is not a number from 1 to 1024"
        );
        let mut values = Values::default();
        let error = values.set(Id::InlineLimit, 57, Origin::Preset).unwrap_err();
        assert!(
            error.to_string().contains("inline_limit: \"57\" is not a size"),
            "{error}"
        );
        assert_eq!(values, Values::default());
    }
}
