// A library: -DPLACE names its function, -DSIZE and -DALIGNMENT its block.
#include "tls_part.hpp"

static thread_local Block<SIZE, ALIGNMENT> block;

Part PLACE()
{
    return {[](unsigned char value) { return block.holds(value); },
            [](unsigned char value) { block.bytes.fill(value); }};
}
