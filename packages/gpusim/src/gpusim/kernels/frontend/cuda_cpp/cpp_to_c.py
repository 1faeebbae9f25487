"""The little of C++ that ordinary kernels use, turned into C that a parser of C reads.

Attributes go, casts become C's, references become marked pointers, templates are kept apart until somebody names their
arguments.  Every token keeps its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .c_types import NAMED
from .errors import Code
from .overloads import DECLARED as OVERLOADED
from .overloads import STANDARD
from .tokens import Token

REFERENCE = "_hf_ref_"
"""What begins the name of a reference, which is parsed as a pointer."""
SHARED = "register"  # CUDA has no use for this word of C's: it marks shared memory
WORDS = frozenset("void bool char short int long float double signed unsigned _Bool".split())
_DROPPED = frozenset(
    "__device__ __host__ __forceinline__ __inline__ __noinline__ inline static volatile __restrict__ __restrict restrict "
    "typename __constant__ __managed__ __grid_constant__ register mutable".split()
)
_NAMESPACES = frozenset("std thrust cuda cupy cooperative_groups cg".split())
_REFUSED = {
    "class": "a class", "union": "a union", "operator": "an operator function", "new": "new",
    "delete": "delete", "decltype": "decltype", "try": "try", "throw": "throw", "asm": "inline assembly",
    "__asm__": "inline assembly", "virtual": "virtual", "<<<": "a launch from a kernel", "goto": "goto",
    "concept": "a concept", "requires": "requires", "...": "a variadic function",
}  # fmt: skip
_VECTOR = re.compile(r"(u?(char|short|int|long|longlong)|float|double)[1-4]")
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))
_OPEN = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Template:
    """A function template.

    Attributes
    ----------
    name : str
    params : list of (str, str)
        ``("typename", "T")``, ``("int", "N")``.
    tokens : list of Token
        The function, from its return type to the closing brace.
    kernel : bool
    """

    name: str
    params: list[tuple[str, str]]
    tokens: list[Token]
    kernel: bool


@dataclass
class Unit:
    """What a source holds.

    Attributes
    ----------
    tokens : list of Token
        C, without templates.
    kernels : set of str
        Names of ``__global__`` functions.
    templates : dict
    typenames : set of str
        Names that mean a type.
    linked : set of str
        Names of kernels declared ``extern "C"``: a module knows those by their names, the others by mangled ones.
    structs : set of str
    aligned : dict
        The alignment of structs that say one, in bytes.
    """

    code: Code
    tokens: list[Token] = field(default_factory=list)
    kernels: set[str] = field(default_factory=set)
    templates: dict[str, Template] = field(default_factory=dict)
    linked: set[str] = field(default_factory=set)
    structs: set[str] = field(default_factory=set)
    aligned: dict[str, int] = field(default_factory=dict)
    typenames: set[str] = field(default_factory=lambda: {n for n in NAMED if n not in WORDS} | {"_hf_auto"})


def convert(tokens: list[Token], code: Code) -> Unit:
    """Turn a source's tokens into C and templates.

    Raises
    ------
    NotSimulatedError
        For a construct of C++ that is not handled.
    """
    unit = Unit(code)
    for k, token in enumerate(tokens):
        if token.text == "<<<" and not code.separate:
            code.wrong(
                "kernel launch from __device__ or __global__ functions requires separate compilation mode", token.line
            )
        if token.text == "class" and k and tokens[k - 1].text in ("<", ","):
            continue  # a template's parameter
        if token.kind != "string" and token.text in _REFUSED:
            code.refuse(_REFUSED[token.text], token.line)
        if token.kind == "name" and _VECTOR.fullmatch(token.text) and k + 1 < len(tokens):
            of_a_type = tokens[k + 1].kind == "name" or tokens[k + 1].text in ("*", "&")
            if of_a_type and not (k and tokens[k - 1].text in WORDS):
                code.refuse(f"the vector type {token.text}", token.line, "a struct")
    tokens = _outside(tokens, unit)
    unit.tokens = body(tokens, unit)
    return unit


def instance(template: Template, args: list[list[Token]], unit: Unit, name: str) -> list[Token]:
    """The tokens of a template's function for some arguments, under a name of its own."""
    values = {param: arg for (_, param), arg in zip(template.params, args, strict=True)}
    made: list[Token] = []
    for token in template.tokens:
        if token.kind == "name" and token.text in values:
            made += [Token(t.text, token.line, t.kind) for t in values[token.text]]
        elif token.text == template.name:
            made.append(Token(name, token.line, "name"))
        else:
            made.append(token)
    return body(made, unit)


