//! Categories of variables and events.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;
use simurgh_tool::category::{self, Category, all};
use simurgh_tool::{ToolError, ToolResult};

use crate::arguments::{ArrayMut, InOut, Out, Text, TextOut};
use crate::handles::Rank;
use crate::tool::{Name, Outcome, count, place_of, set};

fn category(index: c_int) -> ToolResult<Category> {
    let place = usize::try_from(index).ok().and_then(category::at);
    place.ok_or(ToolError::InvalidIndex)
}

/// `MPI_T_category_get_num`: the number of categories.
#[mpi(tool)]
fn t_category_get_num(rank: Rank<'_>, num_cat: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(num_cat, count(all().len()))
}

/// `MPI_T_category_get_info`: the properties of a category.
#[mpi(tool)]
fn t_category_get_info(
    rank: Rank<'_>,
    cat_index: c_int,
    name: TextOut,
    name_len: InOut<c_int>,
    desc: TextOut,
    desc_len: InOut<c_int>,
    num_cvars: Out<c_int>,
    num_pvars: Out<c_int>,
    num_categories: Out<c_int>,
) -> Outcome {
    rank.tool()?;
    let category = category(cat_index)?;
    Name {
        room: name,
        length: name_len,
    }
    .set(category.name())?;
    Name {
        room: desc,
        length: desc_len,
    }
    .set(category.doc())?;
    num_cvars.set_unless_ignored(count(category.controls().len()));
    num_pvars.set_unless_ignored(count(category.variables().len()));
    num_categories.set_unless_ignored(count(category.categories().len()));
    Ok(())
}

/// `MPI_T_category_get_num_events`: the number of event types in a category.
#[mpi(tool)]
fn t_category_get_num_events(rank: Rank<'_>, cat_index: c_int, num_events: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(num_events, count(category(cat_index)?.events().len()))
}

/// `MPI_T_category_get_index`: the index of the category with this name.
#[mpi(tool)]
fn t_category_get_index(rank: Rank<'_>, name: Text, cat_index: Out<c_int>) -> Outcome {
    rank.tool()?;
    set(cat_index, place_of(name, all().map(Category::name))?)
}

/// Stores as many of the indices as there is room for.
fn list(
    rank: Rank<'_>,
    index: c_int,
    length: c_int,
    mut indices: ArrayMut<c_int>,
    members: fn(Category) -> Vec<usize>,
) -> Outcome {
    rank.tool()?;
    let members = members(category(index)?);
    let room = usize::try_from(length).map_err(|_| ToolError::Invalid)?;
    let wanted = indices.slice("indices", room.min(members.len()))?;
    for (place, member) in wanted.iter_mut().zip(members) {
        *place = count(member);
    }
    Ok(())
}

/// `MPI_T_category_get_cvars`: the control variables of a category.
#[mpi(tool)]
fn t_category_get_cvars(rank: Rank<'_>, cat_index: c_int, len: c_int, indices: ArrayMut<c_int>) -> Outcome {
    list(rank, cat_index, len, indices, Category::controls)
}

/// `MPI_T_category_get_pvars`: the performance variables of a category.
#[mpi(tool)]
fn t_category_get_pvars(rank: Rank<'_>, cat_index: c_int, len: c_int, indices: ArrayMut<c_int>) -> Outcome {
    list(rank, cat_index, len, indices, Category::variables)
}

/// `MPI_T_category_get_events`: the event types of a category.
#[mpi(tool)]
fn t_category_get_events(rank: Rank<'_>, cat_index: c_int, len: c_int, indices: ArrayMut<c_int>) -> Outcome {
    list(rank, cat_index, len, indices, Category::events)
}

/// `MPI_T_category_get_categories`: the categories below a category.
#[mpi(tool)]
fn t_category_get_categories(
    rank: Rank<'_>,
    cat_index: c_int,
    len: c_int,
    indices: ArrayMut<c_int>,
) -> Outcome {
    list(rank, cat_index, len, indices, Category::categories)
}
