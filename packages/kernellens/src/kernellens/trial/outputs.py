"""What a notebook prints here beside what is stored in it, cell by cell.

A cell is compared by the values in its text, which are numbers, ``True``, ``None``, ``<NA>`` and the like, and by its words.
Both have to come in the same order.  Brackets, commas and spaces are left out: they change with a library's version.

Numbers
-------
Whole numbers have to be equal, and 1 is not 1.0, which is of another type.  Others agree if they differ by at most one in the last
digit that either prints, where that is at most a twentieth of the number, or by at most `RELATIVE`: of the seven digits that
float32 has, the last two depend on the order of a sum.  What is below `NOTHING` is what cancelling leaves of 0.

Set apart
---------
What cannot be the same on two machines is no difference.  `RULES` names what a cell may be set apart for.  Times, addresses and
versions are taken out of the text, and the rest is compared.  Random numbers are found by a second run with other seeds, and
by following the variables that are made of what is drawn without a seed.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

RELATIVE = 1e-5
"""Largest relative difference of two numbers with a fraction that counts as one."""

NOTHING = 1e-12

RULES = {
    "not run": "the cell did not run to its end here, or it prints something else after one that did not",
    "not stored": "the cell has no stored text, or a picture or widget only",
    "commands": "the cell runs a shell command, which `kernellens try` leaves out",
    "times": "times, rates and progress bars",
    "addresses": "memory addresses and identifiers of processes, devices and connections",
    "devices": "the GPU: its name, memory, driver and what the device reports of itself",
    "versions": "versions of libraries, and what a newer version prints otherwise",
    "order": "the order of rows where cuDF promises none: after groupby, merge, value_counts and the like",
    "random numbers": "values that change from run to run here, or with the seed of a GPU's generator",
}
"""Why a cell, or a part of its text, is not compared."""

_UNIT = r"(?:[mµuμn]?s|min|h|(?i:m?secs?|(?:milli|micro|nano)?seconds?|minutes?|hours?))"  # S and H are no times
_RATE = r"(?:[KMGT]?i?B/s|[KMGT]?FLOPS?|[KMGT]?FLOP/s|it/s|s/it|fps|FPS|[MGT]bit/s)"
_GAP = r"[^\S\n]*"  # not the end of a row: the next one's label may be called min, h or s
_NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TIMES = re.compile(
    rf"(?i:^.*(?:CPU times|Wall time|per loop|best of|slowest run|\d+%\|).*$)"
    rf"|(?i:\b\w*(?:elapsed|duration|runtime|run ?time|time taken|took|speed ?-?up|faster|bandwidth)\w*\b[^\n]*?{_NUMBER}[^\n]*)"
    rf"|(?<!\d )(?i:\b\w*times?\b)(?:\s*\([^)\n]*\))?(?:\s+\w+){{0,4}}\s*[:=]\s*{_NUMBER}(?:{_GAP}{_UNIT}\b)?"
    rf"|{_NUMBER}{_GAP}(?:±{_GAP}{_NUMBER}{_GAP})?{_UNIT}(?![\w.(\[])"
    rf"|{_NUMBER}{_GAP}{_RATE}\b",
    re.MULTILINE,
)
_ADDRESSES = re.compile(
    r"\b0x[0-9a-fA-F]+\b|\b(?:tcp|http|https|ucx|inproc)://\S+|\b127\.0\.0\.1\S*|'data': \(\d+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|<Client: [^>]*>|\bFromGraph\(\w+\)|\b[\w-]+-[0-9a-f]{32}\b|(?<![\w.])~?/(?:[\w.+-]+/)+[\w.+-]*"
)
_VERSIONS = re.compile(r"^.*\bversion\b.*\d\.\d.*$", re.MULTILINE | re.IGNORECASE)
_ASKS_VERSIONS = re.compile(r"__version__|show_config|show_versions|sys\.version|get_build_version|runtimeGetVersion")
_ASKS_DEVICE = re.compile(
    r"nvidia-smi|cuda\.detect|get_current_device|getDeviceProperties|deviceGetAttribute|compute_capability|mem_info|get_memory_info"
    r"|getDeviceCount|cuda\.gpus|list_devices|total_bytes|used_bytes|MULTIPROCESSOR|MAX_|nvmlDevice|cuda\.Device\(|inspect_|n_workers|LocalCUDACluster|"
    r"Client\(|cpu_count|\.attributes\b"
)
_CLOCK = re.compile(
    r"\btimeit\.|perf_counter|\btime\.time\b|\btime\(\)|process_time|default_timer|cuda\.event|get_elapsed_time|event_elapsed_time|"
    r"benchmark\(|datetime\.now|\.now\(\)|%%?prun|%%?cudf|tqdm",
)
_COMMAND = re.compile(r"^\s*(?:!|%%?(?:bash|sh|script|system|sx|pip|conda|writefile)\b)|=\s*!", re.MULTILINE)
_SEED = re.compile(r"seed|random_state|default_rng\(\d|RandomState\(\d")
_DRAWS = re.compile(r"\brandom\.|\brand(?:n|int)?\(|urandom")
_PICTURE = re.compile(
    r"^(?:\[?<.*?(?:Figure|Axes|AxesSubplot|Line2D|AxesImage|Image|Grid|Artist)\b.*|.*\bWidget\(|\w+\(children=.*)",
    re.S,
)
_LAYOUT = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r",\s+shape=\([^)]*\)"), ""),  # NumPy 2 says of what a shortened array has left out
    (
        re.compile(r"\bnp\.(?:u?int|float|complex|str|bool)\d*_?\(([^()]*)\)"),
        r"\1",
    ),  # NumPy 2 names the type of a scalar
    (re.compile(r"\barray\("), "("),
)
_VALUE = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?j?(?!\w)|\b(?:True|False|None|nan|NaN|NaT|inf)\b|<NA>|<NULL>|\bnull\b"
)
_MISSING = {"nan": "nan", "NaN": "nan", "None": "nan", "<NA>": "nan", "<NULL>": "nan", "null": "nan", "NaT": "nan"}
_TAG = re.compile(r"<(style|script)\b.*?</\1>|<[^>]+>", re.DOTALL)
_WORD = re.compile(r"\w")
_NEWER = (
    (
        re.compile(r"\b(dtype(?:: |=')|Categories \(\d+, )object\b"),
        r"\1str",
    ),  # pandas 3: strings have a type of their own
    (re.compile(r"\b(datetime|timedelta)64\[\w+\]"), r"\1"),  # pandas 3 infers the unit of a time
    (re.compile(r"\b(?:String|Range|Int64|Float64|Datetime)Index\b"), "Index"),  # pandas 2 has one class
    (re.compile(r" (?:Size: )?\d+[kMG]?B\b(?= |$)", re.MULTILINE), ""),  # Xarray says how large things are
    (re.compile(r"<class '(?:\w+\.)+(\w+)'>"), r"<class '\1'>"),  # where a class is defined
    (re.compile(r"(days|\d-\d\d) 00:00:00(?:\.0+)?\b"), r"\1"),  # a time of day only where one is not midnight
)
"""What a newer version of a library prints otherwise; both texts are brought to one form."""
_UNORDERED = re.compile(r"groupby|merge|join|value_counts|unique|drop_duplicates|pivot|get_dummies|set\(")
_SORTED = re.compile(r"sort_values|sort_index|\bsorted?\(")
_PIECES = {"times": _TIMES, "addresses": _ADDRESSES, "versions": _VERSIONS}
_ASKS = {"versions": _ASKS_VERSIONS, "devices": _ASKS_DEVICE, "times": _CLOCK}


@dataclass
class Compared:
    """One cell.

    Attributes
    ----------
    cell : int
        Its number among the code cells, from 1.
    verdict : str
        ``"agrees"``, ``"differs"`` or ``"set apart"``.
    apart : list of str
        The `RULES` that took the cell, or a part of its text, out.
    stored, here : str
        The texts, where they differ.
    """

    cell: int
    verdict: str
    apart: list[str] = field(default_factory=list)
    stored: str = ""
    here: str = ""


def text(cell: Any) -> str:
    """What a cell printed: its text, not its pictures, what went to stderr or what the simulator found; of an error its name.

    What is printed stands before what is displayed: front ends keep their order or join what is printed.
    """
    printed, shown = [], []
    for output in cell.get("outputs", []):
        kind = output["output_type"]
        if output.get("metadata", {}).get("gpusim"):  # the simulator's own words about a kernel
            continue
        if kind == "stream" and output.get("name", "stdout") == "stdout":
            printed.append(_joined(output["text"]))
        elif kind == "error":
            shown.append(f"{output.get('ename', '')} raised")
        elif kind in ("execute_result", "display_data"):
            data = output.get("data", {})
            said = _joined(data.get("text/plain", ""))
            if said == "<IPython.core.display.HTML object>":
                said = _TAG.sub(" ", _joined(data.get("text/html", "")))
            if not _PICTURE.match(said) and not any(name.startswith("image/") for name in data):
                shown.append(said)
    return "\n".join(["".join(printed), *shown]).strip()


def compare(stored: Sequence[Any], here: Sequence[Any], ran: set[int], again: Sequence[Any] = ()) -> list[Compared]:
    """Compare the code cells of a notebook; `ran` has the numbers of those that ran, `again` the cells of a second run."""
    found, whole = [], True
    drawn = _drawn([_joined(one.get("source", "")) for one in stored])
    for number, one in enumerate(stored, 1):
        second = again[number - 1] if number <= len(again) else None
        each = compare_cell(number, one, here[number - 1], second, number in ran)
        whole = whole and (number in ran or bool(_COMMAND.search(_joined(one.get("source", "")))))
        if each.verdict == "differs" and not whole:  # it may lack what an earlier cell would have made
            each = Compared(number, "set apart", ["not run"])
        if each.verdict == "differs" and number in drawn:
            each = Compared(number, "set apart", [*each.apart, "random numbers"])
        found.append(each)
    return found


def _drawn(sources: list[str]) -> set[int]:
    """The cells that draw random numbers without a seed, or read a variable that was made of such.

    Two runs seldom agree in what they draw, but they may: a coin falls alike in every second pair.
    """
    if any(_SEED.search(source) for source in sources):
        return set()
    cells, names = set(), set()
    for number, source in enumerate(sources, 1):
        plain = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith(("%", "!")))
        try:
            nodes = list(ast.walk(ast.parse(plain)))
        except SyntaxError:
            continue
        found = [node for node in nodes if isinstance(node, ast.Name)]
        parts = [node.value for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
        filled = {part.id for part in parts if isinstance(part, ast.Name)}
        read = {node.id for node in found if isinstance(node.ctx, ast.Load)}
        made = {node.id for node in found if isinstance(node.ctx, ast.Store)}
        if _DRAWS.search(plain) or read & names:
            cells.add(number)
            names |= made | filled
        else:
            names -= made
    return cells


def compare_cell(number: int, stored: Any, here: Any, again: Any = None, ran: bool = True) -> Compared:
    """Compare one cell.

    Parameters
    ----------
    number : int
    stored, here : notebook cells
    again : notebook cell, optional
        The cell of a second run, with other seeds.
    ran : bool
        Whether the cell ran here to its end, or raised what it raised for its author.
    """
    source = _joined(stored.get("source", ""))
    theirs = text(stored)
    if not theirs:
        return Compared(number, "set apart", ["not stored"])
    if _COMMAND.search(source):
        return Compared(number, "set apart", ["commands"])
    if not ran:
        return Compared(number, "set apart", ["not run"])
    ours = text(here)
    apart, one, other = _reduced(theirs, ours)
    if not _WORD.search(one):
        return Compared(number, "set apart", apart or ["not stored"])
    for rules in _tried(source):
        # With pandas 3 a missing string is no match; it gave a missing value.
        also = ("nan", "False") if "versions" in rules and ".str." in source else None
        if _agree(_changed(one, rules, source), _changed(other, rules, source), "order" in rules, also):
            return Compared(number, "agrees", [*apart, *rules])
    for rule, asks in _ASKS.items():
        if asks.search(source):
            return Compared(number, "set apart", [*apart, *([rule] if rule not in apart else [])])
    if ".str.findall(" in source and "dtype: list" in other and "dtype: list" not in one:  # columns, before cuDF 22.10
        return Compared(number, "set apart", [*apart, "versions"])
    if again is not None and text(again):  # else the second run did not come so far, which says nothing
        first, second = _values(other), _values(_reduced(theirs, text(again))[2])
        changed = {k for k, (x, y) in enumerate(zip(first, second, strict=False)) if x != y}
        if changed or len(first) != len(second):
            rest = 2 * len(changed) <= len(first) == len(second) and _same(_values(one), first, changed)
            return Compared(number, "agrees" if rest else "set apart", [*apart, "random numbers"])
    return Compared(number, "differs", apart, theirs, ours)


def _tried(source: str) -> list[list[str]]:
    """What is allowed for, beginning with nothing."""
    allowed: list[list[str]] = [[], ["versions"]]
    unordered = _UNORDERED.search(source) and not _SORTED.search(source)
    return [*allowed, *([*rules, "order"] for rules in allowed if unordered)]


def _changed(text: str, rules: list[str], source: str) -> str:
    if "versions" in rules:
        for pattern, put in _NEWER:
            text = pattern.sub(put, text)
        text = _filled(text)
        if ".str." in source:  # with pandas 3 whether strings match is a bool, with those that are missing
            text = re.sub(r"\bdtype: bool\b", "dtype: str", text)
        if re.search(r"\.dtypes\b|\.info\(", source):
            text = re.sub(r"\bobject(?=\s*$|\()", "str", text, flags=re.MULTILINE)
        if "memory_usage(" in source:  # the index comes first since cuDF 25.06, as in pandas
            text = re.sub(r"\A((?:.*\n)*)(Index .*\n)(?=dtype)", r"\2\1", text)
        if ".cat." in source:  # codes of categories are signed since cuDF 26.02
            text = re.sub(r"\bdtype: uint", "dtype: int", text)
        if "value_counts" in source:  # pandas 2 names what is counted, and the counts
            text = re.sub(r"^(?:Name: .*|\w+\s*)$", "", text, flags=re.MULTILINE)
    return text


def _agree(stored: str, here: str, in_any_order: bool, also: tuple[str, str] | None) -> bool:
    if in_any_order:
        pair = [[" ".join(line.split()) for line in each.splitlines()] for each in (stored, here)]
        if all(_numbered(lines) for lines in pair):
            pair = [[line.partition(" ")[2] if line[:1].isdigit() else line for line in lines] for lines in pair]
        stored, here = ("\n".join(sorted(lines)) for lines in pair)
    return _same(_values(stored), _values(here), also=also) and _words(stored) == _words(here)


def _numbered(lines: list[str]) -> bool:
    """Whether 0, 1, 2, … stand before the rows of a table."""
    rows = [line.partition(" ")[0] for line in lines if line[:1].isdigit()]
    return rows == [str(k) for k in range(len(rows))]


def _filled(text: str) -> str:
    """A table in which a label that is left out below its like is written again: newer versions leave it out."""
    lines: list[str] = []
    for line in text.splitlines():
        words, above = line.split(), lines[-1].split() if lines else []
        if line[:1] == " " and lines and lines[-1][:1].isalnum() and 0 < len(words) < len(above):
            line = " ".join([*above[: len(above) - len(words)], *words])
        lines.append(line)
    return "\n".join(lines)


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _reduced(stored: str, here: str) -> tuple[list[str], str, str]:
    """Both texts without what is set apart in them, and the rules that took something out of the stored one."""
    apart: list[str] = []
    pair = [stored, here]
    for pattern, put in _LAYOUT:
        pair = [pattern.sub(put, each) for each in pair]
    for rule, pattern in _PIECES.items():
        less = [pattern.sub(" ", each) for each in pair]
        if less != pair:
            apart.append(rule)
            pair = less
    return apart, pair[0], pair[1]


def _values(text: str) -> list[str]:
    return _VALUE.findall(text)


def _words(text: str) -> list[str]:
    """What is no value, in lower case, with the digits of names such as float32."""
    return re.findall(r"\w*[^\W\d]\w*", _VALUE.sub(" ", text).lower())


def _same(stored: list[str], here: list[str], but: Collection[int] = (), also: tuple[str, str] | None = None) -> bool:
    """Whether values agree, those at some places left out; `also` is a pair that agrees too."""
    return len(stored) == len(here) and all(
        k in but or close(x, y) or (_MISSING.get(x, x), y) == also
        for k, (x, y) in enumerate(zip(stored, here, strict=True))
    )


def close(stored: str, here: str) -> bool:
    """Whether two printed values agree: numbers within the digits that were printed."""
    one, other = (_MISSING.get(each, each) for each in (stored, here))
    if one == other:
        return True
    imaginary = one.endswith("j") and other.endswith("j")
    if imaginary:
        one, other = one[:-1], other[:-1]
    try:
        x, y = float(one), float(other)
    except ValueError:
        return False
    if not (_fraction(one) or _fraction(other)):
        return x == y
    if not imaginary and _fraction(one) != _fraction(other):  # Python prints 2j, NumPy 2.j
        return False
    step = 1.01 * max(_step(each) for each in (one, other) if _fraction(each))
    least = step if 20 * step <= 1.01 * max(abs(x), abs(y)) else NOTHING
    return math.isclose(x, y, rel_tol=RELATIVE, abs_tol=least)


def _fraction(number: str) -> bool:
    return not number.lstrip("+-").isdigit()


def _step(number: str) -> float:
    """One in the last printed digit; nothing where the point is the last, behind which NumPy leaves out zeros only."""
    if number.endswith("."):
        return 0.0
    digits, _, exponent = number.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
