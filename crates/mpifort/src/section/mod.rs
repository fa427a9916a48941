//! Choice buffers: addresses, and descriptors of array sections.
//!
//! `mpif.h` and `mpi` pass addresses. `mpi_f08` passes descriptors (TS 29113), whose sections need not be contiguous. A
//! contiguous one is its address. For another one the library prepares the call:
//!
//! * Elements that are sent or received become a derived datatype over the section ([`derived`]), so the data is copied
//!   once, by the transfer itself.
//! * Blocks for several processes are described by a resized datatype if the section's elements have one distance.
//! * Where no datatype can describe them, as in reductions, the call works on a contiguous copy ([`copy`]). If the
//!   operation goes on after the call, the section is filled by the call that completes its request ([`pending`]).
//! * Partitions that become ready one by one, and memory that stays attached, have to be contiguous otherwise: the call
//!   is refused with an error.

mod cache;
mod copy;
mod derived;
mod lock;
mod parts;
pub(crate) mod pending;

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::error::{Refusal, refuse};
use crate::foreign::*;
use crate::memory;
use crate::sentinel;

use parts::Parts;

/// One dimension of an array: lower bound, number of elements, distance in bytes from one to the next.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Dimension {
    lower: isize,
    extent: isize,
    stride: isize,
}

/// The most dimensions that an array has.
const MAX_RANK: usize = 15;

/// What compilers pass for `TYPE(*), DIMENSION(..)` in an interface with `BIND(C)`. The fields here lie at the same
/// places in all compilers; type and attribute, which follow the rank, do not.
#[repr(C)]
pub(crate) struct Descriptor {
    base: *mut c_void,
    element: usize,
    version: c_int,
    rank: u8,
    others: [u8; 3],
    /// As many as the rank says follow.
    dimensions: [Dimension; 0],
}

impl Descriptor {
    /// Whether the elements lie one after the other in memory.
    #[inline]
    fn is_contiguous(&self) -> bool {
        self.has_no_gaps() || self.is_empty_or_assumed()
    }

    /// Whether no dimension leaves a gap.
    #[inline]
    fn has_no_gaps(&self) -> bool {
        let mut expected = self.element as isize;
        for dimension in self.dimensions() {
            match dimension.extent {
                1 => {}
                extent if dimension.stride == expected => expected *= extent,
                _ => return false,
            }
        }
        true
    }

    /// Whether the array is empty or of assumed size, either of which is contiguous.
    #[cold]
    fn is_empty_or_assumed(&self) -> bool {
        self.dimensions().iter().any(|dimension| dimension.extent <= 0)
    }

    #[inline]
    fn dimensions(&self) -> &[Dimension] {
        let rank = usize::from(self.rank).min(MAX_RANK);
        // SAFETY:
        // - a compiler's descriptor has as many dimensions as its rank says.
        unsafe { core::slice::from_raw_parts(self.dimensions.as_ptr(), rank) }
    }
}

/// A choice buffer as a procedure gets it.
pub(crate) trait Choice: Word {
    /// The data for C.
    ///
    /// # Safety
    ///
    /// A descriptor is one that a compiler has made.
    unsafe fn data(self) -> Data;

    /// The address.
    ///
    /// # Safety
    ///
    /// As for [`data`](Self::data).
    unsafe fn base(self) -> *mut c_void;

    /// Whether it is seen at once that the buffer is contiguous.
    ///
    /// # Safety
    ///
    /// As for [`data`](Self::data).
    unsafe fn is_plain(self) -> bool;

    /// Whether the buffer is contiguous.
    ///
    /// # Safety
    ///
    /// As for [`data`](Self::data).
    unsafe fn is_contiguous(self) -> bool;

    /// The datatype by which C finds `count` elements in the buffer: the given one if it is contiguous, or one that is
    /// kept for the section and has all of them; 0 if that has not been made.
    ///
    /// # Safety
    ///
    /// As for [`data`](Self::data).
    unsafe fn known(self, count: i64, datatype: MPI_Datatype) -> MPI_Datatype;
}

/// The buffer of a procedure of `mpif.h` and `mpi`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Address(pub(crate) *mut c_void);

impl Word for Address {
    #[inline(always)]
    fn word(self) -> usize {
        self.0.word()
    }
}

impl Word for *const Descriptor {
    #[inline(always)]
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

impl Choice for Address {
    #[inline(always)]
    unsafe fn data(self) -> Data {
        Data::at(self.0, 0, ptr::null())
    }

    #[inline(always)]
    unsafe fn base(self) -> *mut c_void {
        self.0
    }

