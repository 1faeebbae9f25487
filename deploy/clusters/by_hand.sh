#!/bin/sh
# A cluster without a program that starts it: a scheduler, a worker on each host, and a client. Each line in a terminal of
# its own, on the host that it names; the folder certificates/ must be on all of them, and readable by you alone.
#
#   any:     sh by_hand.sh certificates
#   host 1:  sh by_hand.sh scheduler 10.0.0.1
#   host 1:  sh by_hand.sh worker 10.0.0.1
#   host 2:  sh by_hand.sh worker 10.0.0.1
#   any:     sh by_hand.sh run 10.0.0.1
#
# WORKER="dask worker --nthreads 1" where a host has no GPU; PORT, BACKEND (numpy, cupy) and WORKERS (wait for so many) too.
set -eu
here=$(dirname "$0")
tls=${CERTIFICATES:-certificates}
port=${PORT:-8786}
python=${PYTHON:-python}
files="--tls-ca-file $tls/ca.pem --tls-cert $tls/cert.pem --tls-key $tls/key.pem"

case "${1:-}" in
certificates)
    # One certificate that signs itself: who has its key may join, and nobody else. A month is long enough for a cluster.
    umask 077
    mkdir -p "$tls"
    openssl req -x509 -newkey rsa:3072 -nodes -days 30 -subj "/CN=dask" -keyout "$tls/key.pem" -out "$tls/cert.pem"
    cp "$tls/cert.pem" "$tls/ca.pem"
    ;;
scheduler)
    # It listens on this address and no other, and speaks TLS only; the dashboard stays on the host (reach it by ssh -L).
    # shellcheck disable=SC2086
    exec $python -m dask scheduler --protocol tls --host "$2" --port "$port" $files --dashboard-address 127.0.0.1:0
    ;;
worker)
    # On a host with GPUs this starts a worker for each of them. It ends by itself if it finds no scheduler.
    # Its own page, too, is for this host only: TLS does not cover it.
    # shellcheck disable=SC2086
    exec $python -m ${WORKER:-dask cuda worker} "tls://$2:$port" $files --death-timeout 120 --dashboard-address 127.0.0.1:0
    ;;
run)
    exec $python "$here/work.py" "tls://$2:$port" --tls "$tls" --backend "${BACKEND:-cupy}" --workers "${WORKERS:-1}"
    ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
