//! Programs that bring their own `malloc`: their ranks can live in one process.

use std::path::Path;

use simurgh_testing::{Binary, Compile, Outcome, Stage};

/// An allocator: the options with which a program is linked to it.
struct Allocator {
    name: &'static str,
    options: &'static [&'static str],
    /// A file of it, and Debian's package with that.
    needs: Option<(&'static str, &'static str)>,
    /// Whether its `new` throws when there is no memory; otherwise it ends the program, as in a process.
    throws: bool,
}

const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";

const JEMALLOC: Allocator = Allocator {
    name: "jemalloc",
    options: &["-Wl,--no-as-needed", "-l:libjemalloc.so.2"],
    needs: Some(("libjemalloc.so.2", "libjemalloc2")),
    throws: true,
};

const ALLOCATORS: &[Allocator] = &[
    JEMALLOC,
    Allocator {
        name: "static jemalloc",
        options: &["-l:libjemalloc.a", "-lstdc++", "-lm"],
        needs: Some(("libjemalloc.a", "libjemalloc-dev")),
        throws: true,
    },
    Allocator {
        name: "tcmalloc",
        options: &["-Wl,--no-as-needed", "-l:libtcmalloc_minimal.so.4"],
        needs: Some(("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4")),
        throws: true,
    },
    Allocator {
        name: "static tcmalloc",
        options: &[
            "-Wl,--whole-archive",
            "-l:libtcmalloc_minimal.a",
            "-Wl,--no-whole-archive",
            "-lstdc++",
            "-lm",
        ],
        needs: Some(("libtcmalloc_minimal.a", "libgoogle-perftools-dev")),
        throws: true,
    },
    Allocator {
        name: "mimalloc",
        options: &["-Wl,--no-as-needed", "-l:libmimalloc.so.2"],
        needs: Some(("libmimalloc.so.2", "libmimalloc2.0")),
        throws: false,
    },
];

impl Allocator {
    /// Whether it is installed; says so if not.
    fn is_there(&self) -> bool {
        let missing = self
            .needs
            .filter(|(file, _)| !Path::new(LIBRARIES).join(file).exists());
        if let Some((file, package)) = missing {
            eprintln!(
                "skipped: {}: {file} is missing: apt-get install {package}",
                self.name
            );
        }
        missing.is_none()
    }

    fn link(&self, program: Compile) -> Binary {
        program
            .flags(["-O2", "-Wall", "-Wextra"])
            .libraries(self.options)
            .libraries(["-lpthread"])
            .against(&Stage::locate())
            .build()
    }
}

fn installed() -> impl Iterator<Item = &'static Allocator> {
    ALLOCATORS.iter().filter(|allocator| allocator.is_there())
}

/// The program with the functions that allocators rely on, and of libc that give blocks.
fn of_libc() -> Compile {
    Compile::c("tests/c/own_malloc.c").flags(["-D_FORTIFY_SOURCE=2", "-fno-builtin", "-Wno-use-after-free"])
}

#[track_caller]
fn all_are_fine(run: &Outcome, line: &str, ranks: usize) {
    run.expect_success();
    let fine = run.stdout.lines().filter(|found| *found == line).count();
    assert_eq!(fine, ranks, "{run}");
}

#[test]
fn an_allocator_of_its_own_serves_each_rank() {
    let stage = Stage::locate();
    for allocator in installed() {
        let program = allocator.link(of_libc());
        for ranks in [1, 2, 64] {
            let mpiexec = stage.mpiexec(ranks).mode("threads").vps(2);
            all_are_fine(&mpiexec.run(&program), "own malloc OK", ranks);
        }
    }
}

#[test]
fn new_and_delete_work() {
    let stage = Stage::locate();
    for allocator in installed() {
        let program = allocator.link(Compile::cxx("tests/cxx/heap.cpp").flags(["-std=c++17"]));
        let options: &[&str] = if allocator.throws {
            &[]
        } else {
            &["does-not-throw"]
        };
        let mpiexec = stage.mpiexec(3).mode("threads").args(options);
        all_are_fine(&mpiexec.run(&program), "heap OK", 3);
    }
}

/// jemalloc asks for the next definition of `pthread_create`, and the thread has to be one of the rank.
#[test]
fn an_allocator_may_have_threads() {
    if !JEMALLOC.is_there() {
        return;
    }
    let program = JEMALLOC.link(of_libc());
    let mpiexec = Stage::locate().mpiexec(3).mode("threads").vps(2);
    let run = mpiexec
        .env("MALLOC_CONF", "background_thread:true,dirty_decay_ms:10")
        .run(&program);
    all_are_fine(&run, "own malloc OK", 3);
}

/// Also one without a library, that can tell its blocks.
#[test]
fn a_program_may_define_malloc_itself() {
    let stage = Stage::locate();
    let bump = Allocator {
        name: "bump",
        options: &[],
        needs: None,
        throws: true,
    };
    let program = bump.link(of_libc().source("tests/c/bump_malloc.c"));
    for (ranks, mode) in [(1, "threads"), (5, "threads"), (2, "processes")] {
        let mpiexec = stage.mpiexec(ranks).mode(mode).vps(2);
        all_are_fine(&mpiexec.run(&program), "own malloc OK", ranks);
    }
}
