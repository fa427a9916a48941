//! Conversion between statuses of C, of Fortran's arrays of integers and of Fortran's module `mpi_f08`.
//!
//! All three are the same eight words in the same order. A null pointer stands for a status that is ignored, and is an
//! error here.

use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Array, ArrayMut, In, Out};
use crate::constants::MPI_F_STATUS_SIZE;
use crate::error::{Outcome, ResultOf};
use crate::types::{MPI_F08_status, MPI_Fint, MPI_Status};

/// The number of integers in a status.
const WORDS: usize = MPI_F_STATUS_SIZE as usize;

type Words = [MPI_Fint; WORDS];

macro_rules! words {
    ($($status:ident),*) => { $(
        impl From<$status> for Words {
            fn from(status: $status) -> Self {
                let [a, b, c, d, e] = status.MPI_internal;
                [status.MPI_SOURCE, status.MPI_TAG, status.MPI_ERROR, a, b, c, d, e]
            }
        }

        impl From<Words> for $status {
            fn from([source, tag, error, a, b, c, d, e]: Words) -> Self {
                Self { MPI_SOURCE: source, MPI_TAG: tag, MPI_ERROR: error, MPI_internal: [a, b, c, d, e] }
            }
        }
    )* };
}

words!(MPI_Status, MPI_F08_status);

/// The words of an array of integers.
fn read(f_status: Array<MPI_Fint>) -> ResultOf<Words> {
    let mut words = Words::default();
    words.copy_from_slice(f_status.slice("f_status", WORDS)?);
    Ok(words)
}

/// Stores words in an array of integers.
fn write(mut f_status: ArrayMut<MPI_Fint>, words: Words) -> Outcome {
    f_status.slice("f_status", WORDS)?.copy_from_slice(&words);
    Ok(())
}

/// `MPI_Status_c2f`: a status of C as integers of Fortran.
#[mpi]
fn status_c2f(c_status: In<MPI_Status>, f_status: ArrayMut<MPI_Fint>) -> Outcome {
    write(f_status, c_status.get("c_status")?.into())
}

/// `MPI_Status_f2c`: integers of Fortran as a status of C.
#[mpi]
fn status_f2c(f_status: Array<MPI_Fint>, c_status: Out<MPI_Status>) -> Outcome {
    c_status.set("c_status", read(f_status)?.into())
}

/// `MPI_Status_c2f08`: a status of C as one of `mpi_f08`.
#[mpi]
fn status_c2f08(c_status: In<MPI_Status>, f08_status: Out<MPI_F08_status>) -> Outcome {
    f08_status.set("f08_status", Words::from(c_status.get("c_status")?).into())
}

/// `MPI_Status_f082c`: a status of `mpi_f08` as one of C.
#[mpi]
fn status_f082c(f08_status: In<MPI_F08_status>, c_status: Out<MPI_Status>) -> Outcome {
    c_status.set("c_status", Words::from(f08_status.get("f08_status")?).into())
}

/// `MPI_Status_f2f08`: integers of Fortran as a status of `mpi_f08`.
#[mpi]
fn status_f2f08(f_status: Array<MPI_Fint>, f08_status: Out<MPI_F08_status>) -> Outcome {
    f08_status.set("f08_status", read(f_status)?.into())
}

/// `MPI_Status_f082f`: a status of `mpi_f08` as integers of Fortran.
#[mpi]
fn status_f082f(f08_status: In<MPI_F08_status>, f_status: ArrayMut<MPI_Fint>) -> Outcome {
    write(f_status, f08_status.get("f08_status")?.into())
}
