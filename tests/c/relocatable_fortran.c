/* What the Fortran program of the test asks C for. */
#include "dump_rank.h"

int dump_this_rank(void);

int dump_this_rank(void)
{
    return dump_rank(1);
}
