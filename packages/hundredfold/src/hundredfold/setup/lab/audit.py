"""Is anything in the lock known to be vulnerable? `make audit` asks PyPI's advisories by pip-audit, in an environment of its own.

What is known and does no harm here stands in `requirements/audit.toml`, with the reason; anything else is a failure.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from . import ROOT
from .environment import PYTHON, VENV, apart

TOOL = "pip-audit==2.10.1"
EXCEPTIONS = ROOT / "requirements" / "audit.toml"


@dataclass
class Result:
    """What was asked and what was answered."""

    asked: int = 0
    unanswered: list[str] = field(default_factory=list)
    #: (package, version, advisory, versions that fix it, what it is about)
    found: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    excepted: dict[str, str] = field(default_factory=dict)
    #: Accepted advisories that are not reported, though their package was answered for.
    stale: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The report."""
        out = [f"{self.asked - len(self.unanswered)} of {self.asked} packages of the lock are audited."]
        for name, version, advisory, fixed, about in self.found:
            out.append(f"{name} {version}: {advisory}, {'fixed in ' + fixed if fixed else 'not fixed yet'}: {about}")
        out += [f"Known and accepted: {advisory}: {reason}" for advisory, reason in sorted(self.excepted.items())]
        out += [
            f"{advisory} is not reported any longer: take it out of requirements/audit.toml." for advisory in self.stale
        ]
        if self.unanswered:
            names = ", ".join(self.unanswered[:5]) + (" …" if len(self.unanswered) > 5 else "")
            out.append(
                f"The service of advisories did not answer for {len(self.unanswered)} of them ({names}): they are NOT audited. "
                "Run it again with a connection to the service; `make audit ARGS=--incomplete` passes without these answers."
            )
        return out


def pins(files: list[Path]) -> dict[str, set[str]]:
    """The versions that these files pin, by normalised name."""
    found: dict[str, set[str]] = {}
    for file in files:
        for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;\\]+)", file.read_text(encoding="utf-8")):
            found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), set()).add(version)
    return found


def exceptions(file: Path = EXCEPTIONS) -> dict[str, tuple[str, str]]:
    """The accepted advisories: number → (package, reason)."""
    told = tomllib.loads(file.read_text(encoding="utf-8")).get("accepted", [])
    return {each["advisory"]: (each["package"], each["reason"]) for each in told}


def judge(answers: list[dict], accepted: dict[str, tuple[str, str]]) -> Result:
    """Sort what pip-audit answered, its `dependencies`, into what is found, what is accepted and what was not answered."""
    result = Result(asked=len(answers))
    for each in answers:
        if "skip_reason" in each:
            result.unanswered.append(each["name"])
        for hit in each.get("vulns", ()):
            numbers = (hit["id"], *hit.get("aliases", ()))
            known = next((n for n in numbers if n in accepted and accepted[n][0] == each["name"].lower()), None)
            if known is not None:
                result.excepted[known] = accepted[known][1]
            else:
                about = " ".join((hit.get("description") or "").split())[:160]
                fixed = ", ".join(hit.get("fix_versions", ()))
                result.found.append((each["name"], each["version"], " = ".join(numbers), fixed, about))
    answered = {each["name"].lower() for each in answers} - {name.lower() for name in result.unanswered}
    result.stale = [n for n, (name, _) in accepted.items() if name in answered and n not in result.excepted]
    return result


def ask(program: Path, pinned: dict[str, set[str]], service: str) -> list[dict]:
    """What pip-audit answers; a name with several versions (for several Pythons) is asked for once each."""
    answers = []
    for turn in range(max(map(len, pinned.values()))):
        lines = [f"{name}=={sorted(some)[turn]}" for name, some in sorted(pinned.items()) if len(some) > turn]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            told = [
                "--disable-pip",
                "--no-deps",
                "--format=json",
                "--progress-spinner=off",
                f"--vulnerability-service={service}",
            ]
            done = subprocess.run([program, "-r", file.name, *told], capture_output=True, text=True, check=False)
        try:
            answers += json.loads(done.stdout)["dependencies"]
        except ValueError:  # the service cannot be reached at all
            answers += [{"name": line.partition("==")[0], "skip_reason": "no answer"} for line in lines]
    return answers


def command(arguments: list[str]) -> int:
    """ask PyPI's advisories about every package of the lock (AUDIT_SERVICE=osv: OSV's; --incomplete: pass also where some were not answered)"""
    place = ROOT / ".cache" / "audit"
    program = place / PYTHON.relative_to(VENV).parent / "pip-audit"
    if not program.exists():
        apart(place, [TOOL])
    pinned = pins(sorted((ROOT / "requirements").glob("*.txt")))
    result = judge(ask(program, pinned, os.environ.get("AUDIT_SERVICE") or "pypi"), exceptions())
    print("\n".join(result.lines()))
    return 1 if result.found or (result.unanswered and "--incomplete" not in arguments) else 0
