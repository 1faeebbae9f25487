"""What a hostile learner can do to another: each attack is tried as another user, from outside, from their own seat, and through the proxy.

docs/administrators/threats.md names these tests; a claim without one does not stand there (packages/hundredfold/tests/classroom/seats/test_threats.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import re
import stat
import subprocess
import sys
from pathlib import Path

import hubs
import nbformat
import pytest
import requests
import websocket

REFUSED = "refused"


@pytest.fixture(scope="module")
def victim(seated):
    """Anna with a kernel and a cluster, and all that somebody else might want to know of them."""
    anna = seated("anna")
    kernel = anna.kernel()
    told = anna.run(
        kernel,
        "import json, os, ipykernel.kernelapp\n"
        "from distributed import Client, LocalCluster\n"
        "cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address='127.0.0.1:0')\n"  # 8787 may be anybody's
        "client = Client(cluster)\n"
        "worker = next(iter(client.scheduler_info()['workers'].values()))\n"
        "app = ipykernel.kernelapp.IPKernelApp.instance()\n"
        "print(json.dumps(dict(scheduler=cluster.scheduler_address, nanny=worker['nanny'],\n"
        "    worker=next(iter(client.scheduler_info()['workers'])), plots=cluster.scheduler.http_server.port,\n"
        "    worker_plots=worker['services'].get('dashboard'), pid=os.getpid(), server=os.getppid(),\n"
        "    token=os.environ.get('JUPYTERHUB_API_TOKEN', ''), connection=app.abs_connection_file, ip=app.ip,\n"
        "    ports=[app.shell_port, app.iopub_port, app.stdin_port, app.control_port, app.hb_port],\n"
        "    transport=app.transport)))",
    )
    found = json.loads(told)
    # Her /tmp is her seat's own; from outside it is to be seen through her processes.
    for what in ("connection", "ip"):
        found[what] = f"/proc/{found['pid']}/root{found[what]}"
    found["id"], found["learner"] = kernel, anna
    yield found
    anna.run(kernel, "client.close(); cluster.close()")
    anna.api("DELETE", f"kernels/{kernel}")


@pytest.fixture(scope="module")
def seat(seated):
    """Mallory's own kernel: a function that runs code in it."""
    mallory = seated("mallory")
    kernel = mallory.kernel()
    yield lambda code: mallory.run(kernel, code)
    mallory.api("DELETE", f"kernels/{kernel}")


@pytest.fixture(scope="module")
def mallory(seated):
    return seated("mallory")


ATTEMPT = """
import sys
def attempt(what):
    try:
        answer = what()
    except (OSError, PermissionError) as error:
        print("refused", type(error).__name__)
    else:
        print("GOT", answer)
"""


# --- Through the proxy, with Mallory's login.


@pytest.mark.parametrize(
    "path",
    [
        "lab",
        "api/contents",
        "api/kernels",
        "api/sessions",
        "files/notebooks/01_arrays.ipynb",
        "proxy/8787/status",
        "dask/clusters",
        "tree",
        "metrics",
        "terminals/1",
    ],
)
def test_anothers_server_is_closed_to_a_login_of_ones_own(victim, mallory, path):
    answer = mallory.session.get(f"{victim['learner'].base}{path}", timeout=hubs.PATIENCE)
    assert answer.status_code in (403, 404), (answer.status_code, answer.url)
    assert "kernel_name" not in answer.text and '"nbformat"' not in answer.text


@pytest.mark.parametrize("what", ["kernel", "events", "terminal", "plots"])
def test_anothers_websockets_are_closed_to_a_login_of_ones_own(victim, mallory, what):
    path = {
        "kernel": f"api/kernels/{victim['id']}/channels",
        "events": "api/events/subscribe",
        "terminal": "terminals/websocket/1",
        "plots": f"proxy/{victim['plots']}/status/ws",
    }[what]
    address = f"{victim['learner'].base}{path}".replace("http", "ws", 1)
    cookies = "; ".join(f"{c.name}={c.value}" for c in mallory.session.cookies)
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        websocket.create_connection(address, cookie=cookies, timeout=hubs.PATIENCE, origin=mallory.origin)
    assert refused.value.status_code in (302, 403)


