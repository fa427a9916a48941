//! Storage of queue entries: numbered nodes that are reused, and doubly linked lists through them.

use std::mem::ManuallyDrop;

use super::pattern::{Pattern, PatternKinds};

/// The number of no node.
pub(super) const NIL: u32 = u32::MAX;

/// A node's neighbours in one list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) previous: u32,
    pub(super) next: u32,
}

impl Link {
    const NONE: Self = Self {
        previous: NIL,
        next: NIL,
    };
}

/// First and last node of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) head: u32,
    pub(super) tail: u32,
}

impl Ends {
    pub(super) const EMPTY: Self = Self { head: NIL, tail: NIL };
}

/// An entry of a queue, or a free node whose `links[0].next` is the next free one.
///
/// Two cache lines that are next to each other: entries wander between the caches of sender and receiver.
#[repr(align(128))]
pub(super) struct Node<T, const LISTS: usize> {
    pub(super) pattern: Pattern,
    /// The bins in which the entry lies when the queue is indexed.
    pub(super) kinds: PatternKinds,
    pub(super) sequence: u64,
    pub(super) links: [Link; LISTS],
    pub(super) value: Option<T>,
}

/// Numbered nodes, each in up to `LISTS` lists.
pub(super) struct Slab<T, const LISTS: usize> {
    nodes: Vec<Node<T, LISTS>>,
    free: u32,
}

impl<T, const LISTS: usize> Slab<T, LISTS> {
    pub(super) const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            free: NIL,
        }
    }

    #[inline]
    pub(super) fn node(&self, index: u32) -> &Node<T, LISTS> {
        &self.nodes[index as usize]
    }

    #[inline]
    fn node_mut(&mut self, index: u32) -> &mut Node<T, LISTS> {
        &mut self.nodes[index as usize]
    }

    /// The node with this number, if there is one.
    pub(super) fn get(&self, index: u32) -> Option<&Node<T, LISTS>> {
        self.nodes.get(index as usize)
    }

    /// Stores an entry in the node freed last, which is the warmest, and appends it to the first list, whose ends are
    /// given; it is in no other list yet.
    ///
    /// A value that is dropped if this panics lies in memory, and is read there before its parts have been written. So
    /// it is leaked then.
    #[inline(always)]
    pub(super) fn insert_last(
        &mut self,
        ends: &mut Ends,
        pattern: Pattern,
        kinds: PatternKinds,
        sequence: u64,
        value: T,
    ) -> u32 {
        let value = ManuallyDrop::new(value);
        if self.free == NIL {
            self.grow();
        }
        let index = self.free;
        let place = self.node_mut(index);
        let next_free = place.links[0].next;
        // Field by field: a node that is made elsewhere would be read there before its parts have been written.
        place.pattern = pattern;
        place.kinds = kinds;
        place.sequence = sequence;
        place.links = [Link::NONE; LISTS];
        place.links[0].previous = ends.tail;
        // A free node has no value that would have to be dropped.
        std::mem::forget(place.value.replace(ManuallyDrop::into_inner(value)));
        self.free = next_free;
        self.set_last(ends, 0, index);
        index
    }

    /// Makes a node, whose link says so, the last one of list number `list`, whose ends are given.
    #[inline(always)]
    fn set_last(&mut self, ends: &mut Ends, list: usize, index: u32) {
        if ends.tail == NIL {
            ends.head = index;
        } else {
            self.node_mut(ends.tail).links[list].next = index;
        }
        ends.tail = index;
    }

    /// Adds a free node.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let index = u32::try_from(self.nodes.len()).ok().filter(|&index| index != NIL);
        self.free = index.expect("fewer than 2^32 messages wait at a rank");
        self.nodes.push(Node {
            pattern: Pattern::NONE,
            kinds: PatternKinds::ALL,
            sequence: 0,
            links: [Link::NONE; LISTS],
            value: None,
        });
    }

    /// Takes the entry out; the node must have left all its lists.
    #[inline(always)]
    pub(super) fn remove(&mut self, index: u32) -> T {
        let free = self.free;
        let node = self.node_mut(index);
        node.links[0].next = free;
        let value = node.value.take().expect("a node in use holds a value");
        self.free = index;
        value
    }

    /// Appends a node to list number `list`, whose ends are given.
    #[inline]
    pub(super) fn append(&mut self, ends: &mut Ends, list: usize, index: u32) {
        self.node_mut(index).links[list] = Link {
            previous: ends.tail,
            next: NIL,
        };
        self.set_last(ends, list, index);
    }

    /// Takes a node out of list number `list`, whose ends are given.
    #[inline(always)]
    pub(super) fn unlink(&mut self, ends: &mut Ends, list: usize, index: u32) {
        let Link { previous, next } = self.node(index).links[list];
        match previous {
            NIL => ends.head = next,
            _ => self.node_mut(previous).links[list].next = next,
        }
        match next {
            NIL => ends.tail = previous,
            _ => self.node_mut(next).links[list].previous = previous,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(slab: &Slab<u32, 1>, ends: Ends) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = ends.head;
        while at != NIL {
            found.extend(slab.node(at).value);
            at = slab.node(at).links[0].next;
        }
        found
    }

    #[test]
    fn nodes_leave_a_list_from_anywhere_and_are_reused() {
        let mut slab = Slab::<u32, 1>::new();
        let mut ends = Ends::EMPTY;
        let indices: Vec<u32> = (0..4)
            .map(|value| slab.insert_last(&mut ends, Pattern::NONE, PatternKinds::ALL, 0, value))
            .collect();
        for (victim, rest) in [(1, vec![0, 2, 3]), (0, vec![2, 3]), (3, vec![2]), (2, vec![])] {
            slab.unlink(&mut ends, 0, indices[victim]);
            assert_eq!(slab.remove(indices[victim]), u32::try_from(victim).unwrap());
            assert_eq!(walk(&slab, ends), rest);
        }
        assert_eq!(
            slab.insert_last(&mut ends, Pattern::NONE, PatternKinds::ALL, 0, 9),
            indices[2]
        );
    }
}
