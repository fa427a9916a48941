//! The file by which a universe is found.

use crate::error::UniverseError;
use serde::{Deserialize, Serialize};
use simurgh_net::auth::Secret;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest file that is read, in bytes.
const MOST: u64 = 64 << 10;

/// The pause before it is looked for again.
const STEP: Duration = Duration::from_millis(10);

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contact {
    /// [`VERSION`](super::message::VERSION).
    pub(crate) version: u32,
    /// The machine of the server.
    pub(crate) machine: String,
    /// The addresses at which the server listens.
    pub(crate) addresses: Vec<IpAddr>,
    /// The port of the server.
    pub(crate) port: u16,
    /// The secret of the universe.
    pub(crate) secret: Secret,
}

impl Contact {
    /// The addresses at which a process of this machine can reach the server. Those of a loopback interface are left
    /// out on another machine, which would reach itself there.
    pub(crate) fn addresses_from(&self, machine: &str) -> Vec<IpAddr> {
        let is_same = self.machine == machine;
        let leads = |address: &&IpAddr| is_same || !address.to_canonical().is_loopback();
        self.addresses.iter().filter(leads).copied().collect()
    }

    /// Reads the file, as soon as it is there.
    ///
    /// # Errors
    ///
    /// When it does not appear within `patience`, or is not that of a universe.
    pub(crate) fn wait_for(path: &Path, patience: Duration) -> Result<Self, UniverseError> {
        let until = Instant::now() + patience;
        loop {
            match read(path) {
                Ok(text) => return Self::parse(path, &text),
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(UniverseError::Unreadable {
                        file: path.to_path_buf(),
                        source: error,
                    });
                }
                Err(_) if Instant::now() >= until => {
                    let file = path.to_path_buf();
                    return Err(UniverseError::Absent { file });
                }
                Err(_) => std::thread::sleep(STEP),
            }
        }
    }

    fn parse(path: &Path, text: &[u8]) -> Result<Self, UniverseError> {
        let malformed = |reason: String| UniverseError::Malformed {
            file: path.to_path_buf(),
            reason,
        };
        let contact: Self = serde_json::from_slice(text).map_err(|error| malformed(error.to_string()))?;
        if contact.version != super::message::VERSION {
            return Err(malformed(format!("its version is {}", contact.version)));
        }
        Ok(contact)
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(MOST).read_to_end(&mut text)?;
    Ok(text)
}

/// A file that this process has written, and removes in the end.
#[derive(Debug)]
pub(crate) struct Written {
    path: PathBuf,
    /// The open file. While it is open, no other file has its inode number, so another one under its name is not
    /// removed.
    file: File,
}

impl Written {
    /// Writes a file that only its user can read. It appears with all its text at once. A file that exists already
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// When the file exists already, or cannot be written.
    pub(crate) fn new(path: &Path, contact: &Contact) -> Result<Self, UniverseError> {
        let unwritable = |source: io::Error| UniverseError::Unwritable {
            file: path.to_path_buf(),
            source,
        };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", std::process::id()));
        let new = PathBuf::from(name);
        let written = write(&new, contact).and_then(|file| {
            // Unlike a rename, a hard link never replaces another file.
            fs::hard_link(&new, path)?;
            Ok(file)
        });
        let _ = fs::remove_file(&new);
        match written {
            Ok(file) => Ok(Self {
                path: path.to_path_buf(),
                file,
            }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(UniverseError::Exists {
                file: path.to_path_buf(),
            }),
            Err(error) => Err(unwritable(error)),
        }
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let there = fs::symlink_metadata(&self.path).and_then(|there| Ok((there, self.file.metadata()?)));
        let is_same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        if there.is_ok_and(|(there, own)| is_same(there, own)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes the contents under a name that nobody looks for.
fn write(path: &Path, contact: &Contact) -> io::Result<File> {
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let mut text = serde_json::to_vec(contact)?;
    text.push(b'\n');
    file.write_all(&text)?;
    Ok(file)
}
