//! The C headers are generated, and the committed ones are up to date.
//!
//! `SIMURGH_WRITE_HEADER=1 cargo test -p simurgh-mpi-abi --test header` writes `include/mpi.h` and
//! `include/mpi_removed.h` anew from the declarations in `src/`: functions from the `#[mpi]` attributes, types and
//! constants from their modules. cbindgen prints types and prototypes. It does not see the results of macros, so it is
//! given the declarations in plain form.

mod constants;
mod plain;
mod render;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn committed(name: &str) -> PathBuf {
    package().join("../../include").join(name)
}

#[test]
fn the_committed_headers_are_up_to_date() {
    let (src, scratch) = (package().join("src"), Path::new(env!("CARGO_TARGET_TMPDIR")));
    let plain = plain::Plain::collect(&src);
    for (name, generated) in [
        ("mpi.h", render::header(&plain, &src, scratch)),
        ("mpi_removed.h", render::removed(&plain, scratch)),
    ] {
        if env::var_os("SIMURGH_WRITE_HEADER").is_some() {
            fs::write(committed(name), &generated).expect("the header can be written");
        }
        let found = fs::read_to_string(committed(name)).unwrap_or_default();
        assert!(
            found == generated,
            "include/{name} is out of date: run SIMURGH_WRITE_HEADER=1 cargo test -p simurgh-mpi-abi --test header"
        );
    }
}
