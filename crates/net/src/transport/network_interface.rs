//! Whether a network interface leads to other machines.
//!
//! Many machines have interfaces without a cable, and a bridge for their own containers or virtual machines, which has
//! the same address on every machine. libfabric lists both like any other, the one first that claims the highest speed,
//! and a bridge claims 10 Gbit/s.

use std::fs;
use std::path::Path;

/// The folder in which the kernel describes its interfaces.
const INTERFACES: &str = "/sys/class/net";

/// Whether an interface reaches this machine only: it is down, or a bridge without a device behind it. A name that the
/// kernel does not describe, such as that of a device for RDMA, is taken to lead elsewhere.
#[must_use]
pub fn is_local_only(name: &str) -> bool {
    is_local_only_in(Path::new(INTERFACES), name)
}

fn is_local_only_in(interfaces: &Path, name: &str) -> bool {
    let interface = interfaces.join(name);
    let state = fs::read_to_string(interface.join("operstate")).unwrap_or_default();
    let is_bridge = interface.join("bridge").exists();
    state.trim() == "down" || is_bridge && !has_device(interfaces, &interface)
}

/// Whether one of a bridge's ports is a device rather than another virtual interface.
fn has_device(interfaces: &Path, bridge: &Path) -> bool {
    let ports = fs::read_dir(bridge.join("brif")).into_iter().flatten().flatten();
    ports
        .map(|port| interfaces.join(port.file_name()).join("device"))
        .any(|device| device.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bridges_to_containers_and_what_is_down_are_dead_ends() {
        let folder = std::env::temp_dir().join(format!("simurgh-interfaces-{}", std::process::id()));
        for path in [
            "eth0/device",
            "docker0/bridge",
            "docker0/brif/veth1",
            "veth1",
            "br0/bridge",
            "br0/brif/eth0",
        ] {
            fs::create_dir_all(folder.join(path)).expect("a folder");
        }
        for (name, state) in [
            ("eth0", "up"),
            ("docker0", "up"),
            ("br0", "up"),
            ("veth1", "down"),
        ] {
            fs::write(folder.join(name).join("operstate"), format!("{state}\n")).expect("a file");
        }
        let dead = ["eth0", "docker0", "br0", "veth1", "mlx5_0"].map(|name| is_local_only_in(&folder, name));
        fs::remove_dir_all(&folder).expect("it was made here");
        assert_eq!(dead, [false, true, false, true, false]);
    }
}
