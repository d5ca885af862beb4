#!/usr/bin/env bash
# Stops what up.sh started, jobs first, and removes what it wrote; the packages stay.
set -uo pipefail

home=${ATTOP_SLURM_DIR:-/tmp/attop-slurm}
conf=/etc/slurm/slurm.conf
[ "$(readlink $conf)" = "$home/slurm.conf" ] || { echo "slurm down: nothing of up.sh's is here"; exit 0; }

scancel --user=root --signal=KILL 2> /dev/null
for name in slurmd slurmctld munged; do
  pid=$(cat "$home/$name.pid" 2> /dev/null) || continue
  [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "$name" ] || continue
  kill "$pid"
  for _ in $(seq 100); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
  kill -KILL "$pid" 2> /dev/null && echo "slurm down: $name had to be killed"
done
rm -f $conf
sed -i '/# attop-slurm$/d' /etc/hosts 2> /dev/null
rm -rf "$home"
echo "slurm down: stopped"
