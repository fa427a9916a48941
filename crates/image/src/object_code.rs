//! Constructors and destructors of the objects of an image, as the shim calls them.

use crate::arena::Place;

/// `struct object_code` of the shim.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ObjectCode {
    init: usize,
    preinit_array: usize,
    preinit_count: usize,
    init_array: usize,
    init_count: usize,
    fini_array: usize,
    fini_count: usize,
    fini: usize,
}

/// The constructors and destructors of an image with their addresses there, in the order in which the constructors run.
pub(crate) fn object_code(place: Place) -> Box<[ObjectCode]> {
    let at = |object: usize, address: u64| {
        if address == 0 {
            0
        } else {
            place.base(object) + address as usize
        }
    };
    let code = |&object: &usize| {
        let code = &place.program().objects[object].code;
        ObjectCode {
            init: at(object, code.init),
            preinit_array: at(object, code.preinit_array.0),
            preinit_count: code.preinit_array.1 as usize,
            init_array: at(object, code.init_array.0),
            init_count: code.init_array.1 as usize,
            fini_array: at(object, code.fini_array.0),
            fini_count: code.fini_array.1 as usize,
            fini: at(object, code.fini),
        }
    };
    place.program().order.iter().map(code).collect()
}
