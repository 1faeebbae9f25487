"""The lab from outside: one JupyterLab, started as `make lab` starts it, asked over HTTP and through a kernel."""

import asyncio
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import bokeh
import pytest
from distributed import Client
from tornado.websocket import websocket_connect

BASE = "/user/ada/"  # as under a hub: every address has to follow
DASHBOARDS = "{JUPYTERHUB_SERVICE_PREFIX}proxy/{port}/status"


class Lab:
    """A lab in a process group of its own, with a home of its own."""

    def __init__(self, folder: Path, *arguments: str, **env: str) -> None:
        self.work = folder / "work"
        (self.work / "notebooks").mkdir(parents=True, exist_ok=True)
        unit = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (self.work / "notebooks" / "00_mine.ipynb").write_text(json.dumps(unit))
        own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
        drop = ("GPUSIM_SIMULATE", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "OMP_NUM_THREADS", "JUPYTER_TOKEN")
        keep = {name: value for name, value in os.environ.items() if name not in drop}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hundredfold.setup.lab", *arguments],
            env={**keep, **own, "HUNDREDFOLD_WORK": str(self.work), "HUNDREDFOLD_STATE": str(folder / "state"), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._heard: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout:
            self._heard.put(line)
        self._heard.put(None)

    def until(self, pattern: str) -> re.Match[str]:
        """The match in the first whole line that fits; every line is kept."""
        while True:
            line = self._heard.get(timeout=60)
            assert line is not None, "the lab ended:\n" + "".join(self.lines)
            self.lines.append(line)
            if match := re.fullmatch(pattern, line.rstrip("\n")):
                return match

    def opened(self) -> None:
        """Wait for the address on a line of its own."""
        match = self.until(r"(http://127\.0\.0\.1:(\d+))(/\S*)\?token=(\w+)")
        self.address, self.port, self.page, self.token = match.group(1), int(match.group(2)), *match.group(3, 4)

    def ask(self, method: str, path: str, body: object = None, *, login: bool = True, **headers: str):
        data = None if body is None else json.dumps(body).encode()
        headers = {**({"Authorization": f"token {self.token}"} if login else {}), **headers}
        with urlopen(Request(self.address + path, data, headers, method=method), timeout=60) as answer:
            return answer.status, answer.headers, answer.read()

    def json(self, method: str, path: str, body: object = None):
        return json.loads(self.ask(method, path, body)[2])

    def kernel_says(self, code: str) -> str:
        """Run code in a new kernel, as a notebook would, and return what it prints."""
        kernel = self.json("POST", BASE + "api/kernels", {"name": "python3"})["id"]
        try:
            return asyncio.run(self._execute(kernel, code))
        finally:
            self.ask("DELETE", BASE + f"api/kernels/{kernel}")

    async def _execute(self, kernel: str, code: str) -> str:
        url = f"{self.address.replace('http', 'ws', 1)}{BASE}api/kernels/{kernel}/channels?token={self.token}"
        socket = await websocket_connect(url)
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "session": "t",
            "username": "",
            "version": "5.3",
        }
        content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await socket.write_message(json.dumps(message))
        said = ""
        while True:
            answer = json.loads(await asyncio.wait_for(socket.read_message(), 60))
            if answer["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            if answer["msg_type"] == "stream":
                said += answer["content"]["text"]
            assert answer["msg_type"] != "error", answer["content"]
            if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                socket.close()
                return said

    def interrupt(self) -> int:
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=30)

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One lab for the module, below a base address, with the template for dashboards that a hub puts into the environment."""
    folder = tmp_path_factory.mktemp("lab")
    env = {"DASK_DISTRIBUTED__DASHBOARD__LINK": DASHBOARDS, "GPUSIM_GPUS": "1"}
    lab = Lab(folder, "--no-browser", f"--ServerApp.base_url={BASE}", **env)
    try:
        lab.opened()
        yield lab
    finally:
        lab.end()


def test_it_opens_the_start_page_and_wants_its_token(lab):
    assert lab.page == BASE + "lab/tree/start.md"
    assert "Begin here" in lab.json("GET", BASE + "api/contents/start.md?type=file")["content"]
    assert lab.json("GET", BASE + "hundredfold/start") == {"changed": False}
    assert lab.ask("GET", BASE + "lab")[0] == 200
    with pytest.raises(HTTPError, match="403"):
        lab.ask("GET", BASE + "api/contents", login=False)
    assert {item["path"] for item in lab.json("GET", BASE + "api/contents/notebooks")["content"]} >= {
        "notebooks/00_mine.ipynb"
    }


def test_the_token_is_for_no_other_user_of_the_machine_to_see(lab):
    command = subprocess.check_output(["ps", "-o", "args=", "-p", str(lab.process.pid)], text=True)
    assert "hundredfold.setup.lab" in command and lab.token not in command


def test_what_the_course_delivers_is_trusted(lab):
    for folder in ("notebooks", "exercises", "solutions"):
        for item in lab.json("GET", BASE + f"api/contents/{folder}")["content"]:
            if item["type"] == "notebook" and item["name"] != "00_mine.ipynb":
                cells = lab.json("GET", BASE + "api/contents/" + item["path"])["content"]["cells"]
                assert all(cell["metadata"]["trusted"] for cell in cells if cell["cell_type"] == "code")


def test_it_says_only_what_a_learner_needs(lab):
    assert not [line for line in lab.lines if line.startswith("[")], "nothing of Jupyter's log"


def test_bokehjs_comes_from_the_lab_itself(lab):
    path = BASE + "hundredfold/bokehjs/js/bokeh.min.js"
    status, headers, body = lab.ask("GET", path, login=False)
    assert status == 200 and "javascript" in headers["Content-Type"]
    assert body == (Path(bokeh.__file__).parent / "server/static/js/bokeh.min.js").read_bytes()
    assert re.search(r"max-age=\d+", headers["Cache-Control"])
    with pytest.raises(HTTPError, match="304"):
        lab.ask("GET", path, login=False, **{"If-None-Match": headers["ETag"]})


@pytest.mark.parametrize("path", ["js/nothing.js", "../../__init__.py", "%2e%2e/%2e%2e/__init__.py"])
def test_nothing_but_bokehjs_does(lab, path):
    with pytest.raises(HTTPError, match="40[34]"):
        lab.ask("GET", BASE + "hundredfold/bokehjs/" + path)


def test_kernels_know_where_they_are_served_from_and_run_the_labs_own_python(lab):
    code = "import os, sys; print(os.environ['KERNELLENS_BASE_URL'], sys.executable)"
    assert lab.kernel_says(code).split() == [BASE, sys.executable]


def test_the_lab_asks_nobody_for_news_or_updates(lab):
    page = lab.ask("GET", BASE + "lab")[2].decode()
    config = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL).group(1))
    assert config["news"] == {"disabled": True}
    settings = {s["id"]: s["schema"] for s in lab.json("GET", BASE + "lab/api/settings")["settings"]}
    notification = settings["@jupyterlab/apputils-extension:notification"]["properties"]
    assert notification["fetchNews"]["default"] == "false" and notification["checkForUpdates"]["default"] is False


def test_a_notebook_that_names_other_files_is_saved_in_its_own_alone(lab):
    """Jupytext would write the learner's, and a notebook may come from anybody."""
    mine = {"type": "file", "format": "text", "content": "mine = 1\n"}
    lab.json("PUT", BASE + "api/contents/mine.py", mine)
    cells = [
        {"cell_type": "code", "id": "a", "source": "theirs", "metadata": {}, "outputs": [], "execution_count": None}
    ]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "cells": cells,
        "metadata": {"jupytext": {"formats": "ipynb,py:percent"}},
    }
    lab.json("PUT", BASE + "api/contents/mine.ipynb", {"type": "notebook", "format": "json", "content": notebook})
    assert lab.json("GET", BASE + "api/contents/mine.py")["content"] == "mine = 1\n"
    page = lab.ask("GET", BASE + "lab")[2].decode()
    config = json.loads(
        re.search(r'id="jupyter-config-data" type="application/json">\s*(.*?)\s*</script>', page, re.S)[1]
    )
    assert "jupyterlab-jupytext" in config["disabledExtensions"], "it would offer what the server does not do"


