//! Scheduling domains: groups of cores that share hardware.

use std::fmt;
use std::ops::Range;

/// The hardware that the cores of a domain share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DomainKind {
    /// Everything: one operating system.
    Machine,
    /// A processor package.
    Package,
    /// A NUMA node's memory.
    Numa,
    /// A last-level cache.
    L3,
    /// A second-level cache.
    L2,
    /// The core itself.
    Core,
}

impl fmt::Display for DomainKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "machine",
            Self::Package => "package",
            Self::Numa => "NUMA node",
            Self::L3 => "L3",
            Self::L2 => "L2",
            Self::Core => "core",
        })
    }
}

/// A node of the domain tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The hardware that its cores share.
    pub kind: DomainKind,
    /// Its number among those of its kind, the same for all processes of the system, whichever cores they may use.
    pub number: usize,
    /// Size in bytes of the shared cache or memory, if known.
    pub bytes: Option<u64>,
    /// Indices into [`crate::Topology::cores`], ascending.
    pub cores: Vec<usize>,
    /// The domains of which it consists.
    pub children: Vec<Domain>,
}

impl Domain {
    /// The distance of two cores: how many levels up they meet. It is 0 for the same core.
    #[must_use]
    pub fn distance(&self, a: usize, b: usize) -> usize {
        if a == b {
            return 0;
        }
        let closer = self
            .children
            .iter()
            .find(|child| child.cores.contains(&a) && child.cores.contains(&b));
        closer.map_or_else(|| self.height(), |child| child.distance(a, b))
    }

    /// The domain restricted to some cores, which are in ascending order and are numbered from 0 on in the result.
    pub(crate) fn restricted(&self, kept: &[usize]) -> Self {
        let place = |core: &usize| kept.binary_search(core).ok();
        let of_it = |core: &usize| place(core).is_some();
        let children = self.children.iter().filter(|child| child.cores.iter().any(of_it));
        Self {
            kind: self.kind,
            number: self.number,
            bytes: self.bytes,
            cores: self.cores.iter().filter_map(place).collect(),
            children: children.map(|child| child.restricted(kept)).collect(),
        }
    }

    /// The same domain, with each hardware thread as a core; `threads` are the hardware threads of each core.
    pub(crate) fn split(&self, threads: &[Range<usize>]) -> Self {
        let cores: Vec<usize> = self
            .cores
            .iter()
            .flat_map(|&core| threads[core].clone())
            .collect();
        let children = match self.kind {
            DomainKind::Core => Vec::new(),
            _ => self
                .children
                .iter()
                .flat_map(|child| child.parts(threads))
                .collect(),
        };
        Self {
            cores,
            children,
            ..self.clone()
        }
    }

    /// The domains that replace this one where cores are split: one for each hardware thread of a core.
    fn parts(&self, threads: &[Range<usize>]) -> Vec<Self> {
        let whole = self.split(threads);
        if self.kind != DomainKind::Core {
            return vec![whole];
        }
        let part = |&thread: &usize| Self {
            cores: vec![thread],
            ..whole.clone()
        };
        whole.cores.iter().map(part).collect()
    }

    /// All domains of a kind, in order.
    pub(crate) fn all(&self, kind: DomainKind) -> Vec<&Self> {
        if self.kind == kind {
            return vec![self];
        }
        self.children.iter().flat_map(|child| child.all(kind)).collect()
    }

    fn height(&self) -> usize {
        self.children
            .iter()
            .map(Self::height)
            .max()
            .map_or(0, |height| height + 1)
    }

    fn write_indented(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        write!(f, "{:indent$}{}", "", self.kind, indent = depth * 2)?;
        if self.kind == DomainKind::Core {
            write!(
                f,
                " {}",
                self.cores.first().map_or_else(String::new, ToString::to_string)
            )?;
        }
        match self.bytes {
            Some(bytes) => writeln!(f, " ({})", readable(bytes))?,
            None => writeln!(f)?,
        }
        self.children
            .iter()
            .try_for_each(|child| child.write_indented(f, depth + 1))
    }
}

impl fmt::Display for Domain {
    /// The tree, a line per domain, indented by depth.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_indented(f, 0)
    }
}

fn readable(bytes: u64) -> String {
    match bytes {
        0..=0xf_ffff => format!("{} KiB", bytes >> 10),
        0x10_0000..=0x3fff_ffff => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}