def test_a_learners_login_does_not_act_for_another(victim, mallory):
    """What the hub's own page does with its cookie and its token against forged requests, for somebody else."""
    anna, headers = (
        victim["learner"].name,
        {"X-XSRFToken": mallory.xsrf("/hub/"), "Referer": f"{mallory.hub.address}/hub/home"},
    )
    hub = f"{mallory.hub.address}/hub"
    for method, path in (
        ("POST", f"users/{anna}/server"),
        ("DELETE", f"users/{anna}/server"),
        ("POST", f"users/{anna}/tokens"),
        ("GET", f"users/{anna}/tokens"),
        ("PATCH", f"users/{mallory.name}"),
        ("GET", "proxy"),
    ):
        answer = mallory.session.request(method, f"{hub}/api/{path}", headers=headers, json={"admin": True}, timeout=60)
        assert answer.status_code in (403, 404), (method, path, answer.status_code)
    assert mallory.session.get(f"{hub}/admin", timeout=60).status_code == 403
    assert mallory.session.get(f"{hub}/spawn/{anna}", timeout=60).status_code in (403, 404)
    own = mallory.session.get(f"{hub}/api/user", headers=headers, timeout=60).json()
    assert own["name"] == mallory.name and not own["admin"], "the same way of asking works for what is hers"


def test_ones_own_server_hands_out_nobody_elses_files(victim, mallory, seat):
    home = pwd.getpwnam(victim["learner"].name).pw_dir
    secret = f"{home}/hundredfold/notebooks/01_arrays.ipynb"
    assert os.path.exists(secret)
    seat(f"import os; os.symlink({secret!r}, os.path.expanduser('~/hundredfold/link.ipynb'))")
    climbing = "%2e%2e/%2e%2e/%2e%2e" + secret
    for path in ("api/contents/link.ipynb", "files/link.ipynb", f"api/contents/{climbing}", f"files/{climbing}"):
        answer = mallory.session.get(f"{mallory.base}{path}", timeout=hubs.PATIENCE)
        assert answer.status_code in (400, 403, 404, 500), (path, answer.status_code)
        assert '"nbformat"' not in answer.text, path
    seat("import os; os.unlink(os.path.expanduser('~/hundredfold/link.ipynb'))")


def test_cookies_of_ones_own_server_open_no_other(victim, mallory):
    """Every cookie that Mallory's browser has for her own server, sent to Anna's by hand."""
    cookies = {cookie.name: cookie.value for cookie in mallory.session.cookies}
    assert any(mallory.name in name for name in cookies), "the server sets a cookie of its own"
    answer = requests.get(f"{victim['learner'].base}api/kernels", cookies=cookies, timeout=hubs.PATIENCE)
    assert answer.status_code == 403
    # The same value under the name that Anna's cookie has.
    own = next(value for name, value in cookies.items() if mallory.name in name)
    forged = {f"jupyterhub-user-{victim['learner'].name}": own}
    answer = requests.get(f"{victim['learner'].base}api/kernels", cookies=forged, timeout=hubs.PATIENCE)
    assert answer.status_code == 403


def test_the_token_of_ones_own_server_opens_no_other_and_does_not_rule_the_hub(victim, mallory, seat):
    token = seat("import os; print(os.environ['JUPYTERHUB_API_TOKEN'])").strip()
    headers = {"Authorization": f"token {token}"}
    hub = mallory.hub.address
    assert (
        requests.get(f"{mallory.hub.address}/hub/api/user", headers=headers, timeout=60).json()["name"] == mallory.name
    )
    for url in (f"{victim['learner'].base}api/kernels", f"{victim['learner'].base}api/contents"):
        assert requests.get(url, headers=headers, timeout=60).status_code == 403
    for path in ("users", f"users/{victim['learner'].name}", "services", "proxy"):
        assert requests.get(f"{hub}/hub/api/{path}", headers=headers, timeout=60).status_code in (403, 404)
    assert requests.delete(
        f"{hub}/hub/api/users/{victim['learner'].name}/server", headers=headers, timeout=60
    ).status_code in (403, 404)
    assert requests.post(f"{hub}/hub/api/shutdown", headers=headers, timeout=60).status_code == 403