def close(tokens: list[Token], start: int, code: Code) -> int:
    """Where the bracket that opens at `start` closes."""
    opening, depth = tokens[start].text, 0
    closing = _OPEN[opening]
    for k in range(start, len(tokens)):
        if tokens[k].text == opening:
            depth += 1
        elif tokens[k].text == closing:
            depth -= 1
            if not depth:
                return k
    code.wrong(f'expected a "{closing}"', tokens[-1].line)


def angle(tokens: list[Token], start: int, code: Code) -> int:
    """Where the ``<`` at `start` is closed, ``>>`` counting twice (it is cut in two)."""
    depth, k = 0, start
    while k < len(tokens):
        text = tokens[k].text
        if text == ">>":
            tokens[k : k + 1] = [Token(">", tokens[k].line, "mark")] * 2
            text = ">"
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if not depth:
                return k
        elif text in ("(", "["):
            k = close(tokens, k, code)
        elif text in (";", "{"):
            break
        k += 1
    code.wrong('expected a ">"', tokens[start].line)


def arguments(tokens: list[Token]) -> list[list[Token]]:
    """Cut tokens at the commas that stand in no bracket."""
    parts, depth = [[]], 0
    for token in tokens:
        if token.text in "([{<":
            depth += 1
        elif token.text in ")]}>":
            depth -= 1
        if token.text == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _outside(tokens: list[Token], unit: Unit) -> list[Token]:
    """Take out attributes, namespaces, ``extern "C"`` and templates; note kernels and names of types."""
    made: list[Token] = []
    namespaces = set(_NAMESPACES)
    k = 0
    tokens = list(tokens)
    blocks: list[int] = []  # closing braces that go with their opening
    linked = -1  # until which token `extern "C"` reaches
    while k < len(tokens):
        token = tokens[k]
        text, after = token.text, tokens[k + 1].text if k + 1 < len(tokens) else ""
        if k in blocks or text in _DROPPED:
            k += 1
        elif text in ("__launch_bounds__", "__align__", "alignas", "__attribute__", "static_assert"):
            k = close(tokens, k + 1, unit.code) + 1
        elif text == "extern" and after in ('"C"', '"C++"'):
            k += 2
            if k < len(tokens) and tokens[k].text == "{":
                blocks.append(close(tokens, k, unit.code))
                linked = blocks[-1]
                k += 1
            else:
                linked = next((j for j in range(k, len(tokens)) if tokens[j].text in ("{", ";")), k)
        elif text == "namespace" and (after == "{" or tokens[k + 2].text == "{"):
            at = k + 1 if after == "{" else k + 2
            namespaces.add(after)
            blocks.append(close(tokens, at, unit.code))
            k = at + 1
        elif text == "namespace" or (text == "using" and tokens[k + 2].text != "="):
            if text == "namespace":
                namespaces.add(after)
            while tokens[k].text != ";":
                k += 1
            k += 1
        elif text == "using":
            end = next(j for j in range(k, len(tokens)) if tokens[j].text == ";")
            unit.typenames.add(after)
            name = Token(after, token.line, "name")
            made += [Token("typedef", token.line, "name"), *tokens[k + 3 : end], name, tokens[end]]
            k = end + 1
        elif text == "template":
            k = _template(tokens, k, unit)
        elif text == "__global__":
            unit.kernels.add(_function_name(tokens, k, unit.code))
            if k < linked:
                unit.linked.add(_function_name(tokens, k, unit.code))
            k += 1
        elif text == "__shared__":
            made.append(Token(SHARED, token.line, "name"))
            k += 1
        elif after == "::" and text in namespaces:
            k += 2
            if text == "std":
                _check_std(tokens, k, unit)
                if k < len(tokens) and tokens[k].text in OVERLOADED:
                    made.append(Token(STANDARD + tokens[k].text, token.line, "name"))
                    k += 1
        elif text == "::":
            if made and made[-1].text == ">":
                made.append(token)
            k += 1
        elif text == "struct" or (text == "typedef" and after == "struct"):
            k = _struct(tokens, k, unit, made)
        elif text == "typedef":
            end = next((j for j in range(k, len(tokens)) if tokens[j].text == ";"), None)
            if end is None:
                unit.code.wrong('expected a ";"', token.line)
            unit.typenames.add(next(t.text for t in reversed(tokens[k:end]) if t.kind == "name"))
            made.append(token)
            k += 1
        elif text in ("constexpr", "consteval", "constinit"):
            made.append(Token("const", token.line, "name"))
            k += 1
        else:
            made.append(token)
            k += 1
    return made


