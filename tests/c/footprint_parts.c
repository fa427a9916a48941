/* The part in C of tests/fortran/footprint.f90. */
#include "footprint.h"

void tell_footprint_(void)
{
    tell_footprint();
}
