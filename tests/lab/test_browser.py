"""The whole lab as a learner meets it: `make lab`, then Chromium, a mouse and a keyboard.

`make test-all ARGS=lab` runs this. What the browser saw is kept in `screenshots/`.
"""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from PIL import Image
from playwright.sync_api import Browser, Error, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "screenshots"
PORT = 8977
MINUTE = 60_000  # ms, as Playwright counts

RIGHT = """def standardise(x):
centred = x - x.mean(axis=0)
std = x.std(axis=0)
return centred / cp.where(std > 0, std, 1)"""
WRONG = """def standardise(x):
return (x - x.mean(axis=0)) / x.std(axis=0)"""

# How much of a canvas is drawn: the number of distinct colours in it. Bokeh's lie in shadow roots, which locators see through.
COLOURS = """canvas => {
  if (!canvas.width || !canvas.height) return 0;
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(new Uint32Array(data.buffer)).size;
}"""


#: Where a lab stands: alone, and as below a hub's proxy.
PREFIXES = ["/", "/user/ada/"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address with its token, as `make lab` prints it."""
    stamp = ROOT / ".venv" / "hundredfold.json"
    assert stamp.exists() and json.loads(stamp.read_text())["finished"], "set up first: `make test-all ARGS=lab` does"
    prefix = getattr(request, "param", "/")
    home = tmp_path_factory.mktemp("learner")
    own = {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"HUNDREDFOLD_WORK": str(home / "work"), "HUNDREDFOLD_STATE": str(home / "state"), "HOME": str(home)}
    # Small enough that the machines of CI run the unit in a minute; the unit chooses its sizes by it.
    own |= {"GPUSIM_GPU_MEMORY": str(700 * 2**20)}
    # A run of a cluster, recorded here on a simulated one, for the Dask panel to replay.
    command = [
        sys.executable,
        "-m",
        "hundredfold.cli",
        "record",
        "--panel",
        "--output",
        str(home / "panels" / "run.json"),
    ]
    subprocess.run(command, env=os.environ | own, check=True, timeout=600)
    own |= {"HUNDREDFOLD_PANELS": str(home / "panels")}
    drop = ("GPUSIM_SIMULATE", "KERNELLENS_FIGURES", "HUNDREDFOLD_STRICT", "DISPLAY", "BROWSER", "SSH_CONNECTION")
    env = {name: value for name, value in os.environ.items() if name not in drop} | own
    process = subprocess.Popen(
        ["make", "lab", f"PYTHON={sys.executable}", f"ARGS=--no-browser --port={PORT} --ServerApp.base_url={prefix}"],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if re.fullmatch(rf"http://127\.0\.0\.1:{PORT}{prefix}lab/tree/start.md\?token=\w+\n", line):
                break
        else:
            pytest.fail("the lab did not open:\n" + "".join(said))
        yield said[-1].strip()
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=600)  # a limit for what hangs
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    assert program, "Chromium is needed: install it, or name it in CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Learner:
    """One browser window on the lab."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1400, "height": 1000})
        self.address = address
        self.elsewhere: set[str] = set()
        self.page.on("request", self._note)

    def _note(self, request) -> None:
        if not request.url.startswith((f"http://127.0.0.1:{PORT}/", f"ws://127.0.0.1:{PORT}/", "data:", "blob:")):
            self.elsewhere.add(request.url)

    def begin(self) -> Locator:
        """Open the address that was printed; the start page."""
        self.page.goto(self.address + "&reset")
        start = self.page.locator(".jp-MarkdownViewer .jp-RenderedMarkdown")
        expect(start.locator("h1")).to_have_text(re.compile("Hundredfold"), timeout=MINUTE)
        return start

    def open(self, path: str) -> None:
        """Open a notebook of the lab, and wait for its kernel."""
        self.page.goto(re.sub(r"/lab/tree/[^?]*", f"/lab/tree/{path}", self.address) + "&reset")
        self.watch()

    def watch(self) -> None:
        """The notebook in sight is the one in use, once its kernel is there."""
        self.notebook = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text("Python 3 (ipykernel) | Idle", timeout=MINUTE)

    def bring(self, name: str, cells: list[Any], **metadata: object) -> None:
        """Put a notebook of these cells, or of cells with this code, into the workspace, as if it were one of the course's."""
        made = [nbformat.v4.new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
        notebook = nbformat.v4.new_notebook(cells=made)
        notebook.metadata = {
            "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"},
            "hundredfold": metadata,
        }
        self.put(f"api/contents/{name}", {"type": "notebook", "content": notebook})

    def put(self, route: str, data: dict[str, Any]) -> None:
        root, token = re.fullmatch(r"(.*)/lab/tree/.*\?token=(.*)", self.address).groups()
        answer = self.page.request.put(f"{root}/{route}", headers={"Authorization": f"token {token}"}, data=data)
        assert answer.ok, answer.text()

    def see(self, name: str) -> None:
        """Keep a picture of the window."""
        SCREENSHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def command(self, menu: str, command: str) -> None:
        """Choose from JupyterLab's menu bar."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{menu}$")).click()
        self.page.locator(f'.lm-Menu-item[data-command="{command}"]').click()

    def cells(self) -> Locator:
        return self.notebook.locator(".jp-CodeCell")

    def cell(self, text: str) -> Locator:
        """The first code cell whose source holds the text, in view."""
        cell = self.cells().filter(has=self.page.locator(".jp-InputArea-editor", has_text=text)).first
        cell.scroll_into_view_if_needed()
        return cell

    def write(self, cell: Locator, code: str) -> None:
        """Replace what stands in a cell, by keyboard; the editor indents by itself."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("Delete")
        for number, line in enumerate(code.splitlines()):
            if number:
                self.page.keyboard.press("Enter")
            self.page.keyboard.insert_text(line)

    def run(self, cell: Locator) -> str:
        """Run a cell as a learner does, with Ctrl+Enter, and return its output's text."""
        prompt = cell.locator(".jp-InputPrompt").first
        before = prompt.text_content()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+Enter")
        wait(lambda: re.fullmatch(r"\[\d+\]:", now := prompt.text_content()) and now != before, f"{before} ran")
        output = cell.locator(".jp-OutputArea-output")
        return "\n".join(output.all_inner_texts())

    def run_all(self) -> None:
        """Run > Run All Cells, and wait until each has run; an error in any is this test's error."""
        self.command("Edit", "editmenu:clear-all")  # what is there from the build must not pass for what ran here
        wait(lambda: not self._has_run(), "the stored outputs are gone")
        self.command("Run", "runmenu:run-all")
        wait(self._has_run, "all cells ran", seconds=300)
        errors = self.notebook.locator('[data-mime-type="application/vnd.jupyter.error"]')
        assert not errors.count(), errors.first.inner_text()

    def _has_run(self) -> bool:
        prompts = [text.strip() for text in self.cells().locator(".jp-InputPrompt").all_text_contents()]
        return bool(prompts) and all(re.fullmatch(r"\[\d+\]:", text) for text in prompts)


def wait(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.2)


def asked(question: Callable[[], Any]) -> Any:
    """The answer of a plot's frame; asked again if the panel loaded the frame anew meanwhile, as it does when it is shown."""
    for _ in range(20):
        try:
            return question()
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
    raise AssertionError("the plot's frame is loaded anew and anew")


def drawn(canvases: Locator) -> bool:
    return asked(lambda: any(canvases.nth(i).evaluate(COLOURS) > 3 for i in range(canvases.count())))


@pytest.fixture
def learner(browser: Browser, lab: str, request: pytest.FixtureRequest) -> Iterator[Learner]:
    learner = Learner(browser, lab)
    yield learner
    learner.see(f"last-{request.node.name}")
    learner.page.close()


def test_the_start_page_leads_through_a_unit_and_knows_what_is_solved(learner):
    page, asked = learner.page, []
    page.on("request", lambda request: "/hundredfold/" in request.url and asked.append(request))
    start = learner.begin()
    tabs = page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    arrays = start.locator("tr", has_text="01 · Arrays")
    expect(start.locator("p").first).to_contain_text("Begin here: 01 · Arrays")
    expect(arrays).to_contain_text("0 of 6")
    learner.see("00-start")
    start.get_by_role("link", name="Dask dashboard").click()
    expect(page.locator("#dask-dashboard-launcher")).to_be_visible()

    # Lecture, exercises and solutions: one click from each to the others, and none counts as changed.
    start.locator("p").first.locator("a").click()
    current = tabs.and_(page.locator(".lm-mod-current"))
    for name, button in (("notebooks", "Exercises"), ("exercises", "Solutions"), ("solutions", "Exercises")):
        expect(current).to_have_attribute("title", re.compile(f"{name}/01_arrays"))
        expect(current).to_contain_text("01_arrays.ipynb")
        before = "it => getComputedStyle(it, '::before').content"
        assert current.locator(".lm-TabBar-tabLabel").evaluate(before) == f'"{name}/"'
        learner.watch()
        expect(page.locator(".lm-TabBar-tab.jp-mod-dirty")).to_have_count(0)
        learner.see(f"00-{name}")
        buttons = learner.notebook.locator(".jp-NotebookPanel-toolbar")
        buttons.get_by_role("button", name=button, exact=True).click()
    expect(current).to_have_attribute("title", re.compile("exercises/01_arrays"))
    learner.watch()
    for text in ("%load_ext hundredfold", "import cupy as cp"):
        learner.run(learner.cell(text))
    learner.write(learner.cell("def standardise(x)"), RIGHT)
    learner.run(learner.cell("def standardise(x)"))
    learner.run(learner.cell('check("arrays.port"'))
    learner.notebook.get_by_role("button", name="Start page", exact=True).click()
    expect(arrays).to_contain_text("1 of 6")
    expect(start.locator("p").first).to_contain_text("Go on: Exercises of 01 · Arrays")
    learner.see("00-start-later")
    page.set_viewport_size({"width": 375, "height": 720})
    expect(learner.begin().locator("h1")).to_be_in_viewport(ratio=1)
    learner.see("00-start-phone")
    assert not learner.elsewhere, f"asked of others: {learner.elsewhere}"
    # Under a hub, the server refuses a page's request without it.
    ours = {name: [each for each in asked if f"/hundredfold/{name}" in each.url] for name in ("start", "notice")}
    assert all(ours.values()) and all("x-xsrftoken" in each.all_headers() for each in sum(ours.values(), []))


#: What has the focus, through shadow roots: its words, and whether it lies in a notebook's toolbar.
FOCUS = """() => {
  let it = document.activeElement, bar = false;
  for (;;) {
    bar ||= !!it.closest(".jp-NotebookPanel-toolbar");
    if (!it.shadowRoot?.activeElement) break;
    it = it.shadowRoot.activeElement;
  }
  return [(it.getRootNode().host || it).textContent.trim(), bar];
}"""


def press_until(page: Page, key: str, found: Callable[[str, bool], bool]) -> None:
    """Press a key until what has the focus is found; that it never is, fails."""
    seen = []
    for _ in range(80):
        seen.append(page.evaluate(FOCUS))
        if found(*seen[-1]):
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not reach it: {seen}")


def test_the_start_page_and_a_units_buttons_are_used_by_keys_alone(learner):
    page = learner.page
    learner.begin()
    press_until(page, "Tab", lambda words, _: words.startswith("01 · Arrays"))
    page.keyboard.press("Enter")
    current = page.locator("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current")
    expect(current).to_have_attribute("title", re.compile("notebooks/01_arrays"))
    learner.watch()
    for button, opened in (("Exercises", "exercises/01_arrays"), ("Start page", "start.md")):
        page.keyboard.press("Escape")  # from editing a cell to the notebook
        press_until(page, "Shift+Tab", lambda _, bar: bar)
        press_until(page, "ArrowRight", lambda words, bar, wanted=button: bar and words == wanted)
        page.keyboard.press("Enter")
        expect(current).to_have_attribute("title", re.compile(opened))
        if button == "Exercises":
            learner.watch()


def test_a_copy_of_a_units_notebook_leads_to_the_unit(learner):
    token = learner.address.partition("token=")[2]
    copied = learner.page.request.post(
        re.sub(r"/lab/.*", "/api/contents/exercises", learner.address),
        data={"copy_from": "exercises/06_fast-kernels.ipynb"},
        headers={"Authorization": f"token {token}"},
    ).json()["path"]
    assert copied == "exercises/06_fast-kernels-Copy1.ipynb"
    learner.open(copied)
    learner.notebook.get_by_role("button", name="Solutions", exact=True).click()
    current = learner.page.locator("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current")
    expect(current).to_have_attribute("title", re.compile("solutions/06_fast-kernels.ipynb"))


def test_unit_01_runs_from_top_to_bottom_with_a_live_figure_and_no_network(learner):
    learner.open("notebooks/01_arrays.ipynb")
    expect(learner.page.locator(".lm-TabBar-tab.lm-mod-current", has_text="01_arrays.ipynb").first).to_be_visible()
    learner.see("01-opened")
    assert not learner.page.locator(".jp-Dialog, iframe").count(), "no question, no news, no Dask page by itself"
    learner.run_all()
    banner = learner.cell("%load_ext hundredfold").locator(".jp-OutputArea-output")
    expect(banner).to_contain_text("Hundredfold: ")
    banner.scroll_into_view_if_needed()
    learner.see("02-banner")
    figures = learner.notebook.locator(".bk-Figure, .bk-Column, .bk-GridPlot, .bk-Row")
    assert figures.count(), "no live figure"
    figures.last.scroll_into_view_if_needed()
    canvases = learner.notebook.locator("canvas")
    wait(lambda: drawn(canvases), "a figure is drawn")
    for number in range(learner.notebook.locator(".bk-Figure").count()):
        learner.notebook.locator(".bk-Figure").nth(number).scroll_into_view_if_needed()
        learner.page.wait_for_timeout(500)
        learner.see(f"03-figure-{number + 1}")
    assert not learner.elsewhere, f"asked of others: {learner.elsewhere}"


def test_stored_charts_are_dark_in_a_dark_lab_and_pictures_of_data_keep_their_greys(learner):
    """Their corners, where nothing is drawn, before any cell has run."""
    stored = nbformat.read(ROOT / "notebooks" / "10_dask-arrays.ipynb", as_version=4).cells
    pictures = [cell for cell in stored if any("image/png" in out.get("data", {}) for out in cell.get("outputs", []))]
    charts, greys = (
        [cell for cell in pictures if ("needs_background" in cell.outputs[-1].metadata) == chart]
        for chart in (True, False)
    )
    learner.bring("stored.ipynb", [charts[0], greys[0]])
    theme = "lab/api/settings/@jupyterlab/apputils-extension:themes"
    corners = {}
    try:
        for scheme in ("JupyterLab Light", "JupyterLab Dark"):
            learner.put(theme, {"raw": json.dumps({"theme": scheme})})
            learner.open("stored.ipynb")
            expect(learner.page.locator("body")).to_have_attribute("data-jp-theme-name", scheme, timeout=MINUTE)
            shown_now = learner.notebook.locator(".jp-RenderedImage img").all()
            for kind, shown in zip(("chart", "greys"), shown_now, strict=True):
                picture = Image.open(io.BytesIO(shown.screenshot())).convert("L")
                corners[scheme.split()[1], kind] = picture.getpixel((6, picture.height // 2))
    finally:
        learner.put(theme, {"raw": "{}"})
    light = [shade for kind, shade in corners.items() if kind != ("Dark", "chart")]
    assert corners["Dark", "chart"] < 60 and min(light) > 240, corners


def test_a_check_fails_with_its_reason_and_then_passes(learner):
    # As handed out: JupyterLab saves every two minutes, so an earlier test that took longer has left its answer there.
    fresh = json.loads((ROOT / "exercises" / "01_arrays.ipynb").read_text(encoding="utf-8"))
    learner.put("api/contents/exercises/01_arrays.ipynb", {"type": "notebook", "content": fresh})
    learner.open("exercises/01_arrays.ipynb")
    for text in ("%load_ext hundredfold", "import cupy as cp"):
        learner.run(learner.cell(text))
    check = learner.cell('check("arrays.port"')
    answer = learner.cell("def standardise(x)")
    learner.run(answer)
    assert "not" in learner.run(check).lower(), "not attempted is no error"
    learner.write(answer, WRONG)
    learner.run(answer)
    reason = learner.run(check)
    learner.see("04-check-wrong")
    learner.write(answer, RIGHT)
    learner.run(answer)
    praise = learner.run(check)
    learner.see("05-check-right")
    assert reason != praise
    assert re.search(r"constant|equal|nan|std|zero", reason, re.IGNORECASE), reason
    assert re.search(r"right", praise, re.IGNORECASE) and "Traceback" not in reason + praise, praise


def test_the_dask_panel_starts_a_cluster_whose_plot_moves(learner):
    learner.open("exercises/01_arrays.ipynb")
    page = learner.page
    panel = page.locator("#dask-dashboard-launcher")
    if not panel.is_visible():
        page.locator('.lm-TabBar-tab[data-id="dask-dashboard-launcher"]').click()
    panel.locator('[data-command="dask:launch-cluster"]').click()
    cluster = panel.locator(".dask-ClusterListingItem").first
    expect(cluster).to_contain_text("SimulatedCUDACluster", timeout=MINUTE)
    address = re.search(r"tcp://[\d.]+:\d+", cluster.inner_text()).group()
    learner.see("06-dask-cluster")
    stream = panel.locator('button[value="Task Stream"]')
    expect(stream).to_be_enabled(timeout=MINUTE)
    stream.click()
    canvases = page.frame_locator(".dask-DaskDashboard iframe, iframe").locator("canvas")
    wait(lambda: drawn(canvases), "the plot is there")
    seen = {picture(canvases)}

    page.locator('.lm-TabBar-tab[title*="exercises/01_arrays.ipynb"]').click()
    first = learner.cells().first
    work = f"""import os, time
from dask.distributed import Client
client = Client("{address}")
work = client.map(time.sleep, [0.2] * 100, pure=False)
set(client.run(os.getenv, "GPUSIM_SIMULATE").values())"""
    learner.write(first, work)
    assert "{'1'}" in learner.run(first), "its workers simulate"
    page.locator(".lm-TabBar-tab", has_text="Task Stream").click()
    for _ in range(3):
        wait(lambda: picture(canvases) not in seen, "the plot moves")
        seen.add(picture(canvases))
    learner.see("07-dask-task-stream")

    # Beside it, from the same panel, the run that was recorded.
    panel.locator('button[value^="Simulated 2 Gpus"]').click()
    replay = page.frame_locator('iframe[src*="individual-simulated-2-gpus"]')
    expect(replay.get_by_text("say nothing of a GPU")).to_be_visible(timeout=MINUTE)
    wait(lambda: drawn(replay.locator("canvas")), "the recorded run is there")
    # It is over within a second or two, so the page itself keeps what it shows.
    replay.locator("body").evaluate(KEEP_PICTURES)
    replay.get_by_role("button", name="Play").click()
    wait(lambda: asked(lambda: replay.locator("body").evaluate("() => window.shown.size")) > 2, "it is played")
    learner.see("07-dask-replay")

    cluster.locator(".dask-ClusterListingItem-stop").click()
    expect(panel.locator(".dask-ClusterListingItem")).to_have_count(0, timeout=MINUTE)


OWN_CLUSTER = [
    "%load_ext hundredfold",
    """from dask.distributed import Client
from dask_cuda import LocalCUDACluster
cluster = LocalCUDACluster(n_workers=1)
client = Client(cluster)""",
    """import time
work = client.map(time.sleep, [0.2] * 100, pure=False)""",
]


def test_a_drawing_is_touched(learner):
    learner.open("notebooks/10_dask-arrays.ipynb")
    cell = learner.notebook.locator(".jp-MarkdownCell", has_text="A sum is a tree").first
    cell.scroll_into_view_if_needed()
    expect(cell.locator("object + small")).to_have_text("Point at a chunk, or tap it, to see what moves.")

    def embedded():
        learner.page.wait_for_timeout(100)  # Playwright hears of new frames only while it is called
        return [frame for frame in learner.page.frames if "tree-or-shuffle.svg" in frame.url]

    wait(embedded, "the drawing is embedded")
    chunk = embedded()[0].locator(".spot", has_text="rows 2")
    expect(chunk.locator(".told")).to_be_hidden()
    chunk.locator(".hit").hover()
    expect(chunk.locator(".told")).to_be_visible()


def test_a_picture_from_elsewhere_stays_a_picture(learner):
    """Somebody's notebook names a picture as one of ours is named. As an object it would run its script, in the lab's own origin where that serves it."""
    script = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.ran = true</script></svg>'
    learner.page.route(
        "**/elsewhere/drawings/tree-or-shuffle.svg",
        lambda route: route.fulfill(body=script, content_type="image/svg+xml"),
    )
    address = f"http://127.0.0.1:{PORT}/elsewhere/drawings/tree-or-shuffle.svg"
    learner.bring("handed-in.ipynb", [nbformat.v4.new_markdown_cell(f"Whole words.\n\n![A tree.]({address})")])
    learner.open("handed-in.ipynb")
    picture = learner.notebook.locator(f'img[src="{address}"]')
    wait(lambda: asked(lambda: picture.evaluate("each => each.complete && each.naturalWidth > 0")), "it is shown")
    learner.page.wait_for_timeout(1000)
    expect(picture).to_have_count(1)
    assert learner.page.evaluate("window.ran") is None


def test_a_unit_of_many_gpus_opens_with_the_plots_beside_it(learner):
    tabs = learner.page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    learner.open("notebooks/11_clusters.ipynb")
    for plot in ("Task Stream", "Progress", "Workers Memory"):
        expect(tabs.filter(has_text=plot)).to_have_count(1, timeout=MINUTE)
    expect(learner.notebook).to_be_visible()


@pytest.mark.parametrize("lab", PREFIXES, indirect=True)
def test_a_notebooks_own_cluster_shows_beside_it_and_nobody_types_a_port(lab, learner):
    for name in ("one", "two"):
        learner.bring(f"{name}.ipynb", OWN_CLUSTER, dashboard=True)
    page, tabs = learner.page, learner.page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    learner.open("one.ipynb")
    for plot in ("Task Stream", "Progress", "Workers Memory"):
        expect(tabs.filter(has_text=plot)).to_have_count(1, timeout=MINUTE)
    expect(learner.notebook).to_be_visible()
    learner.see("08-dask-opened")
    links = []

    def shown() -> set[str]:
        every = page.locator(".dask-DaskDashboard-widget iframe").evaluate_all("all => all.map(each => each.src)")
        return {re.sub(r"/individual-[a-z-]+$", "", each) for each in every}

    for number, name in enumerate(("one", "two")):
        if number:
            page.locator(".jp-DirListing-item", has_text=f"{name}.ipynb").dblclick()
            expect(tabs.filter(has_text=f"{name}.ipynb")).to_have_count(1, timeout=MINUTE)
            learner.notebook = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
            expect(page.locator("#jp-main-statusbar")).to_contain_text("Python 3 (ipykernel) | Idle", timeout=MINUTE)
        for cell in OWN_CLUSTER[:2]:
            learner.run(learner.cell(cell.splitlines()[-1]))
        wait(lambda: len(shown()) == 1 and shown().isdisjoint(links), f"the plots show the cluster of {name}.ipynb")
        links.extend(shown())
        root = lab.partition("lab/tree")[0]
        assert re.fullmatch(rf"{re.escape(root)}proxy/\d+", links[-1])
    canvases = page.frame_locator('iframe[src$="individual-task-stream"]').locator("canvas")
    learner.run(learner.cell("work = client.map"))
    wait(lambda: drawn(canvases), "the plot is there")
    seen = {picture(canvases)}
    for _ in range(3):
        wait(lambda: picture(canvases) not in seen, "the plot moves")
        seen.add(picture(canvases))
    learner.see("09-dask-beside")

    tabs.filter(has_text="one.ipynb").click()
    wait(lambda: shown() == {links[0]}, "the plots follow to the other notebook")
    page.reload()
    wait(lambda: shown() == {links[0]}, "a page loaded anew shows what it showed")
    page.wait_for_timeout(6000)  # once both notebooks' kernels have been asked
    assert shown() == {links[0]}, "and stays with it"
    expect(tabs.filter(has_text="Task Stream")).to_have_count(1)
    assert not learner.elsewhere, f"asked of others: {learner.elsewhere}"


def test_a_syllabus_opens_as_a_workspace_and_leads_to_its_notebooks(learner):
    page, tabs = learner.page, learner.page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    page.goto(re.sub(r"/lab/tree/[^?]*", "/lab/workspaces/half-day", learner.address))
    expect(page.locator("#jp-main-statusbar")).to_contain_text("Python 3 (ipykernel) | Idle", timeout=MINUTE)
    expect(tabs).to_have_count(2)
    assert not page.locator(".jp-Dialog, iframe").count(), "unit 01 opens alone"
    tabs.filter(has_text="half-day").click()
    plan = page.locator(".jp-RenderedMarkdown:visible")
    expect(plan.locator("h1")).to_have_text(re.compile("Half a day"))
    learner.see("10-syllabus")
    plan.locator("a", has_text="lecture").last.click()
    expect(tabs.filter(has_text="07_dataframes.ipynb")).to_have_count(1, timeout=MINUTE)
    assert not learner.elsewhere, f"asked of others: {learner.elsewhere}"


#: Keeps each picture that a page's canvases show from now on, in `window.shown`.
KEEP_PICTURES = """() => {
    const canvases = (root) => [...root.querySelectorAll("*")].flatMap((each) =>
        each.tagName === "CANVAS" ? [each] : each.shadowRoot ? canvases(each.shadowRoot) : [])
    window.shown = new Set()
    setInterval(() => window.shown.add(canvases(document).map((canvas) => canvas.width ? canvas.toDataURL() : "").join()), 20)
}"""


def picture(canvases: Locator) -> str:
    """What the canvases show now, as one text."""
    pictures = "all => all.map(canvas => canvas.width ? canvas.toDataURL() : '')"
    return "".join(asked(lambda: canvases.evaluate_all(pictures)))
