//! The Fortran modules `mpi` and `mpi_f08`, compiled by the user's compiler.
//!
//! A compiler cannot read the module files of another one, and often not those of its own other versions. So an
//! installation has the sources of the modules, and a directory of compiled ones for each compiler and version, named
//! after both (`gfortran-12`). `./x install` makes the directories of the compilers that it finds. The wrapper makes
//! any other when it is first needed: in the installation if the user may write there, and otherwise in the user's
//! cache directory.

mod build;
mod identity;
pub(super) mod integers;
mod place;
mod sources;

use crate::error::LaunchError;
use crate::installation::Installation;
use identity::Identity;
use place::Place;
use sources::Sources;
use std::ffi::OsString;
use std::path::PathBuf;

/// Name for the linker of the static library of the modules' objects.
pub(super) const LIBRARY: &str = "mpifort_modules";

/// The compiled modules for a compiler.
pub(super) struct Modules {
    /// The directory of the module files and of the static library.
    pub(super) directory: PathBuf,
    /// Options without which the compiler refuses programs that MPI allows.
    pub(super) options: &'static [&'static str],
    /// The source to be compiled with a program whose default types are other than usual.
    pub(super) default_kinds: PathBuf,
}

/// Whether an option changes the size of a default type.
pub(super) fn changes_default_kinds(option: &[u8]) -> bool {
    const OPTIONS: &[&[u8]] = &[
        b"-fdefault-",
        b"-freal-",
        b"-r8",
        b"-r16",
        b"-i8",
        b"-real-size",
        b"-double-size",
        b"-integer-size",
        b"-autodouble",
    ];
    OPTIONS.iter().any(|known| option.starts_with(known))
}

/// Finds the modules for this compiler, or compiles them.
///
/// # Errors
///
/// When the compiler is not known or too old, when it cannot compile the modules, or when there is no place for them.
pub(super) fn modules(installation: &Installation, compiler: &[OsString]) -> Result<Modules, LaunchError> {
    let identity = Identity::of(compiler)?;
    let (sources, key) = (Sources::of(installation), identity.key());
    let place = Place::look(installation, |name| std::env::var_os(name), &sources, &key)?;
    let directory = match place {
        Place::Found(directory) => directory,
        Place::Missing(parents) => {
            let (unfinished, place) = place::begin(&parents, &key)?;
            unfinished.compile(compiler, &sources)?;
            unfinished
                .finish(&place)
                .map_err(|source| place::refused(&place, source))?
        }
    };
    Ok(Modules {
        directory,
        options: identity.options(),
        default_kinds: sources.default_kinds(),
    })
}
