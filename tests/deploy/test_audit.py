"""What `make audit` makes of the lock and of pip-audit's answers."""

from pathlib import Path

import pytest

from hundredfold.setup.lab import audit

ROOT = Path(__file__).parents[2]


def answer(name, version, *numbers, fixed=()):
    hit = (
        {"id": numbers[0], "aliases": list(numbers[1:]), "fix_versions": list(fixed), "description": "Bad\n things."}
        if numbers
        else None
    )
    return {"name": name, "version": version, "vulns": [hit] if hit else []}


def test_every_pin_of_the_lock_is_asked_for_with_its_versions(tmp_path):
    file = tmp_path / "lock.txt"
    file.write_text(
        "Jinja2==3.1.6 \\\n    --hash=sha256:00\njax==0.10.2 ; python_full_version < '3.12' \\\n    --hash=sha256:11\njax==0.12.0.1 ; python_version >= '3.12'\nuv\n"
    )
    assert audit.pins([file]) == {"jinja2": {"3.1.6"}, "jax": {"0.10.2", "0.12.0.1"}}
    whole = audit.pins(sorted((ROOT / "requirements").glob("*.txt")))
    assert {"numpy", "jupyterhub", "jupyter-server", "dask-gateway"} <= set(whole) and len(whole) > 200


def test_an_advisory_is_a_finding_unless_it_is_accepted_for_that_package():
    accepted = {"PYSEC-1": ("numexpr", "why")}
    result = audit.judge(
        [
            answer("numexpr", "2", "GHSA-1", "PYSEC-1"),
            answer("tornado", "6", "PYSEC-1", fixed=["7"]),
            answer("numpy", "2"),
        ],
        accepted,
    )
    assert result.excepted == {"PYSEC-1": "why"}, "by any of its numbers"
    assert not result.stale
    ((name, version, advisory, fixed, about),) = result.found
    assert (name, version, advisory, fixed, about) == ("tornado", "6", "PYSEC-1", "7", "Bad things.")
    assert "3 of 3 packages" in result.lines()[0] and any("fixed in 7" in line for line in result.lines())


def test_what_was_not_answered_is_not_called_audited():
    result = audit.judge([{"name": "uv", "skip_reason": "not found"}, answer("numpy", "2")], {})
    assert result.unanswered == ["uv"] and not result.found
    assert result.lines()[0].startswith("1 of 2") and "they are NOT audited" in result.lines()[-1]


def test_a_tool_that_reaches_no_service_answers_for_none(tmp_path):
    broken = tmp_path / "pip-audit"
    broken.write_text("#!/bin/sh\necho 'no network' >&2\nexit 1\n")
    broken.chmod(0o755)
    found = audit.ask(broken, {"numpy": {"2.0", "2.1"}, "jax": {"1"}}, "pypi")
    assert len(found) == 3 and all("skip_reason" in each for each in found)


@pytest.mark.parametrize(
    ("answers", "arguments", "status"),
    [
        ([answer("numpy", "2")], [], 0),
        ([answer("numpy", "2"), {"name": "uv", "skip_reason": "not found"}], [], 1),
        ([answer("numpy", "2"), {"name": "uv", "skip_reason": "not found"}], ["--incomplete"], 0),
        ([answer("numpy", "2", "PYSEC-1")], ["--incomplete"], 1),
    ],
)
def test_an_audit_that_was_not_answered_fails_unless_told_otherwise(monkeypatch, tmp_path, answers, arguments, status):
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    monkeypatch.setattr(audit, "apart", lambda *_: None)
    monkeypatch.setattr(audit, "ask", lambda *_: answers)
    assert audit.command(arguments) == status


def test_an_exception_that_nobody_needs_any_longer_is_said():
    accepted = {"PYSEC-1": ("numexpr", "why"), "PYSEC-2": ("uv", "why"), "PYSEC-3": ("numpy", "why")}
    answers = [answer("numexpr", "2"), {"name": "uv", "skip_reason": "not found"}, answer("numpy", "2", "PYSEC-3")]
    result = audit.judge(answers, accepted)
    assert result.stale == ["PYSEC-1"], "of uv nothing is known, and numpy's is needed"
    assert any(line.startswith("PYSEC-1 is not reported") for line in result.lines())


def test_each_accepted_advisory_has_a_reason_and_a_package_of_the_lock(tmp_path):
    pinned = audit.pins(sorted((ROOT / "requirements").glob("*.txt")))
    for number, (package, reason) in audit.exceptions().items():
        assert package in pinned and len(reason) > 40, number
    file = tmp_path / "audit.toml"
    file.write_text('[[accepted]]\nadvisory = "PYSEC-1"\npackage = "numpy"\nreason = "why"\n')
    assert audit.exceptions(file) == {"PYSEC-1": ("numpy", "why")}
