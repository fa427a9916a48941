//! The job descriptions of command lines, and of programs that running ranks spawn.

mod partition;
pub(crate) mod spawn;

use crate::args::{Run, SectionArgs};
use crate::error::LaunchError;
use crate::nodes::{self, Mapping, Node, RankBlock};
use crate::program::preload::{self, PRELOAD};
use crate::program::{self, mode};
use simurgh_net::encoding::Text;
use simurgh_net::job::{self, EnvChange, JobSpec, Origin, Section};
use simurgh_sched::{Placement, Topology};

use simurgh_settings::{Id, Origin as Source, Values};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A job, and the nodes on which it runs.
pub(crate) struct Described {
    /// The job description, written for the first host.
    pub(crate) spec: JobSpec,
    /// Its nodes; none if it needs no agent, because it runs on this machine alone.
    pub(crate) nodes: Option<Vec<Node>>,
}

/// Describes the job of a command line, on these nodes or on this machine.
///
/// # Errors
///
/// When a program cannot be found or run, or the ranks are too many.
pub(crate) fn describe(run: &Run, nodes: Option<Vec<Node>>) -> Result<Described, LaunchError> {
    let mapping = Mapping::of(&run.settings, run.nodes.per_node);
    let preset = preset(run, mapping, nodes.as_deref())?;
    let sections: Vec<_> = run
        .sections
        .iter()
        .map(|args| {
            section(
                args,
                &working_directory(args)?,
                args.ranks.unwrap_or(preset),
                &run.settings,
            )
        })
        .collect::<Result<_, _>>()?;
    let mut spec = JobSpec {
        version: job::VERSION,
        sections,
        hosts: Vec::new(),
        host: 0,
        control: None,
        settings: settled(run.settings.clone())?,
        parent: Some(std::process::id()),
        origin: Origin {
            nodes: 1,
            ..Origin::default()
        },
    };
    let total = spec.total_ranks()?;
    check_oversubscription(&spec, total, mapping, nodes.as_deref())?;
    let most = spec.settings.get(Id::HostsPerNode).unwrap_or(1);
    let most = u32::try_from(most).unwrap_or(1);
    let Some(nodes) = nodes else {
        let all = RankBlock {
            node: 0,
            ranks: total,
        };
        spec.hosts = partition::hosts_of_blocks(&spec.sections, &[all], most);
        return Ok(Described { spec, nodes: None });
    };
    let (blocks, nodes) = used(mapping.blocks(total, &nodes), nodes);
    spec.hosts = partition::hosts_of_blocks(&spec.sections, &blocks, most);
    spec.origin.nodes = nodes.len() as u32;
    // A job on this machine alone needs no agent, unless the user has chosen a command that starts it.
    let here = run.nodes.command.is_empty() && matches!(&nodes[..], [node] if nodes::is_here(&node.name));
    Ok(Described {
        spec,
        nodes: (!here).then_some(nodes),
    })
}

/// Keeps the nodes that have ranks, and numbers them anew.
fn used(mut blocks: Vec<RankBlock>, nodes: Vec<Node>) -> (Vec<RankBlock>, Vec<Node>) {
    let used: BTreeSet<_> = blocks.iter().map(|block| block.node).collect();
    let numbers: BTreeMap<_, _> = used.iter().copied().zip(0..).collect();
    for block in &mut blocks {
        block.node = numbers[&block.node];
    }
    let nodes = (0..).zip(nodes).filter(|(node, _)| used.contains(node));
    (blocks, nodes.map(|(_, node)| node).collect())
}

/// The settings that are paths, or may be.
const PATHS: [Id; 6] = [
    Id::OutputDir,
    Id::HeapProfile,
    Id::Universe,
    Id::Policy,
    Id::ProfileOut,
    Id::PlaceBy,
];

/// The settings of a job with absolute paths, which mean the same wherever a process is started.
pub(crate) fn settled(mut settings: Values) -> Result<Values, LaunchError> {
    for id in PATHS {
        let (Some(path), Source::Given(origin)) = (settings.name(id), settings.origin(id)) else {
            continue;
        };
        let (origin, path) = (origin.clone(), std::path::absolute(path));
        let path = path.map_err(|source| LaunchError::WorkingDirectory {
            directory: PathBuf::from("."),
            source,
        })?;
        settings.read(id, &origin, path.as_os_str())?;
    }
    Ok(settings)
}

