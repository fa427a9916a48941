#!/bin/sh
# A small Slurm on this machine: munge, a controller, and COUNT nodes n1, n2, …, each a slurmd in a network namespace of
# its own (tests/namespaces.sh) with a host name of its own. All that it writes is in DIR. Needs root, and Debian's
# munge, slurmctld, slurmd, slurm-client and slurm-wlm-basic-plugins. No files of the system's own Slurm are touched.
#
# usage: slurm.sh up|down DIR PREFIX COUNT
#        slurm.sh run DIR PREFIX COMMAND...     runs a command where the controller is
set -eu

command=$1 dir=$2 prefix=$3
shift 3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export SLURM_CONF="$dir/slurm.conf"

# Runs a command in a namespace, under a host name.
inside() {
    namespace=$1 name=$2
    shift 2
    # `ip netns exec` would hide the cgroups that slurmd looks for.
    # shellcheck disable=SC2016 # the inner shell is to expand it
    nsenter --net="/run/netns/$namespace" unshare --uts --mount sh -c \
        'hostname "$1"; mount --bind "$2" /etc/hosts; shift 2; exec "$@"' sh "$name" "$dir/hosts" "$@"
}

configure() {
    mkdir -p "$dir/munge" "$dir/state" "$dir/run" "$dir/log"
    printf '127.0.0.1 localhost\n10.77.0.254 sw\n' >"$dir/hosts"
    cat >"$SLURM_CONF" <<END
ClusterName=simurgh
SlurmctldHost=sw(10.77.0.254)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/controller.pid
SlurmdPidFile=$dir/run/%n.pid
SlurmctldLogFile=$dir/log/controller
SlurmdLogFile=$dir/log/%n
TmpFS=$dir/tmp/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=2
InactiveLimit=0
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
    for node in $(seq "$1"); do
        mkdir -p "$dir/spool/n$node" "$dir/tmp/n$node"
        echo "10.77.0.$node n$node" >>"$dir/hosts"
        echo "NodeName=n$node NodeAddr=10.77.0.$node CPUs=4 RealMemory=1000 State=UNKNOWN" >>"$SLURM_CONF"
    done
}

up() {
    "$here/namespaces.sh" up "$prefix" "$1"
    ip -n "${prefix}sw" link set lo up
    ip -n "${prefix}sw" address add 10.77.0.254/24 dev bridge
    configure "$1"
    head -c 1024 /dev/urandom >"$dir/munge/key"
    chmod 400 "$dir/munge/key"
    munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/run/munged.pid" \
        --log-file="$dir/log/munged" --seed-file="$dir/munge/seed" --num-threads=2 2>"$dir/log/munged.err"
    inside "${prefix}sw" sw slurmctld -f "$SLURM_CONF"
    for node in $(seq "$1"); do
        inside "$prefix$((node - 1))" "n$node" slurmd -N "n$node" -f "$SLURM_CONF"
    done
    for _ in $(seq 1800); do
        [ "$(inside "${prefix}sw" sw sinfo -h -t idle -o %D)" = "$1" ] && return
        sleep 0.1
    done
    echo "slurm.sh: the nodes do not become idle:" >&2
    inside "${prefix}sw" sw sinfo -N -l >&2
    tail -n 3 "$dir"/log/* >&2
    exit 1
}

# Ends what runs in the namespaces, and what has said where it runs.
down() {
    for namespace in sw $(seq 0 $(($1 - 1))); do
        for process in $(ip netns pids "$prefix$namespace" 2>/dev/null); do
            kill -s KILL "$process" 2>/dev/null || true
        done
    done
    [ ! -s "$dir/run/munged.pid" ] || kill "$(cat "$dir/run/munged.pid")" 2>/dev/null || true
    "$here/namespaces.sh" down "$prefix" "$1"
}

case $command in
    up) up "$1" ;;
    down) down "$1" ;;
    run) inside "${prefix}sw" sw "$@" ;;
esac
