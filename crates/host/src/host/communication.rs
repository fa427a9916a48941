//! Who talks to whom: profiles of what ranks exchange (`--profile-out`), and placement by them (`--place-by`).
//!
//! A profile is a text with a line for each pair of ranks of which one has sent data to the other: sender, receiver,
//! number of messages, bytes. Collectives and one-sided operations count by the messages that they stand for. Where a
//! job has several hosts, each writes a file of its own.

use super::error::HostError;
use super::output::say;
use super::state::Host;
use simurgh_core::sync::SpinLock;
use simurgh_instrument::{Sent, Watch, Way};
use simurgh_mpi::Process;
use simurgh_net::job::JobSpec;
use simurgh_sched::{Runtime, crossings};
use simurgh_settings::{Id, Values};
use simurgh_topology::mapping::{Machine, Traffic, lay_out};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The first word of a profile, with the version of its form.
const MARK: &str = "simurgh-communication-1";

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    from: usize,
    to: usize,
    sent: Sent,
}

/// Has messages counted from now on, if the user wants a profile.
pub(super) fn begin(host: &Host, settings: &Values) {
    if settings.name(Id::ProfileOut).is_none() {
        return;
    }
    host.ranks()
        .iter()
        .for_each(|rank| rank.process().tool().count_peers());
    // Somebody watches until the process ends.
    std::mem::forget(Watch::begin());
}

/// Writes the profile, if the user wants one.
pub(super) fn write(host: &Host, spec: &JobSpec) {
    let Some(path) = spec.settings.name(Id::ProfileOut).map(Path::new) else {
        return;
    };
    let path = match spec.hosts.len() {
        1 => path.to_owned(),
        _ => part(path, spec.host),
    };
    let first = spec.origin.first_process;
    let ranks: u32 = spec.hosts.iter().map(|host| host.ranks).sum();
    let own = host.ranks().iter().flat_map(|rank| {
        // Processes of other worlds have numbers before or behind those of this one.
        let rank_of = move |process: u32| process.checked_sub(first).filter(|rank| *rank < ranks);
        edges_of(rank.process(), rank.id(), rank_of)
    });
    write_to(&path, ranks as usize, own);
}

/// What a rank has exchanged with others, which `rank_of` finds if they are of its world.
fn edges_of(process: &Process, own: u32, rank_of: impl Fn(u32) -> Option<u32>) -> impl Iterator<Item = Edge> {
    process
        .tool()
        .peers()
        .into_iter()
        .filter_map(move |(way, peer, sent)| {
            let peer = rank_of(peer)?;
            let (from, to) = match way {
                Way::To => (own, peer),
                Way::From => (peer, own),
            };
            let (from, to) = (from as usize, to as usize);
            Some(Edge { from, to, sent })
        })
}

fn write_to(path: &Path, ranks: usize, edges: impl IntoIterator<Item = Edge>) {
    if let Err(error) = fs::write(path, shown(ranks, &merged(edges))) {
        say(&format!(
            "the communication profile cannot be written to {}: {error}",
            path.display()
        ));
    }
}

/// The communication profile of a run without a launcher, all of whose ranks are in this process.
#[derive(Debug)]
pub struct CommunicationProfile {
    path: PathBuf,
    edges: SpinLock<Vec<Edge>>,
    _watch: Watch,
}

impl CommunicationProfile {
    /// Begins one, if the settings name a file for it. Says so if they want ranks to be placed by one, which needs a
    /// launcher.
    #[must_use]
    pub fn of_settings(settings: &Values) -> Option<Self> {
        if settings.name(Id::PlaceBy).is_some() {
            say(
                "place_by has no effect in a run without a launcher; start the program with mpiexec --place-by",
            );
        }
        settings.name(Id::ProfileOut).map(|path| Self {
            path: path.into(),
            edges: SpinLock::default(),
            _watch: Watch::begin(),
        })
    }

    /// Has the messages of a rank counted, before it sends any.
    pub fn begin(&self, process: &Process) {
        process.tool().count_peers();
    }

    /// Takes up what a rank has sent, when it has ended.
    pub fn end(&self, process: &Process) {
        self.edges.lock().extend(edges_of(process, process.id(), Some));
    }

    /// Writes the profile of so many ranks.
    pub fn write(&self, ranks: usize) {
        let edges = self.edges.lock().clone();
        write_to(&self.path, ranks, edges);
    }
}

/// The file of a host.
fn part(path: &Path, host: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{host}"));
    name.into()
}

/// The edges in order, one for each pair of ranks.
fn merged(edges: impl IntoIterator<Item = Edge>) -> Vec<Edge> {
    let mut all: BTreeMap<_, Sent> = BTreeMap::new();
    for Edge { from, to, sent } in edges {
        let sum = all.entry((from, to)).or_default();
        sum.messages += sent.messages;
        sum.bytes += sent.bytes;
    }
    let edge = |((from, to), sent)| Edge { from, to, sent };
    all.into_iter().map(edge).collect()
}