    #[inline(always)]
    unsafe fn is_plain(self) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn is_contiguous(self) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn known(self, _count: i64, datatype: MPI_Datatype) -> MPI_Datatype {
        datatype
    }
}

impl Choice for *const Descriptor {
    #[inline(always)]
    unsafe fn data(self) -> Data {
        // SAFETY:
        // - the caller's promise.
        let (base, element, rank) = unsafe { ((*self).base, (*self).element, (*self).rank) };
        // SAFETY:
        // - the same.
        let section = match rank == 0 || unsafe { &*self }.is_contiguous() {
            true => ptr::null(),
            false => self,
        };
        Data::at(base, element, section)
    }

    #[inline(always)]
    unsafe fn base(self) -> *mut c_void {
        // SAFETY:
        // - the caller's promise.
        unsafe { (*self).base }
    }

    #[inline(always)]
    unsafe fn is_plain(self) -> bool {
        // SAFETY:
        // - the caller's promise. The first dimension is there if the rank is 1.
        unsafe {
            match (*self).rank {
                0 => true,
                1 => {
                    (*(&raw const (*self).dimensions).cast::<Dimension>()).stride == (*self).element as isize
                }
                _ => false,
            }
        }
    }

    #[inline(never)]
    unsafe fn is_contiguous(self) -> bool {
        // SAFETY:
        // - the caller's promise.
        unsafe { &*self }.is_contiguous()
    }

    #[inline(never)]
    unsafe fn known(self, count: i64, datatype: MPI_Datatype) -> MPI_Datatype {
        // SAFETY:
        // - the same.
        let section = unsafe { &*self };
        if count <= 0 || section.has_no_gaps() {
            return datatype;
        }
        let kept = cache::find(section, count, datatype);
        match kept.0 == 0 && section.is_empty_or_assumed() {
            true => datatype,
            false => kept,
        }
    }
}

/// The data in a choice buffer, for one call.
pub(crate) struct Data {
    /// The address for C.
    pub(crate) address: *mut c_void,
    /// The section, unless it is contiguous.
    section: *const Descriptor,
    /// The size of an element in bytes; 0 if only its address is known.
    element: usize,
    /// The datatype that has been made for the section; 0 if none has, or if it is kept.
    made: MPI_Datatype,
    /// The copy of the section; null if there is none.
    copy: *mut u8,
}

/// How long the data is in use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Until the call returns.
    Call,
    /// Until the request is complete.
    Request,
    /// Until the request is freed, each time that it is started.
    Persistent,
    /// The same, in partitions.
    Partitions,
}

/// The numbers of elements.
pub(crate) trait Count: Copy {
    /// The number.
    fn wide(self) -> i64;

    /// One.
    const ONE: Self;
}

impl Count for c_int {
    const ONE: Self = 1;

    fn wide(self) -> i64 {
        self.into()
    }
}

impl Count for i64 {
    const ONE: Self = 1;

    fn wide(self) -> i64 {
        self
    }
}

impl Data {
    #[inline(always)]
    fn at(base: *mut c_void, element: usize, section: *const Descriptor) -> Self {
        Self {
            address: sentinel::buffer(base),
            section,
            element,
            made: MPI_Datatype(0),
            copy: ptr::null_mut(),
        }
    }

