//! A program that is ready to be instantiated, once per rank.

use std::io;
use std::path::{Path, PathBuf};

use crate::assembly;
use crate::check::{self, Checked, Fit};
use crate::closure::Closure;
use crate::error::ImageError;
use crate::hooks::RankContext;
use crate::instance::{Image, Instance};
use crate::link::Scope;
use crate::linked_program::{LIBRARIES, LinkedProgram, PROGRAM, SHIM};
use crate::load;
use crate::objects;
use crate::program::Program;
use crate::reservation;
use crate::shim::{self, Symbols};
use crate::source::Source;
use crate::tls::Allocator;

/// Options for preparing a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Tools: libraries whose functions come before those of the MPI library. Each rank has its own copy.
    pub preload: Vec<PathBuf>,
}

/// A program that is ready to be instantiated: linked, with a master of its data in memory.
#[derive(Clone, Debug)]
pub struct Prepared {
    linked: &'static LinkedProgram,
    fit: Fit,
}

impl Prepared {
    /// Prepares a program, once per process: nothing of it is freed. Must be called in the host whose reservation of
    /// thread-local storage was sized by [`reserve_tls`](crate::reserve_tls), and whose executable lets images be found
    /// (the launcher's `host/objects.rs`).
    ///
    /// # Errors
    /// [`ImageError::Unsuitable`] with all the reasons if the program cannot run in threads mode,
    /// [`ImageError::Reservation`] if this process has not reserved enough, [`ImageError::Link`] if something is
    /// missing in its libraries, and failures of the system.
    pub fn new(program: &Program, options: Options) -> Result<Prepared, ImageError> {
        let path = program.path().to_owned();
        let checked = check::check(program, &options.preload).map_err(|reasons| ImageError::Unsuitable {
            path: path.clone(),
            reasons,
        })?;
        let reservation = reservation::reserved()?;
        if reservation < checked.fit.tls.size {
            return Err(ImageError::Reservation {
                path,
                need: checked.fit.tls,
                have: reservation,
            });
        }
        if !objects::connect() {
            return Err(ImageError::Host("it does not let images be found"));
        }
        let Checked { fit, closure } = checked;
        let linked = prepare(&path, program.source.clone(), closure, reservation)?;
        Ok(Prepared {
            linked: Box::leak(Box::new(linked)),
            fit,
        })
    }

    /// The needs of the program.
    pub fn fit(&self) -> &Fit {
        &self.fit
    }

    /// Makes a rank's private copy of the program, ready to run. To be called on the rank's own execution context:
    /// its thread-local variables are initialised on the calling thread. Several may be made at the same time.
    ///
    /// # Errors
    /// Failures of the system.
    pub fn instantiate(&self, context: RankContext) -> Result<Instance, ImageError> {
        let system = |(call, error)| ImageError::System {
            path: self.linked.path.clone(),
            call,
            error,
        };
        let place = load::map(self.linked).map_err(system)?;
        // SAFETY: the reservation was checked in `new`; the rank's code has not run yet on this thread.
        unsafe { self.linked.layout.start_thread() };
        let linked =
            Image::new(place, context).ok_or_else(|| system(("fopencookie", io::Error::last_os_error())))?;
        // SAFETY: both were done just now.
        unsafe { load::finish(place, &[]) }.map_err(system)?;
        objects::announce(place);
        Ok(Instance::new(linked))
    }
}

/// Links the program and makes its master.
fn prepare(
    path: &Path,
    program: Source,
    closure: Closure,
    reservation: u64,
) -> Result<LinkedProgram, ImageError> {
    let mut objects = vec![
        assembly::object(program, Vec::new())?,
        assembly::object(shim::source()?, Vec::new())?,
    ];
    for library in closure.libraries {
        objects.push(assembly::object(library.source, library.names)?);
    }
    let mut storage = Allocator::default();
    let mut layout = assembly::place(&mut objects, &mut storage);
    layout.add_room(&storage, reservation);
    let symbols = Symbols::of(objects[SHIM].elf())
        .ok_or_else(|| ImageError::MissingFunction("entry in the shim".to_owned()))?;
    let scope = Scope::new(&[PROGRAM, SHIM], &closure.scope, LIBRARIES)
        .map_err(|error| assembly::refused(path, &error))?;
    // Tools come first: they are not among the program's dependencies. The shim has no constructors.
    let first = (LIBRARIES..objects.len()).chain([PROGRAM]);
    Ok(LinkedProgram {
        path: path.to_owned(),
        template: assembly::link(path, &objects, &scope, reservation)?,
        order: assembly::order(&objects, first),
        objects,
        scope,
        layout,
        storage,
        symbols,
        is_watched: objects::is_watching(),
    })
}
