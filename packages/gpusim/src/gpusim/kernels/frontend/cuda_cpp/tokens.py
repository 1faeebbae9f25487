"""From CUDA C++ text to tokens: CUDA's own preprocessing, then pieces with their lines."""

from __future__ import annotations

import contextlib
import functools
import io
import re
from typing import Any, NamedTuple

from .errors import Code

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+)|(?P<line>\n)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>(?:0[xX][0-9a-fA-F]+|0[bB][01]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<mark>\.\.\.|<<<|>>>|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\#\#|[^\s])""",
    re.X,
)
_STANDARD = re.compile(
    r"^(cupy/|thrust/complex|cuda_fp16|cuda_bf16|cuComplex|cooperative_groups|curand|cub/|thrust/|cuda/std/)"
    r"|^(c?math|c?stdint|c?std(io|lib|def)|c?limits|c?float|cuda|cuda_runtime|device_launch_parameters"
    r"|math_constants|type_traits|limits|utility|algorithm)(\.h)?$"
)
DEFINED = {
    "__CUDACC__": "1", "__CUDA_ARCH__": "800", "__CUDACC_RTC__": "1", "__NVCC__": "1", "__cplusplus": "201703L",
    "INT_MAX": "2147483647", "INT_MIN": "(-2147483647-1)", "UINT_MAX": "4294967295u", "LLONG_MAX": "9223372036854775807LL",
    "FLT_MAX": "3.402823466e+38f", "FLT_MIN": "1.175494351e-38f", "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "1.7976931348623157e+308", "DBL_MIN": "2.2250738585072014e-308", "DBL_EPSILON": "2.2204460492503131e-16",
    "M_PI": "3.14159265358979323846", "M_PI_2": "1.57079632679489661923", "M_PI_4": "0.78539816339744830962",
    "M_E": "2.7182818284590452354", "M_SQRT2": "1.41421356237309504880", "M_LN2": "0.69314718055994530942",
    "M_LOG2E": "1.4426950408889634074", "M_LN10": "2.30258509299404568402", "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308", "M_SQRT1_2": "0.70710678118654752440",
    "CUDART_PI_F": "3.141592654f", "CUDART_PI": "3.1415926535897931",
    "CUDART_INF_F": "__int_as_float(0x7f800000)", "CUDART_INF": "__longlong_as_double(0x7ff0000000000000LL)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)", "CUDART_NAN": "__longlong_as_double(0x7ff8000000000000LL)",
    "INFINITY": "__int_as_float(0x7f800000)", "NAN": "__int_as_float(0x7fffffff)",
    "FLT_DIG": "6", "CHAR_BIT": "8",
}  # fmt: skip
"""What NVRTC, CUDA's headers and those of C define for the preprocessor."""


class Token(NamedTuple):
    """A piece of source.

    Attributes
    ----------
    text : str
    line : int
        1-based.
    kind : str
        ``name``, ``number``, ``string`` or ``mark``.
    """

    text: str
    line: int
    kind: str


def tokens(code: Code, defines: tuple[str, ...] = ()) -> list[Token]:
    """Preprocess code and cut it into tokens.

    Parameters
    ----------
    code : Code
    defines : tuple of str
        Compiler options ``-DNAME=value``.

    Raises
    ------
    CompileException
        For ``#error``, an unknown ``#include`` or a directive that cannot be read.
    """
    return split(_preprocessed(code, defines))


def split(text: str, first: int = 1) -> list[Token]:
    """Cut preprocessed text into tokens; its first line has the number `first`."""
    made, line = [], first
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "line":
            line += 1
        elif match.lastgroup != "space":
            made.append(Token(match[0], line, match.lastgroup or ""))
    return made


def written(line: int, *parts: str | list[Token]) -> list[Token]:
    """Tokens on one line: of text, cut as `split` does, and those given between."""
    made: list[Token] = []
    for part in parts:
        made += [Token(text, line, kind) for text, _, kind in _cut(part)] if isinstance(part, str) else part
    return made


_cut = functools.lru_cache(maxsize=1024)(split)  # the same few words are written again and again


