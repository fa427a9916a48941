#!/bin/sh
# Network namespaces PREFIX0, PREFIX1, …, each with an interface eth0 (10.77.0.1, 10.77.0.2, …) on one bridge: what
# several machines are, as far as the network goes. `mpiexec --host-wrapper "ip netns exec PREFIX{host}"` starts one
# host in each. Needs root and iproute2.
#
# usage: namespaces.sh up|down PREFIX COUNT
set -eu

command=$1 prefix=$2 count=$3

down() {
    for name in sw $(seq 0 $((count - 1))); do
        ip netns delete "$prefix$name" 2>/dev/null || true
    done
}

up() {
    ip netns add "${prefix}sw"
    ip -n "${prefix}sw" link add bridge type bridge
    ip -n "${prefix}sw" link set bridge up
    for host in $(seq 0 $((count - 1))); do
        ip netns add "$prefix$host"
        ip link add "port$host" netns "${prefix}sw" type veth peer name eth0 netns "$prefix$host"
        ip -n "${prefix}sw" link set "port$host" master bridge up
        ip -n "$prefix$host" address add "10.77.0.$((host + 1))/24" dev eth0
        ip -n "$prefix$host" link set eth0 up
        ip -n "$prefix$host" link set lo up
    done
}

case $command in
    up)
        down
        up
        ;;
    down) down ;;
esac
