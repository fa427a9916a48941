"""Compares the modules mpi_f08 and mpi with the Forum's description of the Fortran interface.

Arguments: the sources of the two modules, and the C header. Each difference is a line; there is no output if there is
none.

The Forum's description is what the standard's text is made from (package pympistandard). Differences that are meant are
in KNOWN, with their reasons. What the header does not have is not compared.
"""

import re
import sys

import pympistandard

# (procedure, parameter): reason. An empty parameter stands for the procedure.
KNOWN = {
    ("MPI_Neighbor_allgatherv_init", "displs"): "is ASYNCHRONOUS in all its relatives, and is read until the end",
    ("MPI_Neighbor_allgatherv_init_c", "displs"): "the same",
    ("MPI_Precv_init", "buf"): "is written: the Forum's INTENT(IN) is a slip",
    ("MPI_Psend_init", "buf"): "is read after the call, so it is ASYNCHRONOUS",
    ("MPI_Type_get_extent_c", ""): "addresses and counts have one kind: the interfaces would be the same",
    ("MPI_Type_get_true_extent_c", ""): "the same",
    ("MPI_Type_create_resized_c", ""): "the same",
    ("MPI_File_get_type_extent_c", ""): "the same",
    ("MPI_TYPE_NULL_DELETE_FN", "ierror"): "has no INTENT in its relatives, nor in the abstract interface",
}


def joined(source):
    """The statements of a source, without comments and continuations."""
    lines = (line.split("!")[0].rstrip() for line in source.splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("#"))
    return re.sub(r"&\s*\n\s*&?", " ", text).split("\n")


def attributes(text):
    """A declaration's attributes in one spelling and order, the type first."""
    parts = re.split(r",(?![^()]*\))", re.sub(r"\s+", "", text).lower())
    return ",".join([parts[0], *sorted(parts[1:])])


def names(text):
    """The names in a list of declared names, with their shapes."""
    for name, shape in re.findall(r"(\w+)\s*(\([^()]*\))?", text):
        yield name.lower(), re.sub(r"\s+", "", shape).lower()


def ours(source, name_of):
    """{procedure: (arguments, {argument: declaration})} of a module; `name_of` turns a specific name into ours."""
    found, current = {}, None
    for statement in joined(source):
        begin = re.match(r"\s*(?:subroutine|function) (\w+)\s*\(([^)]*)\)", statement, re.I)
        if begin:
            current = name_of(begin[1])
            arguments = [argument.strip().lower() for argument in begin[2].split(",") if argument.strip()]
            found.setdefault(current, (arguments, {}))
        elif re.match(r"\s*end (?:subroutine|function)", statement, re.I):
            current = None
        elif current and "::" in statement:
            kind, declared = statement.split("::", 1)
            for name, shape in names(declared):
                found[current][1][name] = attributes(kind) + shape
    return found


def theirs(text, suffix):
    """(procedure, (arguments, {argument: declaration})) of the Forum's text for mpi_f08."""
    text = text.replace("\\", "").removeprefix("ABSTRACT INTERFACE\n")
    first, *rest = text.split("\n")
    begin = re.match(r".*?(MPI_\w+)\((.*)\)", first)
    arguments = [argument.strip().lower() for argument in begin[2].split(",") if argument.strip()]
    declared = {}
    for line in rest:
        if "::" in line and not line.strip().startswith("USE"):
            kind, list_of_names = line.split("::", 1)
            for name, shape in names(list_of_names):
                declared[name] = attributes(kind.strip()) + shape
    name = begin[1]
    return name if name.lower().endswith(suffix) else name + suffix, (arguments, declared)


def forum_f08():
    """What the Forum says about mpi_f08."""
    groups = (
        pympistandard.all_f08_procedures(),
        pympistandard.CALLBACKS.values(),
        pympistandard.PREDEFINED_FUNCTIONS.values(),
    )
    for procedure in (procedure for group in groups for procedure in group):
        for text, suffix in ((procedure.express.f08, ""), (procedure.express.embiggen.f08, "_c")):
            if text is not None:
                yield theirs(str(text), suffix)


def forum_f90():
    """What the Forum says about the names and arguments of the module mpi."""
    for procedure in pympistandard.all_f90_procedures():
        first = str(procedure.express.f90).replace("\\", "").split("\n")[0]
        begin = re.match(r".*?(MPI_\w+)\s*\((.*)\)", first)
        yield begin[1].lower(), [argument.strip().lower() for argument in begin[2].split(",") if argument.strip()]


def is_known(procedure, parameter=""):
    return (procedure, parameter) in KNOWN


def in_c(name, header):
    """Whether C has a function."""
    return re.search(rf"\b{name} ?\(", header) is not None


def compare_f08(source, header):
    """The differences of the module mpi_f08."""
    mine = ours(source, lambda name: re.sub(r"_f08(ts)?$", "", name))
    forum = dict(forum_f08())
    for name, (arguments, declared) in forum.items():
        if name not in mine:
            if in_c(name, header) and not is_known(name):
                yield f"mpi_f08 lacks {name}"
            continue
        if mine[name][0] != arguments:
            yield f"mpi_f08: {name}({', '.join(mine[name][0])}) is ({', '.join(arguments)}) for the Forum"
        for argument, declaration in declared.items():
            own = mine[name][1].get(argument)
            if own != declaration and not is_known(name, argument):
                yield f"mpi_f08: {name}: {argument} is {own}, and {declaration} for the Forum"
    for name in mine:
        if name.startswith("MPI_") and name not in forum:
            yield f"mpi_f08: the Forum has no {name}"


def compare_mpi(source, header):
    """The differences of the module mpi in names and arguments."""
    mine = {name.lower(): arguments for name, (arguments, _) in ours(source, str).items()}
    forum = dict(forum_f90())
    for name, arguments in forum.items():
        if name not in mine:
            if in_c(name, header.lower()):
                yield f"mpi lacks {name}"
        elif mine[name] != arguments:
            yield f"mpi: {name}({', '.join(mine[name])}) is ({', '.join(arguments)}) for the Forum"


def main():
    pympistandard.use_api_version(1)
    f08, mpi, header = (open(path).read() for path in sys.argv[1:4])
    differences = [*compare_f08(f08, header), *compare_mpi(mpi, header)]
    print("".join(f"{difference}\n" for difference in differences), end="")
    print(f"{len(ours(f08, str)) + len(ours(mpi, str))} interfaces compared", file=sys.stderr)


main()
