"""The image as it is built: its contract, the lab in it, unit 01 in it, and what it says when something around it is wrong."""

import json
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from container import ROOT, until

UNITS = sorted((Path(__file__).parent / "units").glob("*.py"))


def inside(image, home, code, **more):
    """Run Python code in a container and return what it printed."""
    done = image.container(home, **more).run("/opt/hundredfold/bin/python", "-", input=code)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda file: file.stem)
def test_contract(image, home, unit):
    inside(image, home, unit.read_text())


def test_the_image_is_small(image, target):
    """Issue 8: under 1.3 GB for cpu. The others have CUDA's libraries, of which the lock decides."""
    if target == "cpu":
        assert image.size() < 1.3e9


def test_what_is_written_on_the_image(image, target):
    assert image.user == "1000" and image.workdir == "/home/jovyan"
    assert image.entrypoint[:3] == ["tini", "-g", "--"] and not image.cmd
    assert image.health[0] == "CMD"
    labels = {name.removeprefix("org.opencontainers.image."): value for name, value in image.labels.items()}
    assert labels["title"] == "Hundredfold" and labels["licenses"].startswith("0BSD AND Apache-2.0 AND ")
    assert labels["licenses"].endswith(" AND LicenseRef-Debian" + " AND LicenseRef-NVIDIA" * (target != "cpu"))
    assert labels["revision"].startswith("0123456789abcdef") and labels["source"] == "https://example.org/it"
    import hundredfold

    assert labels["version"] == hundredfold.__version__
    told = json.dumps([image.labels, image.environment])
    assert not re.search(r"pip\.conf|index|SSL_CERT|TOKEN|PASSWORD", told), (
        "nothing of the network that it was built in"
    )


def test_what_is_installed_is_what_the_lock_says(image, home, target):
    said = inside(
        image,
        home,
        "from importlib import metadata\nfor d in metadata.distributions(): print(d.metadata['Name'] + '==' + d.version)",
    )
    locked = {}
    for name in (target, "hub", "test"):
        for found in re.finditer(r"(?m)^([\w.-]+)==([^\s;]+)", (ROOT / "requirements" / f"{name}.txt").read_text()):
            locked.setdefault(found[1].lower().replace("_", "-").replace(".", "-"), set()).add(found[2])
    for line in said.split():
        name, version = line.lower().replace("_", "-").split("==")
        name = name.replace(".", "-")
        assert name == "hundredfold" or version in {each.lower().replace("_", "-") for each in locked.get(name, ())}, (
            line
        )


def test_unit_01_says_in_the_image_what_it_said_where_it_was_written(image, home):
    done = image.container(home).run("hundredfold-nbval", "notebooks/01", "--", "-q")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"\d+ passed", done.stdout)
    assert not list(home.glob("hundredfold/**/*.ipynb")), "nothing of the learner's is touched"


def test_a_notebook_that_is_wrong_fails_in_the_image_too(image, home):
    """A first unit whose stored answer is another: the image's own command must notice."""
    notebook = json.loads((ROOT / "notebooks" / "01_arrays.ipynb").read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    code[1:] = [
        {
            **code[1],
            "source": "6 * 7",
            "metadata": {},
            "outputs": [
                {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "41"}}
            ],
        }
    ]
    notebook["cells"] = code
    (home / "mine.ipynb").write_text(json.dumps(notebook))
    done = image.container(home).run("hundredfold-nbval", "/home/jovyan/mine.ipynb")
    assert done.returncode == 1 and "41" in done.stdout, done.stdout[-3000:]


def test_a_word_that_names_no_notebook_is_said(image, home):
    done = image.container(home).run("hundredfold-nbval", "99")
    assert done.returncode == 1 and "no notebook is called 99" in done.stderr


# ---- the lab ----


def test_the_lab_starts_with_a_token_and_is_healthy_and_keeps_what_the_learner_changed(image, home):
    with image.container(home).start() as lab:
        assert not lab.healthy(), "before there is a server there is no health"
        until("the lab is healthy", lab.healthy)
        ask = "import urllib.request as r, urllib.error as e, sys\ntry: print(r.urlopen(sys.argv[1]).status)\nexcept e.HTTPError as x: print(x.code)"
        page = "http://127.0.0.1:8888"
        assert lab.exec("/opt/hundredfold/bin/python", "-c", ask, page + "/api/contents").stdout.strip() == "403"
        token = re.search(
            r"token=(\w{40,})", until("an address", lambda: re.search(r"http\S+token=\w+", lab.said()) and lab.said())
        )[1]
        assert (
            lab.exec("/opt/hundredfold/bin/python", "-c", ask, f"{page}/api/contents?token={token}").stdout.strip()
            == "200"
        )
        first = Path(f"/proc/{lab.first()}/comm").read_text().strip()
        assert first == "tini"
        assert not re.search(r"Traceback|ERROR|\bCRITICAL\b", lab.said()), lab.said()
    mine = home / "hundredfold" / "notebooks" / "01_arrays.ipynb"
    assert mine.stat().st_uid == 1000
    mine.write_text(
        mine.read_text().replace(
            '"cells": [', '"cells": [{"cell_type": "markdown", "id": "m", "metadata": {}, "source": "mine"},', 1
        )
    )
    (home / "hundredfold" / "own.txt").write_text("own")
    before = mine.read_bytes()
    with image.container(home).start() as lab:
        until("the lab is healthy again", lab.healthy)
    assert mine.read_bytes() == before and (home / "hundredfold" / "own.txt").read_text() == "own"


