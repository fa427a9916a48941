//! The C header is generated, and the committed one is up to date.
//!
//! `SIMURGH_WRITE_HEADER=1 cargo test -p simurgh-mpi-abi --test header` writes `include/mpi.h` anew from the
//! declarations in `src/`: functions from the `#[mpi]` attributes, types and constants from their modules. cbindgen
//! prints types and prototypes; it does not see what macros make, so it is given the declarations in plain form.

mod constants;
#[path = "../../macros/src/declaration.rs"]
mod declaration;
mod plain;
mod render;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn committed() -> PathBuf {
    package().join("../../include/mpi.h")
}

#[test]
fn the_committed_header_is_up_to_date() {
    let generated = render::header(&package().join("src"), Path::new(env!("CARGO_TARGET_TMPDIR")));
    if env::var_os("SIMURGH_WRITE_HEADER").is_some() {
        fs::write(committed(), &generated).expect("include/mpi.h can be written");
    }
    let found = fs::read_to_string(committed()).unwrap_or_default();
    assert!(
        found == generated,
        "include/mpi.h is out of date: run SIMURGH_WRITE_HEADER=1 cargo test -p simurgh-mpi-abi --test header"
    );
}
