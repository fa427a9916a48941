//! Writes the Rust declarations of what the installed headers of libfabric declare.

use std::env;
use std::path::Path;
use std::process::exit;

use bindgen::callbacks::{IntKind, ParseCallbacks};

/// The oldest libfabric whose headers will do.
const OLDEST: &str = "1.17";

/// Flags and capabilities are 64-bit numbers, also where a macro's value is short.
#[derive(Debug)]
struct Wide;

impl ParseCallbacks for Wide {
    fn int_macro(&self, _name: &str, _value: i64) -> Option<IntKind> {
        Some(IntKind::U64)
    }
}

fn main() {
    println!("cargo::rerun-if-changed=wrapper.h");
    let found = pkg_config::Config::new()
        .atleast_version(OLDEST)
        .cargo_metadata(false)
        .probe("libfabric")
        .unwrap_or_else(|error| {
            fail(&format!(
                "the headers of libfabric {OLDEST} or newer are needed (Debian: libfabric-dev): {error}"
            ))
        });
    let includes = found
        .include_paths
        .iter()
        .map(|path| format!("-I{}", path.display()));
    let bindings = bindgen::Builder::default()
        .header("wrapper.h")
        .clang_args(includes)
        .allowlist_type("fi_.*|fid.*")
        .allowlist_var("FI_.*")
        .parse_callbacks(Box::new(Wide))
        .prepend_enum_name(false)
        .generate_comments(false)
        .layout_tests(false)
        .generate()
        .unwrap_or_else(|error| {
            fail(&format!(
                "libclang (Debian: libclang-dev) cannot read them: {error}"
            ))
        });
    let out = env::var_os("OUT_DIR").expect("cargo says where to");
    bindings
        .write_to_file(Path::new(&out).join("bindings.rs"))
        .unwrap_or_else(|error| fail(&format!("cannot write the declarations: {error}")));
}

/// Ends the build with one line.
fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    exit(1);
}