def test_the_lab_listens_where_it_is_told(image, home):
    with image.container(home, environment={"HUNDREDFOLD_ADDRESS": "127.0.0.1"}).start("--port=9999") as lab:
        until("the lab is healthy", lab.healthy)
        listening = lab.exec("cat", "/proc/net/tcp").stdout
        assert f"0100007F:{9999:04X}" in listening and f"00000000:{9999:04X}" not in listening


def test_other_commands_run_as_they_are(image, home):
    done = image.container(home).run("bash", "-c", "echo $((6 * 7)); exit 3")
    assert (done.stdout, done.returncode) == ("42\n", 3)
    done = image.container(home).run("nonsense")
    assert done.returncode == 127 and "nonsense cannot be run in this image" in done.stderr


HUB = """
import http.server, json, sys
class Hub(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"version": sys.argv[2]} if self.path.rstrip("/").endswith("/api") else {}).encode()
        self.send_response_only(200)
        self.send_header("Date", sys.argv[3] if len(sys.argv) > 3 else self.date_time_string())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
    def log_message(self, *said): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Hub).serve_forever()
"""


def hub_environment(port=8081):
    return {
        "JUPYTERHUB_API_TOKEN": "secret", "JUPYTERHUB_API_URL": f"http://127.0.0.1:{port}/hub/api", "JUPYTERHUB_BASE_URL": "/",
        "JUPYTERHUB_CLIENT_ID": "jupyterhub-user-anna", "JUPYTERHUB_USER": "anna", "JUPYTERHUB_SERVICE_PREFIX": "/user/anna/",
        "JUPYTERHUB_HOST": "", "JUPYTERHUB_OAUTH_CALLBACK_URL": "/user/anna/oauth_callback", "JUPYTERHUB_SERVER_NAME": "",
        "JUPYTERHUB_SERVICE_URL": "http://0.0.0.0:8888/user/anna/", "JUPYTERHUB_OAUTH_SCOPES": '["access:servers!server=anna/"]',
        "JUPYTERHUB_OAUTH_ACCESS_SCOPES": '["access:servers!server=anna/"]', "JUPYTERHUB_ACTIVITY_URL": f"http://127.0.0.1:{port}/hub/api/users/anna/activity",
    }  # fmt: skip


def on_a_hub(image, home, version, *more, words=()):
    """A container that a hub of this version has started: beside it, in its network, something that answers as that hub's API does."""
    made = image.container(home, environment=hub_environment())
    arguments = " ".join(f"'{each}'" for each in ("8081", version, *more))
    script = f'/opt/hundredfold/bin/python -c "$HUB_CODE" {arguments} & sleep 1; exec {" ".join(image.entrypoint)} {" ".join(words)}'
    made.environment["HUB_CODE"] = HUB
    return made, ["bash", "-c", script]


