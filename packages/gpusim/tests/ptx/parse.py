"""PTX text as functions of basic blocks, and the variables outside of them.

Only the form of the language is known here: what an instruction does is in `opcodes`.  The sections that are cited are those
of NVIDIA's *Parallel Thread Execution ISA*, version 9.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


class PtxError(Exception):
    """PTX that is not known here, or that went wrong: the line says where."""

    def __init__(self, message: str, line: int = 0, text: str = ""):
        super().__init__(f"line {line}: {message}" + (f": {text}" if text else "") if line else message)


@dataclass(frozen=True)
class Register:
    """A register, or a special register such as ``%tid.x``."""

    name: str
    negated: bool = False


@dataclass(frozen=True)
class Number:
    """An immediate; `bits` is how many bits the literal has where its form says it (``0f…``, ``0d…``), else 0."""

    value: int
    bits: int = 0


@dataclass(frozen=True)
class Symbol:
    """The address of a variable, a label, or a function."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Address:
    """``[base+offset]``."""

    base: Register | Symbol | Number
    offset: int = 0


@dataclass(frozen=True)
class Group:
    """``{a, b}``, ``(a, b)``, or ``p|q``."""

    items: tuple


@dataclass(frozen=True)
class Instruction:
    """One instruction: ``@guard root.modifiers operands``."""

    line: int
    text: str
    root: str
    modifiers: tuple[str, ...]
    operands: tuple
    guard: Register | None = None

    def wrong(self, message: str) -> PtxError:
        return PtxError(message, self.line, self.text)


@dataclass
class Variable:
    """A variable of a state space: bytes, alignment, and for each initial value its bytes or the symbol it is the address of."""

    space: str
    name: str
    size: int
    align: int
    initial: list[tuple[int, bytes | str]] = field(default_factory=list)


@dataclass
class Function:
    """A kernel or device function: its parameters, registers (bits by name), variables, and instructions with labels."""

    name: str
    kernel: bool
    params: list[Variable]
    returns: list[Variable]
    registers: dict[str, int] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Module:
    """What one or several PTX texts say."""

    functions: dict[str, Function] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)


BITS = (
    {"pred": 1, "b128": 128} | {f"{kind}{n}": n for kind in "usbf" for n in (8, 16, 32, 64)} | {"f16x2": 32, "bf16": 16}
)
SPACES = ("global", "const", "shared", "local", "param")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_LINEWISE = re.compile(r"^[ \t]*\.(version|target|address_size|file|loc)\b[^\n]*", re.M)
_SECTION = re.compile(r"\.section\s+[\w.]+\s*\{[^{}]*\}", re.S)
_LABEL = re.compile(r"\s*([$%\w]+)\s*:(?!:)")
_HEADER = re.compile(r"(?:\.(?:visible|extern|weak|common)\s+)*\.(entry|func)\b")
_NAMED = re.compile(r"\.(\w+)\s+(?:\.align\s+(\d+)\s+)?(?:\.ptr\b[^,]*?)?(?:\.(v[24])\s+)?(?:\.(\w+)\s+)(.*)", re.S)
_NUMBER = re.compile(r"[-+]?(0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?\Z")


def parse(*texts: str) -> Module:
    """Read PTX.

    Raises
    ------
    PtxError
        For what is no PTX of the kind that compilers write.
    """
    module = Module()
    for text in texts:
        _Reader(_blanked(text), module).read()
    return module


