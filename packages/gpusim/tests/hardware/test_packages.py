"""Which variant fits: by the driver, the compute capability and the C library; and whether the installed one is it."""

import pytest

from gpusim.hardware import packages
from gpusim.hardware.detect import Gpu, Probe


@pytest.fixture(autouse=True)
def by_pip(monkeypatch):
    monkeypatch.setattr(packages, "_installer", None)


LINUX = {"system": "Linux", "machine": "x86_64", "glibc": [2, 28]}


def machine(cuda, *ccs, driver=None, status="ok"):
    gpus = [Gpu(index=i, name=f"GPU of {cc}", memory_total=1 << 34, cc=cc) for i, cc in enumerate(ccs)]
    return Probe(status=status, cuda=cuda, driver=driver, gpus=gpus)


@pytest.mark.parametrize(
    ("cuda", "ccs", "expected"),
    [
        *[
            ((13, 0), [(9, 0)], "cu13"),
            ((13, 3), [(7, 5)], "cu13"),
            ((12, 9), [(9, 0)], "cu12"),
            ((12, 0), [(7, 0)], "cu12"),
        ],
        # CUDA 13 dropped Volta, so a new driver does not help a V100; nothing serves Pascal; an old driver serves nothing.
        *[((13, 0), [(7, 0)], "cu12"), ((13, 0), [(6, 1)], "cpu"), ((11, 8), [(9, 0)], "cpu"), ((13, 0), [], "cpu")],
        # The weakest usable of several decides, and one that is not usable does not.
        *[
            ((13, 0), [(9, 0), (7, 0)], "cu12"),
            ((13, 0), [(9, 0), (6, 0)], "cu13"),
            ((13, 0), [(8, 6), (12, 0)], "cu13"),
        ],
    ],
)
def test_variant(cuda, ccs, expected):
    assert packages.extra(machine(cuda, *ccs), LINUX) == expected


@pytest.mark.parametrize(
    ("driver", "cuda", "expected"),
    [
        ("580.65.06", (13, 0), "cu13"),
        ("579.99", (12, 0), "cu12"),
        ("525.60.13", (12, 0), "cu12"),
        ("524.1", (11, 0), "cpu"),
    ],
)
def test_driver_s_version_serves_where_it_does_not_say_its_cuda(driver, cuda, expected):
    probe = machine(None, (8, 0), driver=driver)
    assert packages.driver_allows(probe) == cuda and packages.extra(probe, LINUX) == expected


def test_a_driver_that_does_not_work_gets_no_gpu_packages():
    for status in ("no driver", "error", "crashed", "hung"):
        assert packages.extra(machine((13, 0), (9, 0), status=status), LINUX) == "cpu"
    assert packages.extra(machine(None, (9, 0)), LINUX) == "cpu"


@pytest.mark.parametrize(
    ("system", "says"),
    [
        ({"system": "Windows"}, "WSL2"),
        ({"system": "Darwin", "machine": "aarch64"}, "built for Linux"),
        ({"machine": "riscv64"}, "riscv64"),
        ({"glibc": None}, "another"),
        ({"glibc": [2, 27]}, "2.27"),
    ],
)
def test_platforms_without_gpu_packages(system, says):
    system = LINUX | system
    assert says in packages.platform_why_not(system)
    assert packages.extra(machine((13, 0), (9, 0)), system) == "cpu"


def test_platforms_with_them():
    assert packages.platform_why_not(LINUX) is None
    assert packages.platform_why_not(LINUX | {"machine": "aarch64", "glibc": [2, 39]}) is None


CU12 = {"cupy-cuda12x": "14.2.0", "cudf-cu12": "26.10.2", "cuda-toolkit": "12.9.1", "nvidia-nvjitlink-cu12": "12.9.86"}
CU13 = {"cupy-cuda13x": "14.2.0", "cudf-cu13": "26.10.2", "cuda-toolkit": "13.0.2", "nvidia-nvjitlink": "13.5.37"}


def test_what_fits_is_no_mismatch():
    assert packages.mismatch(machine((13, 0), (9, 0)), CU13, LINUX) is None
    assert packages.mismatch(machine((12, 4), (9, 0)), CU12, LINUX) is None
    # Packages for CUDA 12 run on a driver for 13.
    assert packages.mismatch(machine((13, 0), (9, 0)), CU12, LINUX) is None
    # A CuPy from conda does not say in its name which CUDA it is for.
    assert packages.mismatch(machine((13, 0), (9, 0)), {"cupy": "14.2.0"}, LINUX) is None
    # Nothing is asked of packages where no GPU works.
    assert packages.mismatch(machine((11, 4), (9, 0)), CU13 | CU12, LINUX) is None


@pytest.mark.parametrize(
    ("cuda", "cc", "have", "says", "fix"),
    [
        ((12, 4), (9, 0), CU13, "built for CUDA 13, but the driver allows CUDA 12.4", ("cu12", False)),
        ((13, 0), (7, 0), CU13, "compute capability 7.0, which only CUDA 12 serves", ("cu12", False)),
        ((13, 0), (9, 0), {}, "CuPy is not installed", ("cu13", False)),
        ((13, 0), (9, 0), CU12 | CU13, "are both installed", ("cu13", True)),
        ((13, 0), (9, 0), CU13 | {"cudf-cu12": "26.10.2"}, "are mixed", ("cu13", True)),
        ((13, 0), (9, 0), {"cupy-cuda11x": "13.6.0"}, "built for CUDA 11", ("cu13", False)),
    ],
)
def test_mismatches(cuda, cc, have, says, fix):
    found = packages.mismatch(machine(cuda, cc), have, LINUX)
    assert says in found.why and found.fix == packages.setup_command(*fix) and found.why.endswith(".")


@pytest.mark.parametrize(("variant", "wanted"), [("cu12", "cupy-cuda12x"), ("cu13", "cupy-cuda13x"), ("cpu", "gpusim")])
def test_pip_mends_where_nobody_names_another_command(variant, wanted):
    assert f'-m pip install "{wanted}' in packages.setup_command(variant)
    assert "--force-reinstall" in packages.setup_command(variant, afresh=True)


def test_who_is_set_up_by_a_command_of_its_own_says_so(monkeypatch):
    monkeypatch.setattr(packages, "_installer", None)
    packages.install_by(lambda variant, afresh: f"make {variant} {afresh}")
    assert packages.mismatch(machine((13, 0), (9, 0)), {}, LINUX).fix == "make cu13 False"


def test_installed_is_read_from_another_environment_without_importing(tmp_path):
    for name, version in [("cupy_cuda12x", "14.2.0"), ("cudf_cu12", "26.10.2")]:
        folder = tmp_path / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n")
    (tmp_path / "cupy.py").write_text("raise SystemExit('imported')")
    assert packages.installed(path=[str(tmp_path)]) == {"cupy-cuda12x": "14.2.0", "cudf-cu12": "26.10.2"}
    assert "numpy" in packages.installed(["numpy"])
