"""Outputs without anything that differs from one run, or one machine, to the next, but the measurements themselves."""

import re
from pathlib import Path

from kernellens.plot.figure import MIME

_ANSI = re.compile(r"\x1b\[[0-9;]*m")

#: Not compared between a stored and a fresh output: a picture stands for the figure it was made from, HTML is compared
#: by the text that stands beside it, and a traceback names the machine's paths.
NOT_COMPARED = (
    "text/html",
    "text/javascript",
    "application/javascript",
    "application/vnd.bokehjs_exec.v0+json",
    "application/vnd.bokehjs_load.v0+json",
    MIME,
    "application/vnd.jupyter.widget-view+json",
    "image/png",
    "image/jpeg",
    "image/svg+xml",
    "stderr",
)


def outputs(raw: list) -> list:
    """A cell's outputs as they are stored.

    Streams that belong together are joined (how they arrive is a matter of timing), stderr is dropped (it names the
    kernel's process and is not compared), tracebacks keep the cell's own frame only, and metadata stays that belongs
    to the data.
    """
    from nbformat import from_dict

    kept: list = []
    for output in raw:
        output = from_dict(dict(output))
        if output.output_type == "stream":
            if output.name != "stdout":
                continue
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += output.text
                continue
        elif output.output_type == "error":
            output.traceback = _traceback(output)
        elif output.output_type in ("display_data", "execute_result"):
            output.metadata = {k: v for k, v in output.metadata.items() if k in output.data}
            output.pop("transient", None)
        kept.append(output)
    return kept


def _traceback(output) -> list[str]:
    """The frames in cells, and what was raised; no frame of a file, whose path is that of one machine."""
    frames = [_ANSI.sub("", frame) for frame in output.traceback]
    cells = [re.sub(r"^Cell In ?\[\d+\]", "Cell In", f) for f in frames if f.startswith("Cell In")]
    said = f"{output.ename}: {output.evalue}" if output.evalue else output.ename
    return [*cells, said]


def patterns(file: Path) -> list[tuple[str, str, str]]:
    """The sanitising patterns of an nbval file, as (name, regex, replacement); none if there is no file."""
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    found = re.findall(r"^\[([^\]\n]+)\]\n(?:#.*\n)*regex: (.*)\nreplace: (.*)$", text, re.MULTILINE)
    if len(found) != len(re.findall(r"^regex: ", text, re.MULTILINE)):
        raise ValueError(f"{file}: every pattern is a [name] line, then regex:, then replace:")
    return found


def sanitise(text: str, rules: list[tuple[str, str, str]]) -> str:
    """`text` with everything that a pattern matches replaced, in their order."""
    for _, regex, replacement in rules:
        text = re.sub(regex, replacement, text)
    return text


def compared(stored: list) -> list[tuple[str, str]]:
    """The texts of a cell's outputs that nbval compares, each with its key (a stream's name or a MIME type)."""
    texts = []
    for output in stored:
        if output.output_type == "stream":
            texts.append((output.name, output.text))
        elif output.output_type == "error":
            texts += [("ename", output.ename), ("evalue", output.evalue)]
        else:
            texts += [(key, value) for key, value in output.data.items() if isinstance(value, str)]
    return [(key, text) for key, text in texts if key not in NOT_COMPARED]


def same(stored: list, fresh: list, rules: list[tuple[str, str, str]]) -> bool:
    """Whether a fresh run says the same as the stored outputs, measurements aside, and no picture for a phone is missing."""

    def essence(found: list) -> list[tuple[str, str]]:
        return [(key, sanitise(text, rules)) for key, text in compared(found)]

    def kinds(found: list) -> list:
        drawn = {MIME: "image/png"}
        return [(o.output_type, sorted(drawn.get(k, k) for k in o.get("data", {}))) for o in found]

    def phones(found: list) -> list[bool]:
        return [
            bool(o.data.get(MIME, {}).get("narrow") or o.metadata.get("image/png", {}).get("narrow"))
            for o in found
            if "data" in o
        ]

    return all(each(stored) == each(fresh) for each in (essence, kinds, phones))