def test_without_a_login_there_is_nothing(victim, hub):
    base = victim["learner"].base
    assert requests.get(f"{base}api/kernels", timeout=60).status_code == 403
    assert "/hub/login" in requests.get(f"{base}lab", timeout=60).url
    assert requests.get(f"{hub.address}/hub/api/users", timeout=60).status_code == 403


# --- From outside of all seats: another user of the machine, with a shell.


def attempt(name, code, *arguments, **env):
    done = hubs.as_user(name, ATTEMPT + code, *map(str, arguments), **env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_anothers_environment_is_not_to_be_read(victim, mallory):
    """Tokens are in it."""
    code = "attempt(lambda: open(f'/proc/{sys.argv[1]}/environ', 'rb').read())"
    for process in (victim["pid"], victim["server"]):
        assert attempt(mallory.name, code, process).startswith(REFUSED)
        assert b"JUPYTERHUB_API_TOKEN" in open(f"/proc/{process}/environ", "rb").read(), "root can: it is there"


@pytest.mark.parametrize("what", ["mem", "root/tmp", "cwd/notebooks", "fd"])
def test_anothers_process_is_not_to_be_entered(victim, mallory, what):
    code = "import os; path = f'/proc/{sys.argv[1]}/{sys.argv[2]}'\nattempt(lambda: os.listdir(path) if sys.argv[2] != 'mem' else open(path, 'rb').read(1))"
    assert attempt(mallory.name, code, victim["pid"], what).startswith(REFUSED)


def test_anothers_process_is_not_to_be_ended_or_traced(victim, mallory):
    code = "import os, signal; attempt(lambda: os.kill(int(sys.argv[1]), signal.SIGKILL))"
    assert attempt(mallory.name, code, victim["pid"]).startswith(REFUSED)
    trace = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
        "def seize():\n"
        "    if libc.ptrace(16, int(sys.argv[1]), 0, 0) == 0: return 'attached'\n"
        "    raise OSError(ctypes.get_errno())\n"
        "attempt(seize)"
    )
    assert attempt(mallory.name, trace, victim["pid"]).startswith(REFUSED)


def test_anothers_files_are_not_to_be_read(victim, mallory, hub):
    home = pwd.getpwnam(victim["learner"].name).pw_dir
    assert stat.S_IMODE(os.stat(home).st_mode) == 0o700
    run = f"{hub.run}/{victim['learner'].name}"
    for path in (home, f"{home}/hundredfold/notebooks/01_arrays.ipynb", run, victim["connection"]):
        assert os.path.exists(path)
        code = "import os; p = sys.argv[1]; attempt(lambda: os.listdir(p) if p.count('.') == 0 else open(p).read())"
        assert attempt(mallory.name, code, path).startswith(REFUSED), path
    # The key of her cluster's certificate is in the environment, which is not to be read either.
    assert "PRIVATE KEY" in Path(f"/proc/{victim['pid']}/environ").read_text()


def test_the_hubs_secrets_and_who_sits_where_are_roots(hub, mallory):
    for name in ("hub.sqlite", "cookie.secret", "page.token", "seats.json"):
        assert (hub.state / name).exists()
    for path in (hub.state, hub.state / "seats.json", hub.state / "cookie.secret", hub.run / "root"):
        code = "import os; p = sys.argv[1]; attempt(lambda: os.listdir(p) if os.path.isdir(p) else open(p).read())"
        assert attempt(mallory.name, code, path).startswith(REFUSED), path


