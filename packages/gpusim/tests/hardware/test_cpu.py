"""Cores and memory on made-up /proc and /sys/fs/cgroup trees: both versions, mixed, nested, namespaced, unlimited."""

import os

import pytest

from gpusim.hardware import cpu

GiB = 2**30
MEMINFO = f"MemTotal:       {64 * GiB // 1024} kB\nMemFree:  1000 kB\nMemAvailable:   {60 * GiB // 1024} kB\n"
V2 = "30 23 0:26 {part} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1_CPU = "33 32 0:30 {part} /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
V1_MEMORY = "36 32 0:33 {part} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Make a machine of 64 GiB and 16 cores; files are given by path below its root."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)), raising=False)

    def make(mounts, cgroup, files):
        files = {"proc/meminfo": MEMINFO, "proc/self/mountinfo": mounts, "proc/self/cgroup": cgroup, **files}
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(text))
        return str(tmp_path)

    return make


def test_version_2_inside_a_container(machine):
    root = machine(V2.format(part="/"), "0::/\n", {
        "sys/fs/cgroup/cpu.max": "200000 100000\n",
        "sys/fs/cgroup/memory.max": 2 * GiB,
        "sys/fs/cgroup/memory.current": 1 * GiB,
        "sys/fs/cgroup/memory.stat": f"anon 1000\nfile 5\ninactive_file {GiB // 2}\n",
    })  # fmt: skip
    assert cpu.cores(root) == 2
    # Half a GiB of what is in use is only cached files, which the kernel gives back.
    assert cpu.memory(root) == (2 * GiB, 2 * GiB - GiB // 2)


def test_max_means_no_limit(machine):
    root = machine(V2.format(part="/"), "0::/\n", {
        "sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.high": "max\n",
        "sys/fs/cgroup/memory.current": 5,
    })  # fmt: skip
    assert cpu.cores(root) == 16 and cpu.cpu_quota(root) is None
    assert cpu.memory(root) == (64 * GiB, 60 * GiB)


def test_tightest_of_nested_groups_counts(machine):
    inner = "sys/fs/cgroup/user.slice/user-1000.slice/lab.scope"
    root = machine(V2.format(part="/"), "0::/user.slice/user-1000.slice/lab.scope\n", {
        f"{inner}/cpu.max": "max 100000\n",
        f"{inner}/memory.max": "max\n",
        f"{inner}/memory.current": 100,
        "sys/fs/cgroup/user.slice/user-1000.slice/cpu.max": "350000 100000\n",
        "sys/fs/cgroup/user.slice/user-1000.slice/memory.max": 8 * GiB,
        "sys/fs/cgroup/user.slice/user-1000.slice/memory.current": 3 * GiB,
        "sys/fs/cgroup/user.slice/cpu.max": "800000 100000\n",
        "sys/fs/cgroup/user.slice/memory.max": 32 * GiB,
        "sys/fs/cgroup/user.slice/memory.current": 30 * GiB,
    })  # fmt: skip
    assert cpu.cpu_quota(root) == 3.5 and cpu.cores(root) == 4
    assert cpu.memory(root) == (8 * GiB, 2 * GiB)  # the outer slice has only 2 GiB left, though ours has 5


def test_soft_limit_counts(machine):
    root = machine(V2.format(part="/"), "0::/\n", {
        "sys/fs/cgroup/memory.max": 8 * GiB, "sys/fs/cgroup/memory.high": 4 * GiB, "sys/fs/cgroup/memory.current": GiB,
    })  # fmt: skip
    assert cpu.memory(root) == (4 * GiB, 3 * GiB)


def test_version_1(machine):
    root = machine(V1_CPU.format(part="/") + V1_MEMORY.format(part="/"), "4:memory:/lab\n3:cpu,cpuacct:/lab\n", {
        "sys/fs/cgroup/cpu,cpuacct/lab/cpu.cfs_quota_us": 150000,
        "sys/fs/cgroup/cpu,cpuacct/lab/cpu.cfs_period_us": 100000,
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": -1,
        "sys/fs/cgroup/memory/lab/memory.limit_in_bytes": 3 * GiB,
        "sys/fs/cgroup/memory/lab/memory.usage_in_bytes": 2 * GiB,
        "sys/fs/cgroup/memory/lab/memory.stat": f"cache 1\ntotal_inactive_file {GiB}\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": 9223372036854771712,
        "sys/fs/cgroup/memory/memory.usage_in_bytes": 5 * GiB,
    })  # fmt: skip
    assert cpu.cpu_quota(root) == 1.5 and cpu.cores(root) == 2
    assert cpu.memory(root) == (3 * GiB, 2 * GiB)


def test_version_1_in_a_container_that_shows_the_hosts_path(machine):
    """Docker without its own cgroup namespace: the path is the host's, and only the container's part is mounted."""
    part = "/docker/0f3c"
    root = machine(V1_MEMORY.format(part=part), f"4:memory:{part}\n", {
        "sys/fs/cgroup/memory/memory.limit_in_bytes": 2 * GiB, "sys/fs/cgroup/memory/memory.usage_in_bytes": GiB,
    })  # fmt: skip
    assert cpu.memory(root) == (2 * GiB, GiB)


def test_namespaced_path_above_the_mount(machine):
    root = machine(V2.format(part="/kubepods/pod7"), "0::/../pod7\n", {
        "sys/fs/cgroup/memory.max": 2 * GiB, "sys/fs/cgroup/memory.current": GiB, "sys/fs/cgroup/cpu.max": "100000 100000",
    })  # fmt: skip
    assert cpu.memory(root) == (2 * GiB, GiB) and cpu.cores(root) == 1


def test_both_versions_at_once(machine):
    mounts = V1_MEMORY.format(part="/") + V2.format(part="/").replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")
    root = machine(mounts, "4:memory:/jobs/7\n0::/jobs/7\n", {
        "sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes": 6 * GiB,
        "sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes": 0,
        "sys/fs/cgroup/unified/jobs/7/cpu.max": "50000 100000\n",
    })  # fmt: skip
    assert cpu.memory(root) == (6 * GiB, 6 * GiB)
    assert cpu.cores(root) == 1  # half a core is still one


def test_affinity_counts(machine, monkeypatch):
    root = machine(V2.format(part="/"), "0::/\n", {"sys/fs/cgroup/cpu.max": "800000 100000\n"})
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 5, 9})
    assert cpu.cores(root) == 3


def test_no_control_groups_at_all(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0}, raising=False)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(MEMINFO)
    assert cpu.cores(str(tmp_path)) == 1 and cpu.memory(str(tmp_path)).total == 64 * GiB


def test_nonsense_in_the_files_is_no_limit(machine):
    root = machine(V2.format(part="/") + "short line\n\n", "0::/\nnonsense\n", {
        "sys/fs/cgroup/cpu.max": "", "sys/fs/cgroup/memory.max": "many\n",
    })  # fmt: skip
    assert cpu.cores(root) == 16 and cpu.memory(root) == (64 * GiB, 60 * GiB)


def test_this_machine():
    memory = cpu.memory()
    assert 0 < memory.available <= memory.total
    assert 1 <= cpu.cores() <= (os.cpu_count() or 1)
    assert cpu.cpu_name()