def _blanked(text: str) -> str:
    """The text without comments and debugging information, every line where it was."""

    def blank(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    kept = re.sub(r'"[^"\n]*"', lambda m: m[0].replace("//", "/\0"), text)  # no comment begins in a string
    for pattern in (_COMMENT, _LINEWISE, _SECTION):
        kept = pattern.sub(blank, kept)
    return kept.replace("\0", "/")


class _Reader:
    def __init__(self, text: str, module: Module):
        self.text, self.module, self.at = text, module, 0
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, at: int) -> int:
        import bisect

        return bisect.bisect_right(self.starts, at)

    def skip(self) -> bool:
        """Go to the next statement; False at the end."""
        match = re.compile(r"[\s;]*").match(self.text, self.at)
        self.at = match.end()
        return self.at < len(self.text)

    def until(self, ends: str) -> str:
        """The text up to one of these characters outside of all brackets and strings; the reader stands on it."""
        depth, start = 0, self.at
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == '"':
                self.at = self.text.index('"', self.at + 1)
            elif depth == 0 and c in ends:
                return self.text[start : self.at]
            elif c in "([{":
                depth += 1
            elif c in ")]}":
                depth -= 1
            self.at += 1
        raise PtxError("the text ends in the middle of a statement", self.line(start))

    def read(self) -> None:
        while self.skip():
            start = self.at
            if _HEADER.match(self.text, self.at):
                self.function(self.until("{;"), start)
            else:
                statement = self.until(";")
                for made in _variables(statement, self.line(start)):
                    self.module.variables[made.name] = made

    def function(self, header: str, start: int) -> None:
        line = self.line(start)
        match = re.search(
            r"\.(entry|func)\b\s*(\((?P<returns>[^()]*)\))?\s*(?P<name>[\w$.]+)\s*(\((?P<params>[^()]*)\))?", header
        )
        if match is None:
            raise PtxError("a function without a name", line, header.strip())
        if self.text[self.at] == ";":
            self.module.declared.add(match["name"])
            return
        read = lambda part: [v for each in _split(part or "") for v in _variables(each, line)]  # noqa: E731
        made = Function(match["name"], match[1] == "entry", read(match["params"]), read(match["returns"]))
        self.at += 1
        self.body(made)
        self.module.functions[made.name] = made

    def body(self, made: Function) -> None:
        scopes: list[dict[str, str]] = [{}]
        count = 0
        while self.skip():
            start, c = self.at, self.text[self.at]
            if c == "{":
                scopes.append({})
                self.at += 1
                continue
            if c == "}":
                scopes.pop()
                self.at += 1
                if not scopes:
                    return
                continue
            label = _LABEL.match(self.text, self.at)
            if label:
                self.at = label.end()
                if re.compile(r"\s*\.branchtargets\b").match(self.text, self.at):
                    statement = self.until(";")
                    made.targets[label[1]] = [each.strip() for each in statement.split(".branchtargets")[1].split(",")]
                else:
                    made.labels[label[1]] = len(made.code)
                continue
            statement, line = self.until(";").strip(), self.line(start)
            if statement.startswith(".reg"):
                count += 1
                _registers(statement, made.registers, scopes[-1], count if len(scopes) > 1 else 0, line)
            elif statement.startswith((".pragma", ".callprototype")):
                continue
            elif statement.startswith("."):
                for each in _variables(statement, line):
                    if each.space != "param" and len(scopes) > 1:
                        scopes[-1][f"[{each.name}]"] = each.name = f"{each.name}'{count}"
                    if each.space != "param":
                        made.variables.append(each)
            else:
                made.code.append(_instruction(statement, line, scopes))
        raise PtxError(f"the function {made.name} has no end", self.line(len(self.text)))


def _registers(statement: str, known: dict[str, int], scope: dict[str, str], number: int, line: int) -> None:
    match = re.match(r"\.reg\s+\.(\w+)\s+(.*)", statement, re.S)
    if match is None or match[1] not in BITS:
        raise PtxError("registers of an unknown type", line, statement)
    for each in match[2].split(","):
        name, _, count = each.strip().partition("<")
        names = [f"{name}{k}" for k in range(int(count.rstrip("> ")))] if count else [name]
        for one in names:
            kept = f"{one}'{number}" if number else one
            scope[one] = kept
            known[kept] = BITS[match[1]]


