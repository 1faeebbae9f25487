"""The notebooks as tests: what nbval leaves open, settled.

nbval runs every notebook of `notebooks/`, `solutions/` and `exercises/` cell by cell in a kernel of this environment and
compares each output with the stored one, after the sanitising patterns of ``tests/sanitize.cfg``.  Added here:

- kernels get the environment in which the notebooks were built, so that outputs are comparable;
- stderr, pictures and HTML are not compared: the first names processes, the text beside the others is compared;
- the first failing cell ends its notebook: the cells after it are skipped, naming it, instead of failing one by one. On a
  GPU they run: nobody sits at it for long, and each cell that says something else there is wanted;
- a cell tagged ``gpu-output`` runs everywhere and is compared only where there is a GPU;
- output may take a minute to arrive, on a machine with two busy cores, before it counts as lost;
- a kernel that dies while it starts is started again;
- of a set of tests that is marked ``large``, those that are to run with every change are marked ``smoke``;
- a test that is marked ``browser`` is left out where there is no Chromium;
- with ``-n``, all cells of a notebook go to the same worker, the longest files come first, and it is said what is left;
- at the end it is said what each notebook took, in seconds and bytes, what the whole suite took, how many known
  wrong answers were refused, and which tests were left out and why.
"""

import functools
import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest

from gpusim.testing import no_simulated_libraries_left, simulated_libraries  # noqa: F401 - fixtures for all tests

ROOT = Path(__file__).parent
OUTPUT_TIMEOUT = 60  # seconds from a cell's reply to its last output; nbval's own 5 are too few under load

_FAILED = pytest.StashKey[str]()
_STATE = pytest.StashKey[tempfile.TemporaryDirectory]()
_ENVIRONMENT = pytest.StashKey[dict]()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    # xdist would deal the cells of one notebook out to several kernels.
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "loadscope"
        config.option.tx = config.option.tx or [f"{config.option.numprocesses}*popen"]


def pytest_configure(config):
    from nbval import plugin

    plugin.RunningKernel = functools.partial(_start, plugin.RunningKernel)
    from hundredfold.publish.build import cost, dealing
    from hundredfold.publish.build.execute import environment

    config.addinivalue_line(
        "markers",
        "large(parameter, by=None, smoke=n): `make test-all` runs this set whole. Smoke is the first test for each value of the "
        "parameter, or for each value that the function `by` makes of it; or n tests, spread evenly; without arguments, none",
    )
    config.addinivalue_line("markers", "smoke: of a large set, what `make test` and CI run too")
    config.addinivalue_line("markers", "browser: needs Chromium; left out, and listed at the end, where there is none")
    config.addinivalue_line("markers", "counted(what): it is said at the end how many of these passed")
    config.pluginmanager.register(cost.Summary(), "hundredfold-cost")
    if getattr(config.option, "numprocesses", None) and hasattr(config, "cache"):
        config.pluginmanager.register(dealing.Dealing(config), "hundredfold-dealing")

    # A shell that runs a command in the background lets it ignore Ctrl-C, and its children after it: tests press it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Before any kernel starts; kernels inherit it. An outer run's progress file or mode must not reach the tests.
    state = config.stash[_STATE] = tempfile.TemporaryDirectory(prefix="hundredfold-tests-")
    os.environ.update(environment(state.name, one_sample=True))
    # Rates are measured once per machine and kept; in the checkout, so that tests leave nothing in a home.
    os.environ.setdefault("GPUSIM_CACHE", str(ROOT / ".cache" / "hundredfold"))
    # nbval opens the path as given, which only works from the root.
    named = config.option.nbval_sanitize_with
    if named and not os.path.isabs(named):
        config.option.nbval_sanitize_with = str(config.rootpath / named)


def pytest_unconfigure(config):
    if state := config.stash.get(_STATE, None):
        state.cleanup()


def pytest_collectstart(collector):
    from nbval.plugin import IPyNbFile

    from hundredfold.publish.build.normalise import NOT_COMPARED

    if isinstance(collector, IPyNbFile):
        collector.skip_compare += NOT_COMPARED


def _large_sets(items):
    """The cases of each test that is marked ``large`` with something, in a list each."""
    sets = {}
    for item in items:
        if (large := item.get_closest_marker("large")) and (large.args or large.kwargs):
            sets.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return sets.values()


