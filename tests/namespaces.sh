#!/bin/sh
# Network namespaces PREFIX0, PREFIX1, …, each with an interface eth0 (10.77.0.1, 10.77.0.2, …) on one bridge: what
# several machines are, as far as the network goes. `mpiexec --host-wrapper "ip netns exec PREFIX{host}"` starts one
# host in each. `open` leaves the bridge out: the namespace PREFIXsw has the other ends, port0, port1, …, for a program
# that passes on what comes there (tests/c/relay.c). Needs root and iproute2.
#
# usage: namespaces.sh up|open|down PREFIX COUNT
set -eu

command=$1 prefix=$2 count=$3

down() {
    for name in sw $(seq 0 $((count - 1))); do
        ip netns delete "$prefix$name" 2>/dev/null || true
    done
}

up() {
    ip netns add "${prefix}sw"
    for host in $(seq 0 $((count - 1))); do
        ip netns add "$prefix$host"
        ip link add "port$host" netns "${prefix}sw" type veth peer name eth0 netns "$prefix$host"
        ip -n "${prefix}sw" link set "port$host" up
        ip -n "$prefix$host" address add "10.77.0.$((host + 1))/24" dev eth0
        ip -n "$prefix$host" link set eth0 up
        ip -n "$prefix$host" link set lo up
    done
}

bridge() {
    ip -n "${prefix}sw" link add bridge type bridge
    ip -n "${prefix}sw" link set bridge up
    for host in $(seq 0 $((count - 1))); do
        ip -n "${prefix}sw" link set "port$host" master bridge
    done
}

is_up() {
    case $(ip -n "$prefix$1" -o link show eth0) in
        *LOWER_UP*"state UP"*) ;;
        *) return 1 ;;
    esac
}

# The kernel takes note of a cable within a second, and libfabric passes over an interface until then.
await() {
    for host in $(seq 0 $((count - 1))); do
        tries=0
        until is_up "$host"; do
            tries=$((tries + 1))
            if [ "$tries" -gt 1800 ]; then
                echo "namespaces.sh: the link of host $host does not come up" >&2
                exit 1
            fi
            sleep 0.1
        done
    done
}

case $command in
    up)
        down
        up
        bridge
        await
        ;;
    open)
        down
        up
        await
        ;;
    down) down ;;
esac
