//! The pkg-config files of an installation.

use crate::fortran::Modules;

/// The file for C and C++. The installation in which it lies may be moved.
pub(crate) fn file(name: &str) -> String {
    text(
        name,
        "",
        "-I${includedir}",
        "-L${libdir} -Wl,-rpath,${libdir} -lmpi_abi",
    )
}

/// The file for Fortran, `mpi-fort`.
///
/// Modules are those of one compiler, which is named by its folder: `gfortran-12`. Another one can be chosen, by
/// `--define-variable=fc=flang-19`. An installation without compiled modules has `mpif.h` only.
pub(crate) fn fortran_file(modules: Option<&Modules>) -> String {
    let link = "-Wl,-rpath,${libdir} -lmpifort_abi";
    let Some(Modules { folder, options }) = modules else {
        let libs = format!("-L${{libdir}} {link} -lmpi_abi");
        return text("mpi-fort", "", "-I${includedir}", &libs);
    };
    let options: String = options.iter().map(|option| format!(" {option}")).collect();
    text(
        "mpi-fort",
        &format!("fc={folder}\nmoduledir=${{libdir}}/simurgh/fortran/${{fc}}\n"),
        &format!("-I${{includedir}} -I${{moduledir}}{options}"),
        &format!("-L${{libdir}} -L${{moduledir}} {link} -lmpifort_modules -lmpi_abi"),
    )
}

fn text(name: &str, variables: &str, compile: &str, link: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         includedir=${{prefix}}/include\n\
         libdir=${{prefix}}/lib\n\
         {variables}\
         \n\
         Name: {name}\n\
         Description: Simurgh, an MPI with the standard ABI of MPI 5.0\n\
         Version: {version}\n\
         Cflags: {compile}\n\
         Libs: {link}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_relative_to_itself() {
        let text = file("mpi");
        assert!(text.starts_with("prefix=${pcfiledir}/../..\nincludedir=${prefix}/include\n"));
        assert!(text.contains("\nName: mpi\n"));
    }

    #[test]
    fn fortran_has_the_modules_of_a_compiler_if_there_is_one() {
        let text = fortran_file(Some(&Modules {
            folder: "gfortran-12".to_owned(),
            options: vec!["-first".to_owned(), "-second".to_owned()],
        }));
        assert!(
            text.contains("\nfc=gfortran-12\nmoduledir=${libdir}/simurgh/fortran/${fc}\n\nName: mpi-fort\n")
        );
        assert!(text.contains("-I${moduledir} -first -second\n"));
        let text = fortran_file(None);
        assert!(!text.contains("modules") && text.contains("-lmpifort_abi -lmpi_abi\n"));
    }
}