def _spread(cases, number):
    return [cases[k * len(cases) // number] for k in range(min(number, len(cases)))]


def _first_of_each(cases, large):
    """The first case for each value of the parameter that the mark names, or of ``by`` of that value."""
    by = large.kwargs.get("by", lambda value: value)
    first = {}
    for case in cases:
        first.setdefault(by(case.callspec.params.get(large.args[0])), case)
    return first.values()


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(config, items):
    from nbval.plugin import IPyNbCell

    for cases in _large_sets(items):
        mark = cases[0].get_closest_marker("large")
        for case in _spread(cases, mark.kwargs["smoke"]) if "smoke" in mark.kwargs else _first_of_each(cases, mark):
            case.add_marker("smoke")
    no_browser = _no_browser()
    for item in items:
        if no_browser and item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=no_browser))
        item.user_properties += [("counted", mark.args[0]) for mark in item.iter_markers("counted")]
        if isinstance(item, IPyNbCell):
            item.output_timeout = OUTPUT_TIMEOUT
            if "gpu-output" in item.cell.metadata.get("tags", []) and not _has_gpu():
                item.options["check"] = False


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    # Thousands of tests are there to the end: no collection of garbage need look at them, and the code under test asks for many.
    gc.disable()
    done = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    return done


@pytest.hookimpl(tryfirst=True)  # before a worker tells which tests it has
def pytest_collection_finish(session):
    # With --dist=loadgroup pytest-xdist 3.8 adds the group to `_nodeid`, which pytest 9.2 no longer reads.
    for item in session.items:
        if "@" in (grouped := vars(item).get("_nodeid", "")) and item.nodeid != grouped:
            item._id = type(item.id).parse(grouped)


def pytest_runtest_setup(item):
    if (failed := item.parent.stash.get(_FAILED, None)) and not _has_gpu():
        pytest.skip(f"{failed} of this notebook failed")


def pytest_sessionstart(session):
    session.stash[_ENVIRONMENT] = dict(os.environ)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    done = yield
    if nextitem is None or nextitem.path != item.path:
        # What a file leaves (compiled kernels, modules, tables) stays to the end: no later collection need look at it. Answers that
        # are judged ask for one each time, which would take seconds by the last file.
        gc.collect()
        gc.freeze()
        _same_environment(item)
    return done


def _same_environment(item):
    """Fail where a file's tests changed a variable of these for good: tests of other files would run differently after it.

    Other variables are set by libraries when they are imported, as KMP_INIT_AT_FORK is by scikit-learn.
    """
    before = item.session.stash[_ENVIRONMENT]
    looked_at = [
        name
        for name in before | os.environ
        if name.startswith(("GPUSIM_", "KERNELLENS_", "HUNDREDFOLD_", "CUDA_", "CUPY_", "NUMBA_"))
    ]
    changed = {name for name in looked_at if before.get(name) != os.environ.get(name)}
    for name in changed:
        os.environ.pop(name, None)
        if name in before:
            os.environ[name] = before[name]
    assert not changed, f"the tests of {item.path.name} leave the environment changed: {', '.join(sorted(changed))}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    from nbval.plugin import IPyNbCell

    report = yield
    if isinstance(item, IPyNbCell):
        if report.failed:
            item.parent.stash.setdefault(_FAILED, item.name)
        if memory := getattr(getattr(item.parent, "kernel", None), "memory", None):
            report.user_properties.append(("memory", memory.most))
    return report


def _start(kernel, *args, **kwargs):
    """Start a kernel and watch its memory; again if it died at once: two that start together may pick the same free port."""
    from hundredfold.publish.build import cost

    for left in (2, 1, 0):
        try:
            running = kernel(*args, **kwargs)
            running.memory = cost.Memory(running.km.provisioner.pid)
            return running
        except RuntimeError:
            if not left:
                raise


def _no_browser() -> str | None:
    """Why no page can be opened here, or None."""
    from hundredfold.publish.build import errors, figures

    try:
        figures.chromium()
    except errors.BuildError:
        return "no Chromium here (on Debian: apt-get install chromium)"
    return None


def _has_gpu() -> bool:
    from gpusim import hardware

    return hardware.mode() == "gpu"