def joined(made: list[Token]) -> str:
    """Text whose tokens stand on their lines."""
    parts, line = [], 1
    for token in made:
        if token.line > line:
            parts.append("\n" * (token.line - line))
            line = token.line
        parts.append(token.text + " ")
    return "".join(parts)


def _preprocessed(code: Code, defines: tuple[str, ...]) -> str:
    import pcpp

    from . import headers

    undefined = [name for name in DEFINED if code.bare and not headers.known(name, code.included)]

    class Preprocessor(pcpp.Preprocessor):
        lastdirective: Any
        line_directive: Any = None  # no #line of pcpp's own in what it writes

        def on_include_not_found(self, is_malformed, is_system_include, curdir, includepath):
            there = _STANDARD.search(includepath)
            if not there or (code.bare and headers.HOST.search(includepath)):
                instead = headers.of_the_host(includepath) if there else None
                code.wrong(f'cannot open source file "{includepath}"', self.lastdirective.lineno, instead, ends=True)
            code.included.add(includepath)
            for name in undefined:
                if headers.known(name, code.included) and name not in self.macros:
                    self.define(f"{name} {DEFINED[name]}")
            raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

        def on_error(self, file, line, msg):
            code.wrong(msg, line)

        def on_directive_handle(self, directive, toks, ifpassthru, precedingtoks):
            if directive.value in ("pragma", "warning", "line"):
                raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)
            return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

        def on_directive_unknown(
            self, directive, toks, ifpassthru, precedingtoks
        ):  # and not in a part that is left out
            if directive.value == "error":
                code.wrong("#error directive: " + "".join(t.value for t in toks), directive.lineno, ends=True)
            code.wrong("unrecognized preprocessing directive", directive.lineno)

    made = Preprocessor()
    for name in DEFINED:
        if name not in undefined:
            made.define(f"{name} {DEFINED[name]}")
    for define in defines:
        name, _, value = define.partition("=")
        made.define(f"{name} {value or 1}")
    parts, line = [], 1
    with contextlib.redirect_stderr(io.StringIO()):
        made.parse(code.text, code.filename)
        while token := made.token():
            value = token.value
            if token.type == "CPP_WS" or not value.strip():
                parts.append(" " if parts and not parts[-1].isspace() else "")
                continue
            if token.lineno > line:
                parts.append("\n" * (token.lineno - line))
                line = token.lineno
            parts.append(value.replace("\n", " "))
    return "".join(parts)


OPEN = {"(": ")", "[": "]", "{": "}"}


def close(tokens: list[Token], start: int, code: Code) -> int:
    """Where the bracket that opens at `start` closes."""
    opening, depth = tokens[start].text, 0
    closing = OPEN[opening]
    for k in range(start, len(tokens)):
        depth += (tokens[k].text == opening) - (tokens[k].text == closing)
        if not depth:
            return k
    code.wrong(f'expected a "{closing}"', tokens[-1].line)


def arguments(tokens: list[Token]) -> list[list[Token]]:
    """Cut tokens at the commas that stand in no bracket, and not between a name's ``<`` and its ``>``."""
    parts: list[list[Token]] = [[]]
    depth = k = 0
    while k < len(tokens):
        text, end = tokens[k].text, k + 1
        depth += (text in OPEN) - (text in OPEN.values())
        if text == "," and not depth:
            parts.append([])
        else:
            if text == "<" and k and tokens[k - 1].kind == "name":
                end = max(angle_end(tokens, k), end)
            parts[-1] += tokens[k:end]
        k = end
    return [part for part in parts if part]


def angle_end(tokens: list[Token], start: int) -> int:
    """Behind the ``>`` that closes the ``<`` at `start`; `start` where nothing closes it."""
    depth = 0
    for k in range(start, len(tokens)):
        depth += (tokens[k].text == "<") - (tokens[k].text == ">") - 2 * (tokens[k].text == ">>")
        if depth <= 0:
            return k + 1
        if tokens[k].text in (";", "{"):
            break
    return start
