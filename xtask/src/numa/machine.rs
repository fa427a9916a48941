//! The imitated machine.

use std::path::Path;
use std::process::Command;

use crate::command::{capture, minutes};
use crate::failure::{Failure, Result};

/// The limit for a guest, whose processors are imitated where the machine does not run guests itself.
const LIMIT_MINUTES: u64 = 30;
/// Processors and MiB of memory of each node.
const PROCESSORS: usize = 2;
const MEMORY: usize = 1024;

/// A machine with so many nodes: an even number, half of them in each of two packages.
pub(super) struct Machine {
    pub(super) nodes: usize,
}

impl Machine {
    /// Boots the kernel with a file system in memory, and waits for the end of the guest. Returns the text of its
    /// console.
    pub(super) fn run(&self, kernel: &Path, file_system: &Path) -> Result<String> {
        let mut qemu = Command::new("qemu-system-x86_64");
        qemu.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"])
            .args(["-serial", "stdio", "-M", "q35", "-cpu", "max", "-accel"])
            .arg(if runs_guests() { "kvm" } else { "tcg,thread=multi" })
            .args(self.hardware())
            .arg("-kernel")
            .arg(kernel)
            .arg("-initrd")
            .arg(file_system)
            // The system does not move pages by itself. A busy machine may let the timers of a guest starve. Huge pages
            // are reserved at the start, when there are enough.
            .args([
                "-append",
                "console=ttyS0 quiet panic=-1 no_timer_check numa_balancing=disable hugepages=60",
            ]);
        let outcome = capture(&mut qemu, minutes(LIMIT_MINUTES))?;
        match outcome.success() {
            true => Ok(outcome.stdout.clone()),
            false => Err(Failure::Faults(outcome.to_string())),
        }
    }

    /// Processors, memory, and which of them belong together.
    fn hardware(&self) -> Vec<String> {
        let all = self.nodes * PROCESSORS;
        let mut words = vec![
            "-smp".to_owned(),
            format!("{all},sockets=2,cores={},threads=1", all / 2),
            "-m".to_owned(),
            format!("{}M", self.nodes * MEMORY),
        ];
        for node in 0..self.nodes {
            let first = node * PROCESSORS;
            words.extend([
                "-object".to_owned(),
                format!("memory-backend-ram,id=m{node},size={MEMORY}M"),
                "-numa".to_owned(),
                format!(
                    "node,nodeid={node},memdev=m{node},cpus={first}-{}",
                    first + PROCESSORS - 1
                ),
            ]);
        }
        words
    }
}

/// Whether the machine runs guests itself. That there is `/dev/kvm` is not enough: a machine that is a guest itself may
/// offer it for kernels of a special kind only.
fn runs_guests() -> bool {
    let has = |path: &str| Path::new(path).exists();
    has("/dev/kvm") && (has("/sys/module/kvm_intel") || has("/sys/module/kvm_amd"))
}

#[cfg(test)]
mod tests {
    use super::Machine;

    #[test]
    fn nodes_have_processors_and_memory() {
        let words = Machine { nodes: 4 }.hardware().join(" ");
        assert!(words.contains("-smp 8,sockets=2,cores=4"), "{words}");
        assert!(words.contains("nodeid=3,memdev=m3,cpus=6-7"), "{words}");
    }
}
