//! The MPIs that are compared, each with the best settings known for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use simurgh_testing::{Compile, Stage};

use super::experiment::{Experiment, Group, Placement};
use crate::failure::{Failure, Result};
use crate::peers::{INTEL, MPICH, OPEN_MPI};
use crate::workspace::Workspace;

/// The programs of `benches/c`.
const PROGRAMS: &[&str] = &[
    "latency",
    "transfers",
    "layouts",
    "bandwidth",
    "hello",
    "memory",
    "collectives",
    "barriers",
    "overlap",
    "heap",
    "windows",
    "files",
];

/// The programs of `benches/papers`.
const PAPERS: &[&str] = &[
    "switch",
    "transfer",
    "neighbours",
    "unbalanced",
    "allocator",
    "advection",
    "conduction",
    "lattice",
    "lattice_kernel",
    "post_work_wait",
    "two_hosts",
    "collaborative",
    "halo",
    "memory_per_task",
    "wake_up",
];

/// The folder of Debian's libraries, and the allocators there that are compared with ours.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";
const ALLOCATORS: &[(&str, &str)] = &[
    ("mimalloc", "libmimalloc.so.2"),
    ("jemalloc", "libjemalloc.so.2"),
    ("tcmalloc", "libtcmalloc_minimal.so.4"),
];

/// Message sizes of `latency`, for libfabric.
const TCP_SIZES: &[&str] = &["8", "64", "512", "4096", "65536", "1048576", "4194304"];

/// The options with which our hosts communicate as libfabric does in its experiment.
const TCP: &[&str] = &[
    "--hosts-per-node",
    "2",
    "--transport",
    "ofi",
    "--provider",
    "tcp",
    "--interface",
    "lo",
];

/// The options that leave the first core to rank 0, which is the one measured, when other threads drive the network.
const DRIVEN: &[&str] = &["--hosts-per-node", "2", "--network-core", "1"];

/// The same between two nodes, which this machine stands for. The process of the second node has the second core only.
const DRIVEN_TCP: &[&str] = &[
    "--launcher",
    "fork",
    "--hosts",
    "a,b",
    "--provider",
    "tcp",
    "--interface",
    "lo",
    "--host-wrapper",
    "taskset -c {host}-1",
    "--network-core",
    "1",
];

/// The kind of an MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Simurgh,
    Mpich,
    Intel,
    OpenMpi,
    /// libfabric, without any MPI: its `fi_pingpong`, and a program of ours.
    Libfabric,
    /// Ours, with a process for each rank and the C library's allocator.
    Processes,
    /// The same with the allocator of this file of [`LIBRARIES`].
    Allocator(&'static str),
}

/// One MPI, ready to run the programs.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    kind: Kind,
    /// The name for tables.
    pub(crate) name: &'static str,
    prefix: PathBuf,
    /// The folder of its compiled programs, which is the same for all MPIs that have the standard ABI.
    programs: PathBuf,
}

/// Ours, and another build of it.
pub(crate) fn builds(workspace: &Workspace, stage: &Stage, other: &Path) -> Result<Vec<Contender>> {
    let ours = ours(workspace, stage)?;
    let other = Contender {
        name: "other build",
        prefix: other.to_owned(),
        ..ours.clone()
    };
    Ok(vec![ours, other])
}

fn ours(workspace: &Workspace, stage: &Stage) -> Result<Contender> {
    let programs = workspace.target("bench/standard-abi");
    compile(&programs, |program| program.against(stage))?;
    compile_papers(&programs, |program| program.against(stage))?;
    compile_fortran(&programs, stage)?;
    Ok(Contender {
        kind: Kind::Simurgh,
        name: "Simurgh",
        prefix: stage.prefix().to_owned(),
        programs,
    })
}

/// Those of native Rust programs.
impl Contender {
    /// Ours, which has its programs in this folder.
    pub(super) fn native(prefix: &Path, programs: PathBuf) -> Self {
        Contender {
            kind: Kind::Simurgh,
            name: "Simurgh",
            prefix: prefix.to_owned(),
            programs,
        }
    }

    /// rsmpi on MPICH, which has its programs in this folder.
    pub(super) fn rsmpi(prefix: &Path, programs: PathBuf) -> Self {
        Contender {
            kind: Kind::Mpich,
            name: "rsmpi, MPICH",
            prefix: prefix.to_owned(),
            programs,
        }
    }
}

