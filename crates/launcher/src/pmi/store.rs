//! The values that processes have put, for all processes or for those of their node.

use std::collections::BTreeMap;

/// Longest key and value. Clients ask for these.
pub(super) const KEY: usize = 64;
pub(super) const VALUE: usize = 1024;

/// Most bytes that processes may put in all.
const MOST: usize = 256 << 20;

/// Keys and values.
#[derive(Default)]
pub(super) struct Store {
    of_all: BTreeMap<String, String>,
    of_nodes: BTreeMap<(u32, String), String>,
    bytes: usize,
}

impl Store {
    pub(super) fn put(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        self.count(key, value)?;
        self.of_all.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    pub(super) fn put_for_node(&mut self, node: u32, key: &str, value: &str) -> Result<(), &'static str> {
        self.count(key, value)?;
        self.of_nodes.insert((node, key.to_owned()), value.to_owned());
        Ok(())
    }

    pub(super) fn get(&self, key: &str) -> Option<String> {
        self.of_all.get(key).cloned()
    }

    pub(super) fn get_of_node(&self, node: u32, key: &str) -> Option<String> {
        self.of_nodes.get(&(node, key.to_owned())).cloned()
    }

    /// Counts a value, if there is room for it.
    fn count(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        if key.is_empty() || key.len() >= KEY || value.len() >= VALUE {
            return Err("too_long");
        }
        let bytes = self.bytes + key.len() + value.len();
        if bytes > MOST {
            return Err("no_room");
        }
        self.bytes = bytes;
        Ok(())
    }
}
