"""A finding, and the report made of them."""

from __future__ import annotations

import dataclasses
import json
import sys
import textwrap
from dataclasses import dataclass
from typing import Literal

GROUPS = ("machine", "driver", "GPUs", "packages", "memory and cores", "ports", "lab")
_SIGNS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "bad": ("✗", "bold red")}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    level : {"ok", "note", "bad"}
        As it should be, worth knowing, or to be fixed.
    what : str
        The finding, a short sentence without its full stop.
    why : str
        What follows from it, or what caused it; may be empty.
    fix : str or None
        The one command that fixes it. Each bad finding has one.
    group : str
        One of `GROUPS`.
    stops : bool
        Whether the lab would not work because of it. A GPU that cannot be used is bad, but the lab then computes on the CPU.
    """

    level: Literal["ok", "note", "bad"]
    what: str
    why: str = ""
    fix: str | None = None
    group: str = "machine"
    stops: bool = False

    def __post_init__(self) -> None:
        if self.level not in _SIGNS or self.group not in GROUPS:
            raise ValueError(f"{self.level!r} in group {self.group!r} is no finding.")
        if self.level == "bad" and not self.fix:
            raise ValueError(f"A bad finding needs the command that fixes it: {self.what}.")
        if self.stops and self.level != "bad":
            raise ValueError(f"Only a bad finding can stop the lab: {self.what}.")


@dataclass(frozen=True)
class Report:
    """Findings in the order of their groups, the mode that notebooks would run in, and the packages' variant that fits."""

    findings: list[Finding]
    mode: str
    extra: str
    label: str = "asked here"

    @property
    def ok(self) -> bool:
        """Whether the lab would work."""
        return not any(finding.stops for finding in self.findings)

    @property
    def bad(self) -> list[Finding]:
        """The findings to fix, those that stop the lab first."""
        return sorted((f for f in self.findings if f.level == "bad"), key=lambda f: not f.stops)

    @property
    def verdict(self) -> str:
        """The report in one sentence."""
        where = {
            "gpu": "notebooks compute on the GPU",
            "simulated": "notebooks compute on the CPU, in place of a GPU, because GPUSIM_SIMULATE asks for it",
            "none": "notebooks compute on the CPU, in place of a GPU, and say so beside every time",
        }[self.mode]
        count = len(self.bad)
        things = "one thing" if count == 1 else f"{count} things"
        if not self.ok:
            return f"The lab would not work here yet: {things} to fix."
        return f"The lab works here: {where}." + (f" There is {things} to fix." if count else "")

    def to_json(self) -> str:
        """Return the report as JSON: `ok`, `mode`, `extra`, `verdict`, `findings`."""
        findings = [dataclasses.asdict(finding) for finding in self.findings]
        data = {"ok": self.ok, "mode": self.mode, "extra": self.extra, "verdict": self.verdict, "label": self.label}
        return json.dumps({**data, "findings": findings}, indent=1, ensure_ascii=False)

    def text(self, width: int = 100) -> str:
        """Return the report as plain text, lines of at most `width` characters but for the commands, which stay whole."""
        lines, group = [], None
        if self.label != "asked here":
            lines += [f"Read from a recording, not asked here: {self.label}", ""]
        for finding in self.findings:
            if finding.group != group:
                lines += [*([""] if group else []), finding.group]
                group = finding.group
            said = finding.what + (f". {finding.why}" if finding.why else "")
            sign = _SIGNS[finding.level][0]
            lines += textwrap.wrap(said, width, initial_indent=f"  {sign} ", subsequent_indent="    ")
            if finding.fix:
                lines.append(f"    → {finding.fix}")
        return "\n".join([*lines, "", *textwrap.wrap(self.verdict, width)])

    def show(self) -> None:
        """Print the report: in colour where `rich` is installed and a terminal listens, else as plain text."""
        try:
            from rich.console import Console
            from rich.table import Table
            from rich.text import Text
        except ImportError:
            Console = None  # before anything is installed
        if Console is None or not sys.stdout.isatty():
            _print(self.text())
            return
        console = Console()
        if self.label != "asked here":
            console.print(Text(f"Read from a recording, not asked here: {self.label}", "yellow"))
        table = Table(box=None, show_header=False, padding=(0, 1))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        group = None
        for finding in self.findings:
            sign, style = _SIGNS[finding.level]
            said = Text(finding.what, style if finding.level == "bad" else "")
            said.append(f". {finding.why}" if finding.why else "", "not bold default")
            if finding.fix:
                said.append(f"\n→ {finding.fix}", "bold cyan")
            table.add_row("" if finding.group == group else finding.group, Text(sign, style), said)
            group = finding.group
        console.print(table)
        console.print(Text(f"\n{self.verdict}", "bold green" if self.ok else "bold red"))


def _print(text: str) -> None:
    try:
        print(text)
    except UnicodeEncodeError:  # a terminal of the C locale or of an old Windows
        for nice, plain in (("✓", "+"), ("✗", "x"), ("·", "-"), ("→", ">")):
            text = text.replace(nice, plain)
        print(text.encode("ascii", "replace").decode())
