//! The addresses of this machine.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kernel's routes, those to the machine itself among them.
const ROUTES: &str = "/proc/net/fib_trie";

/// The kernel's addresses of version 6.
const ADDRESSES: &str = "/proc/net/if_inet6";

/// Those by which others may reach this machine, and then that by which it reaches itself.
pub(super) fn addresses() -> Vec<IpAddr> {
    // Where /proc is not mounted, jobs on other machines find nothing, and say so.
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let mut found = of_routes(&read(ROUTES));
    found.extend(of_interfaces(&read(ADDRESSES)));
    found.push(Ipv4Addr::LOCALHOST.into());
    found
}

/// An address stands before the line which says that it is the machine's own.
fn of_routes(text: &str) -> Vec<IpAddr> {
    let mut last = None;
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse::<Ipv4Addr>().ok();
        } else if line == "/32 host LOCAL" {
            found.extend(last.filter(|address| !address.is_loopback()));
        }
    }
    found.into_iter().map(IpAddr::from).collect()
}

/// Only addresses that mean the same everywhere are of use: their scope is 0.
fn of_interfaces(text: &str) -> Vec<IpAddr> {
    let global = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let bits = u128::from_str_radix(words.first()?, 16).ok()?;
        (words.get(3) == Some(&"00")).then(|| Ipv6Addr::from_bits(bits).into())
    };
    text.lines().filter_map(global).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_tables_are_read() {
        let routes = "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n        \
                      |-- 127.0.0.1\n              /32 host LOCAL\n           |-- 192.0.2.2\n              \
                      /32 host LOCAL\n        |-- 192.0.2.255\n           /32 link BROADCAST\n";
        assert_eq!(of_routes(routes), ["192.0.2.2".parse::<IpAddr>().unwrap()]);
        let interfaces = "fd000000000000000000000000000002 04 40 00 82     eth0\n\
                          fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n\
                          00000000000000000000000000000001 01 80 10 80       lo\n";
        assert_eq!(of_interfaces(interfaces), ["fd00::2".parse::<IpAddr>().unwrap()]);
        assert_eq!((of_routes("noise"), of_interfaces("noise x")), (vec![], vec![]));
    }

    #[test]
    fn there_is_always_one() {
        assert!(addresses().contains(&Ipv4Addr::LOCALHOST.into()));
    }
}
