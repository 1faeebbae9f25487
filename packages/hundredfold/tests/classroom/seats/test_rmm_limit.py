"""RMM held to its seat, here with its simulated version, in a process of its own, as in a learner's kernel."""

import os
import subprocess
import sys
from pathlib import Path

LINE = (
    Path(__file__).parents[5]
    / "packages"
    / "hundredfold"
    / "src"
    / "hundredfold"
    / "classroom"
    / "seats"
    / "hundredfold_seat.pth"
)

CODE = """
import gpusim
gpusim.activate()
from hundredfold.classroom.seats import rmm as seat
seat.apply()
seat.apply()
import sys
assert "rmm" not in sys.modules, "nobody has asked for it yet"
import rmm
resource = rmm.mr.get_current_device_resource()
print(type(resource).__name__, resource.get_allocation_limit())
kept = rmm.DeviceBuffer(size=60 << 20)
try:
    rmm.DeviceBuffer(size=60 << 20)
except MemoryError as error:
    print("MemoryError")
del kept
rmm.DeviceBuffer(size=60 << 20)
import rmm.mr, importlib
assert not any(type(each).__name__ == "_Watcher" for each in sys.meta_path)
print("went on")
"""


def run(code, **env):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "GPUSIM_GPU_MEMORY": str(1 << 30), **env},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_takes_memory_through_rmm_gets_its_own_error_at_the_seats_limit():
    said = run(CODE, HUNDREDFOLD_SEAT_MEMORY=str(100 << 20))
    assert said == ["LimitingResourceAdaptor", str(100 << 20), "MemoryError", "went", "on"]


def test_a_process_that_is_on_no_seat_is_left_alone():
    code = "import sys; before = list(sys.meta_path); from hundredfold.classroom.seats import rmm; rmm.apply(); print(sys.meta_path == before)"
    assert run(code, HUNDREDFOLD_SEAT_MEMORY="") == ["True"]
    assert run(code, HUNDREDFOLD_SEAT_MEMORY="some") == ["True"]


def test_rmm_that_is_there_already_is_held_too():
    # As in a process of a seat: the start-up file's watcher is there, the simulated libraries' finder comes before it.
    code = "from hundredfold.classroom.seats import rmm as seat; seat.apply(); import gpusim; gpusim.activate(); import rmm; from hundredfold.classroom.seats import rmm as seat; seat.dask_setup(None); print(rmm.mr.get_current_device_resource().get_allocation_limit())"
    assert run(code, HUNDREDFOLD_SEAT_MEMORY="4096") == ["4096"]


def test_every_process_of_a_seat_is_held_without_being_asked(tmp_path):
    """By the line that Python reads at its start: here with a package called rmm that has what is used of the real one."""
    (tmp_path / "rmm").mkdir()
    (tmp_path / "rmm" / "__init__.py").write_text("")
    (tmp_path / "rmm" / "mr.py").write_text(
        "class LimitingResourceAdaptor:\n    def __init__(self, under, limit): self.limit = limit\n"
        "set_ = []\nget_current_device_resource = object\nset_current_device_resource = set_.append\n"
    )
    (tmp_path / "held.pth").write_text(LINE.read_text())
    begin = f"import site; site.addsitedir({str(tmp_path)!r})\n"
    code = (
        begin
        + "import sys; assert 'rmm' not in sys.modules; import rmm.mr; print([each.limit for each in rmm.mr.set_])"
    )
    assert run(code, HUNDREDFOLD_SEAT_MEMORY="4096") == ["[4096]"]
    assert run(code, HUNDREDFOLD_SEAT_MEMORY="") == ["[]"]
    assert run(
        begin + "import sys; print('hundredfold.classroom.seats' in sys.modules)", HUNDREDFOLD_SEAT_MEMORY=""
    ) == ["False"]


def test_a_notebook_that_simulates_on_a_seat_is_held_too():
    """Where the simulated libraries' finder comes before all others."""
    code = (
        "from hundredfold.classroom.seats import rmm as seat; seat.apply()\nfrom hundredfold.start import start; start()\n"
        "import rmm; print(rmm.mr.get_current_device_resource().get_allocation_limit())"
    )
    assert run(code, HUNDREDFOLD_SEAT_MEMORY="4096", GPUSIM_SIMULATE="1") == ["4096"]
