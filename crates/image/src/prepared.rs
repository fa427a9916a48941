//! A program made ready to be instantiated once per rank.

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::{self, Fit};
use crate::closure::file_name;
use crate::elf::{Elf, abi};
use crate::error::ImageError;
use crate::hooks::RankContext;
use crate::instance::{Instance, Linked};
use crate::load::{self, LoadError, Scratch};
use crate::program::Program;
use crate::reservation;
use crate::shim::{self, Symbols};
use crate::source::Source;
use crate::template::{CopiedData, Request, Template};
use crate::tls::{Allocator, Layout};

/// How to prepare a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Tools: libraries whose functions come before those of the MPI library. Each rank has its own copy.
    pub preload: Vec<PathBuf>,
}

/// Index of the program among the objects.
const PROGRAM: usize = 0;
/// Index of the shim.
const SHIM: usize = 1;

/// What all instances share. The loader and running programs point into it, so it is never freed.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
    /// The program, the shim, then the libraries in the order of the lookup scope.
    pub(crate) templates: Vec<Template>,
    /// Objects other than the shim by the order in which their constructors run; the program last.
    pub(crate) order: Vec<usize>,
    pub(crate) layout: Layout,
    pub(crate) symbols: Symbols,
    /// Where each variable that the program copies comes from.
    copies: Vec<ResolvedCopy>,
    scratch: Scratch,
}

/// A variable that the program has its own copy of.
#[derive(Debug)]
struct ResolvedCopy {
    data: CopiedData,
    origin: CopyOrigin,
}

#[derive(Debug)]
enum CopyOrigin {
    /// In a private object, at an address relative to it.
    Private(usize, u64),
    /// In a shared library.
    Shared(usize),
}

/// A program ready to be instantiated: masters of it and its private libraries in memory.
#[derive(Clone, Debug)]
pub struct Prepared {
    shared: Arc<Shared>,
    fit: Fit,
}

/// An object on the way to its template.
struct Part {
    source: Source,
    names: Vec<String>,
    tls_distance: Option<u64>,
}

impl Prepared {
    /// Prepares a program, once per process. Must be called in the host whose reservation of thread-local storage
    /// was sized by [`reserve_tls`](crate::reserve_tls).
    ///
    /// # Errors
    /// [`ImageError::Unsuitable`] with all the reasons if the program cannot run in threads mode,
    /// [`ImageError::Reservation`] if this process has not reserved enough, and failures of the system.
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
        let shim = shim::source()?;
        let tools: Vec<usize> = checked
            .closure
            .libraries
            .iter()
            .enumerate()
            .filter(|(_, l)| l.preload)
            .map(|(i, _)| i + 2)
            .collect();
        let mut parts = vec![
            Part {
                source: program.source.clone(),
                names: Vec::new(),
                tls_distance: None,
            },
            Part {
                source: shim,
                names: Vec::new(),
                tls_distance: None,
            },
        ];
        parts.extend(checked.closure.libraries.into_iter().map(|library| Part {
            source: library.source,
            names: library.names,
            tls_distance: None,
        }));
        let shared = prepare(&path, parts, &tools, reservation)?;
        Ok(Prepared {
            shared: Arc::new(shared),
            fit: checked.fit,
        })
    }

    /// What the program needs.
    pub fn fit(&self) -> &Fit {
        &self.fit
    }

    /// Makes a rank's private copy of the program, ready to run. To be called on the rank's own execution context:
    /// its thread-local variables are initialised on the calling thread. Several may be made at the same time.
    ///
    /// # Errors
    /// Failures of the system or of the dynamic loader.
    pub fn instantiate(&self, context: RankContext) -> Result<Instance, ImageError> {
        let shared = &self.shared;
        let system = |call, error| ImageError::System {
            path: shared.path.clone(),
            call,
            error,
        };
        let loaded = load::load(&shared.templates, &shared.scratch).map_err(|error| match error {
            LoadError::Loader(detail) => ImageError::Load {
                path: shared.path.clone(),
                detail,
            },
            LoadError::System(call, error) => system(call, error),
        })?;
        let bases = loaded.bases;
        for (template, &base) in shared.templates.iter().zip(&bases) {
            load::unseal(template, base).map_err(|error| system("mprotect", error))?;
        }
        // The loader and the program now point into the templates: keep them for the rest of the process.
        let kept: &'static Shared = Box::leak(Box::new(Arc::clone(shared)));
        // SAFETY: the reservation was checked in `new`; the rank's code has not run yet on this thread.
        unsafe { kept.layout.start_thread() };
        let linked = Linked::new(kept, bases, SHIM, loaded.handle, context)
            .ok_or_else(|| system("fopencookie", std::io::Error::last_os_error()))?;
        for copy in &shared.copies {
            let source = match copy.origin {
                CopyOrigin::Private(object, value) => linked.bases[object] + value as usize,
                CopyOrigin::Shared(address) => address,
            };
            let target = linked.bases[PROGRAM] + copy.data.target as usize;
            // SAFETY:
            // - the source is a variable of at least `size` bytes: both sizes were compared when it was resolved;
            // - the target is the space that the linker made for it in the program, writable now; they are distinct.
            unsafe {
                std::ptr::copy_nonoverlapping(source as *const u8, target as *mut u8, copy.data.size as usize)
            };
        }
        for (template, &base) in shared.templates.iter().zip(&linked.bases) {
            load::seal(template, base).map_err(|error| system("mprotect", error))?;
        }
        Ok(Instance::new(linked))
    }
}

