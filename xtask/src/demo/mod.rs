//! `./x demo`: the heat conduction example in C and in Fortran, compiled plainly and run as 1, 2, 16 and 64 ranks.

use std::fs;
use std::path::Path;

use simurgh_testing::{Binary, Compile, Stage};

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::install;
use crate::table::aligned;
use crate::workspace::Workspace;

mod image;
mod statistics;

use statistics::Statistics;

/// The numbers of ranks. The others are compared with the first.
const RANKS: &[usize] = &[1, 2, 16, 64];

/// The cells per side of the plate, and the steps: about a second of work for one core.
const PLATE: &str = "1024";
const STEPS: &str = "500";

/// The number of runs for each number of ranks. The fastest run counts, since other work on the machine only slows
/// runs.
const ROUNDS: usize = 3;

/// The results of one run.
struct Run {
    language: &'static str,
    ranks: usize,
    seconds: f64,
    checksum: String,
    statistics: Statistics,
}

/// Compiles and runs the example, prints a table, and writes a picture of the plate.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let stage = install::stage(workspace)?;
    let directory = workspace.target("demo");
    fs::create_dir_all(&directory).map_err(Failure::file(&directory))?;
    let programs = programs(&stage, &directory)?;

    let pgm = directory.join("heat2d.pgm");
    println!(
        "examples/heat2d.c and heat2d.f90: a plate of {PLATE} x {PLATE} cells, {STEPS} steps; best of {ROUNDS} runs \
         each\n"
    );
    let options = ["-n", PLATE, "-s", STEPS, "-o", &pgm.to_string_lossy()].map(str::to_owned);
    let mut runs = Vec::new();
    for (language, program) in &programs {
        for &ranks in RANKS {
            runs.push(fastest(&stage, (language, program), ranks, &options)?);
        }
    }
    print!("{}", table(&runs));
    if runs.iter().any(|run| run.checksum != runs[0].checksum) {
        return Err(Failure::Faults(
            "the results differ from that of one rank in C".to_owned(),
        ));
    }
    println!("\nThe result is the same bit by bit for every number of ranks and in both languages.");
    let png = directory.join("heat2d.png");
    image::convert(&pgm, &png)?;
    println!("The plate at the end: {}", png.display());
    Ok(())
}

/// The example in each language.
fn programs(stage: &Stage, directory: &Path) -> Result<[(&'static str, Binary); 2]> {
    let in_c = Compile::c("examples/heat2d.c")
        .flags(["-O2"])
        .against(stage)
        .libraries(["-lm"])
        .output(directory.join("heat2d"));
    let in_fortran = Compile::by(stage.tool("mpifort"), "examples/heat2d.f90")
        .flags(["-O2", "-J"])
        .flags([directory])
        .output(directory.join("heat2d-fortran"));
    let build = |compile: Compile| compile.try_build().map_err(Failure::Faults);
    Ok([("C", build(in_c)?), ("Fortran", build(in_fortran)?)])
}

/// A program with its language.
type Program<'a> = (&'static str, &'a Binary);

fn fastest(stage: &Stage, program: Program, ranks: usize, options: &[String]) -> Result<Run> {
    let mut fastest = one(stage, program, ranks, options)?;
    for _ in 1..ROUNDS {
        let run = one(stage, program, ranks, options)?;
        if run.checksum != fastest.checksum {
            return Err(Failure::Faults(format!(
                "two runs of {ranks} ranks have different results"
            )));
        }
        if run.seconds < fastest.seconds {
            fastest = run;
        }
    }
    Ok(fastest)
}

fn one(stage: &Stage, (language, program): Program, ranks: usize, options: &[String]) -> Result<Run> {
    let mut command = stage
        .mpiexec(ranks)
        .options(["--stats"])
        .args(options)
        .command(program);
    let outcome = captured_success(&mut command, minutes(2))?;
    let missing = |what: &str| Failure::Faults(format!("no {what} in the output\n{outcome}"));
    let told = |what: &str| {
        let value = outcome
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
        value.ok_or_else(|| missing(what))
    };
    Ok(Run {
        language,
        ranks,
        seconds: told("seconds")?
            .parse()
            .map_err(|_| missing("number of seconds"))?,
        checksum: told("checksum")?.to_owned(),
        statistics: statistics::parse(&outcome.stderr).ok_or_else(|| missing("statistics"))?,
    })
}

fn table(runs: &[Run]) -> String {
    let head = [
        "program in",
        "ranks",
        "seconds",
        "speed-up",
        "context switches",
        "MiB per rank",
        "same result",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for run in runs {
        let alone = runs.iter().find(|first| first.language == run.language);
        let alone = alone.map_or(f64::NAN, |first| first.seconds);
        let same = if run.checksum == runs[0].checksum {
            "yes"
        } else {
            "NO"
        };
        rows.push(vec![
            run.language.to_owned(),
            run.ranks.to_string(),
            format!("{:.3}", run.seconds),
            format!("{:.2}", alone / run.seconds),
            run.statistics.switches.to_string(),
            format!(
                "{:.2}",
                run.statistics.memory_kib as f64 / 1024.0 / run.ranks as f64
            ),
            same.to_owned(),
        ]);
    }
    aligned(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compares_with_the_first_run() {
        let run = |language, ranks, seconds, checksum: &str| Run {
            language,
            ranks,
            seconds,
            checksum: checksum.to_owned(),
            statistics: Statistics {
                switches: 10,
                memory_kib: 2048,
            },
        };
        let text = table(&[
            run("C", 1, 1.0, "a"),
            run("C", 2, 0.5, "a"),
            run("C", 16, 0.5, "b"),
            run("Fortran", 1, 3.0, "a"),
            run("Fortran", 2, 2.0, "a"),
        ]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert!(rows[1].contains("2.00") && rows[1].contains("yes"), "{text}");
        assert!(rows[2].contains("NO"), "{text}");
        assert!(rows[4].contains("1.50") && rows[4].contains("yes"), "{text}");
    }
}