fn shown(ranks: usize, edges: &[Edge]) -> String {
    let mut text = format!("{MARK} {ranks} ranks: sender, receiver, messages, bytes\n");
    for Edge { from, to, sent } in edges {
        let _ = writeln!(text, "{from} {to} {} {}", sent.messages, sent.bytes);
    }
    text
}

/// The number of ranks of a profile, and who talks to whom; `None` if the text is none.
fn parsed(text: &str) -> Option<(usize, Vec<Edge>)> {
    let mut lines = text.lines();
    let mut head = lines.next()?.split(' ');
    let ranks = (head.next()? == MARK).then(|| head.next()?.parse().ok())??;
    let edge = |line: &str| {
        let numbers: Option<Vec<u64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        let [from, to, messages, bytes] = <[u64; 4]>::try_from(numbers?).ok()?;
        let known = from.max(to) < ranks as u64;
        let sent = Sent { messages, bytes };
        known.then_some(Edge {
            from: from as usize,
            to: to as usize,
            sent,
        })
    };
    Some((ranks, lines.map(edge).collect::<Option<_>>()?))
}

/// Who talks to whom, by the profile of an earlier run: the file, or those of its hosts.
fn read(path: &Path) -> Result<(usize, Vec<Edge>), HostError> {
    let files: Vec<PathBuf> = match path.exists() || !part(path, 0).exists() {
        true => vec![path.to_owned()],
        false => (0..)
            .map(|host| part(path, host))
            .take_while(|part| part.exists())
            .collect(),
    };
    let (mut ranks, mut all) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).map_err(|source| HostError::NoProfile {
            path: file.clone(),
            source,
        })?;
        let (of_file, edges) = parsed(&text).ok_or(HostError::BadProfile { path: file })?;
        ranks = ranks.max(of_file);
        all.extend(edges);
    }
    Ok((ranks, all))
}

/// Chooses where the ranks begin by the profile of an earlier run, if the user names one, and says what that changes.
pub(super) fn place(host: &Host, spec: &JobSpec, runtime: &mut Runtime) -> Result<(), HostError> {
    let Some(path) = spec.settings.name(Id::PlaceBy) else {
        return Ok(());
    };
    if spec.settings.plan().is_some_and(|plan| plan.bound.is_some()) {
        return Err(HostError::PlacedTwice);
    }
    let (profiled, edges) = read(Path::new(path))?;
    let all: u32 = spec.hosts.iter().map(|host| host.ranks).sum();
    if profiled != all as usize {
        return Err(HostError::OtherProfile {
            path: path.into(),
            profiled,
            ranks: all as usize,
        });
    }
    let own = spec.ranks().iter();
    let (first, count) = (own.start as usize, host.ranks().len());
    let place_here = |rank: usize| rank.checked_sub(first).filter(|place| *place < count);
    let here = |edge: &Edge| Some((place_here(edge.from)?, place_here(edge.to)?, edge.sent.bytes));
    let inner: Vec<_> = edges.iter().filter_map(here).collect();
    let before: Vec<usize> = (0..count)
        .map(|place| runtime.place_of_member((place, count)))
        .collect();
    let machine = Machine::new(runtime.topology().root(), runtime.vps());
    let after = lay_out(&Traffic::new(count, inner.iter().copied()), &machine, &before);
    let counted = |homes: &[usize]| {
        let on_vps = inner
            .iter()
            .map(|&(from, to, bytes)| (homes[from], homes[to], bytes));
        crossings(runtime.topology(), on_vps)
    };
    let changes = counted(&before).into_iter().zip(counted(&after));
    let mut text = format!("placed by {path}: bytes");
    for (index, ((what, before), (_, after))) in changes.enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{separator} between {what} {before} before and {after} after"
        );
    }
    let leaves = |edge: &&Edge| place_here(edge.from).is_some() && place_here(edge.to).is_none();
    let outside: u64 = edges.iter().filter(leaves).map(|edge| edge.sent.bytes).sum();
    if spec.hosts.len() > 1 {
        let _ = write!(text, "; to other processes {outside}");
    }
    say(&text);
    runtime.set_homes(after);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_as_it_was_written() {
        let edge = |from, to, messages, bytes| Edge {
            from,
            to,
            sent: Sent { messages, bytes },
        };
        let edges = vec![edge(0, 2, 1, 8), edge(2, 0, 5, 1 << 40)];
        assert_eq!(parsed(&shown(3, &edges)), Some((3, edges.clone())));
        assert_eq!(parsed(&shown(2, &edges)), None, "there is no rank 2");
        for wrong in [
            "",
            "other 3 ranks",
            &format!("{MARK} 3\n0 1 2"),
            &format!("{MARK} 3\n0 1 2 -3"),
        ] {
            assert_eq!(parsed(wrong), None, "{wrong:?}");
        }
    }
}