/// How many ranks run a program if the user does not say so: as many as there are slots or places in the placement
/// plan, if the user has named these.
fn preset(run: &Run, mapping: Mapping, nodes: Option<&[Node]>) -> Result<u32, LaunchError> {
    let plan = run.settings.plan().filter(|plan| plan.per_object.is_some());
    Ok(match (nodes, plan) {
        _ if run.sections.len() != 1 => 1,
        (Some(nodes), _) => mapping.capacity(nodes),
        (None, Some(plan)) => {
            let places = Placement::preset(&Topology::for_ranks(&run.settings)?, &plan)?;
            u32::try_from(places).unwrap_or(u32::MAX)
        }
        (None, None) => 1,
    })
}

/// Refuses a job with more ranks than slots, or than cores of this machine, if the user does not want that. A placement
/// plan is checked on each node instead.
fn check_oversubscription(
    spec: &JobSpec,
    ranks: u32,
    mapping: Mapping,
    nodes: Option<&[Node]>,
) -> Result<(), LaunchError> {
    let settings = &spec.settings;
    let allowed = settings.map().oversubscribe;
    if allowed.unwrap_or(settings.is_on(Id::Oversubscribe)) {
        return Ok(());
    }
    let places = match nodes {
        Some(nodes) => mapping.capacity(nodes) as usize,
        None if settings.plan().is_some() => return Ok(()),
        None => Topology::for_ranks(settings)?.cores().len(),
    };
    match ranks as usize > places {
        true => Err(LaunchError::Oversubscribed { ranks, places }),
        false => Ok(()),
    }
}

pub(crate) fn section(
    args: &SectionArgs,
    wdir: &Path,
    ranks: u32,
    settings: &Values,
) -> Result<Section, LaunchError> {
    let (preloads, env): (Vec<_>, Vec<_>) = args
        .env
        .iter()
        .cloned()
        .partition(|change| change.name.as_os_str() == PRELOAD);
    let search = |name: &str| changed(&env, name).or_else(|| std::env::var_os(name));
    let preload = match changed(&preloads, PRELOAD).or_else(|| std::env::var_os(PRELOAD)) {
        Some(list) => preload::list(&list, search("LD_LIBRARY_PATH").as_deref(), wdir)?,
        None => Vec::new(),
    };
    let program = program::find(&args.command[0], wdir, search("PATH").as_deref())?;
    Ok(Section {
        mode: mode::choose(settings, &program, &preload)?,
        program: text(program)?,
        argv: args.command.iter().cloned().map(text).collect::<Result<_, _>>()?,
        ranks,
        wdir: Some(text(wdir)?),
        env,
        preload: preload.into_iter().map(text).collect::<Result<_, _>>()?,
    })
}

/// The value that a list of changes gives a variable; the last one counts.
fn changed(changes: &[EnvChange], name: &str) -> Option<OsString> {
    let last = changes
        .iter()
        .rev()
        .find(|change| change.name.as_os_str() == name)?;
    last.value.as_ref().map(|value| value.as_os_str().to_owned())
}

/// The working directory of a program.
pub(crate) fn working_directory(section: &SectionArgs) -> Result<PathBuf, LaunchError> {
    let unusable = |directory: &Path| {
        let directory = directory.to_path_buf();
        |source| LaunchError::WorkingDirectory { directory, source }
    };
    let mut directory = std::env::current_dir().map_err(unusable(Path::new(".")))?;
    directory.extend(&section.wdir);
    std::fs::canonicalize(&directory).map_err(unusable(&directory))
}

pub(crate) fn text(value: impl AsRef<OsStr>) -> Result<Text, LaunchError> {
    let value = value.as_ref();
    Text::new(value).ok_or_else(|| LaunchError::Nul {
        text: value.to_string_lossy().into_owned(),
    })
}
