#!/usr/bin/env bash
# Process 1 of a small world of its own (`unshare --mount --net --pid`): hosts on one switch, each a network namespace.
#
#   lan.sh FOLDER HOST...      the n-th host is 10.77.0.n; this namespace is the switch, and its cables are named after the hosts
#
# It says `ready` and stays until its standard input ends; with it goes all that runs inside, whatever became of the tests.
set -euo pipefail
folder=$1
shift
export PATH="$PATH:/usr/sbin:/sbin"

# What belongs to the machine (run files, addresses, name servers) is covered, for this world only.
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/netns /run/sshd /run/munge
{ echo "127.0.0.1 localhost"; n=0; for host in "$@"; do n=$((n + 1)); echo "10.77.0.$n $host"; done; } >"$folder/hosts"
: >"$folder/resolv.conf" # nobody to ask: a name that is not in the table is unknown at once
mount --bind "$folder/hosts" /etc/hosts
mount --bind "$folder/resolv.conf" "$(readlink -f /etc/resolv.conf)"

ip link add lan type bridge
ip addr add 10.77.0.254/24 dev lan
ip link set lan up
ip link set lo up
n=0
for host in "$@"; do
  n=$((n + 1))
  ip netns add "$host"
  ip link add "$host" type veth peer name eth0 netns "$host"
  ip link set "$host" master lan up
  ip -n "$host" -batch - <<END
addr add 10.77.0.$n/24 dev eth0
link set eth0 up
link set lo up
route add default via 10.77.0.254
END
done
echo ready
cat >/dev/null
