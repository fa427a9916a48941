//! How much of what passes between hosts is protected against others who can reach their network.

/// What the user wants to be protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authenticate {
    /// Headers where any process of the machine, or of another one, can connect to a host; nothing elsewhere.
    #[default]
    Auto,
    /// Nothing: packets carry a tag that only the two hosts can compute, but which is always the same.
    Off,
    /// What packets say, and their number and length; of long data nothing.
    Headers,
    /// All data, too; so no host reads or writes the memory of another.
    Full,
}

/// How much of the packets between two hosts is protected: each has what the one before it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Protection {
    /// They carry what only the two can compute.
    Nothing = 0,
    /// Their headers, and data that is short.
    Headers = 1,
    /// All of them.
    Everything = 2,
}

/// Providers over sockets of the kernel, whose ports any user of a machine can find and connect to. Others ask for a
/// device, a key or a partition, or are the site's to protect.
const SOCKETS: &[&str] = &["tcp", "net", "sockets", "udp"];

impl Protection {
    /// What is right for a provider, by its name as in `tcp;ofi_rxm`.
    pub(super) fn of(wanted: Authenticate, provider: &str) -> Self {
        let core = provider.split(';').next().unwrap_or_default();
        match wanted {
            Authenticate::Auto if SOCKETS.contains(&core) => Self::Headers,
            Authenticate::Auto | Authenticate::Off => Self::Nothing,
            Authenticate::Headers => Self::Headers,
            Authenticate::Full => Self::Everything,
        }
    }

    /// As a host tells others.
    pub(super) fn to_byte(self) -> u8 {
        self as u8
    }

    /// Of what a host has told.
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Nothing, Self::Headers, Self::Everything]
            .into_iter()
            .find(|protection| protection.to_byte() == byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_protected_where_others_can_connect() {
        let of = |provider| Protection::of(Authenticate::Auto, provider);
        assert_eq!(
            ["tcp;ofi_rxm", "net", "udp;ofi_rxd"].map(of),
            [Protection::Headers; 3]
        );
        assert_eq!(["verbs;ofi_rxm", "cxi", "efa"].map(of), [Protection::Nothing; 3]);
        assert_eq!(Protection::of(Authenticate::Off, "tcp"), Protection::Nothing);
        assert_eq!(
            Protection::of(Authenticate::Full, "verbs"),
            Protection::Everything
        );
    }

    #[test]
    fn what_is_told_is_understood() {
        for protection in [Protection::Nothing, Protection::Headers, Protection::Everything] {
            assert_eq!(Protection::from_byte(protection.to_byte()), Some(protection));
        }
        assert_eq!(Protection::from_byte(3), None);
    }
}