def test_sockets_of_anothers_server_and_kernel_are_not_to_be_reached(victim, mallory, hub):
    code = "import socket; line = socket.socket(socket.AF_UNIX); attempt(lambda: line.connect(sys.argv[1]))"
    assert victim["transport"] == "ipc"
    kernel = [f"{victim['ip']}-{port}" for port in victim["ports"]]
    for path in (f"{hub.run}/{victim['learner'].name}/server.sock", hub.run / "root" / "proxy.sock", *kernel):
        assert stat.S_ISSOCK(os.stat(path).st_mode)
        assert attempt(mallory.name, code, path).startswith(REFUSED), path


@pytest.mark.parametrize("what", ["scheduler", "worker", "nanny", "plots", "worker_plots"])
@pytest.mark.parametrize("where", ["outside", "in a seat"])
def test_ports_of_anothers_cluster_are_not_on_this_localhost(victim, mallory, seat, what, where):
    address = victim[what]
    assert address, f"{what} has a port"
    port = int(str(address).rpartition(":")[2])
    code = f"import socket; attempt(lambda: socket.create_connection(('127.0.0.1', {port}), 10))"
    said = attempt(mallory.name, code) if where == "outside" else seat(ATTEMPT + code)
    assert said.strip() == "refused ConnectionRefusedError"


def test_a_seat_sees_no_port_process_or_file_of_anothers(victim, seat):
    listening = seat("print(open('/proc/net/tcp').read(), open('/proc/net/tcp6').read())")
    ports = {int(found, 16) for found in re.findall(r": [0-9A-F]+:([0-9A-F]{4}) ", listening)}
    theirs = {int(str(victim[what]).rpartition(":")[2]) for what in ("scheduler", "worker", "nanny", "plots")}
    assert not ports & theirs
    assert seat(f"import os; print(os.path.exists('/proc/{victim['pid']}'), os.listdir('/tmp'))").startswith("False")
    with open("/tmp/hundredfold-seen-by-all", "w") as file:
        file.write("x")
    try:
        assert seat("print(os.path.exists('/tmp/hundredfold-seen-by-all'))").strip() == "False"
    finally:
        os.unlink("/tmp/hundredfold-seen-by-all")


def test_a_seat_reaches_nothing_but_itself_and_the_hubs_socket(seat, hub):
    names = seat("import socket; print([name for _, name in socket.if_nameindex()])")
    assert "'lo'" in names and "eth" not in names and "veth" not in names
    port = int(hub.address.rpartition(":")[2])
    said = seat(ATTEMPT + f"import socket; attempt(lambda: socket.create_connection(('127.0.0.1', {port}), 5))")
    assert said.strip().startswith(REFUSED), "not even the proxy"
    assert requests.get(f"{hub.address}/hub/api", timeout=60).ok, "which is there"


def test_nobody_becomes_root_in_a_seat(seat):
    """No program that runs as its owner does so here: sudo, su, mount."""
    assert seat("print(open('/proc/self/status').read())").count("NoNewPrivs:\t1") == 1
    said = seat(
        "import subprocess; print(subprocess.run(['su', '-c', 'id'], capture_output=True, text=True, input='').returncode)"
    )
    assert said.strip() != "0"
    assert seat("import os; print(os.getuid() == os.geteuid() != 0, os.getgroups().count(0))").split() == ["True", "0"]


def test_a_seat_on_simulated_gpus_sees_no_real_one(hub, people):
    device, folder = Path("/dev/nvidia-hundredfold-test"), Path("/dev/nvidia-caps-hundredfold-test")
    device.write_text("a GPU")
    device.chmod(0o666)
    folder.mkdir()  # MIG's
    try:
        kim = hubs.Learner(hub, people.add("kay"))
        kim.log_in()
        kim.open()
        assert kim.run(kim.kernel(), "import glob; print(glob.glob('/dev/nvidia*'))").strip() == "[]"
        kim.leave()
    finally:
        device.unlink()
        folder.rmdir()