    /// Whether the caller passed `MPI_IN_PLACE`.
    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        self.address.addr() == sentinel::IN_PLACE
    }

    /// The size of an element in bytes; 0 if only its address is known.
    pub(crate) fn size_of_element(&self) -> usize {
        self.element
    }

    /// Whether this is a section that is not contiguous.
    #[inline(always)]
    pub(crate) fn is_section(&self) -> bool {
        !self.section.is_null()
    }

    /// The descriptor of a section that is not contiguous.
    fn descriptor<'call>(&self) -> Option<&'call Descriptor> {
        // SAFETY:
        // - a pointer that is not null is one to a compiler's descriptor, which lives as long as the call.
        unsafe { self.section.as_ref() }
    }

    /// Prepares the call for `count` elements of a datatype. Returns an error code.
    #[cold]
    pub(crate) fn elements<C: Count>(
        &mut self,
        comm: MPI_Comm,
        count: &mut C,
        datatype: &mut MPI_Datatype,
        until: Use,
    ) -> c_int {
        let number = count.wide();
        if number <= 0 {
            // Nothing is transferred, or C finds the fault.
            return MPI_SUCCESS;
        }
        let Some(section) = self.descriptor() else {
            return MPI_SUCCESS;
        };
        let kept = cache::find(section, number, *datatype);
        if kept.0 != 0 {
            (*count, *datatype) = (C::ONE, kept);
            return MPI_SUCCESS;
        }
        let parts = Parts::of(section);
        let span = match derived::Span::of(*datatype) {
            Ok(span) => span,
            Err(code) => return code,
        };
        if span.extent.saturating_mul(number) > parts.bytes() {
            return refuse(comm, Refusal::TooShort);
        }
        let Some(items) = span.items_in(parts.block()) else {
            return self.copied(comm, until);
        };
        match derived::over(&parts, items, number, *datatype) {
            Ok(made) => {
                self.takes(section, number, made, datatype);
                *count = C::ONE;
                MPI_SUCCESS
            }
            Err(code) => code,
        }
    }

    /// Takes a datatype that has just been made for `count` elements of a datatype.
    fn takes(&mut self, section: &Descriptor, count: i64, made: MPI_Datatype, datatype: &mut MPI_Datatype) {
        if !cache::keep(section, count, *datatype, made) {
            self.made = made;
        }
        *datatype = made;
    }

    /// Prepares the call for blocks of elements of a datatype. Returns an error code.
    #[cold]
    pub(crate) fn blocks(&mut self, comm: MPI_Comm, datatype: &mut MPI_Datatype, until: Use) -> c_int {
        let Some(section) = self.descriptor() else {
            return MPI_SUCCESS;
        };
        let kept = cache::find(section, 0, *datatype);
        if kept.0 != 0 {
            *datatype = kept;
            return MPI_SUCCESS;
        }
        let parts = Parts::of(section);
        let distance = match parts.only_distance() {
            Some(distance) if distance > 0 => distance,
            _ => return self.copied(comm, until),
        };
        match derived::Span::of(*datatype) {
            Ok(span) if span.items_in(parts.block()) == Some(1) => {}
            Ok(_) => return self.copied(comm, until),
            Err(code) => return code,
        }
        match derived::resized(*datatype, distance) {
            Ok(made) => {
                self.takes(section, 0, made, datatype);
                MPI_SUCCESS
            }
            Err(code) => code,
        }
    }

    /// Prepares the call with a contiguous copy. Returns an error code.
    #[cold]
    pub(crate) fn copied(&mut self, comm: MPI_Comm, until: Use) -> c_int {
        if until == Use::Partitions {
            return refuse(comm, Refusal::Partitions);
        }
        let Some(parts) = self.descriptor().map(Parts::of) else {
            return MPI_SUCCESS;
        };
        let copy = memory::allocate(usize::try_from(parts.bytes()).unwrap_or(usize::MAX));
        // SAFETY:
        // - the section is the caller's array;
        // - the copy has room for all its elements.
        unsafe { copy::gather(&parts, self.address.cast(), copy.cast()) };
        self.copy = copy.cast();
        self.address = copy;
        MPI_SUCCESS
    }

    /// Refuses a section: the memory stays in use after the call. Returns an error code.
    #[cold]
    pub(crate) fn refused(&mut self, comm: MPI_Comm) -> c_int {
        refuse(comm, Refusal::Attached)
    }

    /// Ends a prepared call: fills the section from the copy if the call may have written it, and frees what was made.
    ///
    /// # Safety
    ///
    /// The caller's array may be written if `written`.
    #[cold]
    pub(crate) unsafe fn end(&mut self, written: bool) {
        self.free_datatype();
        if self.copy.is_null() {
            return;
        }
        if let (true, Some(descriptor)) = (written, self.descriptor()) {
            let parts = Parts::of(descriptor);
            // SAFETY:
            // - the section is the caller's array, and the copy has all its elements.
            unsafe { copy::scatter(&parts, self.copy, descriptor.base.cast()) };
        }
        // SAFETY:
        // - the copy has been made for this call.
        unsafe { memory::free(self.copy.cast()) };
        self.copy = ptr::null_mut();
    }

    /// Ends a prepared call that has made a request, if it has succeeded: a copy stays in use until the request is
    /// complete.
    ///
    /// # Safety
    ///
    /// The caller's array may be written until then if `written`.
    #[cold]
    pub(crate) unsafe fn keep(&mut self, request: c_int, until: Use, code: c_int, written: bool) {
        if code != MPI_SUCCESS {
            // SAFETY:
            // - nothing is written.
            return unsafe { self.end(false) };
        }
        self.free_datatype();
        if let (false, Some(descriptor)) = (self.copy.is_null(), self.descriptor()) {
            let persistent = until != Use::Request;
            let parts = Parts::of(descriptor);
            pending::note(
                request,
                persistent,
                written,
                parts,
                descriptor.base.cast(),
                self.copy,
            );
            self.copy = ptr::null_mut();
        }
    }

    /// Frees the datatype that has been made for the call, unless it is kept. Operations that go on keep it alive.
    fn free_datatype(&mut self) {
        if self.made.0 != 0 {
            // SAFETY:
            // - the datatype has been made here, and is freed once.
            unsafe { PMPI_Type_free(&raw mut self.made) };
            self.made = MPI_Datatype(0);
        }
    }
}

/// A part of MPI that ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The world model.
    World,
    /// A session. There may be others, which other threads use.
    Session,
}

/// Frees datatypes that are kept for later calls: MPI is about to end.
#[cold]
pub(crate) fn before_end(end: End) {
    cache::clear(end);
}
