"""The offline bundle: its pieces, what is missing of them, what is left out of it; and the profiler's and the checker's answers, read."""

import json
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))
from gpu import bundle, environment, packing, pruning  # noqa: E402
from gpu.stages import checker, counters  # noqa: E402


@pytest.fixture
def pieces(tmp_path):
    """A bundle of two groups; the first is in three pieces."""
    folder, groups, number = tmp_path / "pieces", [], 1
    for name, size in (("base", 2000), ("rapids", 10)):
        tree = tmp_path / name
        (tree / "pkg").mkdir(parents=True)
        (tree / "pkg" / f"{name}.bin").write_bytes(bytes(i * i % 251 for i in range(size)) * 3)
        archive = tmp_path / f"{name}.tar.xz"
        with tarfile.open(archive, "w:xz") as packed:
            packed.add(tree, arcname=".")
        most = archive.stat().st_size // 3 + 1 if name == "base" else 1 << 20
        made = bundle.split(archive, folder, number, most)
        number += len(made)
        groups.append({"name": name, "packages": [f"{name}==1"], "pieces": made})
    for each in sorted(folder.iterdir()):
        (each / bundle.MANIFEST).write_text(json.dumps({"id": "one", "python": "3.12", "groups": groups}))
    return folder


def test_what_has_arrived_is_unpacked_and_what_has_not_is_named(pieces, tmp_path):
    lost = pieces / "2" / "base.tar.xz.02"
    data = lost.read_bytes()
    lost.unlink()
    found = bundle.look(pieces)
    assert [group["name"] for group in found.whole] == ["rapids"]
    assert "2/base.tar.xz.02" in found.said()[0]
    lost.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))  # another byte, whatever it was
    found = bundle.look(pieces)
    assert "damaged" in found.said()[0]
    lost.write_bytes(data)
    found = bundle.look(pieces)
    assert not found.said()
    for group in found.whole:
        bundle.unpack(found, group, tmp_path / "site")
    assert (tmp_path / "site" / "pkg" / "base.bin").read_bytes() == (
        tmp_path / "base" / "pkg" / "base.bin"
    ).read_bytes()
    # A group that was unpacked before needs no pieces any more: they are not carried again.
    lost.unlink()
    assert not bundle.look(pieces, {"base"}).said()


def test_pieces_of_two_bundles_are_refused(pieces):
    other = json.loads((pieces / "1" / bundle.MANIFEST).read_text())
    (pieces / "3" / bundle.MANIFEST).write_text(json.dumps({**other, "id": "two"}))
    with pytest.raises(bundle.BadBundle, match="2 bundles"):
        bundle.look(pieces)


def test_the_bundle_is_the_lock_less_what_the_machine_has():
    requirements = TESTS.parent / "requirements"
    everything = packing.chosen(requirements, "cu13", "3.12", {}, set())
    names = [line.split("==")[0] for line in everything]
    assert len(names) == len(set(names)) and {"cudf-cu13", "dask", "pytest", "polars", "numba-cuda"} <= set(names)
    assert not {"jupyterlab", "appnope", "pywinpty", "ruff"} & set(names)
    assert all("--hash=sha256:" in line for line in everything)
    numpy = next(line.split()[0].partition("==")[2] for line in everything if line.startswith("numpy=="))
    has = {"numpy": "2.5.2", "pyarrow": "1.0", "cupy-cuda13x": "14.2.0"}
    less = {line.split("==")[0] for line in packing.chosen(requirements, "cu13", "3.12", has, {"duckdb"})}
    assert set(names) - less == {
        "pyarrow",
        "cupy-cuda13x",
        "duckdb",
    }  # NumPy must be the lock's: numba-cuda breaks on another
    same = {line.split("==")[0] for line in packing.chosen(requirements, "cu13", "3.12", {"numpy": numpy}, set())}
    assert "numpy" not in same
    assert packing.group("libcudf-cu13==1") == packing.group("nvidia-libnvcomp-cu13==1") == "rapids"
    assert (
        packing.group("nvidia-cublas==1") == packing.group("numba-cuda==1") == "cuda"
        and packing.group("numba==1") == "base"
    )


