#!/usr/bin/env bash
# A SLURM of one node for tests, as root, without systemd, cgroups or an accounting database.
# Run again it starts only what is missing; down.sh stops it. Debian's packages are installed when they are absent.
#   ATTOP_SLURM_DIR   where keys, logs, state and configuration go (default: /tmp/attop-slurm)
#   ATTOP_SLURM_CPUS  CPUs the node has (default: this machine's)
set -euo pipefail
export PATH="$PATH:/usr/sbin:/sbin"  # where the daemons are

home=${ATTOP_SLURM_DIR:-/tmp/attop-slurm}
cpus=${ATTOP_SLURM_CPUS:-$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)}
memory=$(awk '/^MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
node=$(hostname -s)

fail() { printf 'slurm up: %s\n' "$*" >&2; exit 1; }
running() { [ -s "$home/$1.pid" ] && [ "$(cat "/proc/$(cat "$home/$1.pid")/comm" 2>/dev/null)" = "$1" ]; }

[ "$(id -u)" = 0 ] || fail "the daemons run as root, this is $(id -un); use a container or sudo"

missing=()
for command in slurmctld slurmd sbatch munged; do command -v $command > /dev/null || missing+=("$command"); done
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get > /dev/null || fail "${missing[*]} not found, and no apt-get to install them with"
  policy=/usr/sbin/policy-rc.d  # keeps the packages from starting services of their own
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' > $policy
    chmod +x $policy
  fi
  export DEBIAN_FRONTEND=noninteractive
  install=(apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge)
  log=$(mktemp)
  if ! { apt-get update -qq && "${install[@]}"; } > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "SLURM's packages could not be installed"
  fi
  rm -f "$log"
fi

mkdir -p "$home"/{state,spool} /etc/slurm
conf=/etc/slurm/slurm.conf  # jobs inside jobs look for it here and nowhere else
if [ -e $conf ] && [ "$(readlink $conf)" != "$home/slurm.conf" ]; then
  fail "$conf exists and is not of this script: is there another SLURM on this machine?"
fi
getent hosts "$node" > /dev/null || echo "127.0.0.1 $node # attop-slurm" >> /etc/hosts

if ! running munged; then
  [ -s "$home/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom > "$home/munge.key")
  rm -f "$home"/munge.socket*
  # --force: it warns of a world-writable directory above, such as /tmp.
  munged --force --socket="$home/munge.socket" --key-file="$home/munge.key" --pid-file="$home/munged.pid" \
    --log-file="$home/munged.log" --seed-file="$home/munged.seed"
fi

# task=1 and OverMemoryKill: without cgroups, a job above its memory is found and killed within a second.
cat > "$home/slurm.conf.new" << CONF
ClusterName=attop
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
KillWait=2
ReturnToService=2
MinJobAge=3600
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
NodeName=$node NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefMemPerCPU=500 State=UP
CONF
if cmp -s "$home/slurm.conf.new" "$home/slurm.conf"; then
  rm "$home/slurm.conf.new"
else
  ! running slurmctld || fail "it runs with another configuration; stop it with tests/slurm/down.sh first"
  mv "$home/slurm.conf.new" "$home/slurm.conf"
fi
ln -sfn "$home/slurm.conf" $conf
running slurmctld || slurmctld
running slurmd || slurmd -N "$node"

for _ in $(seq 100); do
  case $(sinfo -h -o %T 2> /dev/null | head -n 1) in
    idle | mixed | allocated) echo "slurm up: node $node, $cpus CPUs, $memory MB"; exit 0 ;;
    down* | drain*) scontrol update "NodeName=$node" State=RESUME 2> /dev/null || true ;;
  esac
  sleep 0.1
done
tail -n 5 "$home"/*.log >&2
fail "the node did not come up within 10 s"
