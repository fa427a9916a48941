//! The description of a job that no launcher has described: what a process knows of itself.

use simurgh_net::HostId;
use simurgh_net::encoding::Text;
use simurgh_net::job::{self, HostShare, JobSpec, Mode, Origin, Section};
use simurgh_settings::Values;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;

/// The job of this process: process `host` of as many as `nodes` has entries. All of them run the program of this one.
pub(super) fn own_job(host: HostId, nodes: &[u32], settings: Values) -> io::Result<JobSpec> {
    let program = Text::new(std::env::current_exe()?.into_os_string());
    let program = program.ok_or_else(|| io::Error::other("the program's path contains a NUL byte"))?;
    let hosts: Vec<_> = nodes.iter().map(|&node| HostShare { node, ranks: 1 }).collect();
    Ok(JobSpec {
        version: job::VERSION,
        sections: vec![Section {
            argv: words().unwrap_or_else(|| vec![program.clone()]),
            program,
            ranks: u32::try_from(hosts.len()).unwrap_or(u32::MAX),
            mode: Mode::Processes,
            wdir: None,
            env: Vec::new(),
            preload: Vec::new(),
        }],
        hosts,
        host,
        control: None,
        settings,
        parent: None,
        origin: Origin::default(),
    })
}

/// The command line of this process, if it can be read.
fn words() -> Option<Vec<Text>> {
    let line = std::fs::read("/proc/self/cmdline").ok()?;
    let words = line.strip_suffix(&[0])?.split(|&byte| byte == 0);
    words
        .map(|word| Text::new(OsString::from_vec(word.to_vec())))
        .collect()
}
