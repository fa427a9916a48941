//! How much of the traffic between hosts is protected against other processes that can reach their network.

/// The data that the user wants to be protected (setting `authenticate`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authenticate {
    /// Headers where any process of a machine can connect to a host; nothing elsewhere.
    #[default]
    Auto,
    /// Nothing. Packets carry a tag that only the two hosts can compute, but it is always the same.
    Off,
    /// The headers of packets, their numbers and lengths, and short data. Long data is not protected.
    Headers,
    /// All data, too. Then no host reads or writes the memory of another.
    Full,
}

/// How much of the packets between two hosts is protected. Each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Protection {
    /// Packets carry a tag that only the two hosts can compute.
    Nothing = 0,
    /// Headers and short data.
    Headers = 1,
    /// Headers and all data.
    Everything = 2,
}

/// Providers over sockets of the kernel, whose ports any user of a machine can find and connect to. Other providers
/// need access to a device, a key or a partition, or their network is the site's to protect.
const SOCKETS: &[&str] = &["tcp", "net", "sockets", "udp"];

impl Protection {
    /// The level for a provider, by its name as in `tcp;ofi_rxm`.
    pub(super) fn of(wanted: Authenticate, provider: &str) -> Self {
        let core = provider.split(';').next().unwrap_or_default();
        match wanted {
            Authenticate::Auto if SOCKETS.contains(&core) => Self::Headers,
            Authenticate::Auto | Authenticate::Off => Self::Nothing,
            Authenticate::Headers => Self::Headers,
            Authenticate::Full => Self::Everything,
        }
    }

    /// Encodes the level in a host's address.
    pub(super) fn to_byte(self) -> u8 {
        self as u8
    }

    /// Decodes the level in another host's address.
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