def test_the_dask_panel_starts_watches_and_stops_a_cluster_that_simulates(lab):
    clusters = BASE + "dask/clusters"
    assert lab.json("GET", clusters) == []
    started = lab.json("PUT", clusters, {})
    try:
        assert started["name"] == "SimulatedCUDACluster 1"
        assert [model["id"] for model in lab.json("GET", clusters)] == [started["id"]]
        with Client(started["scheduler_address"], timeout=30) as client:
            client.wait_for_workers(1, timeout=30)
            (worker,) = client.scheduler_info()["workers"].values()
            assert worker["nthreads"] == 1 and 0 < worker["memory_limit"] < os.sysconf("SC_PHYS_PAGES") * 4096 * 0.7
            assert set(client.run(os.getenv, "GPUSIM_SIMULATE").values()) == {"1"}
            version = client.submit(eval, "__import__('cupy').__version__").result(timeout=60)
            assert version.endswith("+gpusim")
        dashboard = BASE + f"dask/dashboard/{started['id']}/"
        for page in ("status", "individual-task-stream", "individual-workers-memory"):
            status, _, body = lab.ask("GET", dashboard + page)
            assert status == 200 and b"bokeh" in body.lower()
        # The server itself, whose kernels inherit its environment, stays as it was: real packages, all BLAS threads, the
        # system's malloc, and the hub's template for links, which is for kernels.
        names = [
            "GPUSIM_SIMULATE",
            "OMP_NUM_THREADS",
            "MALLOC_TRIM_THRESHOLD_",
            "DASK_DISTRIBUTED__DASHBOARD__LINK",
        ]
        said = lab.kernel_says(f"import os; print([os.environ.get(name) for name in {names}])")
        assert said.strip() == str([None, None, None, DASHBOARDS])
    finally:
        assert lab.ask("DELETE", f"{clusters}/{started['id']}")[0] == 204
    assert lab.json("GET", clusters) == []


@pytest.mark.large
def test_a_port_that_is_taken_ends_in_one_sentence_that_names_a_free_one(lab, tmp_path):
    second = Lab(tmp_path, "--no-browser", f"--port={lab.port}")
    sentence = second.until(r"Hundredfold: Port .*").group()
    assert second.process.wait(timeout=30) == 1
    assert f"Port {lab.port} is taken" in sentence and "Traceback" not in "".join(second.lines)
    free = int(re.search(r"--port=(\d+)'", sentence).group(1))
    third = Lab(tmp_path, "--no-browser", f"--port={free}")
    try:
        third.opened()
        assert third.port == free
        assert third.interrupt() == 0, "one Ctrl-C closes the lab, and asks nothing"
        third.until("The lab is closed.*")
    finally:
        third.end()
    assert not [line for line in third.lines if "Traceback" in line]
