//! Starting processes: the commands of Fortran, whose strings and lists of strings have fixed lengths.

use core::ffi::{c_char, c_int};
use core::ptr::null_mut;

use crate::foreign::*;
use crate::memory;
use crate::sentinel;
use crate::text;

/// Strings of Fortran, all of the same length.
#[derive(Clone, Copy)]
struct Strings {
    first: *const u8,
    length: usize,
}

impl Strings {
    /// The string with this number, without the blanks at both ends, which do not count here.
    ///
    /// # Safety
    ///
    /// There is such a string.
    unsafe fn get<'a>(self, number: usize) -> &'a [u8] {
        let first = self.first.wrapping_add(number * self.length);
        // SAFETY:
        // - as the caller says, the string is one of the program's.
        unsafe { text::without_blanks(first, self.length) }
    }
}

/// The commands of a call, as Fortran has them.
struct Commands {
    count: usize,
    programs: Strings,
    /// A table of `count` rows: the arguments of a command are in its row, up to the first one that is blank. None if
    /// there are none.
    arguments: Option<Strings>,
    infos: *mut c_int,
}

/// The commands of a call, as C wants them, in one block of memory. All are null pointers where nothing is needed.
struct Block {
    programs: *mut *mut c_char,
    /// For each command a list of its arguments that ends in a null pointer.
    arguments: *mut *mut *mut c_char,
    infos: *mut MPI_Info,
}

impl Commands {
    /// The arguments of a command.
    ///
    /// # Safety
    ///
    /// The strings are there, up to the blank ones, and stay.
    unsafe fn arguments<'a>(&self, command: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (table, count) = (self.arguments, self.count);
        let row = (0..).map_while(move |column: usize| {
            // SAFETY:
            // - no blank argument of this command has come before.
            table.map(|table| unsafe { table.get(column * count + command) })
        });
        row.take_while(|argument| !argument.is_empty())
    }

    /// Number of words, and of bytes for them with an end each.
    ///
    /// # Safety
    ///
    /// The strings are there.
    unsafe fn room(&self) -> (usize, usize) {
        let (mut words, mut bytes) = (0, 0);
        for command in 0..self.count {
            // SAFETY:
            // - as the caller says.
            let (program, arguments) = unsafe { (self.programs.get(command), self.arguments(command)) };
            for word in arguments.chain([program]) {
                words += 1;
                bytes += word.len() + 1;
            }
        }
        (words, bytes)
    }

    /// Writes the commands down for C.
    ///
    /// # Safety
    ///
    /// The strings and the infos are there.
    unsafe fn write_down(&self) -> Block {
        // SAFETY:
        // - as the caller says.
        let (words, bytes) = unsafe { self.room() };
        // A program, a list and an info for each command, and the words with the lists' ends.
        let pointers = 3 * self.count + words;
        let memory: *mut *mut c_char = memory::allocate(pointers * size_of::<*mut c_char>() + bytes).cast();
        let block = Block {
            programs: memory,
            arguments: memory.wrapping_add(self.count).cast(),
            infos: memory.wrapping_add(2 * self.count).cast(),
        };
        let mut list = memory.wrapping_add(3 * self.count);
        let mut text: *mut u8 = memory.wrapping_add(pointers).cast();
        // SAFETY:
        // - the block has room for all words and lists, as counted above;
        // - as the caller says, the strings and the infos are there.
        unsafe {
            for command in 0..self.count {
                *block.programs.add(command) = write(self.programs.get(command), &mut text);
                *block.infos.add(command) = MPI_Info::of(*self.infos.add(command));
                *block.arguments.add(command) = list;
                for argument in self.arguments(command) {
                    *list = write(argument, &mut text);
                    list = list.add(1);
                }
                *list = null_mut();
                list = list.add(1);
            }
        }
        block
    }
}

/// Writes a word and its end to `text`, which moves on, and gives the word's address.
///
/// # Safety
///
/// There is room.
unsafe fn write(word: &[u8], text: &mut *mut u8) -> *mut c_char {
    let written = *text;
    // SAFETY:
    // - as the caller says.
    unsafe {
        written.copy_from_nonoverlapping(word.as_ptr(), word.len());
        *written.add(word.len()) = 0;
    }
    *text = written.wrapping_add(word.len() + 1);
    written.cast()
}

impl Block {
    /// What ranks pass whose commands do not count.
    const NOTHING: Self = Self {
        programs: null_mut(),
        arguments: null_mut(),
        infos: null_mut(),
    };
}

impl Drop for Block {
    fn drop(&mut self) {
        if !self.programs.is_null() {
            // SAFETY:
            // - the programs are at the beginning of the block, which has been allocated.
            unsafe { memory::free(self.programs.cast()) };
        }
    }
}