/// All contenders: ours first, then every peer that can be installed here.
pub(crate) fn all(workspace: &Workspace, stage: &Stage) -> Result<Vec<Contender>> {
    let ours = ours(workspace, stage)?;
    let standard = ours.programs.clone();
    let mut contenders = vec![ours];
    for (kind, name, peer) in [
        (Kind::Mpich, "MPICH", MPICH),
        (Kind::Intel, "Intel MPI", INTEL),
        (Kind::OpenMpi, "Open MPI", OPEN_MPI),
    ] {
        let prefix = match peer.install(workspace) {
            Ok(prefix) => prefix,
            Err(failure) => {
                eprintln!(
                    "x: {} is left out, it cannot be installed here: {failure}",
                    peer.requirement()
                );
                continue;
            }
        };
        let mut programs = standard.clone();
        if kind == Kind::OpenMpi {
            programs = workspace.target("bench/open-mpi");
            compile(&programs, |program| against_open_mpi(program, &prefix))?;
            compile_papers(&programs, |program| against_open_mpi(program, &prefix))?;
        }
        contenders.push(Contender {
            kind,
            name,
            prefix,
            programs,
        });
    }
    contenders.extend(allocators(&contenders[0]));
    if Command::new("fi_pingpong").arg("-h").output().is_ok() {
        let source = Compile::c("benches/c/fabric_rma.c").flags(["-O2"]);
        let compiled = source.libraries(["-lfabric"]).output(standard.join("fabric_rma"));
        compiled.try_build().map_err(Failure::Faults)?;
        contenders.push(Contender {
            kind: Kind::Libfabric,
            name: "libfabric",
            prefix: workspace.source("benches"),
            programs: standard,
        });
    } else {
        eprintln!("x: fi_pingpong is left out: install libfabric-bin");
    }
    Ok(contenders)
}

/// Ours with a process for each rank, and so with other allocators than the heaps of ranks.
fn allocators(ours: &Contender) -> Vec<Contender> {
    let is_there = |(name, file): &&(&str, &str)| {
        let found = Path::new(LIBRARIES).join(file).exists();
        if !found {
            eprintln!("x: {name} is left out: install the package with {file}");
        }
        found
    };
    let with = |kind: Kind, name: &'static str| Contender {
        kind,
        name,
        ..ours.clone()
    };
    let others = ALLOCATORS.iter().filter(is_there);
    std::iter::once(with(Kind::Processes, "glibc"))
        .chain(others.map(|(name, file)| with(Kind::Allocator(file), name)))
        .collect()
}

fn compile(directory: &Path, against: impl Fn(Compile) -> Compile) -> Result<()> {
    fs::create_dir_all(directory).map_err(Failure::file(directory))?;
    for program in PROGRAMS {
        let source = Compile::c(format!("benches/c/{program}.c")).flags(["-O2"]);
        against(source)
            .output(directory.join(program))
            .try_build()
            .map_err(Failure::Faults)?;
    }
    Ok(())
}

/// Compiles the programs of `benches/papers`, into a folder of this name.
fn compile_papers(directory: &Path, against: impl Fn(Compile) -> Compile) -> Result<()> {
    let directory = directory.join("papers");
    fs::create_dir_all(&directory).map_err(Failure::file(&directory))?;
    for program in PAPERS {
        let source = Compile::c(format!("benches/papers/{program}.c")).flags(["-O3"]);
        against(source)
            .libraries(["-lm"])
            .output(directory.join(program))
            .try_build()
            .map_err(Failure::Faults)?;
    }
    Ok(())
}

/// Compiles the program that compares the Fortran interface with C: its part in C, and the rest by our wrapper.
fn compile_fortran(directory: &Path, stage: &Stage) -> Result<()> {
    let part = directory.join("binding_part.o");
    let flags = ["-O2", "-c"];
    let in_c = Compile::c("benches/c/binding_part.c").flags(flags).against(stage);
    in_c.output(&part).try_build().map_err(Failure::Faults)?;
    Compile::by(stage.tool("mpifort"), "benches/fortran/binding.f90")
        .flags(["-O2"])
        .source(part)
        .output(directory.join("binding"))
        .try_build()
        .map_err(Failure::Faults)?;
    Ok(())
}

fn against_open_mpi(program: Compile, prefix: &Path) -> Compile {
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    program.flags([format!("-I{}", include.display())]).libraries([
        format!("-L{}", lib.display()),
        "-l:libmpi.so.40".to_owned(),
        format!("-Wl,-rpath,{}", lib.display()),
    ])
}

