//! The configuration that mpi4py needs when it is built with this library: a header that is installed with ours.
//!
//! Without it mpi4py assumes that a library of the standard ABI has all functions of the standard. There are two ways
//! to tell it which are missing. It can compile a program for each function (`MPI4PY_BUILD_CONFIGURE`), which takes
//! many minutes, or it includes `pympiconf.h` if that exists.

use crate::conformance;
use crate::failure::Result;
use crate::workspace::Workspace;

/// The place of the header, below the prefix.
pub(crate) const PLACE: &str = "include/simurgh/mpi4py/pympiconf.h";

/// Functions that the standard has removed for good and that mpi4py assumes to exist.
const REMOVED: [&str; 5] = [
    "MPI_LB",
    "MPI_UB",
    "MPI_COMBINER_HINDEXED_INTEGER",
    "MPI_COMBINER_HVECTOR_INTEGER",
    "MPI_COMBINER_STRUCT_INTEGER",
];

/// The compiler options that select the header of the installation below `prefix`.
pub(crate) fn flags(prefix: &str) -> String {
    let folder = PLACE.rsplit_once('/').map_or(PLACE, |(folder, _)| folder);
    format!("-DHAVE_PYMPICONF_H=1 -I{prefix}/{folder}")
}

/// The text of the header.
pub(crate) fn header(workspace: &Workspace) -> Result<String> {
    let absent = conformance::absent(workspace)?;
    let removed = REMOVED.iter().map(|name| (*name).to_owned());
    let mut text = "\
        /* What mpi4py need not find out when it is built with this installation. With this file in FOLDER:\n \
        * CFLAGS=\"-DHAVE_PYMPICONF_H=1 -IFOLDER\" pip install --no-cache-dir --no-binary mpi4py mpi4py */\n\
        #include \"lib-mpi/config/mpiabi.h\"\n"
        .to_owned();
    for name in absent.into_iter().chain(removed) {
        text.push_str(&format!("#undef PyMPI_HAVE_{name}\n"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told() {
        let header = header(&Workspace::locate()).unwrap();
        let lines: Vec<&str> = header.lines().collect();
        assert!(lines.contains(&"#undef PyMPI_HAVE_MPI_LB"));
        for there in ["MPI_Send_c", "MPI_Comm_c2f", "MPI_Type_struct"] {
            assert!(!header.contains(&format!("HAVE_{there}\n")), "{there}");
        }
        assert_eq!(
            flags("/usr"),
            "-DHAVE_PYMPICONF_H=1 -I/usr/include/simurgh/mpi4py"
        );
    }
}