def _check_std(tokens: list[Token], k: int, unit: Unit) -> None:
    """Refuse what NVRTC does not have: ``std::`` nearly as a whole, ``cuda::std::`` without a header."""
    code = unit.code
    if not code.bare or k >= len(tokens):
        return
    name, line = tokens[k].text, tokens[k].line
    if k > 2 and [t.text for t in tokens[k - 4 : k - 2]] == ["cuda", "::"]:
        if not any(path.startswith("cuda/") or path.startswith("cooperative_groups") for path in code.included):
            said = 'name followed by "::" must be a class or namespace name'
            code.wrong(said, line, f"Include the header: cuda::std::{name} is in one of <cuda/std/…>.")
    elif name not in ("move", "forward", "initializer_list"):
        instead = f"NVRTC has no std::{name}. " + (
            f"Write {name} without it."
            if name in OVERLOADED or name.endswith("_t")
            else f"Write cuda::std::{name}, behind its header in <cuda/std/…>."
        )
        code.wrong(f'namespace "std" has no member "{name}"', line, instead)


_NOT_IN_STRUCTS = {
    "(": "a struct with functions", "=": "a struct whose members have values", "{": "a struct within a struct", ":": "a bit field, "
    "or a label in a struct", "*": "a pointer in a struct", "&": "a reference in a struct", "static": "a static member",
    "template": "a template in a struct",
}  # fmt: skip


def _struct(tokens: list[Token], start: int, unit: Unit, made: list[Token]) -> int:
    """Read a struct's definition, or its name behind ``struct``; returns where it ends."""
    code, line = unit.code, tokens[start].line
    typedef = tokens[start].text == "typedef"
    k, aligned = start + 1 + typedef, 1
    while k < len(tokens) and tokens[k].text in ("__align__", "alignas", "__attribute__"):
        end = close(tokens, k + 1, code)
        inside = "".join(t.text for t in tokens[k + 2 : end])
        if not inside.isdigit():
            code.refuse(f"{tokens[k].text}({inside})", line, "a number of bytes")
        k, aligned = end + 1, int(inside)
    named = k < len(tokens) and tokens[k].kind == "name"
    name = tokens[k].text if named else ""
    k += named
    following = tokens[k].text if k < len(tokens) else ""
    if following == ":":
        code.refuse("a struct with a base", line)
    if following != "{":
        unit.typenames.add(name)
        if following == ";":
            return k + 1  # declared only
        made += [tokens[start]] * typedef + [Token(name, line, "name")]
        return k
    last = close(tokens, k, code)
    for token in tokens[k + 1 : last]:
        if token.text in _NOT_IN_STRUCTS:
            code.refuse(_NOT_IN_STRUCTS[token.text], token.line)
    end = next((j for j in range(last, len(tokens)) if tokens[j].text == ";"), None)
    if end is None or (end == last + 1 and not name):
        code.wrong('expected a ";"', tokens[last].line)
    others = [t.text for t in tokens[last + 1 : end] if t.kind == "name"]
    if not name and not typedef:
        code.refuse("a struct without a name", line)
    alias = others[-1] if typedef and others else ""
    name = name or alias
    unit.structs.add(name)
    unit.typenames |= {name, alias} - {""}
    unit.aligned[name] = aligned
    kind = Token(name, line, "name")
    made += [Token("typedef", line, "name"), Token("struct", line, "name"), kind, *tokens[k : last + 1], kind]
    if typedef and alias != name:
        made += [Token(";", tokens[last].line, "mark"), Token("typedef", line, "name"), kind]
    elif typedef or end == last + 1:
        return end  # at its semicolon
    else:
        made += [Token(";", tokens[last].line, "mark"), kind]
    return last + 1