impl Contender {
    /// Whether it takes part in an experiment.
    pub(crate) fn takes_part(&self, experiment: &Experiment) -> bool {
        let tcp = experiment.placement == Placement::Tcp;
        match self.kind {
            Kind::Simurgh => true,
            Kind::Libfabric => tcp,
            Kind::Processes | Kind::Allocator(_) => experiment.group == Group::Heap,
            Kind::Mpich | Kind::Intel | Kind::OpenMpi => experiment.peers && !tcp,
        }
    }

    /// The command that runs a program as the given number of ranks.
    pub(crate) fn command(&self, program: &str, ranks: usize, placement: Placement) -> Command {
        if self.kind == Kind::Libfabric && program == "windows" {
            return Command::new(self.programs.join("fabric_rma"));
        }
        if self.kind == Kind::Libfabric {
            let mut command = Command::new(self.prefix.join("fi_pingpong.sh"));
            command.args(TCP_SIZES);
            return command;
        }
        self.ready(&self.programs.join(program), ranks, placement, &[])
    }

    /// The path of a program of `benches/papers`.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.programs.join("papers").join(name)
    }

    /// The command that runs a program of `benches/papers`, with further options of mpiexec.
    pub(crate) fn launch(
        &self,
        program: &str,
        ranks: usize,
        placement: Placement,
        options: &[&str],
    ) -> Command {
        self.ready(&self.program(program), ranks, placement, options)
    }

    fn ready(&self, program: &Path, ranks: usize, placement: Placement, options: &[&str]) -> Command {
        let mut command = match (self.kind, placement) {
            (Kind::Simurgh, _) => self.mpiexec(placement),
            (_, Placement::OneCore) => {
                let mut confined = Command::new("taskset");
                confined
                    .args(["-c", "0"])
                    .arg(self.mpiexec(placement).get_program());
                confined
            }
            _ => self.mpiexec(placement),
        };
        self.settings(&mut command, placement);
        command
            .args(options)
            .args(["-n", &ranks.to_string()])
            .arg(program);
        command
    }

    fn mpiexec(&self, placement: Placement) -> Command {
        let name = match (self.kind, placement) {
            // MPICH's other launcher starts a progress engine that yields far less readily.
            (Kind::Mpich, Placement::OneCore | Placement::AllCores) => "bin/mpiexec.gforker",
            _ => "bin/mpiexec",
        };
        Command::new(self.prefix.join(name))
    }

    fn settings(&self, command: &mut Command, placement: Placement) {
        let crowded = matches!(
            placement,
            Placement::OneCore | Placement::AllCores | Placement::OwnProcesses
        );
        match self.kind {
            Kind::Simurgh => match placement {
                Placement::OneCore => drop(command.args(["--vps", "1"])),
                Placement::TwoCores => drop(command.args(["--vps", "2"])),
                Placement::AllCores => {}
                Placement::OwnProcesses | Placement::TwoProcesses => {
                    command.args(["--mode", "processes"]);
                }
                Placement::Tcp => drop(command.args(TCP)),
                Placement::Dedicated => drop(command.args(DRIVEN).args(["--policy", "nd"])),
                Placement::Asleep => drop(command.args(DRIVEN).args(["--policy", "sleep"])),
                Placement::DedicatedTcp => drop(command.args(DRIVEN_TCP).args(["--policy", "nd"])),
                Placement::AsleepTcp => drop(command.args(DRIVEN_TCP).args(["--policy", "sleep"])),
            },
            Kind::Mpich => {
                command.env("LD_LIBRARY_PATH", self.prefix.join("lib"));
                if crowded {
                    command.env("MPIR_CVAR_DEVICE_COLLECTIVES", "none");
                    command.env("MPIR_CVAR_POLLS_BEFORE_YIELD", "1");
                } else {
                    command.args(["-bind-to", "core"]);
                }
            }
            Kind::Intel => {
                command
                    .env("LD_LIBRARY_PATH", self.prefix.join("lib"))
                    .env("I_MPI_FABRICS", "shm");
                if crowded {
                    command.env("I_MPI_PIN", "0").env("I_MPI_WAIT_MODE", "1");
                }
            }
            Kind::Libfabric => {}
            Kind::Processes => drop(command.args(["--mode", "processes"])),
            Kind::Allocator(file) => {
                let preload = Path::new(LIBRARIES).join(file);
                command.args(["--mode", "processes"]).env("LD_PRELOAD", preload);
            }
            Kind::OpenMpi => {
                command
                    .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                    .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
                command.arg("--oversubscribe");
                if crowded {
                    command.args(["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]);
                }
            }
        }
    }
}
