//! A queue of receives or of messages from which the oldest that fits is taken.

use super::bins::Bins;
use super::pattern::{Envelope, Pattern, PatternKinds};
use super::slab::{Ends, NIL, Slab};

/// The place of an entry, for withdrawing it; stale once the entry has been matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of its slot.
    pub index: u32,
    /// How many entries came before it.
    pub sequence: u64,
}

/// A receive that has been found, by the number of its slot.
#[derive(Debug)]
pub struct Found(u32);

impl Place {
    /// The place of no entry.
    pub const NOWHERE: Self = Self {
        index: NIL,
        sequence: u64::MAX,
    };
}

/// Entries in order of arrival.
///
/// `LISTS` is one more than the number of bins an entry lies in: two for receives, five for messages.
///
/// The fields that change with each entry come first, on one line with the lock before them, which moves between the
/// caches of sender and receiver. The other fields are hardly ever written while there are no bins.
#[repr(C)]
pub struct Queue<T, const LISTS: usize> {
    slab: Slab<T, LISTS>,
    order: Ends,
    len: u32,
    indexed: bool,
    next_sequence: u64,
    most: u32,
    /// So many entries are scanned in order. A scan that would pass more builds the bins, which stay until the queue is
    /// empty. So a queue from which the oldest entries are taken has none, however long it is.
    scan_limit: usize,
    bins: Option<Box<Bins>>,
    /// Entries in bins, by the kind of the bin's pattern.
    filed: [u32; 4],
}

/// Bytes of what changes with each entry.
pub const HEADER: usize = 56;
const _: () = assert!(std::mem::offset_of!(Queue<u8, 2>, next_sequence) + 8 == HEADER);

/// The list of all entries; the bins use the links after it.
const ORDER: usize = 0;

impl<T, const LISTS: usize> Queue<T, LISTS> {
    /// An empty queue that is scanned in order as long as a scan sees at most `scan_limit` entries.
    #[must_use]
    pub const fn new(scan_limit: usize) -> Self {
        Self {
            slab: Slab::new(),
            order: Ends::EMPTY,
            len: 0,
            indexed: false,
            next_sequence: 0,
            most: 0,
            scan_limit,
            bins: None,
            filed: [0; 4],
        }
    }