@pytest.mark.parametrize("words", [[], ["jupyterhub-singleuser"]], ids=["by its token", "by the spawner's command"])
def test_a_hub_gets_its_own_server(image, home, words):
    made, command = on_a_hub(image, home, locked("jupyterhub"), words=words)
    with made.start(*command) as server:
        until("the server is healthy", server.healthy)
        assert (
            "jupyterhub-singleuser" in server.exec("bash", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").stdout
            or "/user/anna" in server.said()
        )
        assert (home / "hundredfold" / "notebooks" / "01_arrays.ipynb").exists()
        assert "An administrator" not in server.said(), server.said()


def locked(name):
    return re.search(rf"(?m)^{name}==(\S+)", (ROOT / "requirements" / "hub.txt").read_text())[1]


# ---- what may be wrong around it ----


def test_a_home_that_belongs_to_root(image, home):
    os.chown(home, 0, 0)
    (home / "work.txt").write_text("three weeks of work")
    done = image.container(home).run()
    assert done.returncode == 78, done.stderr
    (sentence,) = done.stderr.strip().splitlines()
    assert "belongs to root" in sentence and "chown -R 1000:100" in sentence and "as it was" in sentence
    assert (home / "work.txt").read_text() == "three weeks of work" and len(list(home.iterdir())) == 1


def test_on_a_hub_the_learner_of_a_home_that_belongs_to_root_reads_it_in_the_browser_until_it_is_mended(image, home):
    os.chown(home, 0, 0)
    made, command = on_a_hub(image, home, locked("jupyterhub"))
    ask = "import urllib.request as r; a = r.urlopen('http://127.0.0.1:8888/user/anna/'); print(a.status, a.read().decode())"
    with made.start(*command) as server:
        answer = until("a page", lambda: server.exec("/opt/hundredfold/bin/python", "-c", ask).stdout)
        assert answer.startswith("200") and "belongs to root" in answer and "chown -R 1000:100" in answer
        assert server.healthy(), "or the container would be ended before anybody has read the page"
        os.chown(home, 1000, 100)
        until(
            "the page ends when the volume is fixed",
            lambda: server.process.poll() is not None or "start the server again" in server.said(),
        )


def test_a_home_that_is_full(image, small):
    """The lab starts, so that room can be made; the learner is told, and what was saved is whole."""
    (small / "work.txt").write_text("saved")
    os.chown(small / "work.txt", 1000, 100)
    fill(small)
    with image.container(small).start() as lab:
        until("the lab is healthy", lab.healthy)
        assert "Your home folder /home/jovyan is full" in lab.said() and "Delete what you no longer need" in lab.said()
        token = re.search(r"token=(\w{40,})", until("an address", lambda: "token=" in lab.said() and lab.said()))[1]
        # What the lab shows, and that a file can be removed by it, which is what makes room.
        code = (
            "import json, sys, urllib.request as r\n"
            "told = json.load(r.urlopen(f'http://127.0.0.1:8888/hundredfold/notice?token={sys.argv[1]}'))\n"
            "print(told[0])\n"
            "q = r.Request('http://127.0.0.1:8888/api/kernels', b'{}', {'Authorization': 'token ' + sys.argv[1]}, method='POST')\n"
            "print(json.load(r.urlopen(q))['execution_state'])"
        )
        done = lab.exec("/opt/hundredfold/bin/python", "-c", code, token)
        assert done.returncode == 0, done.stderr + lab.said()
        assert "is full" in done.stdout and "starting" in done.stdout
    assert (small / "work.txt").read_text() == "saved"


def fill(folder):
    try:
        with open(folder / "full", "wb") as file:
            while True:
                file.write(b"\\0" * 65536)
                file.flush()
    except OSError:
        os.chown(folder / "full", 1000, 100)


def test_a_hub_of_another_major_version_and_a_clock_that_is_off(image, home):
    then = "Mon, 02 Mar 2020 10:00:00 GMT"
    made, command = on_a_hub(image, home, "4.1.6", then)
    with made.start(*command) as server:
        until("it is said", lambda: "JUPYTERHUB_VERSION=4.1.6" in server.said())
        assert "The hub is JupyterHub 4.1.6 and this image has" in server.said()
        assert re.search(r"clock is \d+ s ahead of the hub's", server.said()) and "timedatectl" in server.said()
        assert (home / "hundredfold").exists() or until("the copies are there", (home / "hundredfold").exists)


def test_a_clock_that_is_before_the_image_was_made(image, home, tmp_path):
    later = tmp_path / "built"
    later.write_text(datetime.fromtimestamp(time.time() + 40 * 86400, UTC).isoformat())
    mount = {"/opt/hundredfold/share/hundredfold/built": later}
    with image.container(home, mounts=mount).start() as lab:
        until("it is said", lambda: "This machine's clock says" in lab.said())
        assert "timedatectl set-ntp true" in lab.said()


def test_a_driver_that_is_older_than_the_image(image, home):
    """A machine with driver 470, as it was recorded; the image says of itself that it is cu12."""
    (home / "probe.json").write_text(
        (ROOT / "packages" / "gpusim" / "tests" / "hardware" / "recorded" / "driver-470.json").read_text()
    )
    environment = {"HUNDREDFOLD_IMAGE": "cu12", "GPUSIM_PROBE": "/home/jovyan/probe.json"}
    with image.container(home, environment=environment).start() as lab:
        until("it is said", lambda: "needs driver 525 or newer" in lab.said())
        assert "An administrator updates the host's driver" in lab.said() and "simulated" in lab.said()
        until("the lab is healthy all the same", lab.healthy)
