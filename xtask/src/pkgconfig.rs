//! The pkg-config files of an installation.

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
pub(crate) fn fortran_file(compiler: Option<&str>) -> String {
    let link = "-Wl,-rpath,${libdir} -lmpifort_abi";
    let Some(compiler) = compiler else {
        let libs = format!("-L${{libdir}} {link} -lmpi_abi");
        return text("mpi-fort", "", "-I${includedir}", &libs);
    };
    let options = match compiler.starts_with("gfortran") {
        true => " -fallow-argument-mismatch",
        false => "",
    };
    text(
        "mpi-fort",
        &format!("fc={compiler}\nmoduledir=${{libdir}}/simurgh/fortran/${{fc}}\n"),
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
    #[test]
    fn the_file_is_relative_to_itself() {
        let text = super::file("mpi");
        assert!(text.starts_with("prefix=${pcfiledir}/../..\nincludedir=${prefix}/include\n"));
        assert!(text.contains("\nName: mpi\n"));
    }

    #[test]
    fn fortran_has_the_modules_of_a_compiler_if_there_is_one() {
        let text = super::fortran_file(Some("gfortran-12"));
        assert!(
            text.contains("\nfc=gfortran-12\nmoduledir=${libdir}/simurgh/fortran/${fc}\n\nName: mpi-fort\n")
        );
        assert!(text.contains("-I${moduledir} -fallow-argument-mismatch\n"));
        let text = super::fortran_file(None);
        assert!(!text.contains("modules") && text.contains("-lmpifort_abi -lmpi_abi\n"));
    }
}
