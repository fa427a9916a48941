//! The kernel of the guests: Debian's for virtual machines, without being installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{build, build_output};
use crate::failure::{Failure, Result};

/// The package that depends on the current kernel.
const LATEST: &str = "linux-image-cloud-amd64";

/// The kernel, which is fetched into the folder unless it is there.
pub(super) fn fetched(folder: &Path) -> Result<PathBuf> {
    let kernel = folder.join("vmlinuz");
    if kernel.exists() {
        return Ok(kernel);
    }
    let unpacked = folder.join("kernel");
    match fs::remove_dir_all(&unpacked) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::file(&unpacked)(error));
        }
        _ => fs::create_dir_all(&unpacked).map_err(Failure::file(&unpacked))?,
    }
    let package = current()?;
    eprintln!("x: fetching {package} from Debian");
    build(
        Command::new("apt-get")
            .args(["-q", "download", &package])
            .current_dir(&unpacked),
    )?;
    let archive = found(&unpacked, "linux-image-")?;
    build(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(&unpacked))?;
    let image = found(&unpacked.join("boot"), "vmlinuz-")?;
    fs::rename(&image, &kernel).map_err(Failure::file(&image))?;
    fs::remove_dir_all(&unpacked).map_err(Failure::file(&unpacked))?;
    Ok(kernel)
}

/// The package of the current kernel.
fn current() -> Result<String> {
    let depends = build_output(Command::new("apt-cache").args(["depends", LATEST]))?;
    let package = depends
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: linux-image-"));
    package.map_or_else(
        || {
            Err(Failure::Faults(format!(
                "{LATEST} depends on no kernel:\n{depends}"
            )))
        },
        |version| Ok(format!("linux-image-{version}")),
    )
}

/// The file of a folder whose name begins so.
fn found(folder: &Path, begin: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_file() && name.starts_with(begin)
    };
    let missing = || Failure::Faults(format!("{} has no {begin}*", folder.display()));
    paths.find(is_it).ok_or_else(missing)
}
