//! The hints of info objects that have an effect on files.

use simurgh_base::info::Info;

use crate::limits::{READ_BLOCK, WRITE_BLOCK};

/// Bytes of a window of collective buffering without a hint.
const WINDOW: usize = 1 << 20;
/// The permissions of a file that is made without a hint, before the mask of the process.
const PERMISSIONS: u32 = 0o666;

/// Whether something is done that may be cheaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Where it is cheaper.
    Automatic,
    /// Wherever it can be done. Pieces that are far apart are not put together all the same.
    Always,
    /// Never.
    Never,
}

/// How the pieces of one rank that have gaps between them are reached (data sieving).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sieving {
    /// Whether reads read the gaps along (`romio_ds_read`).
    pub reads: Choice,
    /// Whether writes rewrite the gaps (`romio_ds_write`).
    pub writes: Choice,
    /// The most bytes of a block that is read with its gaps (`ind_rd_buffer_size`).
    pub read_buffer: usize,
    /// The most bytes of a block that is rewritten with its gaps (`ind_wr_buffer_size`).
    pub write_buffer: usize,
}

/// Hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Bytes of the buffer of collective buffering (`cb_buffer_size`).
    pub window: usize,
    /// The most hosts that aggregate the pieces of all (`cb_nodes`); without a hint each host does.
    pub aggregators: Option<usize>,
    /// Bytes at whose multiples file domains begin (`striping_unit`); without a hint those of a block of the file
    /// system.
    pub stripe: Option<u64>,
    /// Whether collective writes are put together (`collective_buffering`, `romio_cb_write`).
    pub writes: Choice,
    /// Whether collective reads are put together (`collective_buffering`, `romio_cb_read`).
    pub reads: Choice,
    /// How the pieces of one rank are reached.
    pub sieving: Sieving,
    /// The permissions of a file that is made (`file_perm`, in octal digits).
    pub permissions: u32,
}

impl Default for Sieving {
    fn default() -> Self {
        Self {
            reads: Choice::Automatic,
            writes: Choice::Automatic,
            read_buffer: READ_BLOCK,
            write_buffer: WRITE_BLOCK,
        }
    }
}

impl Default for Hints {
    fn default() -> Self {
        Self {
            window: WINDOW,
            aggregators: None,
            stripe: None,
            writes: Choice::Automatic,
            reads: Choice::Automatic,
            sieving: Sieving::default(),
            permissions: PERMISSIONS,
        }
    }
}

impl Choice {
    /// The meaning of hints about one direction, such as `romio_cb_write`.
    fn of_direction(text: &str) -> Option<Self> {
        match text {
            "enable" | "true" => Some(Self::Always),
            "automatic" => Some(Self::Automatic),
            "disable" | "false" => Some(Self::Never),
            _ => None,
        }
    }

    /// The meaning of `collective_buffering`.
    fn of_both(text: &str) -> Option<Self> {
        match text {
            "true" | "enable" | "automatic" => Some(Self::Automatic),
            "false" | "disable" => Some(Self::Never),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Always => "enable",
            Self::Never => "disable",
        }
    }
}

impl Hints {
    /// The same hints, changed by those of an info object. Values that make no sense change nothing.
    #[must_use]
    pub fn with(&self, info: &Info) -> Self {
        let positive = |key| {
            let number = info.text(key)?.trim().parse::<usize>();
            number.ok().filter(|number| *number > 0)
        };
        let both = info.text("collective_buffering");
        let both = both.and_then(|text| Choice::of_both(text.trim()));
        // What is said of one direction counts more, unless it says nothing.
        let switch = |key| {
            let own = Choice::of_direction(info.text(key)?.trim());
            own.filter(|own| *own != Choice::Automatic || both.is_none())
        };
        let sieves = |key| Choice::of_direction(info.text(key)?.trim());
        let permissions = info.text("file_perm");
        let permissions = permissions.and_then(|text| u32::from_str_radix(text.trim(), 8).ok());
        Self {
            window: positive("cb_buffer_size").unwrap_or(self.window),
            aggregators: positive("cb_nodes").or(self.aggregators),
            stripe: positive("striping_unit").map(|unit| unit as u64).or(self.stripe),
            writes: switch("romio_cb_write").or(both).unwrap_or(self.writes),
            reads: switch("romio_cb_read").or(both).unwrap_or(self.reads),
            sieving: Sieving {
                reads: sieves("romio_ds_read").unwrap_or(self.sieving.reads),
                writes: sieves("romio_ds_write").unwrap_or(self.sieving.writes),
                read_buffer: positive("ind_rd_buffer_size").unwrap_or(self.sieving.read_buffer),
                write_buffer: positive("ind_wr_buffer_size").unwrap_or(self.sieving.write_buffer),
            },
            permissions: permissions
                .filter(|bits| *bits <= 0o7777)
                .unwrap_or(self.permissions),
        }
    }

