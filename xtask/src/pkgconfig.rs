//! The pkg-config files of an installation.

/// A file that describes the installation in which it lies. The installation may be moved.
pub(crate) fn file(name: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         includedir=${{prefix}}/include\n\
         libdir=${{prefix}}/lib\n\
         \n\
         Name: {name}\n\
         Description: Simurgh, an MPI with the standard ABI of MPI 5.0\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} -lmpi_abi\n"
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
}