def test_more_processes_than_a_seat_may_have_are_refused_and_the_machine_goes_on(seat, hub):
    said = seat(
        "import os, signal, time\nmade = []\ntry:\n    for _ in range(3000):\n        child = os.fork()\n"
        "        if child == 0: time.sleep(600); os._exit(0)\n        made.append(child)\n"
        "    print('all')\nexcept BlockingIOError: print('refused', len(made) < 1024)\n"
        "for child in made: os.kill(child, signal.SIGKILL); os.waitpid(child, 0)"
    )
    assert said.strip() == "refused True"
    assert requests.get(f"{hub.address}/hub/api", timeout=60).ok


# --- Where learners share a network (own_network = false, or another spawner), encryption is what keeps clusters apart.

CLUSTER = """
import sys, json
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        worker, told = next(iter(client.scheduler_info()["workers"].items()))
        print(json.dumps(dict(scheduler=cluster.scheduler_address, worker=worker, nanny=told["nanny"])), flush=True)
        sys.stdin.readline()
"""
ATTACK = """
import asyncio, os, sys
async def main():
    from distributed.core import rpc
    from distributed.security import Security
    address = sys.argv[1]
    if sys.argv[2] == "plain":
        address = address.replace("tls://", "tcp://")
    args = Security().get_connection_args("client") if sys.argv[2] == "own certificate" else {}
    if sys.argv[2] == "no certificate":
        import ssl
        context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
        args = {"ssl_context": context, "require_encryption": True}
    try:
        async with rpc(address, connection_args=args, timeout=20) as line:
            print("GOT", await asyncio.wait_for(line.identity(), 30))
    except Exception as error:
        print("refused", type(error).__name__)
asyncio.run(main())
"""