def _function_name(tokens: list[Token], start: int, code: Code) -> str:
    k = start
    while k + 1 < len(tokens):
        if tokens[k].text in ("__launch_bounds__", "__attribute__", "alignas"):
            k = close(tokens, k + 1, code)
        elif tokens[k].kind == "name" and tokens[k + 1].text == "(":
            return tokens[k].text
        k += 1
    code.wrong("expected an identifier", tokens[start].line)


def _template(tokens: list[Token], start: int, unit: Unit) -> int:
    """Keep a template; returns where it ends."""
    code = unit.code
    end = angle(tokens, start + 1, code)
    params = []
    for part in arguments(tokens[start + 2 : end]):
        words = [t.text for t in part]
        if "=" in words:
            code.refuse("a template with default arguments", part[0].line)
        if "template" in words:
            code.refuse("a template of templates", part[0].line)
        params.append(("typename" if words[0] in ("typename", "class") else words[0], words[-1]))
    if not params:
        code.refuse("a template's specialisation", tokens[start].line)
    k = end + 1
    if k < len(tokens) and tokens[k].text == "struct":
        code.refuse("a template of a struct", tokens[k].line, "a struct for each type")
    while k < len(tokens) and tokens[k].text not in ("{", ";"):
        if tokens[k].text == "(":
            k = close(tokens, k, code)
        k += 1
    if k >= len(tokens) or tokens[k].text == ";":
        return k + 1  # declared only
    last = close(tokens, k, code)
    piece = tokens[end + 1 : last + 1]
    name = _function_name(piece, 0, code)
    inner = Unit(code, structs=unit.structs, typenames=unit.typenames | {p for kind, p in params if kind == "typename"})
    unit.templates[name] = Template(name, params, _outside(piece, inner), name in inner.kernels)
    return last + 1


