//! The heap profile of a job: the call sites of sampled blocks, with the names of functions.

use super::calls;
use super::stats::amount;
use super::symbols::{Function, functions_at};
use simurgh_core::enter_runtime;
use simurgh_heap::CallSite;
use simurgh_net::job::JobSpec;
use simurgh_profile::{Frame, Profile, Sample, Values};
use simurgh_settings::{Id, Values as Settings};
use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of call sites that the statistics show.
const SHOWN: usize = 5;
/// The number of functions that they show of each.
const FUNCTIONS: usize = 4;

/// Begins to sample what ranks allocate, if the user wants to see it.
pub(super) fn begin(settings: &Settings) {
    let is_wanted = settings.name(Id::HeapProfile).is_some() || settings.is_on(Id::Stats);
    let period = settings.get(Id::HeapSample).unwrap_or(0) as usize;
    if !is_wanted || period == 0 {
        return;
    }
    calls::prepare();
    simurgh_heap::sample(period, stack);
}

/// Writes the stack of the program that has called `malloc`: return addresses.
fn stack(addresses: &mut [usize]) -> usize {
    // Handlers of signals wait: they would find the unwinder in use.
    let _inside = enter_runtime();
    calls::stack(addresses)
}

/// The profile of the host. All ranks have ended.
pub(super) fn profile(settings: &Settings) -> Profile {
    let sites = simurgh_heap::call_sites();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Profile {
        period: settings.get(Id::HeapSample).unwrap_or(0),
        time_ns: now.map_or(0, |now| now.as_nanos() as u64),
        samples: samples_of(&sites),
    }
}

fn samples_of(sites: &[CallSite]) -> Vec<Sample> {
    if sites.is_empty() {
        // The objects of a process may be many.
        return Vec::new();
    }
    let (mut places, mut names) = (Places::of_process(), HashMap::new());
    let sample = |site: &CallSite| Sample {
        rank: site.rank,
        stack: stack_of(site, &mut places, &mut names),
        values: values_of(site),
    };
    sites.iter().map(sample).collect()
}

fn values_of(site: &CallSite) -> Values {
    Values {
        allocated_blocks: site.allocated.blocks,
        allocated_bytes: site.allocated.bytes,
        live_blocks: site.live.blocks,
        live_bytes: site.live.bytes,
        most_bytes: site.most,
    }
}

/// The frames of a call site, from the call of `malloc` to the beginning of the program or thread.
fn stack_of(site: &CallSite, places: &mut Places, names: &mut HashMap<usize, Vec<Function>>) -> Vec<Frame> {
    let mut stack = Vec::new();
    for &address in &site.addresses {
        // A return address may be the beginning of the next function, so the call before it is looked up.
        let call = places.first_like(address - 1);
        let functions = names.entry(call).or_insert_with(|| functions_at(call));
        stack.push(Frame {
            address: call as u64,
            functions: functions.iter().map(named).collect(),
        });
        if functions.iter().any(Function::is_beginning) {
            break;
        }
    }
    stack
}

fn named(function: &Function) -> simurgh_profile::Function {
    let (file, line) = function.place.clone().unwrap_or_default();
    simurgh_profile::Function {
        name: function.name.clone().unwrap_or_else(|| "?".to_owned()),
        file,
        line,
    }
}

/// The objects of the process. The images of ranks have the same objects at different addresses, and one of them is
/// enough to find the names of functions.
struct Places {
    objects: Vec<(Range<usize>, PathBuf)>,
    first: HashMap<PathBuf, usize>,
}

impl Places {
    fn of_process() -> Self {
        unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, objects: *mut c_void) -> c_int {
            // SAFETY:
            // - the record is valid during the call, with so many program headers and a name; the last argument is the
            //   list of the caller.
            let (objects, info, headers, name) = unsafe {
                let info = &*info;
                (
                    &mut *objects.cast::<Vec<(Range<usize>, PathBuf)>>(),
                    info,
                    std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)),
                    CStr::from_ptr(info.dlpi_name),
                )
            };
            let base = info.dlpi_addr as usize;
            let loads = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
            let end = loads
                .map(|header| base + (header.p_vaddr + header.p_memsz) as usize)
                .max();
            objects.push((
                base..end.unwrap_or(base),
                PathBuf::from(name.to_string_lossy().into_owned()),
            ));
            0
        }
        let mut objects: Vec<(Range<usize>, PathBuf)> = Vec::new();
        // SAFETY:
        // - the function takes such a list, which lives until it returns.
        unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut objects).cast()) };
        objects.sort_by_key(|(range, _)| range.start);
        Self {
            objects,
            first: HashMap::new(),
        }
    }

    /// The same place as this address in the first image in which the object has been met.
    fn first_like(&mut self, address: usize) -> usize {
        let next = self.objects.partition_point(|(range, _)| range.start <= address);
        let found = next.checked_sub(1).map(|index| &self.objects[index]);
        match found.filter(|(range, path)| range.contains(&address) && !path.as_os_str().is_empty()) {
            Some((range, path)) => {
                let first = self.first.entry(path.clone()).or_insert(range.start);
                *first + (address - range.start)
            }
            None => address,
        }
    }
}

/// Writes the profile and its flame graph, if the user wants them.
pub(super) fn write(spec: &JobSpec, profile: &Profile) -> Result<(), (PathBuf, io::Error)> {
    let Some(path) = spec.settings.name(Id::HeapProfile).map(PathBuf::from) else {
        return Ok(());
    };
    let path = match spec.hosts.len() {
        1 => path,
        _ => with_ending(&path, &spec.host.to_string()),
    };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    let file = File::create(&path).map_err(failed(&path))?;
    profile.write_pprof(BufWriter::new(file)).map_err(failed(&path))?;
    let graph = with_ending(&path, "svg");
    let file = File::create(&graph).map_err(failed(&graph))?;
    profile
        .write_flame_graph(BufWriter::new(file))
        .map_err(failed(&graph))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The lines for the statistics of a host: the call sites with the most memory in use at a time, of all ranks together.
pub(super) fn text(profile: &Profile) -> String {
    let mut sites: HashMap<String, u64> = HashMap::new();
    for sample in &profile.samples {
        *sites.entry(in_short(sample)).or_default() += sample.values.most_bytes;
    }
    let mut sites: Vec<_> = sites.into_iter().collect();
    sites.sort_by(|(a, more), (b, less)| less.cmp(more).then_with(|| a.cmp(b)));
    let mut text = String::new();
    for (site, bytes) in sites.into_iter().take(SHOWN) {
        let _ = write!(text, "\n    about {} by {site}", amount(bytes));
    }
    text
}

/// The innermost functions of a call site; the place in the first of them.
fn in_short(sample: &Sample) -> String {
    let functions = sample.stack.iter().flat_map(|frame| &frame.functions);
    let shown: Vec<String> = (functions.take(FUNCTIONS).enumerate())
        .map(|(index, function)| match (index, function.file.as_str()) {
            (0, file) if !file.is_empty() => format!("{} at {file}:{}", function.name, function.line),
            _ => function.name.clone(),
        })
        .collect();
    match shown.is_empty() {
        true => "?".to_owned(),
        false => shown.join(", in "),
    }
}
