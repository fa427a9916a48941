//! The directory in which compiled modules lie.

use super::build::Unfinished;
use super::sources::Sources;
use crate::error::LaunchError;
use crate::installation::Installation;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directory of the modules for a compiler, if they have been compiled.
pub(super) enum Place {
    /// There it is.
    Found(PathBuf),
    /// There is none; it can be made in one of these, best first.
    Missing(Vec<PathBuf>),
}

impl Place {
    /// Looks for the directory of this name: in the installation, then in the user's cache.
    ///
    /// The cache is for all installations, so it has a directory for each version of the sources.
    pub(super) fn look(
        installation: &Installation,
        environment: impl Fn(&str) -> Option<OsString>,
        sources: &Sources,
        key: &str,
    ) -> Result<Self, LaunchError> {
        let own = installation.fortran_modules();
        if own.join(key).is_dir() {
            return Ok(Self::Found(own.join(key)));
        }
        let cache = match cache(environment) {
            Some(cache) => Some(cache.join("simurgh/fortran").join(sources.digest()?)),
            None => None,
        };
        match cache
            .as_ref()
            .map(|cache| cache.join(key))
            .filter(|place| place.is_dir())
        {
            Some(found) => Ok(Self::Found(found)),
            // An installation that was unpacked, such as a wheel, has no directory for modules, so that nothing is left
            // when it is removed.
            None => Ok(Self::Missing([own].into_iter().chain(cache).collect())),
        }
    }
}

/// A new directory in the first of these in which one can be made. The first one, which is the installation's, has to
/// exist.
pub(super) fn begin(parents: &[PathBuf], key: &str) -> Result<(Unfinished, PathBuf), LaunchError> {
    let mut refusal = None;
    for (index, parent) in parents.iter().enumerate() {
        let made = match index {
            0 => Unfinished::new(parent, key),
            _ => fs::create_dir_all(parent).and_then(|()| Unfinished::new(parent, key)),
        };
        match made {
            Ok(unfinished) => return Ok((unfinished, parent.join(key))),
            Err(source) => refusal = Some(refused(parent, source)),
        }
    }
    Err(refusal.expect("the installation is always asked"))
}

pub(super) fn refused(directory: &Path, source: io::Error) -> LaunchError {
    LaunchError::ModulesDirectory {
        directory: directory.to_path_buf(),
        source,
    }
}

/// The user's cache directory, as the XDG Base Directory Specification names it.
fn cache(environment: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        environment(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_testing::Scratch;

    /// An installation with one source, and the user's cache.
    fn scene(scratch: &Scratch) -> (Installation, Sources, PathBuf) {
        let prefix = scratch.path().join("prefix");
        let installation = Installation::at(prefix);
        fs::create_dir_all(installation.fortran_sources()).unwrap();
        for name in Sources::NAMES {
            fs::write(installation.fortran_sources().join(name), name).unwrap();
        }
        let sources = Sources::of(&installation);
        (installation, sources, scratch.path().join("cache"))
    }

    #[test]
    fn the_installation_comes_before_the_cache() {
        let scratch = Scratch::new("place");
        let (installation, sources, cache) = scene(&scratch);
        let look = || {
            let environment = |name: &str| (name == "XDG_CACHE_HOME").then(|| cache.clone().into_os_string());
            Place::look(&installation, environment, &sources, "fc-1").unwrap()
        };
        let Place::Missing(parents) = look() else {
            panic!("there is nothing yet");
        };
        assert_eq!(parents[0], installation.fortran_modules());
        assert!(parents[1].starts_with(cache.join("simurgh/fortran")));

        let (unfinished, place) = begin(&parents, "fc-1").unwrap();
        assert_eq!(
            place,
            parents[1].join("fc-1"),
            "the installation has no directory for modules"
        );
        assert_eq!(unfinished.finish(&place).unwrap(), place);
        assert!(matches!(look(), Place::Found(found) if found == place));

        let own = installation.fortran_modules();
        fs::create_dir_all(&own).unwrap();
        let (_unfinished, place) = begin(&parents, "fc-1").unwrap();
        assert_eq!(place, own.join("fc-1"));
        fs::create_dir(&place).unwrap();
        assert!(matches!(look(), Place::Found(found) if found == place));
    }

    #[test]
    fn sources_that_have_changed_have_another_place_in_the_cache() {
        let scratch = Scratch::new("place");
        let (installation, sources, _) = scene(&scratch);
        let before = sources.digest().unwrap();
        fs::write(installation.fortran_sources().join(Sources::NAMES[0]), "changed").unwrap();
        assert_ne!(before, sources.digest().unwrap());
    }

    #[test]
    fn the_cache_is_named_by_an_absolute_path() {
        let environment = |name: &str| match name {
            "XDG_CACHE_HOME" => Some("relative".into()),
            "HOME" => Some("/home/me".into()),
            _ => None,
        };
        assert_eq!(cache(environment), Some(PathBuf::from("/home/me/.cache")));
        assert_eq!(cache(|_| None), None);
    }
}
