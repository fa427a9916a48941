//! Lists of keys and values for the library, kept until it has read them.

use crate::{BOOL, DATA_ARRAY, Data, DataArray, INFO, Info, PROC_RANK, STRING, UINT16, UINT32};
use std::ffi::{CStr, CString};

/// Keys with their values, and the memory that the values point to.
#[derive(Default)]
pub(super) struct InfoList {
    infos: Vec<Info>,
    texts: Vec<CString>,
    inner: Vec<(InfoList, Box<DataArray>)>,
}

impl InfoList {
    pub(super) fn number(&mut self, key: &CStr, uint32: u32) -> &mut Self {
        self.add(key, UINT32, Data { uint32 })
    }

    pub(super) fn short(&mut self, key: &CStr, uint16: u16) -> &mut Self {
        self.add(key, UINT16, Data { uint16 })
    }

    pub(super) fn rank(&mut self, key: &CStr, uint32: u32) -> &mut Self {
        self.add(key, PROC_RANK, Data { uint32 })
    }

    pub(super) fn yes(&mut self, key: &CStr) -> &mut Self {
        self.add(key, BOOL, Data { flag: true })
    }

    pub(super) fn text(&mut self, key: &CStr, text: CString) -> &mut Self {
        let string = text.as_ptr().cast_mut();
        self.texts.push(text);
        self.add(key, STRING, Data { string })
    }

    pub(super) fn array(&mut self, key: &CStr, mut of: Self) -> &mut Self {
        let mut array = Box::new(DataArray {
            kind: INFO,
            size: of.infos.len(),
            array: of.infos.as_mut_ptr().cast(),
        });
        let data = Data {
            array: &raw mut *array,
        };
        // The entries of `of` stay where they are: nothing is added to it any more.
        self.inner.push((of, array));
        self.add(key, DATA_ARRAY, data)
    }

    fn add(&mut self, key: &CStr, kind: u16, data: Data) -> &mut Self {
        self.infos.push(Info::new(key, kind, data));
        self
    }

    /// The entries, which stay valid as long as none is added.
    pub(super) fn entries(&mut self) -> &mut [Info] {
        &mut self.infos
    }
}
