//! The allocation of Slurm that `mpiexec` runs in.

use super::Node;
use super::list::names;
use crate::error::NodesError;

/// An allocation, as the variables of Slurm describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    /// Its nodes. Each has as many slots as tasks or, where the user has not said how many, processors.
    pub(crate) nodes: Vec<Node>,
}

impl Allocation {
    /// The allocation that the environment describes, if there is one.
    ///
    /// # Errors
    ///
    /// When its variables are not in the form that Slurm writes.
    pub(crate) fn found(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, NodesError> {
        if variable("SLURM_JOB_ID").is_none() {
            return Ok(None);
        }
        const LIST: &str = "SLURM_JOB_NODELIST";
        let Some(list) = variable(LIST).or_else(|| variable("SLURM_NODELIST")) else {
            return Ok(None);
        };
        let wrong = |variable, value: &str| NodesError::Slurm {
            variable,
            value: value.to_owned(),
        };
        let names = names(&list).ok_or_else(|| wrong(LIST, &list))?;
        let mut slots = vec![1; names.len()];
        for name in ["SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"] {
            let Some(value) = variable(name) else { continue };
            slots = repeated(&value)
                .filter(|slots| slots.len() == names.len())
                .ok_or_else(|| wrong(name, &value))?;
            break;
        }
        let nodes = names.into_iter().zip(slots);
        Ok(Some(Self {
            nodes: nodes.map(|(name, slots)| Node { name, slots }).collect(),
        }))
    }

    /// Checks that all these nodes belong to it.
    pub(super) fn has_all(&self, nodes: &[Node]) -> Result<(), NodesError> {
        let known = |node: &&Node| self.nodes.iter().any(|own| own.name == node.name);
        match nodes.iter().find(|node| !known(node)) {
            Some(node) => Err(NodesError::NotAllocated {
                node: node.name.clone(),
                nodes: self
                    .nodes
                    .iter()
                    .map(|node| node.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
            None => Ok(()),
        }
    }
}

/// The numbers that a text such as `2(x3),1` stands for.
fn repeated(text: &str) -> Option<Vec<u32>> {
    /// Most nodes of an allocation.
    const MOST: usize = 1 << 16;
    let mut numbers = Vec::new();
    for item in text.split(',') {
        let (number, times) = match item.split_once("(x") {
            Some((number, rest)) => (number, rest.strip_suffix(')')?.parse().ok()?),
            None => (item, 1),
        };
        let number: u32 = number.parse().ok().filter(|&number| number > 0)?;
        if times > MOST - numbers.len() {
            return None;
        }
        numbers.extend(std::iter::repeat_n(number, times));
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Result<Option<Allocation>, NodesError> {
        Allocation::found(|name| {
            let known = variables.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| (*value).to_owned())
        })
    }

    fn slots(variables: &[(&str, &str)]) -> Vec<(String, u32)> {
        let nodes = found(variables).unwrap().unwrap().nodes;
        nodes.into_iter().map(|node| (node.name, node.slots)).collect()
    }

    #[test]
    fn an_allocation_is_read_from_its_variables() {
        let nodes = [("SLURM_JOB_ID", "7"), ("SLURM_JOB_NODELIST", "n[1-3]")];
        let with = |more: &[(&'static str, &'static str)]| slots(&[&nodes, more].concat());
        let shown = |slots: [u32; 3]| {
            (1..)
                .zip(slots)
                .map(|(n, slots)| (format!("n{n}"), slots))
                .collect::<Vec<_>>()
        };
        assert_eq!(with(&[]), shown([1, 1, 1]));
        assert_eq!(with(&[("SLURM_TASKS_PER_NODE", "2(x2),1")]), shown([2, 2, 1]));
        assert_eq!(with(&[("SLURM_JOB_CPUS_PER_NODE", "4(x3)")]), shown([4, 4, 4]));
        assert_eq!(found(&nodes[1..]), Ok(None));
    }

    #[test]
    fn what_slurm_does_not_write_is_named() {
        let nodes = [("SLURM_JOB_ID", "7"), ("SLURM_JOB_NODELIST", "n[1-3]")];
        for value in ["2(x2)", "2(x", "x", "0(x3)", "1(x99999999)"] {
            let error = found(&[nodes[0], nodes[1], ("SLURM_TASKS_PER_NODE", value)]).unwrap_err();
            assert!(
                error.to_string().starts_with("SLURM_TASKS_PER_NODE is"),
                "{error}"
            );
        }
        let error = found(&[nodes[0], ("SLURM_JOB_NODELIST", "n[")]).unwrap_err();
        assert!(error.to_string().starts_with("SLURM_JOB_NODELIST is"), "{error}");
    }
}
