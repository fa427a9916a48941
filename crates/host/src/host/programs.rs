//! The programs of the job, prepared for the ranks of this host.

use super::error::HostError;
use super::rank::Program;
use super::relocation::Ranges;
use super::{environment, heaps};
use simurgh_image::{Options, Prepared};
use simurgh_net::encoding::Text;
use simurgh_net::job::{JobSpec, Section};
use simurgh_settings::Values;
use std::sync::Arc;

/// For each program of the job what its ranks share; `None` if it has no rank on this host. A program that is listed
/// twice is prepared once.
pub(super) fn prepare(spec: &JobSpec) -> Result<Vec<Option<Arc<Program>>>, HostError> {
    heaps::check(&spec.settings)?;
    let mut programs: Vec<Option<Arc<Program>>> = Vec::new();
    for (index, section) in spec.sections.iter().enumerate() {
        let here = spec
            .ranks()
            .iter()
            .any(|rank| spec.section_of(rank) == Some(index));
        if !here {
            programs.push(None);
            continue;
        }
        let same = |other: &Section| other.program == section.program && other.preload == section.preload;
        let earlier = spec
            .sections
            .iter()
            .zip(&programs)
            .find(|(other, made)| same(other) && made.is_some());
        let prepared = match earlier {
            Some((_, Some(made))) => made.prepared.clone(),
            _ => prepare_one(section, &spec.settings)?,
        };
        programs.push(Some(Arc::new(Program {
            prepared,
            argv: section.argv.iter().map(Text::to_c_string).collect(),
            environment: environment::with_changes(std::env::vars_os(), &section.env),
        })));
    }
    Ok(programs)
}

fn prepare_one(section: &Section, settings: &Values) -> Result<Prepared, HostError> {
    let program = simurgh_image::Program::open(section.program.as_path())?;
    let preload = section
        .preload
        .iter()
        .map(|library| library.as_path().to_path_buf())
        .collect();
    heaps::connect(settings);
    let ranges = Ranges::of_job(settings).map(|ranges| ranges.images());
    Ok(Prepared::new(&program, Options { preload, ranges })?)
}
