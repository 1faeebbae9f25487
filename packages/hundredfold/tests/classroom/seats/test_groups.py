"""Control groups of version 2, on a make-believe file system; those of version 1 are real in tests/hub."""

import subprocess
from pathlib import Path

import pytest

from hundredfold.classroom.seats.groups import Groups


@pytest.fixture
def machine(tmp_path):
    """A machine whose hub runs in a group that systemd has delegated."""
    own = tmp_path / "sys/fs/cgroup/system.slice/hundredfold-hub.service"
    own.mkdir(parents=True)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/system.slice/hundredfold-hub.service\n")
    (tmp_path / "proc/self/mountinfo").write_text("30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    (own / "cgroup.controllers").write_text("cpu memory pids")
    (own / "cgroup.procs").write_text("12\n34\n")
    return tmp_path, own


def test_a_seat_gets_its_limits_below_the_hubs_group_from_which_the_hub_moves_aside(machine):
    root, own = machine
    groups = Groups("anna", str(root))
    assert groups.make(2 << 30, 1.5) == []
    seat = own / "hundredfold-seats" / "anna"
    assert (seat / "memory.max").read_text() == str(2 << 30)
    assert (seat / "cpu.max").read_text() == "150000 100000" and (seat / "pids.max").read_text() == "1024"
    assert (own / "cgroup.subtree_control").read_text().startswith("+")
    assert (own / "hundredfold-hub" / "cgroup.procs").read_text() == "34", "the last that was moved"
    assert groups.files() == [str(seat / "cgroup.procs")], "one folder for all three"


def test_a_seat_has_its_share_of_swap_and_no_more_where_the_kernel_counts_it(machine):
    root, own = machine
    seat = own / "hundredfold-seats" / "anna"
    assert Groups("anna", str(root)).make(2 << 30, 1) == [] and not (seat / "memory.swap.max").exists()
    (seat / "memory.swap.max").write_text("max")
    assert Groups("anna", str(root)).make(2 << 30, 1) == []
    assert (seat / "memory.swap.max").read_text() == str(2 << 30)


def test_a_hub_that_has_moved_aside_finds_the_same_groups_again(machine):
    root, own = machine
    Groups("anna", str(root)).make(2 << 30, 1)
    (own / "hundredfold-hub" / "cgroup.controllers").write_text("cpu memory pids")
    (root / "proc/self/cgroup").write_text("0::/system.slice/hundredfold-hub.service/hundredfold-hub\n")
    assert Groups("anna", str(root)).files() == [str(own / "hundredfold-seats" / "anna" / "cgroup.procs")]


def test_seats_are_below_the_unit_for_them_and_the_hubs_own_group_stays_as_it_is(machine):
    """A group with limits below it takes no process, so systemd could not start the hub there again (EBUSY)."""
    root, own = machine
    unit = own.with_name("hundredfold-seats.service")
    unit.mkdir()
    (unit / "cgroup.controllers").write_text("cpu memory pids")
    (unit / "cgroup.procs").write_text("56\n")
    assert Groups("anna", str(root)).make(2 << 30, 1.5) == []
    assert (unit / "anna" / "memory.max").read_text() == str(2 << 30)
    assert (unit / "hundredfold-hub" / "cgroup.procs").read_text() == "56", "its own process moves aside"
    assert sorted(path.name for path in own.iterdir()) == ["cgroup.controllers", "cgroup.procs"]


def test_what_is_not_delegated_is_said(machine):
    root, own = machine
    (own / "cgroup.controllers").write_text("pids")
    assert Groups("anna", str(root)).make(2 << 30, 1) == ["memory", "cpu"]


def test_memory_in_use_leaves_out_what_is_only_cached(machine):
    root, own = machine
    groups = Groups("anna", str(root))
    groups.make(2 << 30, None)
    seat = own / "hundredfold-seats" / "anna"
    (seat / "memory.current").write_text("1000")
    (seat / "memory.stat").write_text("anon 600\ninactive_file 300\n")
    assert groups.memory() == 700
    assert groups.processes() == []
    assert Groups("ben", str(root)).memory() is None
    assert not Path(seat / "cpu.max").exists(), "no limit was asked for"


def test_a_seat_is_ended_by_the_kernel_where_it_can_and_by_number_where_it_cannot(machine):
    root, own = machine
    groups = Groups("anna", str(root))
    groups.make(2 << 30, None)
    seat = own / "hundredfold-seats" / "anna"
    with subprocess.Popen(["sleep", "1000"]) as left:
        try:
            (seat / "cgroup.procs").write_text(f"{left.pid}\n")
            (seat / "cgroup.kill").touch()
            groups.close(patience=0.1)
            assert (seat / "cgroup.kill").read_text() == "1"
            assert left.poll() is None, "this is no kernel's file, and nobody killed the number"
            (seat / "cgroup.kill").unlink()  # before Linux 5.14
            groups.close(patience=0.1)
            assert left.wait(60) == -9
            assert (seat / "pids.max").read_text() == "0", "no process of theirs makes another meanwhile"
        finally:
            left.kill()