    /// Number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no entry.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The most entries there have been.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most as usize
    }

    #[inline(always)]
    fn push<const BINS: usize>(
        &mut self,
        pattern: Pattern,
        kinds: PatternKinds,
        bins: impl FnOnce() -> [Pattern; BINS],
        value: T,
    ) -> Place {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let index = self
            .slab
            .insert_last(&mut self.order, pattern, kinds, sequence, value);
        self.len += 1;
        if self.len > self.most {
            self.most = self.len;
        }
        if self.indexed {
            self.file(index, &bins());
        }
        Place { index, sequence }
    }

    /// Puts an entry into its bins.
    #[cold]
    #[inline(never)]
    fn file(&mut self, index: u32, patterns: &[Pattern]) {
        let bins = self.bins.get_or_insert_default();
        let kinds = self.slab.node(index).kinds;
        for (kind, &pattern) in patterns.iter().enumerate().filter(|(kind, _)| kinds.has(*kind)) {
            bins.append(&mut self.slab, pattern, kind + 1, index);
            self.filed[pattern.kind()] += 1;
        }
    }

    /// Builds the bins: the queue is too long to scan.
    #[cold]
    fn build(&mut self, bins_of: impl Fn(Pattern) -> [Pattern; 4]) {
        self.indexed = true;
        let mut at = self.order.head;
        while at != NIL {
            let patterns = bins_of(self.slab.node(at).pattern);
            self.file(at, &patterns[..LISTS - 1]);
            at = self.slab.node(at).links[ORDER].next;
        }
    }

    /// The oldest entry that fits, or [`NIL`]; none if it is not among the first `limit` and there are more.
    #[inline]
    fn scan(&self, limit: usize, fits: impl Fn(Pattern) -> bool) -> Option<u32> {
        let mut at = self.order.head;
        let mut scanned = 0;
        while at != NIL {
            let node = self.slab.node(at);
            if fits(node.pattern) {
                break;
            }
            scanned += 1;
            if scanned > limit {
                return None;
            }
            at = node.links[ORDER].next;
        }
        Some(at)
    }

    /// Takes an entry out of all its lists.
    #[inline(always)]
    fn take<const BINS: usize>(&mut self, index: u32, bins_of: impl FnOnce(Pattern) -> [Pattern; BINS]) -> T {
        self.slab.unlink(&mut self.order, ORDER, index);
        self.len -= 1;
        if self.indexed {
            let pattern = self.slab.node(index).pattern;
            self.unfile(index, &bins_of(pattern));
        }
        self.slab.remove(index)
    }

    /// Takes an entry out of its bins.
    #[cold]
    #[inline(never)]
    fn unfile(&mut self, index: u32, bins: &[Pattern]) {
        if let Some(index_of_bins) = self.bins.as_mut() {
            let kinds = self.slab.node(index).kinds;
            for (kind, &pattern) in bins.iter().enumerate().filter(|(kind, _)| kinds.has(*kind)) {
                index_of_bins.unlink(&mut self.slab, pattern, kind + 1, index);
                self.filed[pattern.kind()] -= 1;
            }
        }
        // An empty queue has empty bins: the next entries are scanned again.
        self.indexed = self.len != 0;
    }

    /// The entries from the oldest to the newest.
    pub fn iter(&self) -> impl Iterator<Item = (Pattern, &T)> {
        let node = |at: u32| (at != NIL).then(|| self.slab.node(at));
        let nodes = std::iter::successors(node(self.order.head), move |last| node(last.links[ORDER].next));
        nodes.filter_map(|node| node.value.as_ref().map(|value| (node.pattern, value)))
    }

    /// The place of the newest entry whose sequence number may end in these bits; entries that came after it are
    /// passed on the way.
    pub fn numbered(&self, number: u32, bits: u32) -> Option<Place> {
        let newest = self.next_sequence.checked_sub(1)?;
        let distance = newest.wrapping_sub(u64::from(number)) & ((1 << bits) - 1);
        let sequence = newest.checked_sub(distance)?;
        let mut index = self.order.tail;
        while index != NIL && self.slab.node(index).sequence > sequence {
            index = self.slab.node(index).links[ORDER].previous;
        }
        (index != NIL && self.slab.node(index).sequence == sequence).then_some(Place { index, sequence })
    }

    fn holds(&self, place: Place) -> bool {
        self.slab
            .get(place.index)
            .is_some_and(|node| node.sequence == place.sequence && node.value.is_some())
    }
}

/// The posted receives of a rank.
impl<T> Queue<T, 2> {
    /// Adds a receive.
    #[inline(always)]
    pub fn post(&mut self, pattern: Pattern, value: T) -> Place {
        self.push(pattern, PatternKinds::ALL, || [pattern], value)
    }

    /// Takes the oldest receive that accepts a message.
    #[inline(always)]
    pub fn take_for(&mut self, envelope: Envelope) -> Option<T> {
        self.find_for(envelope).map(|found| self.take_found(found))
    }

    /// Takes a receive that has been found, before anything else is done to the queue.
    ///
    /// # Panics
    ///
    /// When it is not there any more.
    #[inline(always)]
    pub fn take_found(&mut self, found: Found) -> T {
        self.take(found.0, |pattern| [pattern])
    }

    /// Finds the oldest receive that accepts a message.
    #[inline(always)]
    pub fn find_for(&mut self, envelope: Envelope) -> Option<Found> {
        if self.len == 0 {
            return None;
        }
        let scanned = match self.indexed {
            false => self.scan(self.scan_limit, |pattern| pattern.accepts(envelope)),
            true => None,
        };
        let index = match scanned {
            Some(index) => index,
            None => self.find_in_bins_for(envelope),
        };
        (index != NIL).then_some(Found(index))
    }

