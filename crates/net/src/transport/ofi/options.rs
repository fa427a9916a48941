//! The user's options for libfabric, and the choice of a provider by them.

use std::net::IpAddr;

use super::protection::Authenticate;

/// Providers from the fastest kind of network to the slowest. Others are taken only if they are named: they work within
/// one machine (`shm`), are unfinished (`net`, in libfabric 1.17 the coming tcp), or are emulated over a provider that
/// is in this list.
const PREFERRED: &[&str] = &["cxi", "efa", "verbs", "opx", "psm3", "psm2", "tcp"];

/// The options of a host's endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfiOptions {
    /// The provider; if none, the first available of a list.
    pub provider: Option<String>,
    /// The network interface or device; if none, the provider's first that leads to other machines.
    pub interface: Option<String>,
    /// Whether all hosts are on one machine, so that the loopback interface will do.
    pub one_machine: bool,
    /// How much is protected against other processes that can reach the network.
    pub authenticate: Authenticate,
}

/// The properties of an entry of libfabric's list by which it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The name of the provider, with the one that it is layered on: `tcp;ofi_rxm`.
    pub(super) provider: String,
    /// The name of the interface or device.
    pub(super) interface: String,
    /// Its internet address, if it has one.
    pub(super) address: Option<IpAddr>,
    /// How much of what is wanted it lacks: an index of the list of wanted capabilities.
    pub(super) lacking: usize,
    /// Whether the interface does not lead to other machines.
    pub(super) local_only: bool,
}

impl OfiOptions {
    /// The grade of a candidate, lower being better; none if it does not fit the options.
    pub(super) fn grade(&self, candidate: &Candidate) -> Option<impl Ord + use<>> {
        let core = core_of(&candidate.provider);
        let preference = match &self.provider {
            Some(named) if named == core || *named == candidate.provider => 0,
            Some(_) => return None,
            None => PREFERRED.iter().position(|name| *name == core)?,
        };
        if self
            .interface
            .as_ref()
            .is_some_and(|named| *named != candidate.interface)
        {
            return None;
        }
        let (elsewhere, version) = match candidate.address {
            Some(address) if is_link_local(address) => return None,
            Some(address) => (address.is_loopback() != self.one_machine, address.is_ipv6()),
            None => (false, false),
        };
        let local_only = candidate.local_only && !self.one_machine;
        Some((preference, candidate.lacking, elsewhere, local_only, version))
    }

    /// Describes the options for an error message. Reads on after "has no reliable datagrams".
    pub(super) fn asked(&self) -> String {
        match (&self.provider, &self.interface) {
            (None, None) => format!("of {}", PREFERRED.join(", ")),
            (Some(provider), None) => format!("of provider {provider}"),
            (None, Some(interface)) => format!("on interface {interface}"),
            (Some(provider), Some(interface)) => format!("of provider {provider} on interface {interface}"),
        }
    }
}

/// The name of a provider without what is layered on it.
pub(super) fn core_of(provider: &str) -> &str {
    provider.split(';').next().unwrap_or_default()
}

/// Whether an address is valid on one link only.
fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(provider: &str, interface: &str, address: &str) -> Candidate {
        Candidate {
            provider: provider.into(),
            interface: interface.into(),
            address: address.parse().ok(),
            lacking: 0,
            local_only: false,
        }
    }

    fn chosen<'a>(options: &OfiOptions, candidates: &'a [Candidate]) -> Option<&'a Candidate> {
        let graded = candidates
            .iter()
            .filter_map(|candidate| Some((options.grade(candidate)?, candidate)));
        graded
            .min_by(|(a, _), (b, _)| a.cmp(b))
            .map(|(_, candidate)| candidate)
    }

    #[test]
    fn the_fastest_network_is_taken_and_what_is_named_before_that() {
        let candidates = [
            candidate("shm", "shm", ""),
            candidate("tcp;ofi_rxm", "eth0", "10.0.0.1"),
            candidate("tcp;ofi_rxm", "lo", "127.0.0.1"),
            candidate("verbs;ofi_rxm", "mlx5_0", "fe80::1"),
            candidate("verbs;ofi_rxm", "mlx5_0", "10.1.0.1"),
        ];
        let auto = OfiOptions::default();
        assert_eq!(chosen(&auto, &candidates), Some(&candidates[4]));
        assert_eq!(chosen(&auto, &candidates[..3]), Some(&candidates[1]));
        let tcp = OfiOptions {
            provider: Some("tcp".into()),
            ..OfiOptions::default()
        };
        assert_eq!(chosen(&tcp, &candidates), Some(&candidates[1]));
        let here = OfiOptions {
            one_machine: true,
            ..tcp.clone()
        };
        assert_eq!(chosen(&here, &candidates), Some(&candidates[2]));
        let lo = OfiOptions {
            interface: Some("lo".into()),
            ..tcp
        };
        assert_eq!(chosen(&lo, &candidates), Some(&candidates[2]));
        assert_eq!(lo.asked(), "of provider tcp on interface lo");
        let named = OfiOptions {
            provider: Some("shm".into()),
            ..OfiOptions::default()
        };
        assert_eq!(chosen(&named, &candidates), Some(&candidates[0]));
        assert_eq!(chosen(&auto, &candidates[..1]), None);
    }

    #[test]
    fn an_interface_that_leads_out_is_better_unless_the_other_is_named() {
        let mut candidates = [
            candidate("tcp", "docker0", "172.17.0.1"),
            candidate("tcp", "eth0", "10.0.0.1"),
        ];
        candidates[0].local_only = true;
        assert_eq!(chosen(&OfiOptions::default(), &candidates), Some(&candidates[1]));
        assert_eq!(
            chosen(&OfiOptions::default(), &candidates[..1]),
            Some(&candidates[0])
        );
        let named = OfiOptions {
            interface: Some("docker0".into()),
            ..OfiOptions::default()
        };
        assert_eq!(chosen(&named, &candidates), Some(&candidates[0]));
    }

    #[test]
    fn what_lacks_less_is_better() {
        let mut candidates = [
            candidate("tcp", "lo", "127.0.0.1"),
            candidate("tcp", "lo", "127.0.0.1"),
        ];
        candidates[0].lacking = 1;
        assert_eq!(chosen(&OfiOptions::default(), &candidates), Some(&candidates[1]));
    }
}
