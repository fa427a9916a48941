#!/bin/sh
# What libfabric's tcp provider itself does on the loopback interface: prints "latency SIZE NANOSECONDS" for each size
# given, half of a message there and one back, as libfabric's own fi_pingpong measures it.
set -eu

export FI_TCP_IFACE=lo
for size in "$@"; do
    rounds=$((20000000 / (size + 2000)))
    run() { fi_pingpong -p tcp -e rdm -d lo -I "$rounds" -S "$size" "$@"; }
    run > /dev/null &
    server=$!
    trap 'kill $server 2> /dev/null || true' EXIT
    # The server listens soon; until then, it refuses.
    tries=0
    until figures=$(run 127.0.0.1 2> /dev/null); do
        tries=$((tries + 1))
        [ "$tries" -lt 1000 ] || { echo "fi_pingpong: no answer from its server" >&2; exit 1; }
    done
    wait "$server"
    trap - EXIT
    echo "$figures" | awk -v size="$size" 'END { printf "latency %d %.0f\n", size, $7 * 1000 }'
done
