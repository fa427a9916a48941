//! The interrupts of network interfaces, and the processors that handle them.
//!
//! Sources: Documentation/core-api/irq/irq-affinity.rst and Documentation/ABI/testing/sysfs-bus-pci (`msi_irqs`) of
//! Linux.

use simurgh_sched::Core;
use simurgh_settings::placement::{parse_processors, show_processors};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A line for each network interface: whether cores of ranks handle its interrupts, and the remedy. Nothing if no core
/// is reserved. What the system does not tell is left out.
pub(super) fn report(reserved: &[Core]) -> Vec<String> {
    let reserved: Vec<_> = reserved
        .iter()
        .flat_map(|core| core.cpus.iter().copied())
        .collect();
    match reserved.is_empty() {
        true => Vec::new(),
        false => report_under(Path::new("/"), &reserved),
    }
}

fn report_under(root: &Path, reserved: &[usize]) -> Vec<String> {
    let interfaces = of_interfaces(root);
    let lines = interfaces
        .iter()
        .map(|(name, numbers)| line(root, name, numbers, reserved));
    lines.collect()
}

/// The line about one interface.
fn line(root: &Path, name: &str, numbers: &BTreeSet<u32>, reserved: &[usize]) -> String {
    let elsewhere = |number: &&u32| {
        let processors = processors_of(root, **number).unwrap_or_default();
        processors.iter().any(|processor| !reserved.contains(processor))
    };
    let elsewhere: Vec<_> = numbers.iter().filter(elsewhere).map(u32::to_string).collect();
    let reserved = show_processors(reserved);
    match elsewhere.is_empty() {
        true => format!("interrupts of {name} are handled by the reserved cores (processors {reserved})"),
        false => format!(
            "interrupts of {name} may be handled by cores of ranks: as root, write {reserved} to \
             /proc/irq/N/smp_affinity_list for N = {}",
            elsewhere.join(", ")
        ),
    }
}

/// The processors that may handle an interrupt; none if the system does not say.
fn processors_of(root: &Path, number: u32) -> Option<Vec<usize>> {
    let list = fs::read_to_string(root.join(format!("proc/irq/{number}/smp_affinity_list"))).ok()?;
    parse_processors(list.trim_end())
}

/// The numbers of the interrupts of each interface of the network that has a device.
fn of_interfaces(root: &Path) -> BTreeMap<String, BTreeSet<u32>> {
    let table = fs::read_to_string(root.join("proc/interrupts")).unwrap_or_default();
    let entries = fs::read_dir(root.join("sys/class/net"))
        .into_iter()
        .flatten()
        .flatten();
    let with_device = entries.filter_map(|entry| {
        let device = fs::canonicalize(entry.path().join("device")).ok()?;
        let name = entry.file_name().into_string().ok()?;
        let numbers = of_device(&table, &name, &device);
        (!numbers.is_empty()).then_some((name, numbers))
    });
    with_device.collect()
}

/// The numbers of the interrupts of one: those that its device or the bus device above it has, and that the table of
/// interrupts counts, and those that the table names after the interface.
fn of_device(table: &str, interface: &str, device: &Path) -> BTreeSet<u32> {
    let folders = [Some(device), device.parent()].into_iter().flatten();
    let entries = folders.flat_map(|folder| {
        fs::read_dir(folder.join("msi_irqs"))
            .into_iter()
            .flatten()
            .flatten()
    });
    let of_bus: BTreeSet<u32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    let counted = table.lines().filter_map(|line| {
        let (number, words) = line.split_once(':')?;
        let number = number.trim().parse().ok()?;
        let named = words.split_whitespace().last()?.split(['-', '@', ':']).next() == Some(interface);
        (named || of_bus.contains(&number)).then_some(number)
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder that goes when it is dropped.
    struct Tree(PathBuf);

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A tree like the system's, in which `eth0` has a bus device with three interrupts, two of them in use, `eth1` is
    /// named in the table, and `lo` has no device.
    fn tree(name: &str) -> Tree {
        let name = format!("simurgh-interrupts-{name}-{}", std::process::id());
        let root = Tree(std::env::temp_dir().join(name));
        let write = |path: &str, text: &str| {
            let path: PathBuf = root.0.join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
            fs::write(path, text).expect("a file");
        };
        write(
            "proc/interrupts",
            "      CPU0  CPU1\n 24:   1   0  ACPI:Ged\n 38:  0  8592  PCI-MSIX-0000:00:03.0  1-edge  virtio2-input.0\n \
             39:  5649  0  PCI-MSIX-0000:00:03.0  2-edge  virtio2-output.0\n 50:  0 0  PCI-MSI  1-edge  eth1-rx-0\n\
             NMI:  0  0  Non-maskable interrupts\n",
        );
        for (number, list) in [(24, "0"), (38, "1\n"), (39, "0-1\n"), (50, "1\n")] {
            write(&format!("proc/irq/{number}/smp_affinity_list"), list);
        }
        for number in [37, 38, 39] {
            write(&format!("sys/devices/pci/03.0/msi_irqs/{number}"), "msix");
        }
        write("sys/devices/pci/03.0/virtio2/uevent", "");
        write("sys/devices/pci/04.0/uevent", "");
        for (interface, device) in [("eth0", "03.0/virtio2"), ("eth1", "04.0")] {
            write(&format!("sys/class/net/{interface}/address"), "");
            let link = root.0.join(format!("sys/class/net/{interface}/device"));
            std::os::unix::fs::symlink(root.0.join("sys/devices/pci").join(device), link).expect("a link");
        }
        write("sys/class/net/lo/address", "");
        root
    }

    #[test]
    fn interrupts_are_found_by_bus_device_and_by_name() {
        let root = tree("found");
        let found = of_interfaces(&root.0);
        let expected = [("eth0", vec![38, 39]), ("eth1", vec![50])];
        let expected = expected.map(|(name, numbers)| (name.to_owned(), numbers.into_iter().collect()));
        assert_eq!(found, expected.into());
    }

    #[test]
    fn those_that_cores_of_ranks_handle_are_named_with_the_remedy() {
        let root = tree("lines");
        let lines = report_under(&root.0, &[1]);
        assert_eq!(
            lines,
            [
                "interrupts of eth0 may be handled by cores of ranks: as root, write 1 to \
                 /proc/irq/N/smp_affinity_list for N = 39",
                "interrupts of eth1 are handled by the reserved cores (processors 1)",
            ]
        );
        assert_eq!(report(&[]), Vec::<String>::new());
    }
}
