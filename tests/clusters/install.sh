#!/usr/bin/env bash
# The Debian packages that the real clusters are made of. Nothing of them is started here, and no system service is used.
set -euo pipefail
declare -A package=([slurmctld]=slurm-wlm [slurmd]=slurm-wlm [munged]=munge [sshd]=openssh-server [ssh]=openssh-client
  [openssl]=openssl [ip]=iproute2 [bridge]=iproute2 [unshare]=util-linux)
missing=()
for program in "${!package[@]}"; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null || missing+=("${package[$program]}")
done
[ "${#missing[@]}" -gt 0 ] || exit 0
if [ "$(id -u)" -eq 0 ]; then as_root=(env); else as_root=(sudo env); fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
