"""The units of the hub: learners' servers are their children, and see the devices that the units let through."""

import configparser
import contextlib
import re
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from hundredfold.classroom.seats import groups

UNITS = Path(__file__).parents[3] / "deploy" / "hub" / "systemd"
#: Each of these makes a list of devices, or may in some version: ProtectClock= implies DeviceAllow=char-rtc (systemd.exec(5)), and
#: one entry closes all other devices, /dev/nvidia0 among them.
CLOSE_DEVICES = {"ProtectClock", "PrivateDevices", "DeviceAllow", "DevicePolicy", "RootImage", "MountImages"}
MANAGER = "/usr/lib/systemd/systemd"


def service(name, section="Service"):
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(UNITS / f"{name}.service")
    return dict(unit[section])


def test_the_hubs_unit_closes_no_device_under_any_version():
    told = service("hundredfold-hub")
    assert CLOSE_DEVICES & set(told) == set()
    assert {"CAP_SYS_TIME", "CAP_WAKE_ALARM"} <= set(told["CapabilityBoundingSet"].lstrip("~").split())
    assert told["CapabilityBoundingSet"].startswith("~"), "all but these"
    assert service("hundredfold-proxy")["PrivateDevices"] == "yes", "nobody computes there"


@pytest.mark.parametrize("name", ["hundredfold-hub", "hundredfold-proxy"])
def test_what_ends_is_started_again_however_often_it_ends(name):
    """After five times in ten seconds systemd gives up, unless it is told otherwise, and a class waits for its administrator."""
    assert service(name)["Restart"] == "always" and service(name, "Unit")["StartLimitIntervalSec"] == "0"


@pytest.mark.skipif(not Path(MANAGER).exists(), reason="systemd is not installed here")
def test_the_effective_device_policy_is_open_as_this_systemd_reads_the_unit(tmp_path):
    """`systemd --test` reads units as it does when it starts the machine, and says what it made of them; it does not run as root."""
    folder = Path("/var/tmp") / f"hundredfold-units-{tmp_path.name}"
    folder.mkdir()
    try:
        for file in UNITS.glob("*.service"):
            (folder / file.name).write_text(re.sub("(?m)^ExecStart=.*", "ExecStart=/bin/true", file.read_text()))
        folder.chmod(0o755)
        done = subprocess.run(
            [MANAGER, "--test", "--system", "--no-pager", "--unit=hundredfold-hub.service"], user="nobody", env={"SYSTEMD_UNIT_PATH": f"{folder}:"},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    finally:
        shutil.rmtree(folder)
    dumped = re.split(r"(?m)^\s*-> Unit ", done.stdout)
    told = {name: part for part in dumped for name in [part.partition(":")[0]] if name.startswith("hundredfold-")}
    assert (
        "DevicePolicy: auto" in told["hundredfold-hub.service"]
        and "DeviceAllow:" not in told["hundredfold-hub.service"]
    ), done.stderr
    assert "DevicePolicy: closed" in told["hundredfold-proxy.service"], "so it says what closes devices"
    assert "Delegate: yes" in told["hundredfold-seats.service"], "as the kernel's groups need it"
    assert "cap_sys_time" not in told["hundredfold-hub.service"] and "cap_sys_admin" in told["hundredfold-hub.service"]


@pytest.mark.parametrize("unit", [True, False], ids=["as set up", "without the unit for seats"])
def test_the_hub_starts_while_servers_run_from_before(unit):
    """systemd puts the hub into its unit's group. Control groups of version 2 let nobody into one with limits below it, as they are here."""
    assert f"{groups.UNIT}" in (UNITS / "hundredfold-hub.service").read_text().split("[Service]")[0]
    assert service("hundredfold-seats")["Delegate"] == "yes" and service("hundredfold-seats")["TasksMax"] == "infinity"
    (top,) = [
        Path(line.split()[1]) for line in Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2"
    ][:1]
    controller = (top / "cgroup.controllers").read_text().split()[0]
    ours = controller not in (top / "cgroup.subtree_control").read_text().split()
    place = top / f"hundredfold-test-{uuid.uuid4().hex[:6]}"
    first, second, seats, server = (subprocess.Popen(["sleep", "1000"]) for _ in range(4))
    try:
        (top / "cgroup.subtree_control").write_text(f"+{controller}")
        place.mkdir()
        (place / "cgroup.subtree_control").write_text(f"+{controller}")
        (hub := place / "hundredfold-hub.service").mkdir()
        (hub / "cgroup.procs").write_text(str(first.pid))
        if unit:
            (place / groups.UNIT).mkdir()
            (place / groups.UNIT / "cgroup.procs").write_text(str(seats.pid))
        found = groups.below(hub)
        for _ in range(2):  # as each server that starts
            groups._delegate(found, controller)
        (seat := found / "anna").mkdir()
        (seat / "cgroup.procs").write_text(str(server.pid))
        assert any(file.name.startswith(controller) for file in seat.iterdir()), "it can be limited"
        with contextlib.nullcontext() if unit else pytest.raises(OSError, match="busy"):
            (hub / "cgroup.procs").write_text(str(second.pid))
        assert server.poll() is None and (seat / "cgroup.procs").read_text().split() == [str(server.pid)]
    finally:
        for each in (first, second, seats, server):
            each.kill()
            each.wait()
        for folder in sorted(place.rglob("**/"), reverse=True):
            folder.rmdir()
        if ours:
            with contextlib.suppress(OSError):
                (top / "cgroup.subtree_control").write_text(f"-{controller}")
