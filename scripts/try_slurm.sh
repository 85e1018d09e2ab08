#!/bin/bash
# Mines two files with datatrove's Slurm executor on a cluster of this one machine, and compares the items with
# those of one process.
#
#   apt-get install slurm-wlm munge; pip install -e '.[scale]'
#   scripts/try_slurm.sh [LANGUAGE FILE FILE]      (PRESET=strict is the default where files are named)
#
# Run as root. The daemons' settings, keys and logs lie in a folder under /tmp (KEEP=1 leaves it there); nothing
# of the machine's own Slurm or munge is touched, and no daemon is left running.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
venv=${VENV:-$here/.venv}
language=${1:-fr}
shift || true
files=("$@")
dir=$(mktemp -d /tmp/try_slurm.XXXXXX)
host=$(hostname -s)
daemons=()

stop() {
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null || true; done
    if [ -n "${KEEP:-}" ]; then echo "kept $dir"; else rm -rf "$dir"; fi
}
trap stop EXIT

await() { # COMMAND...: until it succeeds, half a minute at most
    for _ in $(seq 60); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    echo "in vain: $*" >&2
    tail -n 20 "$dir"/*.log >&2
    exit 1
}

if [ ${#files[@]} -eq 0 ]; then
    files=("$here"/tests/treebanks/{relations,coordination}.conllu)
    PRESET=${PRESET:-paper} # the few sentences show no forms that differ
fi
preset=${PRESET:-strict}
chmod 755 "$dir"
mkdir "$dir"/{state,spool}
(umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
export SLURM_CONF=$dir/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MailProg=/bin/true
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2048 State=UNKNOWN
PartitionName=try Nodes=$host Default=YES MaxTime=10 State=UP
END

munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munge.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" 2>"$dir/munge.err" &
daemons+=($!)
await munge --socket="$dir/munge.socket" -n
slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$dir/slurmd.log" 2>&1 &
daemons+=($!)
await sh -c 'sinfo -h -o %T | grep -q idle'
sinfo

"$venv/bin/python" - "$dir" "$language" "$preset" "${files[@]}" <<'END'
import sys

from datatrove.executor import SlurmPipelineExecutor

from solecism.treebank.scale import Job, run

folder, language, preset, *files = sys.argv[1:]
job = Job(files, language, f"{folder}/work", f"{folder}/many.parquet", preset)
activate = f"{sys.prefix}/bin/activate"
options = {"time": "00:05:00", "partition": "try", "qos": None, "venv_path": activate}
run(job, SlurmPipelineExecutor, tasks=2, mem_per_cpu_gb=1, **options)
END
squeue
for _ in $(seq 300); do
    if [ -z "$(squeue -h)" ]; then break; fi
    sleep 1
done
if [ ! -f "$dir/many.parquet" ]; then
    tail -n 30 "$dir"/*.log "$dir"/work/logs/*/slurm_logs/* >&2
    exit 1
fi
(cd "$dir/work/logs/mine-2/slurm_logs" && grep -o "Processing done.*" -- *_[01].out) # JOB_TASK.out
"$venv/bin/solecism" mine "${files[@]}" --language "$language" --preset "$preset" --out "$dir/one.parquet" |
    grep "items\|sentences"
cmp "$dir/one.parquet" "$dir/many.parquet"
echo "Slurm's items are those of one process, byte for byte"
