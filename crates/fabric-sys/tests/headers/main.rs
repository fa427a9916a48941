//! That the declarations in `src/raw.rs` are those of libfabric's headers, of the version that is asked of the library.
//!
//! Needs Debian's libfabric-dev and libclang-dev. `UPDATE_DECLARATIONS=1 cargo test -p simurgh-fabric-sys --test
//! headers` writes the file anew. Where headers of another version are installed, the test says that it is skipped:
//! structures may be longer there, but the library answers in terms of the version that it is asked for.

use std::path::Path;
use std::{env, fs};

use bindgen::callbacks::{IntKind, ParseCallbacks};
use simurgh_fabric_sys::VERSION;

/// The types that are used. What they refer to follows.
const TYPES: &str = "fi_(addr_t|av_attr|context2|cq_attr|cq_data_entry|cq_err_entry|fabric_attr|info|msg|msg_rma\
    |rma_iov)|fid_(av|cq|domain|ep|fabric|mr)";

/// The enumerations that are used, to which numbers in structures belong.
const ENUMERATIONS: &str =
    "fi_(av_type|cq_format|cq_wait_cond|datatype|ep_type|mr_mode|op|resource_mgmt|threading|wait_obj)";

/// The constants that are used.
const CONSTANTS: &str = "FI_(COMPLETION|CONTEXT2?|DELIVERY_COMPLETE|E(AGAIN|AVAIL|CONNABORTED|CONNREFUSED|CONNRESET\
    |HOSTUNREACH|IO|NETUNREACH|NOSYS|NOTCONN|SHUTDOWN|TIMEDOUT)|GETWAIT|MR_[A-Z_]+|MSG|MULTI_RECV\
    |OPT_ENDPOINT|OPT_MIN_MULTI_RECV|ORDER_SAS|READ|RECV|REMOTE_READ|REMOTE_WRITE|RMA|SEND|SOCKADDR_IN6?|TRANSMIT\
    |TRANSMIT_COMPLETE|WRITE)";

/// What stands before the declarations.
const OPENING: &str = "\
//! The declarations of libfabric's headers, in the version that is asked of the library.
//!
//! Written by bindgen: `UPDATE_DECLARATIONS=1 cargo test -p simurgh-fabric-sys --test headers`.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    unreachable_pub,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    unsafe_op_in_unsafe_fn,
    reason = \"written by bindgen from a C header\"
)]
#![cfg_attr(rustfmt, rustfmt_skip)]

";

/// Flags and capabilities are 64-bit numbers, also where a macro's value is short.
#[derive(Debug)]
struct Wide;

impl ParseCallbacks for Wide {
    fn int_macro(&self, _name: &str, _value: i64) -> Option<IntKind> {
        Some(IntKind::U64)
    }
}

/// The folders of the headers, if they are there and have the version that is asked of the library.
fn includes() -> Option<Vec<String>> {
    let (major, minor) = (VERSION >> 16, VERSION & 0xffff);
    let range = format!("{major}.{minor}")..format!("{major}.{}", minor + 1);
    let found = pkg_config::Config::new()
        .range_version(range.start.as_str()..range.end.as_str())
        .cargo_metadata(false)
        .env_metadata(false)
        .probe("libfabric")
        .inspect_err(|error| println!("skipped: {error}"))
        .ok()?;
    let options = found
        .include_paths
        .iter()
        .map(|path| format!("-I{}", path.display()));
    Some(options.collect())
}

fn generated(includes: Vec<String>) -> String {
    let bindings = bindgen::Builder::default()
        .header("tests/headers/wrapper.h")
        .clang_args(includes)
        .allowlist_type(TYPES)
        .allowlist_type(ENUMERATIONS)
        .allowlist_var(CONSTANTS)
        .parse_callbacks(Box::new(Wide))
        .prepend_enum_name(false)
        .generate_comments(false)
        .layout_tests(false)
        .disable_header_comment()
        .formatter(bindgen::Formatter::Rustfmt)
        .generate()
        .expect("libclang reads the headers");
    format!("{OPENING}{bindings}")
}

#[test]
fn the_declarations_are_those_of_the_headers() {
    let Some(includes) = includes() else {
        return;
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/raw.rs");
    let generated = generated(includes);
    if env::var_os("UPDATE_DECLARATIONS").is_some() {
        fs::write(&file, &generated).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap() == generated,
        "src/raw.rs is out of date: run UPDATE_DECLARATIONS=1 cargo test -p simurgh-fabric-sys --test headers"
    );
}
