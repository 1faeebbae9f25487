"""What can be said of the images without building one: their files, and the sentences of their start."""

import hashlib
import importlib.util
import json
import os
import re
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
STAGES = dict(re.findall(r"(?ms)^FROM \S+ AS (\S+)\n(.*?)(?=^FROM |\Z)", DOCKERFILE))


def load(name):
    spec = importlib.util.spec_from_file_location(f"docker_{name}", DOCKER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


start = load("start")


# ---- the Dockerfile, compose, Apptainer ----


@pytest.mark.parametrize("target", ["cpu", "cu12", "cu13"])
def test_each_image_comes_from_its_own_lock_and_ends_as_a_user(target):
    assert f"requirements/{target}.txt" in STAGES[f"packages-{target}"]
    assert STAGES[target].strip().splitlines()[0] == f"COPY --from=packages-{target} /opt/hundredfold /opt/hundredfold"
    lines = [line for line in STAGES[target].splitlines() if line and not line.startswith("#")]
    assert lines[-1] == "USER 1000", "never root by accident"
    assert f"HUNDREDFOLD_IMAGE={target}" in STAGES[target]


def test_the_three_differ_in_their_packages_alone():
    def plain(name):
        return re.sub(
            r"cu1[23]|cpu", "EXTRA", "\n".join(line for line in STAGES[name].splitlines() if not line.startswith("#"))
        ).strip()

    assert plain("packages-cpu") == plain("packages-cu12") == plain("packages-cu13")
    assert plain("cu12") == plain("cu13")


def test_the_images_leave_out_what_the_lock_leaves_out():
    """uv would look for it otherwise, and find no hash: pyproject.toml is not where the packages are installed."""
    excluded = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["exclude-dependencies"]
    script = (DOCKER / "install.sh").read_text()
    assert re.search(r"echo (.+) > requirements/excluded\.txt", script)[1].split() == excluded
    installs = re.findall(r'"\$uv" pip install (?:.*\\\n)*.*', script)
    assert len([each for each in installs if "--require-hashes" in each]) == 3
    assert all("--no-deps" in each or "--excludes" in each for each in installs if "--require-hashes" in each)


def test_what_is_recorded_of_the_gpu_images_is_of_todays_lock():
    """Too large to be built at every change: they are built once when their lock changes, and this says when that is due."""
    record = json.loads((DOCKER / "built.json").read_text())
    assert "cu13" in record
    for target, told in record.items():
        lock = hashlib.sha256((ROOT / "requirements" / f"{target}.txt").read_bytes()).hexdigest()
        assert told["lock"] == lock, (
            f"requirements/{target}.txt is not what was built on {told['date']}: run tests/images/record.py {target}"
        )
        for module in ("cupy", "numba.cuda", "rmm", "cudf", "cudf.pandas", "dask_cudf", "dask_cuda"):
            assert told["imports"][module] == "imported", (target, module, told["imports"][module])
        assert 2e9 < told["bytes"] < 8e9 and any(name.startswith("libcudf-") for name in told["largest"])


#: Packages that name no SPDX expression have one of these.
IN_SPDX = {
    "Apache": "Apache-2.0", "BSD": "BSD-3-Clause", "MIT": "MIT", "ISC": "ISC", "Mozilla": "MPL-2.0", "Python Software": "PSF-2.0",
}  # fmt: skip


def licences(package):
    """The licences of an installed package, as SPDX names them."""
    told = metadata.metadata(package)
    if said := told.get("License-Expression"):
        return set(said.split(" OR ")[0].split(" AND "))
    said = " ".join(line for line in told.get_all("Classifier") or [] if line.startswith("License ::"))
    if said.rsplit("::")[-1].strip() in ("", "OSI Approved"):
        said = (told.get("License") or "").split("\n")[0]
    return {name for words, name in IN_SPDX.items() if words in said}


def test_the_label_names_the_licence_of_every_package_inside():
    labels = re.findall(r'org\.opencontainers\.image\.licenses="([^"]+)"', DOCKERFILE)
    assert len(labels) == 3, "of the lab, and of the two with NVIDIA's libraries"
    named = set(labels[0].split(" AND "))
    assert all(set(label.split(" AND ")) == named | {"LicenseRef-NVIDIA"} for label in labels[1:])
    locked = re.findall(r"(?m)^([\w.-]+)==", (ROOT / "requirements" / "cpu.txt").read_text())
    here = {each.metadata["Name"].lower().replace("_", "-").replace(".", "-") for each in metadata.distributions()}
    found = {name: licences(name) for name in ("hundredfold", "gpusim", "kernellens", *locked) if name in here}
    assert len(found) > 100 and [name for name, theirs in found.items() if not theirs] == []
    assert {name: theirs - named for name, theirs in found.items() if theirs - named} == {}
    definition = (DOCKER / "hundredfold.def").read_text()
    assert set(re.search(r"image\.licenses (.+)", definition)[1].split(" AND ")) == named | {"LicenseRef-NVIDIA"}
    assert "! -name copyright" in DOCKERFILE, "what LicenseRef-Debian refers to is inside"


def test_no_stage_takes_what_is_latest_or_has_a_toolkit_below_it():
    (base,) = re.findall(r"(?m)^ARG BASE=(\S+)", DOCKERFILE)
    assert re.fullmatch(r"docker\.io/library/python:3\.1[123]-slim-\w+", base)
    for name in re.findall(r"(?m)^FROM (\S+)", DOCKERFILE):
        assert name == "${BASE}" or name in STAGES, name


def test_nothing_of_a_network_stands_in_the_files():
    """Mirrors and certificates are given to a build as secrets; none of the files names one."""
    for file in sorted(DOCKER.iterdir()):
        if file.is_file():
            assert not re.search(r"index-url|UV_DEFAULT_INDEX|trusted-host|PIP_INDEX", file.read_text()), file


def test_what_the_dockerfile_copies_is_what_its_ignore_file_lets_through():
    let = [line[1:] for line in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [
        word
        for line in re.findall(r"(?m)^COPY (?!--from)(.*)", DOCKERFILE)
        for word in line.split()[:-1]
        if "--" not in word
    ]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(name == each or Path(name).match(each) for each in let), name


def test_the_compose_file_reserves_a_gpu_and_shows_nobody_else_the_lab():
    told = yaml.safe_load((DOCKER / "compose.yaml").read_text())
    for name, service in told["services"].items():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
        assert (
            service["read_only"]
            and service["cap_drop"] == ["ALL"]
            and "no-new-privileges:true" in service["security_opt"]
        )
        assert service["build"]["target"] in STAGES and (DOCKER / service["build"]["context"]).resolve() == ROOT
        assert not any("docker.sock" in str(volume) for volume in service["volumes"])
        assert not service.get("privileged")
    (device,) = told["services"]["gpu"]["deploy"]["resources"]["reservations"]["devices"]
    assert device == {"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}
    assert "deploy" not in told["services"]["lab"]


def test_the_apptainer_definition_listens_on_localhost_and_runs_what_the_image_runs():
    text = (DOCKER / "hundredfold.def").read_text()
    sections = dict(re.findall(r"(?ms)^%(\w+)\n(.*?)(?=^%|\Z)", text))
    assert {"arguments", "help", "environment", "runscript", "test", "labels"} <= set(sections)
    assert "HUNDREDFOLD_ADDRESS=127.0.0.1" in sections["environment"]
    (entry,) = re.findall(r"(?m)^ENTRYPOINT (.*)", DOCKERFILE)
    assert " ".join(json.loads(entry)[3:]) in sections["runscript"], (
        "the image's own, less tini: Apptainer has a first process"
    )


def test_the_readmes_commands_name_what_there_is():
    text = (DOCKER / "README.md").read_text()
    assert set(re.findall(r"--target (\w+)", text)) <= set(STAGES)
    for argument in re.findall(r"--build-arg (\w+)=", text):
        assert re.search(rf"ARG {argument}=|{argument}=", DOCKERFILE + (DOCKER / "hundredfold.def").read_text()), (
            argument
        )


# ---- the sentences ----


def test_a_home_that_can_be_used_is_no_reason_for_a_word(tmp_path):
    assert start.home_closed(tmp_path) is None and start.home_full(tmp_path) is None
    assert list(tmp_path.iterdir()) == [], "the trial leaves nothing"


def test_no_home_at_all(tmp_path):
    assert "mount the learner's volume there" in start.home_closed(tmp_path / "none")


def test_a_full_home_is_said_and_another_failure_is_not_taken_for_it(tmp_path, monkeypatch):
    def refuse(code):
        def fail(*arguments):
            raise OSError(code, "no")

        return fail

    for code, full in ((28, True), (122, True), (95, False)):  # ENOSPC, EDQUOT; EOPNOTSUPP
        monkeypatch.setattr(start.os, "posix_fallocate", refuse(code))
        assert (start.home_full(tmp_path) is not None) is full
    monkeypatch.setattr(start.os, "posix_fallocate", refuse(28))
    assert "what you saved before is whole" in start.home_full(tmp_path)


def test_a_clock_before_the_images_making(tmp_path):
    built = tmp_path / "built"
    built.write_text("2026-11-22T08:00:00Z\n")
    made = 1795334400.0
    assert start.clock(built, made + 5) is None
    assert start.clock(built, made - 3600) is None, "time zones and slow clocks"
    said = start.clock(built, made - 3 * 86400)
    assert "19 November 2026" in said and "22 November 2026" in said and "timedatectl" in said
    assert start.clock(tmp_path / "none", 0) is None


def probed(cuda, driver, present=True):
    return SimpleNamespace(cuda=cuda, driver=driver, kernel_driver=driver, present=present)


@pytest.mark.parametrize(
    ("image", "cuda", "driver", "said"),
    [
        ("cu13", (12, 4), "550.90.07", "the image cu12 works with it"),
        ("cu13", (11, 4), "470.256.02", "the image cpu does without"),
        ("cu12", (11, 4), "470.256.02", "the image cpu does without"),
        ("cu12", (12, 2), "535.183.01", None),
        ("cu13", (13, 0), "580.65.06", None),
        ("cpu", (11, 4), "470.256.02", None),
    ],
)
def test_a_driver_older_than_the_image(image, cuda, driver, said, monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "")
    monkeypatch.delenv("GPUSIM_SIMULATE")
    found = start.driver(image, probed(cuda, driver))
    if said is None:
        assert found is None and "GPUSIM_SIMULATE" not in os.environ
    else:
        assert said in found and driver in found and os.environ["GPUSIM_SIMULATE"] == "1"


def test_no_driver_is_no_fault():
    assert start.driver("cu13", probed(None, None, present=False)) is None


class Answer:
    def __init__(self, version, date):
        self.version, self.headers = version, {"Date": date}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def read(self, *_):
        return json.dumps({"version": self.version}).encode()


@pytest.mark.parametrize(
    ("hub", "ahead", "said"),
    [
        ("6.0.0", 0, []),
        ("6.9.2", 60, []),
        ("5.5.0", 0, ["JUPYTERHUB_VERSION=5.5.0"]),
        ("6.0.0", 600, ["600 s ahead of the hub's"]),
        ("6.0.0", -600, ["600 s behind the hub's"]),
        ("7.0.0", 86400, ["JUPYTERHUB_VERSION=7.0.0", "86400 s ahead"]),
    ],
)
def test_a_hub_of_another_major_version_or_with_another_time(hub, ahead, said, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://127.0.0.1:9/hub/api")
    monkeypatch.setattr("importlib.metadata.version", lambda name: "6.1.1")
    told = Answer(hub, "Sun, 22 Nov 2026 08:00:00 GMT")
    monkeypatch.setattr(start.urllib.request.OpenerDirector, "open", lambda self, address, timeout: told)
    found = start.about_the_hub(1795334400.0 + ahead)
    assert (found is None) is (not said)
    assert all(each in found for each in said)


def test_a_hub_that_cannot_be_reached_is_said(monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://127.0.0.1:9/hub/api")
    assert "does not answer at http://127.0.0.1:9" in start.about_the_hub()


@pytest.mark.parametrize(
    ("arguments", "hub", "becomes"),
    [
        ([], False, "-m hundredfold.setup.lab --no-browser --ServerApp.ip=0.0.0.0 --ServerApp.port=8888"),
        (["--port=9"], False, "-m hundredfold.setup.lab --no-browser --ServerApp.ip=0.0.0.0 --port=9"),
        ([], True, "-m hundredfold.classroom.seats.server"),
        (["jupyterhub-singleuser", "--debug"], True, "-m hundredfold.classroom.seats.server --debug"),
        (["--debug"], True, "-m hundredfold.classroom.seats.server --debug"),
        (["bash", "-c", "true"], False, "bash -c true"),
        (["hundredfold-nbval", "01"], True, "hundredfold-nbval 01"),
        (["jupyter", "notebook", "--port", "8888"], False, "jupyter notebook --port 8888"),
    ],
)
def test_what_it_becomes(arguments, hub, becomes, monkeypatch, tmp_path):
    became = []
    monkeypatch.setattr(start, "become", lambda *command: became.append(" ".join(command)))
    monkeypatch.setattr(start, "about_the_hub", lambda: None)
    monkeypatch.setattr(start, "refresh", lambda: None)
    for name, value in {
        "HOME": str(tmp_path),
        "HUNDREDFOLD_ADDRESS": "0.0.0.0",
        "JUPYTERHUB_API_TOKEN": "t" if hub else "",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("HUNDREDFOLD_NOTICES", "JUPYTERHUB_ROOT_DIR", "JUPYTERHUB_DEFAULT_URL", "HUNDREDFOLD_WORK"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    start.main(arguments)
    assert len(became) == 1 and became[0].endswith(becomes), became


# ---- what the lab shows of it, and the course's own command ----


def test_the_lab_is_told_what_was_wrong_at_the_start(monkeypatch):
    from hundredfold.classroom.seats import notice

    for text, told in (("", []), ('["full"]', ["full"]), ("nonsense", []), ('{"a": 1}', []), ('["a", 1]', ["a"])):
        monkeypatch.setenv("HUNDREDFOLD_NOTICES", text)
        assert notice.at_start() == told


def test_nbval_finds_units_folders_and_files(tmp_path, monkeypatch):
    nbval = load("nbval")
    from hundredfold.paths import data_dir

    every = nbval.chosen([], data_dir)
    assert {at.partition("/")[0] for at, _ in every} == {"notebooks", "exercises", "solutions"}
    assert [at for at, _ in nbval.chosen(["01"], data_dir)] == [
        f"{name}/01_arrays.ipynb" for name in ("notebooks", "exercises", "solutions")
    ]
    assert [at for at, _ in nbval.chosen(["notebooks/02"], data_dir)] == ["notebooks/02_memory.ipynb"]
    (tmp_path / "mine.ipynb").write_text("{}")
    assert nbval.chosen([str(tmp_path / "mine.ipynb")], data_dir)[0][0] == "own/mine.ipynb"
    with pytest.raises(SystemExit, match="no notebook is called 77"):
        nbval.chosen(["77"], data_dir)
    assert nbval.split(["01", "--", "-x"]) == (["01"], ["-x"])


def test_health_takes_an_ended_server_for_none(tmp_path, monkeypatch):
    health = load("health")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTERHUB_SERVICE_URL", "")
    assert health.main() == 1
    server = {"pid": os.getpid(), "port": 9, "base_url": "/", "secure": False}
    (tmp_path / "jpserver-1.json").write_text(json.dumps(server))
    assert health.addresses() == ["http://127.0.0.1:9/api"] and health.main() == 1
    (tmp_path / "jpserver-1.json").write_text(json.dumps({**server, "pid": 2**22 + 1}))
    assert health.addresses() == []
    monkeypatch.setenv("JUPYTERHUB_SERVICE_URL", "https://0.0.0.0:8888/user/anna/")
    assert health.addresses() == ["https://127.0.0.1:8888/user/anna/api"]


def test_the_bill_of_materials_has_debians_packages_beside_pythons():
    numpy = {"type": "library", "bom-ref": "numpy==2.4.6", "name": "numpy", "purl": "pkg:pypi/numpy@2.4.6"}
    told = "git\t1:2.47.3-0+deb13u1\tamd64\nlibstdc++6\t14.2.0-19\tamd64\n"
    bill = load("sbom").completed({"metadata": {}, "components": [numpy]}, "hundredfold-test", told)
    assert [each["purl"] for each in bill["components"]] == [
        "pkg:pypi/numpy@2.4.6",
        "pkg:deb/debian/git@1%3A2.47.3-0%2Bdeb13u1?arch=amd64",
        "pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64",
    ]
    assert bill["metadata"]["component"]["name"] == "hundredfold-test"


def test_the_bill_of_materials_is_made_from_the_lock_outside_of_the_images():
    assert "requirements/sbom.txt" in STAGES["course"] and "install.sh sbom" in STAGES["course"]
    assert "cyclonedx-bom==" in (ROOT / "requirements" / "sbom.txt").read_text()
    assert not any("sbom.txt" in text for name, text in STAGES.items() if name != "course")


def test_all_that_goes_into_the_wheel_is_copied_to_the_build():
    """hatchling ends where a file that it is to include is not there."""
    text = (ROOT / "packages/hundredfold/hatch_build.py").read_text(encoding="utf-8")
    wanted = [
        name
        for line in re.findall(r"(?m)^(?:FOLDERS|PAGES) = \((.*?)\)", text)
        for name in re.findall(r'"([^"]+)"', line)
    ]
    assert "notebooks" in wanted and "docs/glossary.md" in wanted
    copied = {name for line in re.findall(r"(?m)^COPY ([^-].*) /build/", STAGES["course"]) for name in line.split()}
    let_through = re.findall(r"(?m)^!(.+)$", (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8"))
    assert set(wanted) <= copied & set(let_through)
