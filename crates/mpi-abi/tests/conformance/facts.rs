//! The facts in `standard.txt` and `beside.txt`.

use std::collections::BTreeMap;

/// The facts, by name.
#[derive(Default)]
pub(crate) struct Facts {
    /// Size of each type in bytes.
    pub(crate) types: BTreeMap<String, usize>,
    /// Type, name and offset of fields.
    pub(crate) fields: Vec<(String, String, usize)>,
    /// Value and type of each constant.
    pub(crate) constants: BTreeMap<String, (String, String)>,
    /// The C function type of each callback.
    pub(crate) callbacks: BTreeMap<String, String>,
    /// The C function type of each function.
    pub(crate) functions: BTreeMap<String, String>,
}

impl Facts {
    /// The facts of the ABI.
    pub(crate) fn standard() -> Self {
        Self::read([include_str!("standard.txt")])
    }

    /// The facts of what the ABI leaves out.
    pub(crate) fn beside() -> Self {
        Self::read([include_str!("beside.txt")])
    }

    /// All facts.
    pub(crate) fn all() -> Self {
        Self::read([include_str!("standard.txt"), include_str!("beside.txt")])
    }

    fn read<const N: usize>(texts: [&str; N]) -> Self {
        let mut facts = Facts::default();
        let lines = texts.iter().flat_map(|text| text.lines());
        for line in lines.filter(|line| !line.starts_with('#')) {
            let (kind, rest) = line.split_once(' ').expect("each line has a kind");
            let (name, rest) = rest.split_once(' ').expect("each fact has a name");
            let (name, number) = (name.to_owned(), |text: &str| text.parse().expect("a number"));
            match kind {
                "type" => drop(facts.types.insert(name, number(rest))),
                "field" => {
                    let (field, offset) = rest.split_once(' ').expect("a field has an offset");
                    facts.fields.push((name, field.to_owned(), number(offset)));
                }
                "constant" => {
                    let (value, ty) = rest.split_once(' ').expect("a constant has a type");
                    facts.constants.insert(name, (value.to_owned(), ty.to_owned()));
                }
                "callback" => drop(facts.callbacks.insert(name, rest.to_owned())),
                "function" => drop(facts.functions.insert(name, rest.to_owned())),
                other => panic!("there is a line of unknown kind {other}"),
            }
        }
        facts
    }
}
