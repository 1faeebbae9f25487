#!/usr/bin/env bash
# A Slurm cluster on the hosts of a world (../hosts/lan.sh): munge and the controller on the first, a slurmd on each other.
#
#   start.sh FOLDER files HEAD NODE...    write keys and configuration
#   start.sh FOLDER head                  on the head: munge, the controller
#   start.sh FOLDER node NAME             on a node: its slurmd
#
# No systemd and no control groups: processes are tracked by Linux's own tables, state and logs are in the folder.
set -euo pipefail
folder=$1 what=$2
shift 2
slurm=$folder/slurm
socket=/run/munge/socket

case $what in
files)
  head=$1
  shift
  mkdir -p "$slurm/state" "$slurm/log"
  (umask 077 && head -c 128 /dev/urandom >"$slurm/munge.key")
  # What would be /dev/nvidia0: the devices are simulated, how they are handed out is not.
  mknod "$slurm/gpu0" c 1 3 && mknod "$slurm/gpu1" c 1 3
  {
    cat <<END
ClusterName=hundredfold
SlurmctldHost=$head
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$socket
CryptoType=crypto/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool-%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd-%n.pid
SlurmctldLogFile=$slurm/log/slurmctld.log
SlurmdLogFile=$slurm/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5,sched_min_interval=1000,default_queue_depth=100
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SlurmdParameters=config_overrides
MailProg=/bin/true
SlurmdTimeout=10
KillWait=2
OverTimeLimit=0
InactiveLimit=0
MinJobAge=300
ReturnToService=2
SlurmctldDebug=info
SlurmdDebug=info
END
    for node in "$@"; do
      address=$(awk -v n="$node" '$2 == n {print $1}' /etc/hosts)
      echo "NodeName=$node NodeAddr=$address NodeHostname=$node CPUs=16 RealMemory=64000 Gres=gpu:2 State=UNKNOWN"
    done
    echo "PartitionName=gpu Nodes=$(IFS=,; echo "$*") Default=YES MaxTime=02:00:00 State=UP"
    # A partition that takes jobs and never starts one, as while a site is being fixed.
    echo "PartitionName=closed Nodes=$(IFS=,; echo "$*") MaxTime=02:00:00 State=DOWN"
  } >"$slurm/slurm.conf"
  # A slurmd of this age does not start without a kind of control group, though nothing here uses one; v1 asks for none to be there.
  printf 'CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n' >"$slurm/cgroup.conf"
  echo "Name=gpu File=$slurm/gpu[0-1]" >"$slurm/gres.conf"
  ;;
head)
  munged --force --key-file "$slurm/munge.key" --socket "$socket" --pid-file /run/munge/pid --seed-file /run/munge/seed \
    --log-file "$slurm/log/munged.log"
  exec slurmctld -D -f "$slurm/slurm.conf"
  ;;
node)
  mkdir -p "$slurm/spool-$1"
  exec slurmd -D -N "$1" -f "$slurm/slurm.conf"
  ;;
esac