    /// The number of aggregators of a file that so many hosts have opened.
    #[must_use]
    pub fn aggregators_among(&self, hosts: usize) -> usize {
        self.aggregators.map_or(hosts, |wanted| wanted.min(hosts))
    }

    /// The hints in use for a file with this name, which so many hosts have opened, as programs read them. `rewrites`
    /// says whether gaps can be rewritten.
    #[must_use]
    pub fn report(&self, name: &str, hosts: usize, rewrites: bool) -> Info {
        let mut info = Info::new();
        let sieving = &self.sieving;
        let sieves_writes = if rewrites { sieving.writes } else { Choice::Never };
        let buffered = (self.writes, self.reads) != (Choice::Never, Choice::Never);
        for (key, value) in [
            ("cb_buffer_size", self.window.to_string()),
            ("cb_nodes", self.aggregators_among(hosts).to_string()),
            ("collective_buffering", buffered.to_string()),
            ("romio_cb_write", self.writes.name().to_owned()),
            ("romio_cb_read", self.reads.name().to_owned()),
            ("romio_ds_write", sieves_writes.name().to_owned()),
            ("romio_ds_read", sieving.reads.name().to_owned()),
            ("ind_wr_buffer_size", sieving.write_buffer.to_string()),
            ("ind_rd_buffer_size", sieving.read_buffer.to_string()),
            ("file_perm", format!("{:o}", self.permissions)),
            ("filename", name.to_owned()),
        ] {
            // A name that is too long for an info object is left out.
            let _ = info.set(key, value);
        }
        if let Some(stripe) = self.stripe {
            let _ = info.set("striping_unit", stripe.to_string());
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_change_what_makes_sense() {
        let mut info = Info::new();
        for (key, value) in [
            ("cb_buffer_size", "65536"),
            ("cb_nodes", "2"),
            ("striping_unit", "1048576"),
            ("romio_cb_read", "disable"),
            ("romio_ds_write", "enable"),
            ("romio_ds_read", "disable"),
            ("ind_wr_buffer_size", "4096"),
            ("ind_rd_buffer_size", "many"),
            ("file_perm", "600"),
            ("unknown", "1"),
        ] {
            info.set(key, value).unwrap();
        }
        let hints = Hints::default().with(&info);
        assert_eq!((hints.window, hints.permissions), (65536, 0o600));
        assert_eq!((hints.aggregators, hints.stripe), (Some(2), Some(1 << 20)));
        assert_eq!((hints.writes, hints.reads), (Choice::Automatic, Choice::Never));
        info.set("cb_buffer_size", "-1").unwrap();
        info.set("cb_nodes", "0").unwrap();
        let other = Hints::default().with(&info);
        assert_eq!((other.window, other.aggregators), (WINDOW, None));
        let report = hints.report("f", 5, true);
        for (key, value) in [
            ("cb_nodes", "2"),
            ("collective_buffering", "true"),
            ("romio_cb_write", "automatic"),
            ("romio_cb_read", "disable"),
            ("romio_ds_write", "enable"),
            ("romio_ds_read", "disable"),
            ("ind_wr_buffer_size", "4096"),
            ("ind_rd_buffer_size", "1048576"),
            ("striping_unit", "1048576"),
            ("filename", "f"),
        ] {
            assert_eq!(report.text(key), Some(value), "{key}");
        }
        assert_eq!(report.text("unknown"), None);
        let alone = hints.report("f", 1, false);
        assert_eq!(alone.text("cb_nodes"), Some("1"));
        assert_eq!(alone.text("romio_ds_write"), Some("disable"));
    }

    #[test]
    fn one_direction_counts_more_than_both() {
        let mut info = Info::new();
        info.set("collective_buffering", "false").unwrap();
        info.set("romio_cb_write", "enable").unwrap();
        let hints = Hints::default().with(&info);
        assert_eq!((hints.writes, hints.reads), (Choice::Always, Choice::Never));
        assert_eq!(Hints::default().report("f", 3, false).text("striping_unit"), None);
    }
}