def _variables(statement: str, line: int) -> Iterator[Variable]:
    text = re.sub(r"^\s*(\.(visible|extern|weak|common|attribute\([^)]*\))\s+)*", "", statement).strip()
    if text.startswith((".alias", ".pragma")) or not text:
        return
    text = re.sub(r"\.ptr(\s+\.(global|const|shared|local))?(\s+\.align\s+\d+)?", "", text)
    match = re.match(
        r"\.(?P<space>\w+)(?P<align>\s+\.align\s+\d+)?(\s+\.(?P<vector>v[24]))?\s+\.(?P<type>\w+)(?P<align2>\s+\.align\s+\d+)?\s+(?P<rest>.*)",
        text,
        re.S,
    )
    if match is None or match["space"] not in SPACES or match["type"] not in BITS:
        raise PtxError("a declaration of an unknown kind", line, statement.strip()[:80])
    size = max(BITS[match["type"]] // 8, 1) * int((match["vector"] or "v1")[1:])
    align = next((int(a.split()[-1]) for a in (match["align"], match["align2"]) if a), size)
    for each in _split(match["rest"]):
        name, _, initial = each.partition("=")
        name = name.strip()
        counts = re.findall(r"\[\s*(\d*)\s*\]", name)
        name = name.partition("[")[0].strip()
        values = _initial(initial, size, match["type"], line)
        total = size
        for count in counts:
            total *= int(count) if count else (len(values) if values else 0)
        yield Variable(match["space"], name, total, align, values)


def _initial(text: str, size: int, kind: str, line: int) -> list[tuple[int, bytes | str]]:
    values = re.sub(r"[{}\s]", "", text)
    made: list[tuple[int, bytes | str]] = []
    for place, each in enumerate(values.split(",") if values else ()):
        if _NUMBER.match(each):
            made.append((place * size, (_number(each).value % (1 << (8 * size))).to_bytes(size, "little")))
        elif match := re.match(r"(?:generic\()?([\w$.]+)\)?\Z", each):
            made.append((place * size, match[1]))
        else:
            raise PtxError(f"an initial value of an unknown form: {each}", line)
    return made


def _split(text: str) -> list[str]:
    """The parts between commas, those within brackets left together."""
    parts, depth, last = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[last:k])
            last = k + 1
    parts.append(text[last:])
    return [part.strip() for part in parts if part.strip()]


def _instruction(statement: str, line: int, scopes: list[dict[str, str]]) -> Instruction:
    text = " ".join(statement.split())
    match = re.match(r"(?:@(!?)(%?[\w$]+)\s+)?([a-z][\w.:]*)\s*(.*)", text, re.S)
    if match is None:
        raise PtxError("no instruction", line, text)
    guard = Register(_renamed(match[2], scopes), bool(match[1])) if match[2] else None
    root, *modifiers = re.sub(r"::", "__", match[3]).split(".")
    operands = tuple(_operand(each, line, scopes) for each in _split(match[4]))
    return Instruction(line, text, root, tuple(modifiers), operands, guard)


def _renamed(name: str, scopes: list[dict[str, str]]) -> str:
    return next((scope[name] for scope in reversed(scopes) if name in scope), name)


def _operand(text: str, line: int, scopes: list[dict[str, str]]) -> object:
    if text[0] in "{(":
        return Group(tuple(_operand(each, line, scopes) for each in _split(text[1:-1])))
    if text[0] == "[":
        base, offset = text[1:-1].strip(), 0
        match = re.match(r"(.+?)\s*([+-]\s*-?\s*\d+)\s*\Z", base)
        if match:
            base, offset = match[1], int(match[2].replace(" ", "").replace("+-", "-"))
        return Address(_operand(base, line, scopes), offset)
    if "|" in text:
        return Group(tuple(_operand(each.strip(), line, scopes) for each in text.split("|")))
    if text[0] == "!":
        return Register(_renamed(text[1:].strip(), scopes), True)
    if _NUMBER.match(text):
        return _number(text)
    name, _, offset = text.partition("+")
    name = name.strip()
    if name[0] == "%" or name == "_" or any(name in scope for scope in scopes):
        return Register(_renamed(name, scopes))
    if name == "WARP_SZ":
        return Number(32)
    kept = next((scope[f"[{name}]"] for scope in reversed(scopes) if f"[{name}]" in scope), name)
    return Symbol(kept, int(offset) if offset else 0)


def _number(text: str) -> Number:
    sign = -1 if text[0] == "-" else 1
    body = text.lstrip("+-").rstrip("U")
    if body[:2] in ("0f", "0F"):
        return Number(int(body[2:], 16) ^ (0x80000000 if sign < 0 else 0), 32)
    if body[:2] in ("0d", "0D"):
        return Number(int(body[2:], 16) ^ (1 << 63 if sign < 0 else 0), 64)
    if len(body) > 1 and body[0] == "0" and body[1].isdigit():
        return Number(sign * int(body, 8))
    return Number(sign * int(body, 0))