def body(tokens: list[Token], unit: Unit) -> list[Token]:
    """Rewrite what stands in functions: casts, references, construction, types that C has no name for."""
    code, types = unit.code, WORDS | unit.typenames
    tokens = list(tokens)
    made: list[Token] = []
    depth = k = 0
    while k < len(tokens):
        token = tokens[k]
        text, line = token.text, token.line
        after = tokens[k + 1].text if k + 1 < len(tokens) else ""
        before = made[-1].text if made else ""
        depth += (text == "{") - (text == "}")

        def mark(word: str, line: int = line) -> Token:
            return Token(word, line, "name" if word[0].isalnum() or word[0] == "_" else "mark")

        if text in _CASTS and after == "<":
            end = angle(tokens, k + 1, code)
            last = close(tokens, end + 1, code)
            kind = body(tokens[k + 2 : end], unit)
            made += [mark("("), mark("("), *kind, mark(")"), mark("("), *body(tokens[end + 2 : last], unit)]
            made += [mark(")"), mark(")")]
            k = last + 1
        elif text == "complex" and after == "<":
            end = angle(tokens, k + 1, code)
            inner = "".join(t.text for t in tokens[k + 2 : end])
            if inner not in ("float", "double"):
                code.refuse(f"complex<{inner}>", line)
            tokens[k : end + 1] = [mark("_hf_c8" if inner == "float" else "_hf_c16")]
        elif text == "numeric_limits" and after == "<":
            end = angle(tokens, k + 1, code)
            kind = body(tokens[k + 2 : end], unit)
            member = tokens[end + 2].text
            made += [mark(f"_hf_limit_{member}"), mark("("), mark("("), *kind, mark(")"), Token("0", line, "number")]
            made.append(mark(")"))
            k = end + 5
        elif text in unit.structs and after in ("{", "(") and before not in types and before != "struct":
            last = close(tokens, k + 1, code)
            if after == "(" and last > k + 2:
                code.refuse(f"a constructor of {text}", line, f"{text}{{…}}")
            made += [mark("("), token, mark(")"), mark("{"), *body(tokens[k + 2 : last], unit), mark("}")]
            k = last + 1
        elif text == "return" and after == "{":
            made += [token, mark("("), mark("_hf_auto"), mark(")")]
            k += 1
        elif text in types and after == "(" and before not in types and before not in ("sizeof", "*", "struct"):
            last = close(tokens, k + 1, code)
            inside = body(tokens[k + 2 : last], unit)
            if tokens[k + 2].text == "*":
                code.refuse("a pointer to a function or to an array", line)
            if text.startswith("_hf_c") and len(arguments(inside)) == 2:
                made += [mark(f"_hf_make{text[3:]}"), mark("("), *inside, mark(")")]
            else:
                inside = inside or [Token("0", line, "number")]
                made += [mark("("), mark("("), token, mark(")"), mark("("), *inside, mark(")"), mark(")")]
            k = last + 1
        elif depth and token.kind == "name" and before in types and after in ("(", "{") and text not in types:
            last = close(tokens, k + 1, code)
            following = tokens[last + 1].text if last + 1 < len(tokens) else ""
            if following not in (";", ","):
                made.append(token)
                k += 1
                continue
            inside = body(tokens[k + 2 : last], unit)
            if before in unit.structs and after == "{":
                made += [token, mark("="), mark("{"), *inside, mark("}")]
            else:
                made += [token, mark("="), mark("("), *(inside or [Token("0", line, "number")]), mark(")")]
            k = last + 1
        elif text == "&" and (before in types or before in ("const", "*")) and _declared(tokens, k):
            if before != "*" and _constant(made):
                k += 1  # it cannot be written through: a value will do
            else:
                made += [mark("*"), mark(REFERENCE + after)]
                k += 2
        elif text == "auto":
            made.append(mark("_hf_auto"))
            k += 1
        elif text == "nullptr":
            made.append(Token("0", line, "number"))
            k += 1
        elif text in ("[", "(", "=", ",") and after == "[" and tokens[k + 2].text in ("&", "=", "]"):
            code.refuse("a lambda", line)
        elif text in ("<", ">") and depth and token.kind == "mark" and _instantiates(tokens, k, unit):
            end = angle(tokens, k, code)
            inner = "$".join(" ".join(t.text for t in part) for part in arguments(tokens[k + 1 : end]))
            made[-1] = mark(f"{made[-1].text}_hf_of_{_encoded(inner)}")
            k = end + 1
        else:
            made.append(token)
            k += 1
    return made


def _encoded(text: str) -> str:
    return text.encode().hex()


def decoded(name: str) -> tuple[str, list[str]]:
    """The template and the arguments that a call names."""
    base, _, code = name.partition("_hf_of_")
    return base, bytes.fromhex(code).decode().split("$") if code else []


def _instantiates(tokens: list[Token], k: int, unit: Unit) -> bool:
    return tokens[k].text == "<" and tokens[k - 1].text in unit.templates


def _declared(tokens: list[Token], k: int) -> bool:
    after = [t.text for t in tokens[k + 1 : k + 3]]
    return len(after) == 2 and tokens[k + 1].kind == "name" and after[1] in (",", ")", "=", "[", ";")


def _constant(made: list[Token]) -> bool:
    for token in reversed(made):
        if token.text in ("(", ",", ";", "{", "}"):
            return False
        if token.text == "const":
            return True
    return False
