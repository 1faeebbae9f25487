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


def service(name):
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(UNITS / f"{name}.service")
    return dict(unit["Service"])


def test_the_hubs_unit_closes_no_device_under_any_version():
    told = service("hundredfold-hub")
    assert CLOSE_DEVICES & set(told) == set()
    assert {"CAP_SYS_TIME", "CAP_WAKE_ALARM"} <= set(told["CapabilityBoundingSet"].lstrip("~").split())
    assert told["CapabilityBoundingSet"].startswith("~"), "all but these"
    assert service("hundredfold-proxy")["PrivateDevices"] == "yes", "nobody computes there"


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
    assert "cap_sys_time" not in told["hundredfold-hub.service"] and "cap_sys_admin" in told["hundredfold-hub.service"]


def test_the_hub_starts_while_servers_run_from_before():
    """Control groups of version 2 as they are: nobody joins the unit's own group once there are limits below it, and anybody the one beside."""
    assert service("hundredfold-hub")["DelegateSubgroup"] == groups.HUB
    (place,) = [
        Path(line.split()[1]) for line in Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2"
    ][:1]
    controller = (place / "cgroup.controllers").read_text().split()[0]
    ours = controller not in (place / "cgroup.subtree_control").read_text().split()
    own = place / f"hundredfold-test-{uuid.uuid4().hex[:6]}"
    server, hub = (subprocess.Popen(["sleep", "1000"]) for _ in range(2))
    try:
        (place / "cgroup.subtree_control").write_text(f"+{controller}")
        own.mkdir()
        groups._delegate(own, controller)
        seat = own / groups._SEATS / "anna"
        seat.mkdir()
        (seat / "cgroup.procs").write_text(str(server.pid))
        with pytest.raises(OSError, match="busy"):
            (own / "cgroup.procs").write_text(str(hub.pid))
        (own / groups.HUB / "cgroup.procs").write_text(str(hub.pid))
        groups._delegate(own, controller)
        assert server.poll() is None and (seat / "cgroup.procs").read_text().split() == [str(server.pid)]
    finally:
        for each in (server, hub):
            each.kill()
            each.wait()
        for folder in (own / groups._SEATS / "anna", own / groups._SEATS, own / groups.HUB, own):
            with contextlib.suppress(OSError):
                folder.rmdir()
        if ours:
            with contextlib.suppress(OSError):
                (place / "cgroup.subtree_control").write_text(f"-{controller}")
