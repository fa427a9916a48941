//! The text of `docs/settings.md`.

use crate::{Category, Kind, Limit, Preset, SETTINGS, Scope, Setting, Spelling};
use std::fmt::Write;

/// The text above the tables.
const HEAD: &str = "\
# Settings

Written from the table in `crates/settings` (`UPDATE_DOCS=1 cargo test -p simurgh-launcher --test settings`); do not
edit it by hand.

An option of `mpiexec` counts before an environment variable. `simurgh info --settings` shows what is in effect and
where it comes from; programs read the same values as control variables of MPI_T, under the names below. A setting
that can be changed by a rank is written there too, and holds for that rank from then on; all others are fixed when
the job starts.
";

/// The text of `docs/settings.md`, with the limits of the rest of the library.
#[must_use]
pub fn reference(limits: &[Limit]) -> String {
    let mut text = HEAD.to_owned();
    for category in Category::ALL {
        let settings: Vec<_> = SETTINGS
            .iter()
            .filter(|setting| setting.category == category)
            .collect();
        if !settings.is_empty() {
            let _ = write!(text, "\n## {}: {}\n\n", category.name(), category.doc());
            text.push_str("| name | option | variable | values | if not set | changed by | what it does |\n");
            text.push_str("|---|---|---|---|---|---|---|\n");
            settings.into_iter().for_each(|setting| row(&mut text, setting));
        }
    }
    text.push_str(
        "\n## Limits\n\nThese are compiled in.\n\n| name | value | what it limits |\n|---|---|---|\n",
    );
    for limit in limits {
        let _ = writeln!(text, "| `{}` | {} | {} |", limit.name(), limit.value, limit.doc());
    }
    text
}

fn row(text: &mut String, setting: &Setting) {
    let options: Vec<_> = setting
        .options
        .iter()
        .map(|option| match option {
            Spelling::Takes(name) | Spelling::Sets(name, _) => format!("`{}{name}`", dashes(name)),
        })
        .collect();
    let variables: Vec<_> = setting.variables.iter().map(|name| format!("`{name}`")).collect();
    let preset = match setting.preset {
        Preset::Value(value) => setting.kind.show(value),
        Preset::Absent(what) => what.to_owned(),
    };
    let changed = match setting.scope {
        Scope::Start => "",
        Scope::Rank => "a rank",
    };
    let _ = writeln!(
        text,
        "| `{}` | {} | {} | {} | {preset} | {changed} | {} |",
        setting.name,
        options.join(", "),
        variables.join(", "),
        values(setting.kind),
        setting.doc
    );
}

fn dashes(name: &str) -> &'static str {
    if name.len() == 1 { "-" } else { "--" }
}

fn values(kind: Kind) -> String {
    match kind {
        Kind::Count {
            least: 0,
            most: u64::MAX,
        } => "number".to_owned(),
        Kind::Count { least, most } => format!("{least} to {most}"),
        Kind::Size { least, most } => {
            let bytes = |value| kind.show(value);
            format!("{} to {} bytes", bytes(least), bytes(most))
        }
        Kind::Time => "seconds".to_owned(),
        Kind::Flag => "on, off".to_owned(),
        Kind::Choice(items) => {
            let names: Vec<_> = items.iter().map(|item| item.name).collect();
            names.join(", ")
        }
        Kind::WordOrPath(items, _) => {
            let names: Vec<_> = items.iter().map(|item| item.name).collect();
            format!("{}, a path", names.join(", "))
        }
        Kind::Name(_) => "a name".to_owned(),
        Kind::Path(_) => "a path".to_owned(),
        Kind::Placement(part) => part.expected(),
        Kind::Rules => "rules: `operation:bytes:ranks:level=algorithm,…`".to_owned(),
    }
}