    /// Finds the oldest receive that accepts a message, where there are too many to scan.
    #[cold]
    #[inline(never)]
    fn find_in_bins_for(&mut self, envelope: Envelope) -> u32 {
        if !self.indexed {
            self.build(|pattern| [pattern; 4]);
        }
        let Some(bins) = self.bins.as_ref() else {
            return NIL;
        };
        envelope
            .generalisations()
            .into_iter()
            .filter(|pattern| self.filed[pattern.kind()] > 0)
            .map(|pattern| bins.head(pattern))
            .filter(|&index| index != NIL)
            .min_by_key(|&index| self.slab.node(index).sequence)
            .unwrap_or(NIL)
    }

    /// Takes back a receive that has not been matched.
    pub fn withdraw(&mut self, place: Place) -> Option<T> {
        self.holds(place)
            .then(|| self.take(place.index, |pattern| [pattern]))
    }
}

/// The messages that have arrived at a rank before their receives.
impl<T> Queue<T, 5> {
    /// Adds a message. Receives of other kinds of patterns find it as well, but slowly.
    #[inline]
    pub fn arrive(&mut self, envelope: Envelope, kinds: PatternKinds, value: T) -> Place {
        self.push(envelope.exactly(), kinds, || envelope.generalisations(), value)
    }

    /// Finds the oldest message that a receive accepts.
    #[inline]
    fn find(&mut self, pattern: Pattern) -> u32 {
        let fits = |candidate| pattern.accepts(as_envelope(candidate));
        if !self.indexed
            && let Some(index) = self.scan(self.scan_limit, fits)
        {
            return index;
        }
        self.find_in_bins(pattern)
    }

    /// Finds the oldest message that a receive accepts, where there are too many to scan.
    #[cold]
    #[inline(never)]
    fn find_in_bins(&mut self, pattern: Pattern) -> u32 {
        let fits = |candidate| pattern.accepts(as_envelope(candidate));
        if !self.indexed {
            self.build(|pattern| as_envelope(pattern).generalisations());
        }
        match self.bins.as_ref() {
            // The head of the bin is the oldest match only if all messages are in bins of this kind.
            Some(bins) if self.filed[pattern.kind()] == self.len => bins.head(pattern),
            _ => self.scan(usize::MAX, fits).unwrap_or(NIL),
        }
    }

    /// The oldest message that a receive would accept; it stays.
    pub fn peek(&mut self, pattern: Pattern) -> Option<(Envelope, &T)> {
        let index = self.find(pattern);
        if index == NIL {
            return None;
        }
        let node = self.slab.node(index);
        node.value
            .as_ref()
            .map(|value| (as_envelope(node.pattern), value))
    }

    /// Takes the oldest message that a receive accepts.
    #[inline]
    pub fn take_match(&mut self, pattern: Pattern) -> Option<(Envelope, T)> {
        if self.len == 0 {
            return None;
        }
        let index = self.find(pattern);
        if index == NIL {
            return None;
        }
        let envelope = as_envelope(self.slab.node(index).pattern);
        Some((envelope, self.take(index, |_| envelope.generalisations())))
    }

    /// Takes back the oldest message of which `is_it` holds.
    pub fn withdraw_one(&mut self, is_it: impl Fn(&T) -> bool) -> Option<T> {
        let mut index = self.order.head;
        while index != NIL && !self.slab.node(index).value.as_ref().is_some_and(&is_it) {
            index = self.slab.node(index).links[ORDER].next;
        }
        let sequence = (index != NIL).then(|| self.slab.node(index).sequence)?;
        self.withdraw(Place { index, sequence })
    }

    /// Takes back a message that has not been matched.
    pub fn withdraw(&mut self, place: Place) -> Option<T> {
        let bins_of = |pattern| as_envelope(pattern).generalisations();
        self.holds(place).then(|| self.take(place.index, bins_of))
    }
}

/// The envelope of an unexpected message, whose pattern has no wildcard.
#[inline]
fn as_envelope(pattern: Pattern) -> Envelope {
    Envelope {
        context: pattern.context,
        source: pattern.source,
        tag: pattern.tag,
    }
}
