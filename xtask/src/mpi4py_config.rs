//! What mpi4py asks of an MPI when it is built, answered: a header that is installed with ours.
//!
//! By itself mpi4py takes for granted that a library of the standard ABI has all functions of the standard. To be told
//! what is missing it compiles a program for each (`MPI4PY_BUILD_CONFIGURE`), which takes many minutes; or it includes
//! `pympiconf.h`, if there is one.

use crate::conformance;
use crate::failure::Result;
use crate::workspace::Workspace;

/// Where the header goes, below the prefix.
pub(crate) const PLACE: &str = "include/simurgh/mpi4py/pympiconf.h";

/// What has been removed from the standard for good, and mpi4py takes for granted.
const REMOVED: [&str; 5] = [
    "MPI_LB",
    "MPI_UB",
    "MPI_COMBINER_HINDEXED_INTEGER",
    "MPI_COMBINER_HVECTOR_INTEGER",
    "MPI_COMBINER_STRUCT_INTEGER",
];

/// The options with which a compiler uses the answers of the installation below `prefix`.
pub(crate) fn flags(prefix: &str) -> String {
    let folder = PLACE.rsplit_once('/').map_or(PLACE, |(folder, _)| folder);
    format!("-DHAVE_PYMPICONF_H=1 -I{prefix}/{folder}")
}

/// The header.
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
