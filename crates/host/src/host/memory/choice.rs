//! The strategies for the memory of ranks, by the words for them. A rank can choose another one at any time (MPI_T's
//! control variable `memory_placement`).

use super::{follower, hint, machine_nodes, nodes_of};
use crate::host::state::Host;
use simurgh_core::sync::SpinLock;
use simurgh_heap::{
    FirstTouch, Local, MemoryPlacement, MemoryPolicy, NodeSet, PerRank, Pooled, Strategy, Uniform,
    set_thread_policy,
};
use simurgh_mpi::Process;
use simurgh_settings::placement::Memory;
use simurgh_settings::{Id, Values};
use std::ptr;

/// What has been asked for so far. A strategy stays, so each is made once.
static KNOWN: SpinLock<Vec<Known>> = SpinLock::new(Vec::new());
/// The words of a rank that is a process, if it has chosen.
static OWN: SpinLock<Option<String>> = SpinLock::new(None);

struct Known {
    words: String,
    strategy: &'static Strategy,
}

/// The words of the user who has started the job.
pub(super) fn words(settings: &Values) -> &str {
    settings.name(Id::MemoryPlacement).unwrap_or("local")
}

/// The strategy for words of the user, which mean this on a machine with these nodes. It lives as long as the process.
pub(super) fn strategy(memory: &Memory, words: &str, all: NodeSet) -> &'static Strategy {
    let mut known = KNOWN.lock();
    if let Some(found) = known.iter().find(|known| known.words == words) {
        return found.strategy;
    }
    let strategy: &'static Strategy = Box::leak(Box::new(Strategy::new(placement(memory, all))));
    known.push(Known {
        words: words.to_owned(),
        strategy,
    });
    strategy
}

fn placement(memory: &Memory, all: NodeSet) -> &'static dyn MemoryPlacement {
    let set = |nodes: &[usize]| NodeSet::new(nodes).unwrap_or(all);
    let uniform = |policy| -> &'static dyn MemoryPlacement { Box::leak(Box::new(Uniform(policy))) };
    match memory {
        Memory::Local => &Local,
        Memory::FirstTouch => &FirstTouch,
        Memory::Pool => &Pooled,
        Memory::Interleave(nodes) => uniform(MemoryPolicy::Interleaved(nodes.as_deref().map_or(all, set))),
        Memory::Bind(nodes) => uniform(MemoryPolicy::Bound(set(nodes))),
        Memory::Preferred(node) => uniform(MemoryPolicy::Preferred(*node)),
        Memory::Map(nodes) => Box::leak(Box::new(PerRank(nodes.clone()))),
    }
}

/// The words for where the memory of the calling rank comes from.
pub fn placement_of(process: &Process) -> String {
    let chosen = match Host::running().and_then(|host| host.rank_of(process)) {
        Some(rank) => rank.heaps().strategy().and_then(words_of),
        None => OWN.lock().clone(),
    };
    chosen.unwrap_or_else(|| words(process.job().settings()).to_owned())
}

fn words_of(strategy: &Strategy) -> Option<String> {
    let known = KNOWN.lock();
    let found = known.iter().find(|known| ptr::eq(known.strategy, strategy));
    found.map(|known| known.words.clone())
}

/// Lets the memory that the calling rank allocates from now on come from where these words say: those of
/// `--memory-placement`, or hwloc's names of nodes. Returns false if they say nothing, or name nodes that this machine
/// does not have.
pub fn choose_placement(process: &Process, words: &str) -> bool {
    let nodes = machine_nodes();
    let Some(memory) = hint::memory_of(words, nodes) else {
        return false;
    };
    let Ok(all) = nodes_of(&memory, nodes) else {
        return false;
    };
    let running = Host::running();
    match running.and_then(|host| Some((host, host.rank_of(process)?))) {
        Some((host, rank)) => {
            let strategy = strategy(&memory, words.trim(), all);
            rank.heaps().choose(strategy);
            // Without its thread the memory stays where it is, as on a machine where nothing is bound.
            !strategy.placement().follows_rank() || follower::start(host).is_ok()
        }
        None => {
            let is_accepted = place_thread(&memory, process.rank(), all);
            if is_accepted {
                *OWN.lock() = Some(words.trim().to_owned());
            }
            is_accepted
        }
    }
}

/// Sets the policy for what the calling thread, which is that of a rank in a process of its own, touches from now on.
/// Returns whether the system has accepted it.
pub(super) fn place_thread(memory: &Memory, rank: u32, nodes: NodeSet) -> bool {
    let request = simurgh_heap::Request {
        rank,
        node: 0,
        nodes,
        bytes: 0,
    };
    let policy = match memory {
        // That is what the system does for a process that does not move.
        Memory::Local | Memory::FirstTouch | Memory::Pool => MemoryPolicy::FirstTouch,
        _ => placement(memory, nodes).policy(&request),
    };
    set_thread_policy(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_get_nodes_in_turn() {
        let all = NodeSet::new(&[0, 1]).expect("small numbers");
        let strategy = strategy(&Memory::Map(vec![1, 0]), "map:1,0", all);
        let policy = |rank| {
            strategy.placement().policy(&simurgh_heap::Request {
                rank,
                node: 0,
                nodes: all,
                bytes: 0,
            })
        };
        assert_eq!(policy(0), MemoryPolicy::Bound(NodeSet::of(1)));
        assert_eq!(policy(3), MemoryPolicy::Bound(NodeSet::of(0)));
    }

    #[test]
    fn a_strategy_is_made_once_and_has_its_words() {
        let all = NodeSet::new(&[0, 1]).expect("small numbers");
        let bound = |words: &str| strategy(&Memory::parse(words).expect("valid"), words, all);
        let first = bound("interleave:0-1");
        assert!(ptr::eq(first, bound("interleave:0-1")) && !ptr::eq(first, bound("interleave:1")));
        assert_eq!(words_of(first).as_deref(), Some("interleave:0-1"));
        static OTHER: Strategy = Strategy::new(&Local);
        assert_eq!(words_of(&OTHER), None);
    }
}