@pytest.fixture(scope="module", params=["encrypted", "as Dask comes"])
def shared(request, people, tmp_path_factory):
    """A cluster of Anna's on the machine's own localhost, with and without what the spawner sets."""
    from hundredfold.classroom.seats import certificates

    anna = people.add("ida" if request.param == "encrypted" else "ivo")
    user = pwd.getpwnam(anna)
    env = {"HOME": user.pw_dir, "PATH": os.environ["PATH"]}
    if request.param == "encrypted":
        env |= certificates.settings(*certificates.make(anna))
    script = os.path.join(user.pw_dir, "cluster.py")
    with open(script, "w") as file:
        file.write(CLUSTER)
    process = subprocess.Popen(
        [hubs.sys.executable, script], user=user.pw_uid, group=user.pw_gid, extra_groups=[], cwd=user.pw_dir, env=env,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield request.param, anna, json.loads(process.stdout.readline()), env
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.communicate("\n", timeout=hubs.PATIENCE)


@pytest.mark.parametrize("what", ["scheduler", "worker", "nanny"])
def test_on_a_shared_localhost_certificates_keep_clusters_apart(shared, mallory, what):
    from hundredfold.classroom.seats import certificates

    how, anna, addresses, env = shared
    hers = certificates.settings(*certificates.make(mallory.name))
    if how == "as Dask comes":  # what all of this is for: whoever has a shell talks to it
        assert hubs.as_user(mallory.name, ATTACK, addresses[what], "plain").stdout.startswith("GOT")
        return
    for kind, more in (("plain", {}), ("no certificate", {}), ("own certificate", hers)):
        assert hubs.as_user(mallory.name, ATTACK, addresses[what], kind, **more).stdout.startswith(REFUSED), kind
    owner = {name: value for name, value in env.items() if name.startswith("DASK")}
    assert hubs.as_user(anna, ATTACK, addresses[what], "own certificate", **owner).stdout.startswith("GOT")


@pytest.fixture(scope="module")
def open_hub(people, tmp_path_factory):
    """A hub whose learners share the machine's network."""
    made = hubs.Hub(tmp_path_factory.mktemp("open"), people, own_network=False)
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def ona(open_hub, people):
    """A learner there."""
    made = hubs.Learner(open_hub, people.add("ona"))
    made.log_in()
    made.open()
    return made


def listening(name):
    """The ports at which a user's programs listen."""
    number, found = str(pwd.getpwnam(name).pw_uid), []
    for file in ("/proc/net/tcp", "/proc/net/tcp6"):
        rows = [line.split() for line in Path(file).read_text().splitlines()[1:]]
        found += [int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == "0A" and row[7] == number]
    return found


def test_a_kernel_has_no_port_on_a_shared_localhost(ona):
    """Its debugger listened at one, and ran what whoever connected asked for. At another it took messages of any size, which filled its memory."""
    assert ona.api("GET", "kernelspecs").json()["kernelspecs"]["python3"]["spec"]["metadata"]["debugger"] is False
    kernel = ona.kernel()
    try:
        with contextlib.closing(ona.socket(f"api/kernels/{kernel}/channels")) as line:
            for seq, command in enumerate(("debugInfo", "initialize", "attach"), 1):
                asked = {"seq": seq, "type": "request", "command": command, "arguments": {}}
                ona.ask(line, "control", "debug_request", asked)
        assert listening(ona.name) == []
        forked = (
            "import os\nif (child := os.fork()) == 0: print(6 * 7, flush=True); os._exit(0)\n_ = os.waitpid(child, 0)"
        )
        hubs.until("what a forked process prints", lambda: ona.run(kernel, forked).strip() == "42", 60)
    finally:
        ona.api("DELETE", f"kernels/{kernel}")


OPEN = """
import sys, urllib.request
for address in sys.argv[1:]:
    try:
        print("GOT", urllib.request.urlopen(address, timeout=30).status)
    except OSError as error:
        print("refused", error)
"""


def test_a_dashboard_of_a_shared_localhost_answers_its_owner_alone(ona, people):
    """It shows code that runs, errors and logs. It was open to every user of the machine."""
    kernel = ona.kernel()
    code = (
        "from distributed import Client, LocalCluster\n"
        "cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address='127.0.0.1:0')\n"
        "(worker,) = Client(cluster).scheduler_info()['workers'].values()\n"
        "print(cluster.scheduler.http_server.port, worker['services']['dashboard'])"
    )
    try:
        pages = [
            f"{port}/{page}"
            for port, page in zip(ona.run(kernel, code).split(), ("info/main/workers.html", "health"), strict=True)
        ]
        said = hubs.as_user(people.add("oto"), OPEN, *(f"http://127.0.0.1:{page}" for page in pages)).stdout
        assert [line.split()[0] for line in said.splitlines()] == ["refused"] * 2, said
        for page in pages:
            assert ona.session.get(f"{ona.base}proxy/{page}", timeout=60).ok, page
    finally:
        ona.api("DELETE", f"kernels/{kernel}")


def test_a_cluster_in_a_preflight_takes_nobody_elses_work(tmp_path):
    """An administrator runs it as root, and a scheduler without TLS runs what any user of the machine sends it."""
    code = (
        "from distributed import LocalCluster\n"
        "with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=':0') as cluster:\n"
        "    assert cluster.scheduler_address.startswith('tls://'), cluster.scheduler_address"
    )
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)], metadata=kernel)
    (tmp_path / "notebooks").mkdir()
    nbformat.write(notebook, tmp_path / "notebooks" / "01_first.ipynb")
    asked = [
        sys.executable,
        "-m",
        "hundredfold.cli",
        "preflight",
        "--course",
        str(tmp_path),
        "--gpus",
        "none",
        "--learners",
        "1",
    ]
    env = {**os.environ, "HUNDREDFOLD_STATE": str(tmp_path / "state")}
    done = subprocess.run(asked, capture_output=True, text=True, env=env, timeout=hubs.PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
