//! Views of files.

use super::agree::{SetView, at_one_host};
use super::{Amode, File};
use crate::datatype::Datatype;
use crate::error::{Error, ErrorClass, Result};
use crate::info::Info;
use simurgh_core::sync::Arc;
use simurgh_file::{Representation, View};

/// The displacement that stands for the shared file pointer of a sequential file.
const DISPLACEMENT_CURRENT: i64 = -1;

impl File {
    /// Sets the view, and all file pointers to its beginning (`MPI_File_set_view`). All ranks call this, with etypes of
    /// the same extent and the same representation.
    ///
    /// # Errors
    ///
    /// At all ranks: [`ErrorClass::NotSame`] if they differ in that; what [`View::new`] returns at one of them.
    pub fn set_view(
        &self,
        displacement: i64,
        etype: Datatype,
        filetype: Datatype,
        representation: Result<Representation>,
        info: &Info,
    ) -> Result<()> {
        let made = self
            .resolve(displacement)
            .and_then(|displacement| View::new(displacement, etype, filetype, representation?))
            .and_then(|view| match self.open.amode.has(Amode::RDONLY) {
                true => Ok(view),
                false => view.check_writable().map(|()| view),
            });
        if made.as_ref().is_ok_and(View::has_gaps) {
            self.open.file.expect_rewrites();
        }
        let argument = made.as_ref().map(same_everywhere).map_err(Error::clone);
        at_one_host(self, SetView(argument), |open, _| {
            open.pointer.set(0);
            Ok(())
        })?;
        let view = Arc::new(made?);
        let old = std::mem::replace(&mut *self.view.lock(), view);
        drop(old);
        self.set_position(0);
        self.set_info(info);
        Ok(())
    }

    /// The view (`MPI_File_get_view`).
    #[must_use]
    pub fn view(&self) -> Arc<View> {
        self.current_view()
    }

    /// Bytes from one element of a datatype to the next in the file (`MPI_File_get_type_extent`).
    ///
    /// # Errors
    ///
    /// What a function of the program returns.
    pub fn type_extent(&self, datatype: &Datatype) -> Result<usize> {
        self.current_view().representation().extent(datatype)
    }

    /// The displacement in bytes.
    fn resolve(&self, displacement: i64) -> Result<u64> {
        let sequential = self.open.amode.has(Amode::SEQUENTIAL);
        let wrong = |reason: &str| Error::new(ErrorClass::Disp, format!("disp is {displacement}: {reason}"));
        if displacement == DISPLACEMENT_CURRENT && sequential {
            let view = self.current_view();
            let pointer = super::position::in_bytes(self.position_shared()?, view.etype().size())?;
            return Ok(view.offset_of(pointer));
        }
        u64::try_from(displacement).map_err(|_| match displacement {
            DISPLACEMENT_CURRENT => {
                wrong("MPI_DISPLACEMENT_CURRENT is for files that are opened as sequential")
            }
            _ => wrong("it must not be negative"),
        })
    }
}

/// A number that is the same for views that ranks may set together.
fn same_everywhere(view: &View) -> u64 {
    let name = view.representation().name().bytes();
    let name = name.fold(0_u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    name << 32 ^ view.etype().extent().cast_unsigned() as u64
}
