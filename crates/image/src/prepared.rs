//! A program that is ready to be instantiated, once per rank.

use std::io;
use std::path::{Path, PathBuf};

use crate::arena::Place;
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
use crate::own_malloc;
use crate::program::Program;
use crate::ranges::ImageRanges;
use crate::reservation;
use crate::shim::{self, Symbols};
use crate::source::Source;
use crate::tls::Allocator;

/// Options for preparing a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Tools: libraries whose functions come before those of the MPI library. Each rank has its own copy.
    pub preload: Vec<PathBuf>,
    /// The ranges of addresses in which the images of ranks are to lie, with what belongs to them; anywhere if there
    /// are none.
    pub ranges: Option<ImageRanges>,
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
    /// [`ImageError::OwnMalloc`] if its memory would not lie in the ranges that ranks have,
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
        let linked = prepare(
            &path,
            program.source.clone(),
            closure,
            reservation,
            options.ranges,
        )?;
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
        let place = match self.linked.ranges {
            None => Place::take(self.linked),
            Some(ranges) => {
                let from = ranges.images(context.range).start;
                Place::take_in_range(self.linked, ranges, context.range, from)
            }
        };
        let place = place.map_err(|error| system(("mmap", error)))?;
        load::map(place).map_err(system)?;
        // SAFETY:
        // - the reservation was checked in `new`; the rank's code has not run yet on this thread;
        // - the image was mapped just now.
        unsafe { self.linked.layout.start_thread(place.address()) };
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
    ranges: Option<ImageRanges>,
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
    let has_own_malloc = objects.iter().any(|object| own_malloc::is_in(object.elf()));
    if has_own_malloc && ranges.is_some() {
        return Err(ImageError::OwnMalloc(path.to_owned()));
    }
    // The blocks that functions of the C library give are to lie in the rank's range, too.
    let copies_blocks = has_own_malloc || ranges.is_some();
    let scope = Scope::new(&[PROGRAM, SHIM], &closure.scope, LIBRARIES, copies_blocks)
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
        ranges,
        is_watched: objects::is_watching(),
    })
}