/// The commands for C, of the root: those of the other ranks do not count, and need not be there.
///
/// # Errors
///
/// The code of an error that has been raised.
///
/// # Safety
///
/// At the root, the strings and the infos are there.
unsafe fn of_root(comm: MPI_Comm, root: c_int, commands: impl FnOnce() -> Commands) -> Result<Block, c_int> {
    let mut rank = -1;
    // The profiling name: tools see the calls of the program only.
    // SAFETY:
    // - MPI checks the handle.
    let code = unsafe { PMPI_Comm_rank(comm, &raw mut rank) };
    if code != MPI_SUCCESS {
        return Err(code);
    }
    if rank != root {
        return Ok(Block::NOTHING);
    }
    // SAFETY:
    // - as the caller says.
    Ok(unsafe { commands().write_down() })
}

/// `MPI_COMM_SPAWN`: starts processes of a program.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
#[expect(clippy::too_many_arguments, reason = "the standard's arguments")]
pub(crate) unsafe fn comm_spawn(
    command: *mut u8,
    argv: *mut u8,
    maxprocs: *mut c_int,
    info: *mut c_int,
    root: *mut c_int,
    comm: *mut c_int,
    intercomm: *mut c_int,
    array_of_errcodes: *mut c_int,
    command_length: usize,
    argv_length: usize,
) -> c_int {
    let commands = || Commands {
        count: 1,
        programs: Strings {
            first: command,
            length: command_length,
        },
        arguments: (argv.addr() != sentinel::blocks::argv_null()).then_some(Strings {
            first: argv,
            length: argv_length,
        }),
        infos: info,
    };
    let mut made = MPI_COMM_NULL;
    // SAFETY:
    // - as the caller says.
    unsafe {
        let comm = MPI_Comm::of(*comm);
        let block = match of_root(comm, *root, commands) {
            Ok(block) => block,
            Err(code) => return code,
        };
        let (mut program, mut arguments, mut info) = (null_mut(), null_mut(), MPI_INFO_NULL);
        if !block.programs.is_null() {
            (program, arguments, info) = (*block.programs, *block.arguments, *block.infos);
        }
        let code = MPI_Comm_spawn(
            program,
            arguments.cast(),
            *maxprocs,
            info,
            *root,
            comm,
            &raw mut made,
            sentinel::error_codes(array_of_errcodes),
        );
        if code == MPI_SUCCESS {
            *intercomm = made.integer();
        }
        code
    }
}

/// `MPI_COMM_SPAWN_MULTIPLE`: starts several programs as one world.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
#[expect(clippy::too_many_arguments, reason = "the standard's arguments")]
pub(crate) unsafe fn comm_spawn_multiple(
    count: *mut c_int,
    array_of_commands: *mut u8,
    array_of_argv: *mut u8,
    array_of_maxprocs: *mut c_int,
    array_of_info: *mut c_int,
    root: *mut c_int,
    comm: *mut c_int,
    intercomm: *mut c_int,
    array_of_errcodes: *mut c_int,
    commands_length: usize,
    argv_length: usize,
) -> c_int {
    let commands = || Commands {
        // SAFETY:
        // - the program has passed the address of a number.
        count: unsafe { *count }.max(0) as usize,
        programs: Strings {
            first: array_of_commands,
            length: commands_length,
        },
        arguments: (array_of_argv.addr() != sentinel::blocks::argvs_null()).then_some(Strings {
            first: array_of_argv,
            length: argv_length,
        }),
        infos: array_of_info,
    };
    let mut made = MPI_COMM_NULL;
    // SAFETY:
    // - as the caller says.
    unsafe {
        let comm = MPI_Comm::of(*comm);
        let block = match of_root(comm, *root, commands) {
            Ok(block) => block,
            Err(code) => return code,
        };
        let code = MPI_Comm_spawn_multiple(
            *count,
            block.programs.cast(),
            block.arguments.cast(),
            array_of_maxprocs,
            block.infos,
            *root,
            comm,
            &raw mut made,
            sentinel::error_codes(array_of_errcodes),
        );
        if code == MPI_SUCCESS {
            *intercomm = made.integer();
        }
        code
    }
}

#[cfg(test)]
mod tests {
    use core::ffi::CStr;

    use super::*;

    fn strings(text: &'static [u8], length: usize) -> Strings {
        Strings {
            first: text.as_ptr(),
            length,
        }
    }

    fn texts(mut list: *mut *mut c_char) -> Vec<String> {
        let mut texts = Vec::new();
        // SAFETY:
        // - the list ends in a null pointer, and the strings in a null byte.
        unsafe {
            while !(*list).is_null() {
                texts.push(CStr::from_ptr(*list).to_str().unwrap().to_owned());
                list = list.add(1);
            }
        }
        texts
    }

    #[test]
    fn arguments_end_at_a_blank_one_and_lie_in_rows() {
        let commands = Commands {
            count: 2,
            programs: strings(b"one  two  ", 5),
            // The columns of the table, each with a string of either command.
            arguments: Some(strings(b"a   b c  d         e ", 3)),
            infos: [0; 2].as_mut_ptr(),
        };
        // SAFETY:
        // - the strings are there.
        let block = unsafe { commands.write_down() };
        // SAFETY:
        // - there are two commands.
        let (first, second) = unsafe { (*block.arguments, *block.arguments.add(1)) };
        assert_eq!(texts(first), ["a", "c"]);
        assert_eq!(texts(second), ["b", "d"]);
    }
}
