"""`make upgrade TO=…`: what it asks for, what it makes of the answers, and its sentences. The installations themselves take gigabytes."""

import pytest

from hundredfold.setup.lab import Stop, names, upgrade


@pytest.mark.parametrize("to", ["", "next", "26.1", "26.12.1", "2026.12"])
def test_what_is_no_release_ends_in_a_sentence(monkeypatch, to):
    monkeypatch.setenv("TO", to)
    with pytest.raises(Stop, match="is no release of RAPIDS: make upgrade TO=26.12"):
        upgrade.command([])


def test_an_option_that_there_is_not_ends_in_a_sentence(monkeypatch):
    monkeypatch.setenv("TO", "26.12")
    with pytest.raises(Stop, match="--lock is no option"):
        upgrade.command(["--lock"])


@pytest.fixture
def light(monkeypatch, tmp_path):
    """A rehearsal without its installations: what it would have read is empty, and the lock is today's."""
    monkeypatch.setenv("TO", "26.12")
    (tmp_path / "lock.txt").write_text((upgrade.ROOT / "requirements" / "cu13.txt").read_text())
    for name in ("requirements", "pyproject.toml", "packages"):
        (tmp_path / name).symlink_to(upgrade.ROOT / name)
    monkeypatch.setattr(upgrade, "ROOT", tmp_path)
    monkeypatch.setattr(upgrade.environment, "ready", lambda **_: None)
    monkeypatch.setattr(upgrade.uv, "find", lambda: "uv")
    monkeypatch.setattr(upgrade.uv, "run", lambda *_: None)
    monkeypatch.setattr(upgrade, "resolve", lambda *_: tmp_path / "lock.txt")
    monkeypatch.setattr(upgrade.environment, "apart", lambda place, _: place / "no-such-python")
    monkeypatch.setattr(upgrade, "_real", lambda *_: {"names": {}, "parameters": {"rmm.f": ["a"]}})
    monkeypatch.setattr(upgrade, "_conformance", lambda *_: [])
    monkeypatch.setattr(upgrade, "_simulated", lambda *_: {})


@pytest.mark.parametrize(("lock", "whole"), [("1", False), ("0", True), ("", True)])
def test_lock_alone_is_asked_for_by_one_and_a_simulator_that_does_not_start_is_told(
    monkeypatch, capsys, light, lock, whole
):
    monkeypatch.setenv("LOCK", lock)
    assert upgrade.command([]) == 0
    said = capsys.readouterr().out
    assert ("## Parameters" in said) == whole == ("NOT COMPARED" in said)


def test_rapids_is_asked_for_at_the_release_and_all_else_from_our_lower_bound():
    asked = ["numpy>=2.2,<2.5", "dask[array]>=2026.7.1,<2026.7.2", "cudf-cu13>=26.10,<26.11; sys_platform == 'linux'"]
    assert upgrade.wanted("26.12", asked) == [
        "numpy>=2.2",
        "dask[array]>=2026.7.1",
        "cudf-cu13==26.12.*",
        "cuml-cu13==26.12.*",
    ]
    assert upgrade.wanted("26.12", ["cuda-toolkit==13.0.*; sys_platform == 'linux'"])[0] == "cuda-toolkit"


def test_the_resolvers_reason_becomes_a_sentence():
    said = """uv pip compile …
error: No solution found when resolving dependencies
  cause: Because only cudf-cu13<=26.10.2 is available and you require cudf-cu13==99.99.*, we can conclude that your
  requirements are unsatisfiable."""
    assert str(upgrade.refusal("99.99", said)) == (
        "RAPIDS 99.99 cannot be installed beside the course: only cudf-cu13<=26.10.2 is available."
    )
    assert "see " in str(upgrade.refusal("99.99", "something else"))


def test_a_version_past_our_bounds_is_told_apart_from_a_change_within_them(tmp_path):
    lock = tmp_path / "lock.txt"
    lock.write_text((upgrade.ROOT / "requirements" / "cu13.txt").read_text())
    assert upgrade.drift(lock) == ["- Within our bounds.", "- Other versions, within our bounds: none."]
    pins = upgrade.audit.pins([lock])
    (numpy,), (click,) = pins["numpy"], pins["click"]
    lock.write_text(
        lock.read_text().replace(f"numpy=={numpy}", "numpy==2.9.0").replace(f"click=={click}", "click==99.0")
    )
    first, last = upgrade.drift(lock)
    assert first == f"- **numpy**: this release takes 2.9.0; our bounds are `>=2.2,<2.5`, our lock has {numpy}."
    assert f"click {click} → 99.0" in last


def test_names_that_came_and_went_are_listed():
    old = upgrade.json.loads(upgrade._listed("rmm").read_text())
    assert upgrade.renamed({"rmm": {"names": old}}) == ["- **rmm**: 0 came, 0 went."]
    new = {**old, "rmm": old["rmm"].replace("DeviceBuffer", "HostBuffer")}
    assert upgrade.renamed({"rmm": {"names": new}}) == [
        "- **rmm**: 1 came, 1 went.",
        "  - came: rmm.HostBuffer",
        "  - went: rmm.DeviceBuffer",
    ]


def test_a_parameter_that_the_simulated_function_lacks_is_named():
    read = {
        "rmm": {
            "parameters": {"rmm.f": ["self", "a", "b", "*args", "_out"], "rmm.g": ["a"], "rmm.h": ["a"], "rmm.k": ["a"]}
        }
    }
    simulated = {"rmm.f": ["a"], "rmm.g": ["a"], "rmm.k": ["**rest"]}
    assert upgrade.parameters(read, simulated) == ["- `rmm.f` takes b.", "- rmm: 3 functions compared."]


def test_parameters_are_read_from_modules_and_classes():
    read = names.parameters({"json": "dumps JSONEncoder", "json.JSONEncoder": "encode", "json.decoder": "JSONDecoder"})
    assert read["json.dumps"][0] == "obj" and read["json.dumps"][-1] == "**kw"
    assert read["json.JSONEncoder.encode"] == ["self", "o"] and "json.decoder.JSONDecoder" in read
