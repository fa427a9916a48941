//! A program that is ready to be instantiated, once per rank.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::check::{self, Checked, Fit};
use crate::closure::{Closure, file_name};
use crate::elf::abi;
use crate::error::ImageError;
use crate::hooks::RankContext;
use crate::instance::{Image, Instance};
use crate::link::{self, LinkError, Scope};
use crate::linked_program::{LIBRARIES, LinkedProgram, PROGRAM, SHIM};
use crate::load;
use crate::master::Draft;
use crate::object::Object;
use crate::objects;
use crate::pieces;
use crate::program::Program;
use crate::reservation;
use crate::shim::{self, Symbols};
use crate::source::Source;
use crate::tls::{Allocator, Layout};

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
        unsafe { load::finish(place) }.map_err(system)?;
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
    let mut objects = vec![object(program, Vec::new())?, object(shim::source()?, Vec::new())?];
    for library in closure.libraries {
        objects.push(object(library.source, library.names)?);
    }
    let layout = place(&mut objects);
    let symbols = Symbols::of(objects[SHIM].elf())
        .ok_or_else(|| ImageError::MissingFunction("entry in the shim".to_owned()))?;
    let refused = |error: LinkError| ImageError::Link {
        path: path.to_owned(),
        detail: error.to_string(),
    };
    let scope = Scope::new(&[PROGRAM, SHIM], &closure.scope, LIBRARIES).map_err(refused)?;
    let mut draft = Draft::new(&objects).map_err(|error| ImageError::System {
        path: path.to_owned(),
        call: "memfd_create",
        error,
    })?;
    let relocations = link::link(&objects, &scope, reservation, &mut draft).map_err(refused)?;
    Ok(LinkedProgram {
        path: path.to_owned(),
        order: order(&objects),
        pieces: pieces::pieces(&objects),
        objects,
        scope,
        layout,
        symbols,
        relocations,
        master: draft.finish(),
        is_watched: objects::is_watching(),
    })
}

fn object(source: Source, names: Vec<String>) -> Result<Object<'static>, ImageError> {
    let source: &'static Source = Box::leak(Box::new(source));
    Object::new(source, names).map_err(|error| ImageError::Damaged {
        path: source.path.clone(),
        detail: error.to_string(),
    })
}

/// Gives each object and its thread-local variables their places.
fn place(objects: &mut [Object<'_>]) -> Layout {
    let mut end: u64 = 0;
    let mut allocator = Allocator::default();
    let mut layout = Layout::default();
    for object in objects {
        object.offset = end.next_multiple_of(object.elf().align());
        end = object.end();
        if let Some(segment) = object.exports.elf.tls() {
            let distance = allocator.place(segment);
            layout.add(&object.exports.elf, segment, distance);
            object.tls_distance = Some(distance);
        }
    }
    layout
}

/// The order of constructors: dependencies first, the program last; the shim has none.
fn order(objects: &[Object<'_>]) -> Vec<usize> {
    fn visit(
        index: usize,
        objects: &[Object<'_>],
        by_name: &HashMap<&str, usize>,
        seen: &mut [bool],
        out: &mut Vec<usize>,
    ) {
        if std::mem::replace(&mut seen[index], true) {
            return;
        }
        for name in objects[index].elf().strings(abi::DT_NEEDED) {
            if let Some(&needed) = by_name.get(name).or_else(|| by_name.get(file_name(name))) {
                visit(needed, objects, by_name, seen, out);
            }
        }
        out.push(index);
    }
    let by_name: HashMap<&str, usize> = objects
        .iter()
        .enumerate()
        .flat_map(|(index, object)| object.names.iter().map(move |name| (name.as_str(), index)))
        .collect();
    let mut seen = vec![false; objects.len()];
    let mut out = Vec::with_capacity(objects.len());
    seen[SHIM] = true;
    // Tools come first: they are not among the program's dependencies.
    for index in (LIBRARIES..objects.len()).chain([PROGRAM]) {
        visit(index, objects, &by_name, &mut seen, &mut out);
    }
    out
}
