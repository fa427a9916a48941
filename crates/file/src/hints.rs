//! The hints of info objects that have an effect on files.

use simurgh_base::info::Info;

/// Bytes of a window of collective buffering without a hint.
const WINDOW: usize = 4 << 20;
/// The permissions of a file that is made without a hint, before the mask of the process.
const PERMISSIONS: u32 = 0o666;

/// Hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Bytes of the buffer of collective buffering (`cb_buffer_size`).
    pub window: usize,
    /// Whether collective writes are put together (`collective_buffering`, `romio_cb_write`).
    pub writes_together: bool,
    /// Whether collective reads are put together (`collective_buffering`, `romio_cb_read`).
    pub reads_together: bool,
    /// The permissions of a file that is made (`file_perm`, in octal digits).
    pub permissions: u32,
}

impl Default for Hints {
    fn default() -> Self {
        Self {
            window: WINDOW,
            writes_together: true,
            reads_together: true,
            permissions: PERMISSIONS,
        }
    }
}

impl Hints {
    /// The same hints, changed by those of an info object. Values that make no sense change nothing.
    #[must_use]
    pub fn with(&self, info: &Info) -> Self {
        let number = |key| info.text(key)?.trim().parse::<usize>().ok();
        let switch = |key| match info.text(key)?.trim() {
            "enable" | "automatic" | "true" => Some(true),
            "disable" | "false" => Some(false),
            _ => None,
        };
        let both = switch("collective_buffering");
        let permissions = info.text("file_perm");
        let permissions = permissions.and_then(|text| u32::from_str_radix(text.trim(), 8).ok());
        Self {
            window: number("cb_buffer_size")
                .filter(|bytes| *bytes > 0)
                .unwrap_or(self.window),
            writes_together: switch("romio_cb_write").or(both).unwrap_or(self.writes_together),
            reads_together: switch("romio_cb_read").or(both).unwrap_or(self.reads_together),
            permissions: permissions
                .filter(|bits| *bits <= 0o7777)
                .unwrap_or(self.permissions),
        }
    }

    /// The hints in use, as programs read them.
    #[must_use]
    pub fn report(&self, name: &str) -> Info {
        let mut info = Info::new();
        let together = self.writes_together && self.reads_together;
        for (key, value) in [
            ("cb_buffer_size", self.window.to_string()),
            ("collective_buffering", together.to_string()),
            ("file_perm", format!("{:o}", self.permissions)),
            ("filename", name.to_owned()),
        ] {
            // A name that is too long for an info object is left out.
            let _ = info.set(key, value);
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_change_what_makes_sense() {
        let mut info = Info::new();
        for (key, value) in [
            ("cb_buffer_size", "65536"),
            ("romio_cb_read", "disable"),
            ("file_perm", "600"),
            ("unknown", "1"),
        ] {
            info.set(key, value).unwrap();
        }
        let hints = Hints::default().with(&info);
        assert_eq!((hints.window, hints.permissions), (65536, 0o600));
        assert!(hints.writes_together && !hints.reads_together);
        info.set("cb_buffer_size", "-1").unwrap();
        assert_eq!(Hints::default().with(&info).window, WINDOW);
        let report = hints.report("f");
        assert_eq!(report.text("collective_buffering"), Some("false"));
        assert_eq!(report.text("filename"), Some("f"));
        assert_eq!(report.text("unknown"), None);
    }
}
