//! The header's text, put together from cbindgen's output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config, EnumConfig, FunctionConfig, Language, ParseConfig, Style};
use simurgh_mpi_abi_declarations::collect::constants as constants_of;

use crate::constants;
use crate::plain::Plain;

const OPENING: &str = "\
/* The MPI 5.0 C interface of Simurgh, in the standard ABI.
 * Generated from the declarations in crates/mpi-abi/src; SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * All constants and types of the standard are here; of the functions, those that the library has. */
#ifndef SIMURGH_MPI_H
#define SIMURGH_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif
";

const CLOSING: &str = "
#ifdef __cplusplus
}
#endif

#ifndef MPI_NO_REMOVED
#include \"mpi_removed.h\"
#endif

#endif /* SIMURGH_MPI_H */
";

const REMOVED_OPENING: &str = "\
/* What MPI has had and removed, for old programs: each use is a warning that says what to use instead.
 * Generated from the declarations in crates/mpi-abi/src; SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * mpi.h includes this header unless MPI_NO_REMOVED is defined. */
#ifndef SIMURGH_MPI_REMOVED_H
#define SIMURGH_MPI_REMOVED_H

#include \"mpi.h\"

#ifdef __cplusplus
extern \"C\" {
#endif

/* Functions of the program that the library calls */
typedef MPI_Comm_errhandler_function MPI_Handler_function;
";

const REMOVED_CLOSING: &str = "
#ifdef __cplusplus
}
#endif

#endif /* SIMURGH_MPI_REMOVED_H */
";

/// `mpi.h`, from the declarations that have been collected in `src`; `scratch` is a folder for cbindgen's input.
pub(crate) fn header(plain: &Plain, src: &Path, scratch: &Path) -> String {
    let mut text = OPENING.to_owned();
    let mut section = |title: &str, body: &str| text.push_str(&titled(title, body));

    section("Types", &types(plain, scratch));
    let mut callbacks = functions(&plain.callbacks, plain, "typedef", scratch);
    for (name, target) in &plain.callback_aliases {
        callbacks.push_str(&format!("typedef {target} {name};\n"));
    }
    section("Functions of the program that the library calls", &callbacks);
    for (title, file) in [
        ("Values", "values"),
        ("Error classes", "errors"),
        ("Predefined handles", "handles"),
        ("Special addresses", "addresses"),
        ("Tool information interface", "tool"),
    ] {
        section(
            title,
            &constants::defines(&constants_of(&src.join(format!("constants/{file}.rs")))),
        );
    }
    text.push_str(&prototypes(&plain.functions, plain, scratch));
    text.push_str(CLOSING);
    text
}

/// `mpi_removed.h`.
pub(crate) fn removed(plain: &Plain, scratch: &Path) -> String {
    let declared = prototypes(&plain.removed, plain, scratch);
    format!("{REMOVED_OPENING}{declared}{REMOVED_CLOSING}")
}

/// A section of a header.
fn titled(title: &str, body: &str) -> String {
    format!("\n/* {title} */\n{}\n", body.trim())
}

/// The sections of functions.
fn prototypes(declared: &BTreeMap<String, String>, plain: &Plain, scratch: &Path) -> String {
    let mut text = String::new();
    for (title, prefix) in [("Functions", "MPI_"), ("The same functions, for tools", "PMPI_")] {
        let declared: String = declared
            .iter()
            .filter(|(name, _)| name.starts_with(prefix))
            .map(|(_, text)| text.as_str())
            .collect();
        text.push_str(&titled(title, &functions(&declared, plain, "", scratch)));
    }
    text
}

/// The types, as cbindgen prints them.
fn types(plain: &Plain, scratch: &Path) -> String {
    let mut config = config();
    config.export.include = plain.type_names.clone();
    config.style = Style::Both;
    print(&plain.types, config, scratch)
}

/// Prototypes, as cbindgen prints them, each behind `prefix`.
fn functions(declared: &str, plain: &Plain, prefix: &str, scratch: &Path) -> String {
    let mut config = config();
    config.export.exclude = plain.type_names.clone();
    config.function = FunctionConfig {
        prefix: (!prefix.is_empty()).then(|| prefix.to_owned()),
        deprecated_with_note: Some("__attribute__((deprecated({})))".to_owned()),
        ..FunctionConfig::default()
    };
    print(declared, config, scratch)
}

fn config() -> Config {
    Config {
        language: Language::C,
        no_includes: true,
        line_length: 118,
        usize_is_size_t: false,
        parse: ParseConfig::default(),
        enumeration: EnumConfig::default(),
        style: Style::Type,
        ..Config::default()
    }
}

fn print(source: &str, config: Config, scratch: &Path) -> String {
    let input = scratch.join("declarations.rs");
    fs::write(&input, source).expect("the scratch folder is writable");
    let bindings = Builder::new()
        .with_config(config)
        .with_src(&input)
        .generate()
        .expect("cbindgen takes the source");
    let mut output = Vec::new();
    bindings.write(&mut output);
    String::from_utf8(output).expect("cbindgen writes UTF-8")
}
