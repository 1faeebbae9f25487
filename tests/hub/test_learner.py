"""A learner's way through the hub, from outside."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import pwd
import subprocess
from collections import Counter

import hubs
import nbformat
import pytest
import requests


def environment(learner, kernel):
    """The environment of a kernel."""
    return ast.literal_eval(learner.run(kernel, "import os; print(dict(os.environ))"))


def test_a_learner_logs_in_opens_unit_01_runs_its_first_cells_and_saves(seated):
    anna = seated("anna")
    path = "contents/notebooks/01_arrays.ipynb"
    notebook = anna.api("GET", path).json()["content"]
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    kernel = anna.kernel()
    said = [anna.run(kernel, "".join(cell["source"])) for cell in cells[:6]]
    assert "simulat" in " ".join(said).lower(), said
    assert anna.run(kernel, "import cupy; print(cupy.arange(5).sum().get())").strip() == "10"
    cells[0]["outputs"] = [nbformat.v4.new_output("stream", text="mine\n")]
    saved = anna.api("PUT", path, data=json.dumps({"type": "notebook", "format": "json", "content": notebook}))
    assert saved.status_code == 200, saved.text
    file = os.path.join(pwd.getpwnam(anna.name).pw_dir, "hundredfold", "notebooks", "01_arrays.ipynb")
    assert "mine\\n" in open(file).read() and os.stat(file).st_uid == pwd.getpwnam(anna.name).pw_uid
    assert anna.api("DELETE", f"kernels/{kernel}").status_code == 204


def test_what_a_server_answers_at_once_arrives(seated):
    anna = seated("anna")
    headers = {"X-XSRFToken": anna.xsrf(f"/user/{anna.name}/")}
    notice = f"{anna.base}hundredfold/notice"
    told = [
        anna.session.post(notice, json={"message": str(i)}, headers=headers, timeout=hubs.PATIENCE).status_code
        for i in range(600)
    ]
    assert set(told) == {405}, Counter(told)  # it takes none, and says so before it has read them


def test_a_seat_has_its_limits_and_not_the_machines(seated, hub):
    anna = seated("anna")
    kernel = anna.kernel()
    env = environment(anna, kernel)
    assert env["HUNDREDFOLD_SEAT"] == "simulated" and env["GPUSIM_GPUS"] == "2"
    assert int(env["GPUSIM_GPU_MEMORY"]) == 2**29 == int(env["MEM_LIMIT"]) // 4
    assert anna.run(kernel, "from gpusim.hardware import cpu; print(cpu.cores(), cpu.memory().total)").split() == [
        "1",
        str(2**31),
    ]
    assert hub.seats()[anna.name] == "simulated"
    anna.api("DELETE", f"kernels/{kernel}")


def test_who_takes_more_memory_than_the_seat_has_loses_their_kernel_and_nobody_elses(seated):
    anna, ben = seated("anna"), seated("ben")
    hers, his = anna.kernel(), ben.kernel()
    ben.run(his, "kept = 42")
    # The kernel is killed in the middle of it, and the server starts it anew: then nothing of it is known.
    line = anna.socket(f"api/kernels/{hers}/channels")
    content = {"code": "held = bytearray(3 << 30); held[::4096] = bytes(len(held[::4096]))", "silent": False}
    header = {"msg_id": "m", "msg_type": "execute_request", "username": "", "session": "s", "version": "5.3"}
    anna.run(hers, "mark = 1")
    line.send(
        json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"})
    )
    states = []

    def died() -> bool:
        heard = json.loads(line.recv())
        states.append(heard.get("content", {}).get("execution_state"))
        return "autorestarting" in states or "restarting" in states

    hubs.until("anna's kernel is killed and started anew", died, pause=0)
    line.close()
    assert anna.run(hers, "print('mark' in globals())").strip() == "False"
    assert ben.run(his, "print(kept)").strip() == "42"
    assert anna.api("GET", "contents").ok, "her server goes on"
    anna.api("DELETE", f"kernels/{hers}"), ben.api("DELETE", f"kernels/{his}")


def test_a_cluster_works_in_a_seat_encrypted_and_its_plots_come_through_the_login(seated):
    anna = seated("anna")
    kernel = anna.kernel()
    said = anna.run(
        kernel,
        "from distributed import Client, LocalCluster\n"
        "cluster = LocalCluster(n_workers=1, threads_per_worker=1)\n"
        "client = Client(cluster)\n"
        "print(cluster.scheduler_address, client.submit(sum, [1, 2, 3]).result(), cluster.scheduler.http_server.port)",
    )
    address, total, port = said.split()
    assert address.startswith("tls://127.0.0.1") and total == "6"
    plots = anna.session.get(f"{anna.base}proxy/{port}/status", timeout=hubs.PATIENCE)
    assert plots.ok and "bokeh" in plots.text.lower()
    stranger = requests.get(f"{anna.base}proxy/{port}/status", timeout=hubs.PATIENCE)
    assert "/hub/login" in stranger.url
    anna.run(kernel, "client.close(); cluster.close()")
    anna.api("DELETE", f"kernels/{kernel}")


def test_the_simulated_dask_cuda_and_the_panel_start_clusters_too(seated):
    anna = seated("anna")
    kernel = anna.kernel()
    said = anna.run(
        kernel,
        "%load_ext hundredfold\nfrom dask_cuda import LocalCUDACluster\nfrom distributed import Client\n"
        "cluster = LocalCUDACluster()\nclient = Client(cluster)\n"
        "print(cluster.scheduler_address, len(client.scheduler_info()['workers']))\nclient.close(); cluster.close()",
    )
    assert "tls://" in said and said.split()[-1] == "2", said
    headers = {"X-XSRFToken": anna.xsrf(f"/user/{anna.name}/")}
    answer = anna.session.put(f"{anna.base}dask/clusters", headers=headers, timeout=hubs.PATIENCE)
    assert answer.ok and answer.json()["scheduler_address"].startswith("tls://"), hubs.words(answer.text)
    assert answer.json()["name"].startswith("SimulatedCUDACluster")  # and a number, where the panel has had others
    gone = anna.session.delete(
        f"{anna.base}dask/clusters/{answer.json()['id']}", headers=headers, timeout=hubs.PATIENCE
    )
    assert gone.status_code == 204
    anna.api("DELETE", f"kernels/{kernel}")


def test_who_leaves_gives_the_seat_back_and_leaves_no_process(hub, people):
    zoe = hubs.Learner(hub, people.add("zoe"))
    zoe.log_in()
    zoe.open()
    zoe.run(zoe.kernel(), "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)")
    assert zoe.name in hub.seats()
    zoe.leave()
    assert zoe.name not in hub.seats() and hubs.of_user(zoe.name) == []
    assert not (hub.run / zoe.name).exists()
    zoe.open()
    assert zoe.name in hub.seats()
    zoe.leave()


@pytest.mark.parametrize(
    ("spoil", "fix", "said"),
    [
        ("chown root {home}", "chown {name} {home}", "belongs to somebody else"),
        ("mv {home} {home}.away", "mv {home}.away {home}", "is not there"),
    ],
    ids=["a home folder of root's", "no home folder"],
)
def test_a_home_folder_that_nobody_could_save_in_is_said_to_the_learner(hub, people, spoil, fix, said):
    name = people.add("kim") if f"{people.mark}kim" not in people.names else f"{people.mark}kim"
    what = {"home": pwd.getpwnam(name).pw_dir, "name": name}
    subprocess.run(spoil.format(**what), shell=True, check=True)
    try:
        kim = hubs.Learner(hub, name)
        kim.log_in()
        page = kim.session.get(
            f"{hub.address}/hub/spawn", timeout=hubs.PATIENCE
        )  # it fails at once, or while they wait
        assert "/hub/spawn-pending/" in page.url or said in hubs.words(page.text), hubs.words(page.text)
        with pytest.raises(AssertionError, match=said):
            kim.open()
        assert name not in hub.seats()
    finally:
        subprocess.run(fix.format(**what), shell=True, check=True)


def test_a_server_starts_on_a_full_disk_also_where_kernels_have_run_and_says_so(hub, people):
    moritz = hubs.Learner(hub, people.add("moritz"))
    home = pwd.getpwnam(moritz.name).pw_dir
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size=48m,mode=700,uid={os.stat(home).st_uid}", "tmpfs", home], check=True
    )
    try:
        moritz.log_in()
        moritz.open()
        # IPython makes a folder, of which Jupyter wants to note something at its next start.
        moritz.run(moritz.kernel(), "print(1)")
        with open(f"{home}/too-much", "wb", buffering=0) as filled, contextlib.suppress(OSError):
            while True:
                filled.write(bytes(1 << 16))
        os.chown(f"{home}/too-much", os.stat(home).st_uid, -1)
        moritz.leave()
        moritz.open()
        (said,) = moritz.session.get(f"{moritz.base}hundredfold/notice", timeout=hubs.PATIENCE).json()
        assert "is full" in said
    finally:
        with contextlib.suppress(AssertionError):
            moritz.leave()
        subprocess.run(["umount", "--lazy", home], check=True)


def test_a_server_that_ends_while_it_starts_is_not_waited_for(hub, people):
    una = hubs.Learner(hub, people.add("una"))
    settings = os.path.join(pwd.getpwnam(una.name).pw_dir, ".jupyter")
    os.mkdir(settings)
    with open(f"{settings}/jupyter_server_config.py", "w") as file:
        file.write("import os; os._exit(3)\n")
    una.log_in()
    with pytest.raises(AssertionError, match=r"ended while it started \(exit status 3\)"):
        una.open()
    os.remove(f"{settings}/jupyter_server_config.py")
    una.open()
    una.leave()


def test_a_wrong_password_and_a_user_who_is_no_learner_stay_outside(hub, people):
    anna = hubs.Learner(hub, people.add("mia"))
    assert "Invalid username or password" in hubs.words(anna.log_in("wrong").text)
    subprocess.run(["useradd", "-m", f"{people.mark}out"], check=True)
    people.names.append(f"{people.mark}out")
    subprocess.run(["chpasswd"], input=f"{people.mark}out:x\n", text=True, check=True)
    outsider = hubs.Learner(hub, f"{people.mark}out")
    assert outsider.log_in("x").status_code == 403


def test_nothing_listens_beyond_localhost(hub, seated):
    seated("anna")
    found = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    ours = [
        line.split()[3]
        for line in found.splitlines()
        if f"pid={hub.process.pid}," in line or "configurable" in line or '"node"' in line
    ]
    assert all(address.startswith(("127.0.0.1:", "[::1]:")) for address in ours), ours


def test_a_drawing_can_be_touched(browser, seated):
    """It is a page within the lab's, which JupyterHub's servers by themselves allow nobody, not even their own pages."""
    anna = seated("anna")
    with contextlib.closing(browser.new_context(viewport={"width": 1400, "height": 1000})) as context:
        context.add_cookies(
            [{"name": c.name, "value": c.value, "path": c.path, "domain": c.domain} for c in anna.session.cookies]
        )
        tab = context.new_page()
        tab.goto(f"{anna.base}lab/tree/notebooks/10_dask-arrays.ipynb", timeout=hubs.PATIENCE * 1000)
        cell = tab.locator(".jp-MarkdownCell", has_text="A sum is a tree").first
        cell.scroll_into_view_if_needed(timeout=hubs.PATIENCE * 1000)
        cell.locator("object").wait_for(timeout=hubs.PATIENCE * 1000)

        def embedded():
            tab.wait_for_timeout(100)  # Playwright hears of new frames only while it is called
            return [each for each in tab.frames if "tree-or-shuffle.svg" in each.url]

        (frame,) = hubs.until("the drawing is shown", embedded, 60)
        frame.locator(".spot .hit").first.wait_for(state="attached", timeout=60_000)
    for each in anna.api("GET", "sessions").json():  # the page has started a kernel
        anna.api("DELETE", f"sessions/{each['id']}")
