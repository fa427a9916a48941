#!/bin/sh
# What libfabric's tcp provider itself does on the loopback interface, from the first core to the second: prints
# "latency SIZE NANOSECONDS" for each size given, half of a message there and one back, as libfabric's own fi_pingpong
# measures it: the best of several short runs, as `latency.c` takes the best of several batches.
set -eu

RUNS=5

export FI_TCP_IFACE=lo
# A run on a core: CORE SIZE [SERVER]. It lasts some 200 ms, as the first messages are slower.
run() {
    core=$1 size=$2
    shift 2
    taskset -c "$core" fi_pingpong -p tcp -e rdm -d lo -I $((300000000 / (size + 20000))) -S "$size" "$@"
}

# Microseconds of one run.
measure() {
    run 0 "$1" > /dev/null &
    server=$!
    trap 'kill $server 2> /dev/null || true' EXIT
    # The server listens soon; until then, it refuses.
    tries=0
    until figures=$(run 1 "$1" 127.0.0.1 2> /dev/null); do
        tries=$((tries + 1))
        [ "$tries" -lt 1000 ] || { echo "fi_pingpong: no answer from its server" >&2; exit 1; }
    done
    wait "$server"
    trap - EXIT
    echo "$figures" | awk 'END { print $7 }'
}

for size in "$@"; do
    count=0
    while [ "$count" -lt "$RUNS" ]; do
        measure "$size"
        count=$((count + 1))
    done | sort -n | awk -v size="$size" 'NR == 1 { printf "latency %d %.0f\n", size, $1 * 1000 }'
done