/// Makes the templates and resolves what is the same in all ranks.
fn prepare(
    path: &Path,
    mut parts: Vec<Part>,
    tools: &[usize],
    reservation: u64,
) -> Result<Shared, ImageError> {
    let sources: Vec<Source> = parts.iter().map(|part| part.source.clone()).collect();
    let elves: Vec<Elf<'_>> = sources.iter().map(read).collect::<Result<_, _>>()?;
    let layout = lay_out(&mut parts, &elves);
    let by_name: HashMap<&str, usize> = parts
        .iter()
        .enumerate()
        .flat_map(|(index, part)| part.names.iter().map(move |n| (n.as_str(), index)))
        .collect();
    let variables = thread_local_variables(&elves, &parts);
    let mut templates = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let first: Vec<usize> = if index == PROGRAM {
            std::iter::once(SHIM).chain(tools.iter().copied()).collect()
        } else {
            Vec::new()
        };
        let request = Request {
            first: &first,
            object: &|name| by_name.get(name).copied(),
            tls_distance: part.tls_distance,
            tls_variable: &|name| variables.get(name).copied(),
            reservation,
        };
        templates.push(Template::new(&part.source, &request)?);
    }
    let symbols = Symbols::of(&elves[SHIM])
        .ok_or_else(|| ImageError::MissingFunction("entry in the shim".to_owned()))?;
    let copies = resolve_copies(path, &elves, &templates[PROGRAM].copies)?;
    Ok(Shared {
        path: path.to_owned(),
        order: order(&elves, &by_name),
        templates,
        layout,
        symbols,
        copies,
        scratch: Scratch::default(),
    })
}

fn read(source: &Source) -> Result<Elf<'_>, ImageError> {
    source.elf().map_err(|error| ImageError::Damaged {
        path: source.path.clone(),
        detail: error.to_string(),
    })
}

/// Gives the thread-local variables of each object their place.
fn lay_out(parts: &mut [Part], elves: &[Elf<'_>]) -> Layout {
    let mut allocator = Allocator::default();
    let mut layout = Layout::default();
    for (part, elf) in parts.iter_mut().zip(elves) {
        if let Some(segment) = elf.tls() {
            let distance = allocator.place(segment);
            layout.add(elf, segment, distance);
            part.tls_distance = Some(distance);
        }
    }
    layout
}

/// Exported thread-local variables of all objects, the first definition of a name in the lookup scope.
fn thread_local_variables(elves: &[Elf<'_>], parts: &[Part]) -> HashMap<String, (u64, u64)> {
    let mut variables = HashMap::new();
    for (elf, part) in elves.iter().zip(parts) {
        let Some(distance) = part.tls_distance else {
            continue;
        };
        for symbol in elf
            .symbols()
            .filter(|s| s.is_exported() && s.kind() == abi::STT_TLS)
        {
            variables
                .entry(symbol.name.to_owned())
                .or_insert((distance, symbol.value));
        }
    }
    variables
}

/// The order of constructors: dependencies first, the program last; the shim has none.
fn order(elves: &[Elf<'_>], by_name: &HashMap<&str, usize>) -> Vec<usize> {
    fn visit(
        index: usize,
        elves: &[Elf<'_>],
        by_name: &HashMap<&str, usize>,
        seen: &mut [bool],
        out: &mut Vec<usize>,
    ) {
        if std::mem::replace(&mut seen[index], true) {
            return;
        }
        for name in elves[index].strings(abi::DT_NEEDED) {
            if let Some(&needed) = by_name.get(name).or_else(|| by_name.get(file_name(name))) {
                visit(needed, elves, by_name, seen, out);
            }
        }
        out.push(index);
    }
    let mut seen = vec![false; elves.len()];
    let mut out = Vec::with_capacity(elves.len());
    seen[SHIM] = true;
    // Tools come first: they are not among the program's dependencies.
    for index in (2..elves.len()).chain([PROGRAM]) {
        visit(index, elves, by_name, &mut seen, &mut out);
    }
    out
}

/// Finds the source of each variable that the program copies: the shim, private libraries, then shared ones.
fn resolve_copies(
    path: &Path,
    elves: &[Elf<'_>],
    copies: &[CopiedData],
) -> Result<Vec<ResolvedCopy>, ImageError> {
    copies
        .iter()
        .map(|data| {
            let private = elves.iter().enumerate().skip(SHIM).find_map(|(object, elf)| {
                let symbol = elf.exported(&data.name)?;
                let data = CopiedData {
                    size: data.size.min(symbol.size),
                    ..data.clone()
                };
                Some(ResolvedCopy {
                    data,
                    origin: CopyOrigin::Private(object, symbol.value),
                })
            });
            private
                .or_else(|| shared_variable(data))
                .ok_or_else(|| ImageError::MissingData {
                    path: path.to_owned(),
                    symbol: data.name.clone(),
                })
        })
        .collect()
}

/// A variable of a library that all ranks share.
fn shared_variable(data: &CopiedData) -> Option<ResolvedCopy> {
    let name = CString::new(data.name.as_str()).ok()?;
    // SAFETY: a lookup by a C string; `RTLD_DEFAULT` needs no handle.
    let address: *mut c_void = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then(|| ResolvedCopy {
        data: data.clone(),
        origin: CopyOrigin::Shared(address as usize),
    })
}