def test_the_bundles_python_reads_the_pth_files_of_this_ones_packages(tmp_path, monkeypatch):
    outer = tmp_path / "outer" / "site-packages"
    outer.mkdir(parents=True)
    (outer / "redirect.pth").write_text("import redirector\n")
    (outer / "redirector.py").write_text("import sys\nsys.redirected = True\n")
    for name, text in (("both.py", "where = 'outer'"), ("only.py", "")):
        (outer / name).write_text(text)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if not each.endswith("-packages")] + [str(outer)])
    site = environment._make(tmp_path / "venv")
    (site / "both.py").write_text("where = 'bundle'")
    code = f"import site, sys, both, only; print(sys.redirected, both.where, {sys.prefix!r} in site.PREFIXES)"
    asked = subprocess.run([tmp_path / "venv/bin/python", "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout.split() == ["True", "bundle", "True"], asked.stderr


def test_a_wheel_is_laid_out_as_installed(tmp_path):
    wheel = tmp_path / "x-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("x/__init__.py", "x-1.data/platlib/x/fast.so", "x-1.data/scripts/x", "x-1.dist-info/METADATA"):
            archive.writestr(name, name)
    packing.lay_out(wheel, tmp_path / "tree")
    found = {str(each.relative_to(tmp_path / "tree")) for each in (tmp_path / "tree").rglob("*") if each.is_file()}
    assert found == {"x/__init__.py", "x/fast.so", "x-1.dist-info/METADATA"}


def test_pruning_keeps_the_gpus_own_code_and_whatever_has_none(tmp_path):
    def image(kind, arch, size):
        return (
            struct.pack("<HHIQ", kind, 0, 64, size)
            + bytes(12)
            + struct.pack("<I", arch)
            + bytes(32)
            + bytes([arch]) * size
        )

    def container(*images):
        body = b"".join(images)
        return struct.pack("<IHHQ", pruning.MAGIC, 1, 16, len(body)) + body

    code = container(image(2, 75, 64), image(2, 90, 64), image(1, 120, 64)) + container(image(1, 90, 64))
    names = b"\0.nv_fatbin\0.shstrtab\0"
    start = 64 + len(names)
    start += -start % 8
    sections = [(0,) * 10, (1, 1, 2, 0, start, len(code), 0, 0, 8, 0), (12, 3, 0, 0, 64, len(names), 0, 0, 1, 0)]
    table = start + len(code)
    head = bytearray(64)
    head[:5] = b"\x7fELF\x02"
    struct.pack_into("<Q", head, 0x28, table)
    struct.pack_into("<HHH", head, 0x3A, 64, len(sections), 2)
    elf = (
        bytes(head)
        + names
        + bytes(start - 64 - len(names))
        + code
        + b"".join(struct.pack("<IIQQQQIIQQ", *each) for each in sections)
    )
    file = tmp_path / "lib.so"
    file.write_bytes(elf)
    assert pruning.prune(file, {90}) == (128, len(elf))
    pruned = file.read_bytes()
    assert bytes([75]) * 64 not in pruned and bytes([120]) * 64 not in pruned
    assert pruned.count(bytes([90]) * 64) == 2 and len(pruned) == len(elf)
    assert pruning.prune(_text(tmp_path), {90})[0] == 0


def _text(folder):
    file = folder / "plain.so"
    file.write_text("INPUT(libreal.so)")  # a linker script, as some packages have
    return file


#: By hand, after Nsight Compute's documentation (CLI, `--csv --page raw`): no output of a run.
CSV = """==PROF== Connected to process 1
"ID","Kernel Name","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","launch__registers_per_thread"
"","","request","sector","register/thread"
"0","void cupy_fill","1","4","10"
"1","_ZN3own5saxpyB2v1B94cw51c","64","256","20"
"""


def test_a_launch_meets_the_profilers_row_of_its_name():
    noted = [
        {"entry": "saxpy", "name": "saxpy", "read": {"requests": 64, "sectors": 256}, "conflicts": 0},
        {"entry": "lost", "name": "lost"},
    ]
    first, lost = counters.compared(noted, counters.measured(CSV))
    assert (
        first["same"]
        and first["profiler"]["read"] == {"requests": 64, "sectors": 256}
        and first["further"]["launch__registers_per_thread"] == 20
    )
    assert "no such launch" in lost["why"]
    noted[0]["read"]["sectors"] = 512
    assert not counters.compared(noted, counters.measured(CSV))[0]["same"]


def test_what_the_checker_says_is_told_by_its_words():
    said = "========= Invalid __global__ write of size 4 bytes\n========= Error: Potential WAR hazard detected\n========= Uninitialized __global__ memory read of size 4"
    assert len(checker.SAID.findall(said)) == 3
