"""The little of C++ that ordinary kernels use, turned into C that a parser of C reads.

Attributes go, casts become C's, references become marked pointers, templates are kept apart until somebody names their
arguments.  Every token keeps its line.

Over 800 lines: it is one walk over tokens, whose parts call each other: a struct has functions, a function has lambdas, a template has
both.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from . import classes, headers
from .c_types import HALVES, NAMED, VECTORS
from .errors import Code
from .overloads import DECLARED as OVERLOADED
from .overloads import STANDARD
from .tokens import Token, angle_end, arguments, close, split, written

DIM3 = (
    "struct dim3 { unsigned int x, y, z; dim3() : x(1), y(1), z(1) {} dim3(unsigned int x) : x(x), y(1), z(1) {} "
    "dim3(unsigned int x, unsigned int y) : x(x), y(y), z(1) {} "
    "dim3(unsigned int x, unsigned int y, unsigned int z) : x(x), y(y), z(z) {} dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {} };"
)
"""The type of ``blockDim`` and ``gridDim``, as CUDA's header declares it."""
HALF2 = """
struct __align__(4) __half2 {
    __half x, y;
    __half2() {} __half2(__half a, __half b) : x(a), y(b) {}
    __half2& operator+=(const __half2& o) { x = x + o.x; y = y + o.y; return *this; }
    __half2& operator-=(const __half2& o) { x = x - o.x; y = y - o.y; return *this; }
    __half2& operator*=(const __half2& o) { x = x * o.x; y = y * o.y; return *this; }
};
typedef __half2 half2;
__half2 operator+(__half2 a, __half2 b) { return __half2(a.x + b.x, a.y + b.y); }
__half2 operator-(__half2 a, __half2 b) { return __half2(a.x - b.x, a.y - b.y); }
__half2 operator*(__half2 a, __half2 b) { return __half2(a.x * b.x, a.y * b.y); }
__half2 operator/(__half2 a, __half2 b) { return __half2(a.x / b.x, a.y / b.y); }
__half2 __hadd2(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__half2 __hsub2(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__half2 __hmul2(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
__half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
__half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
__half2 h2rcp(__half2 a) { return __half2(hrcp(a.x), hrcp(a.y)); }
__half2 make_half2(__half x, __half y) { return __half2(x, y); }
__half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__half2 __half2half2(__half x) { return __half2(x, x); }
__half2 __float2half2_rn(float x) { return __half2(__float2half(x), __float2half(x)); }
__half2 __floats2half2_rn(float x, float y) { return __half2(__float2half(x), __float2half(y)); }
__half2 __float22half2_rn(float2 v) { return __half2(__float2half(v.x), __float2half(v.y)); }
float2 __half22float2(__half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }
float __low2float(__half2 a) { return __half2float(a.x); }
float __high2float(__half2 a) { return __half2float(a.y); }
__half __low2half(__half2 a) { return a.x; }
__half __high2half(__half2 a) { return a.y; }
__half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
"""
"""Two halves, as ``cuda_fp16.h`` declares them: each is computed as one half is."""
PAIRED = frozenset(re.findall(r"(\w+)\(", HALF2))
"""Functions of two halves."""
REFERENCE = "_hf_ref_"
"""What begins the name of a reference, which is parsed as a pointer."""
SEEN = "_hf_seen_"
"""What begins the name of a parameter that is a reference to what is const: it is given a value where that is the same."""
OPERATOR, METHOD, CONSTRUCTOR = "_hf_op_", "_hf_m_", "_hf_new_"
"""What begins the names of operators, of functions in structs, and of constructors, which become functions like any other."""
INDICES = "_hf_indices"
"""A function that stands for the list of indices in ``x[{i, j}]``."""
MUTABLE = "_hf_mutable"
"""A function that takes what a cast of C++ may not make changeable."""
LAMBDA = "_hf_lambda_"
"""What begins the name of a function that stands for a lambda where it is written, before its number."""
WHOLE = "_hf_whole_"
"""What begins the name of a parameter that is an array itself, and no pointer to its first element."""
THIS = "_hf_this"
"""What a function of a struct calls the struct it is called of."""
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "==": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge",
    "+=": "iadd", "-=": "isub", "*=": "imul", "/=": "idiv", "%=": "imod", "!": "not", "~": "inverted", "&": "and", "|": "or", "^": "xor",
    "<<": "left", ">>": "right", "&=": "iand", "|=": "ior", "^=": "ixor", "()": "call", "[]": "at",
}  # fmt: skip
"""Operators that a source may define, with the ends of their names."""
GROUP_OPERATORS = {"plus": "+", "less": "<", "greater": ">", "bit_and": "&", "bit_or": "|", "bit_xor": "^"}
"""What ``cooperative_groups::reduce`` takes."""
SHARED = "register"  # CUDA has no use for this word of C's: it marks shared memory
WORDS = frozenset("void bool char short int long float double signed unsigned _Bool".split())
_DROPPED = frozenset(
    "__device__ __host__ __forceinline__ __inline__ __noinline__ inline static volatile __restrict__ __restrict restrict "
    "typename __constant__ __managed__ __grid_constant__ register".split()
)
_NAMESPACES = frozenset("std thrust cuda cupy cooperative_groups cg".split())
_REFUSED = {
    "new": "new",
    "delete": "delete", "decltype": "decltype", "try": "try", "throw": "throw", "asm": "inline assembly",
    "__asm__": "inline assembly", "virtual": "virtual", "<<<": "a launch from a kernel", "goto": "goto",
    "__nv_bfloat16": "__nv_bfloat16", "__nv_bfloat162": "__nv_bfloat162",
    "concept": "a concept", "requires": "requires", "...": "a variadic function",
}  # fmt: skip
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))


@dataclass
class Template:
    """A template of a function or of a struct.

    Attributes
    ----------
    name : str
    params : list of (str, str)
        ``("typename", "T")``, ``("int", "N")``.
    tokens : list of Token
        The function, from its return type to the closing brace; or the struct.
    kernel : bool
    defaults : dict
        The arguments of parameters that have one, as tokens.
    """

    name: str
    params: list[tuple[str, str]]
    tokens: list[Token]
    kernel: bool = False
    defaults: dict[str, list[Token]] = field(default_factory=dict)


@dataclass
class Lambda:
    """A lambda as it is written.

    Attributes
    ----------
    rest : str
        How it captures what its list does not name: ``"="``, ``"&"``, or not at all.
    copies, references : set of str
        What it captures by value or by reference by name.
    params, returns, body : list of Token
        As C.
    """

    rest: str
    copies: set[str]
    references: set[str]
    params: list[Token]
    returns: list[Token]
    body: list[Token]


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
    vectors, constructors : set of str
        The vector types of CUDA that it names; structs that say how they are made.
    methods : dict
        The functions of each struct, by its name.
    struct_templates, instances : dict
        Templates of structs; the template and the arguments that a struct was made of.
    unions : set of str
        Structs whose members share their place.
    private : dict
        The members of each struct that only its own functions may use.
    aggregates : set of str
        Structs whose only constructor is for the first values of their members: a list of values may name others.
    bases : dict
        What structs inherit from.
    special : dict
        Functions that are written for some arguments of a template: the template and the arguments, by name.
    lambdas : list of Lambda
    places : set of str
        Functions of structs that return a reference: what they return stands where they are called.
    static : set of str
        Functions of structs that are called without one.
    enums : dict
        Enumerations, and whether their names are only known behind theirs.
    defaults : dict
        What the last parameters of functions are when they are not given, for a function's name and the number of its parameters.
    """

    code: Code
    tokens: list[Token] = field(default_factory=list)
    kernels: set[str] = field(default_factory=set)
    templates: dict[str, Template] = field(default_factory=dict)
    linked: set[str] = field(default_factory=set)
    structs: set[str] = field(default_factory=set)
    aligned: dict[str, int] = field(default_factory=dict)
    vectors: set[str] = field(default_factory=set)
    constructors: set[str] = field(default_factory=set)
    methods: dict[str, set[str]] = field(default_factory=dict)
    struct_templates: dict[str, Template] = field(default_factory=dict)
    instances: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    unions: set[str] = field(default_factory=set)
    private: dict[str, set[str]] = field(default_factory=dict)
    aggregates: set[str] = field(default_factory=set)
    bases: dict[str, list[str]] = field(default_factory=dict)
    special: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)
    lambdas: list[Lambda] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    enums: dict[str, bool] = field(default_factory=dict)
    defaults: dict[tuple[str, int], list[list[Token]]] = field(default_factory=dict)
    typenames: set[str] = field(default_factory=lambda: {n for n in NAMED if n not in WORDS} | {"_hf_auto"})

    def aggregate(self, name: str) -> bool:
        """Whether a struct, or the template that it is made of, is one of `aggregates`."""
        return bool({name, self.instances.get(name, ("",))[0]} & self.aggregates)


def bare(name: str | None) -> str:
    """The name of a variable or a parameter, without what marks a reference."""
    name = name or ""
    return next((name.removeprefix(each) for each in (REFERENCE, SEEN, WHOLE) if name.startswith(each)), name)


def readable(name: str) -> str:
    """The name of a function as messages show it: without what marks an operator, or a function of a struct."""
    name = name.replace(OPERATOR, "operator_", 1) if name.startswith(OPERATOR) else name
    return name.removeprefix(METHOD).removeprefix(CONSTRUCTOR)


def convert(tokens: list[Token], code: Code) -> Unit:
    """Turn a source's tokens into C and templates.

    Raises
    ------
    NotSimulatedError
        For a construct of C++ that is not handled.
    """
    unit = Unit(code)
    if headers.known("half", code.included) and any("half2" in token.text or token.text in PAIRED for token in tokens):
        tokens = [*(token._replace(line=0) for token in split(HALF2)), *tokens]
    tokens = _named_operators(tokens, code)
    for token in tokens:
        if token.text == "<<<" and not code.separate:
            code.wrong(
                "kernel launch from __device__ or __global__ functions requires separate compilation mode", token.line
            )
        if token.kind != "string" and token.text in _REFUSED:
            code.refuse(_REFUSED[token.text], token.line)
        if token.text == "nv_bfloat16" and any(path.startswith("cuda_") for path in code.included):
            code.refuse(token.text, token.line, "a half, or a float")
    unit.vectors = _vectors(tokens)
    unit.structs |= unit.vectors
    unit.typenames |= unit.vectors
    if headers.known("half", code.included):
        unit.typenames |= {*HALVES}
    plain = classes.plain(tokens, code)
    tokens, unit.aggregates, unit.bases = plain.tokens, plain.aggregates, plain.bases
    unit.special, unit.instances = plain.functions, dict(plain.structs)
    if any(token.text == "dim3" for token in tokens):
        tokens = [*split(DIM3), *tokens]
    tokens = _without_defaults(_outside(tokens, unit), unit)
    unit.tokens = body(tokens, unit)
    return unit


def _without_defaults(tokens: list[Token], unit: Unit) -> list[Token]:
    """Take out what parameters of functions are when they are not given; it is noted for each function."""
    made: list[Token] = []
    depth = k = 0
    while k < len(tokens):
        token = tokens[k]
        depth += (token.text == "{") - (token.text == "}")
        named = k and not depth and token.text == "(" and tokens[k - 1].kind == "name"
        end = close(tokens, k, unit.code) if named else k
        inside = tokens[k + 1 : end]
        if "=" not in (t.text for t in inside):
            made.append(token)
            k += 1
            continue
        given, params = [], []
        for part in arguments(inside):
            words = [t.text for t in part]
            at = words.index("=") if "=" in words else len(words)
            given += [part[at + 1 :]] * (at < len(words))
            params += written(token.line, "," * bool(params), part[:at])
        unit.defaults[tokens[k - 1].text, len(arguments(inside))] = given
        made += [token, *params, tokens[end]]
        k = end + 1
    return made


def _named_operators(tokens: list[Token], code: Code) -> list[Token]:
    """Give each operator that is defined a name."""
    made: list[Token] = []
    called = False
    for k, token in enumerate(tokens):
        if called:
            called = False  # the second mark of `operator()`
        elif not made or made[-1].text != "operator":
            made.append(token)
        elif token.text in OPERATORS:
            made[-1] = Token(OPERATOR + OPERATORS[token.text], token.line, "name")
        elif token.text in ("(", "[") and k + 1 < len(tokens) and tokens[k + 1].text in (")", "]"):
            made[-1] = Token(OPERATOR + OPERATORS[token.text + tokens[k + 1].text], token.line, "name")
            called = True
        else:
            what = f"operator{token.text}" if token.kind == "mark" else "a conversion operator"
            code.refuse(what, token.line, "a function with a name")
    return made


def _vectors(tokens: list[Token]) -> set[str]:
    """The vector types that a source names, but for names of which it makes variables."""
    named = {token.text for token in tokens if token.kind == "name" and token.text in VECTORS}
    named |= {"uint3"} & {"uint3" for token in tokens if token.text == "dim3"}
    return named - {b.text for a, b in itertools.pairwise(tokens) if a.text in WORDS or a.text == "auto"}


def instance(template: Template, args: list[list[Token]], unit: Unit, name: str) -> list[Token]:
    """The tokens of a template's function for some arguments, under a name of its own, behind the structs that they want."""
    before: list[Token] = []
    made = settled(_substituted(template, args, name), unit, before)
    return body([*before, *made], unit)


def _substituted(template: Template, args: list[list[Token]], name: str) -> list[Token]:
    """A template's tokens with its arguments, and its own name as `name`."""
    values = template_values(template, args)
    made: list[Token] = []
    for token, after in zip(template.tokens, [*(t.text for t in template.tokens[1:]), ""], strict=True):
        if token.kind == "name" and token.text in values:
            made += [Token(t.text, token.line, t.kind) for t in values[token.text]]
        elif token.text == template.name and after != "<":
            made.append(Token(name, token.line, "name"))
        else:
            made.append(token)
    return made


def template_values(template: Template, args: list[list[Token]]) -> dict[str, list[Token]]:
    """What stands in place of a template's parameters: a number that is computed, in brackets."""
    values: dict[str, list[Token]] = {}
    for (kind, param), arg in zip(template.params, args, strict=True):
        alone = kind == "typename" or len(arg) == 1
        values[param] = arg if alone else written(arg[0].line, "(", arg, ")")
    return values


def settled(tokens: list[Token], unit: Unit, before: list[Token]) -> list[Token]:
    """Put the name of a struct in place of each ``Pair<float>``; the definitions of those that are new are added to `before`."""
    made: list[Token] = []
    tokens = list(tokens)
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.text in unit.struct_templates and k + 1 < len(tokens) and tokens[k + 1].text == "<":
            end = angle(tokens, k + 1, unit.code)
            parts = [settled(part, unit, before) for part in arguments(tokens[k + 2 : end])]
            made.append(Token(_struct_instance(token, parts, unit, before), token.line, "name"))
            k = end + 1
        else:
            made.append(token)
            k += 1
    return made


def filled(template: Template, args: list[list[Token]]) -> list[list[Token]]:
    """A template's arguments, those that are not given as it says them."""
    args = list(args)
    for _, param in template.params[len(args) :]:
        if param not in template.defaults:
            break
        given = {name: arg for (_, name), arg in zip(template.params, args, strict=False)}
        args.append([t for token in template.defaults[param] for t in given.get(token.text, [token])])
    return args


def _struct_instance(token: Token, parts: list[list[Token]], unit: Unit, before: list[Token]) -> str:
    """The struct that a template makes for some arguments."""
    template = unit.struct_templates[token.text]
    parts = filled(template, parts)
    if len(parts) != len(template.params):
        few = "few" if len(parts) < len(template.params) else "many"
        unit.code.wrong(f'too {few} arguments for class template "{token.text}"', token.line)
    texts = [" ".join(t.text for t in part) for part in parts]
    made = (each for each, of in unit.instances.items() if of == (token.text, texts))
    if not (name := next(made, "")):
        text = "__".join([token.text, *("".join(c if c.isalnum() else "_" for c in text) for text in texts)])
        tries = (text if k == 1 else f"{text}__{k}" for k in itertools.count(1))
        name = next(each for each in tries if each not in unit.structs)
        unit.instances[name] = (token.text, texts)
        unit.structs.add(name)
        unit.typenames.add(name)
        before += _without_defaults(_outside(_substituted(template, parts, name), unit), unit)
    return name


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


def _outside(tokens: list[Token], unit: Unit) -> list[Token]:
    """Take out attributes, namespaces, ``extern "C"`` and templates; note kernels and names of types."""
    made: list[Token] = []
    namespaces: set[str] = set(_NAMESPACES)
    k = 0
    tokens = list(tokens)
    blocks: list[int] = []  # closing braces that go with their opening
    linked = -1  # until which token `extern "C"` reaches
    begun = seen = depth = 0  # where in `made` the function or declaration begins that is being read

    def settle(end: int) -> None:
        """Put the names of structs in place of templates with arguments, from here on to `end`."""
        nonlocal linked, begun, blocks
        before: list[Token] = []
        count = len(tokens)
        tokens[k:end] = settled(tokens[k:end], unit, before)
        moved = len(tokens) - count
        blocks = [b + moved if b > k else b for b in blocks]
        linked += moved * (linked > k)
        made[begun:begun] = before
        begun += len(before)

    while k < len(tokens):
        for each in range(seen, len(made)):
            depth += (made[each].text == "{") - (made[each].text == "}")
            if not depth and made[each].text in (";", "}"):
                begun = each + 1
        seen = len(made)
        if tokens[k].text in unit.struct_templates and k + 1 < len(tokens) and tokens[k + 1].text == "<":
            settle(_angle_end(tokens, k + 1, unit.code))
            seen = len(made)
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
            made += written(token.line, "typedef", tokens[k + 3 : end], after, tokens[end : end + 1])
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
            if text in ("thrust", "cupy"):
                _check_cupy(text, tokens, k, unit)
            if text == "std":
                _check_std(tokens, k, unit)
                if k < len(tokens) and tokens[k].text in OVERLOADED:
                    made.append(Token(STANDARD + tokens[k].text, token.line, "name"))
                    k += 1
        elif text == "::":
            if made and (made[-1].text == ">" or made[-1].text in unit.structs | unit.typenames):
                made.append(token)
            k += 1
        elif text == "enum":
            k = _enum(tokens, k, unit, made)
        elif text in _STRUCTS or (text == "typedef" and after in _STRUCTS):
            opening = next((j for j in range(k, len(tokens)) if tokens[j].text in ("{", ";", ")")), k)
            if tokens[opening].text == "{":
                settle(close(tokens, opening, unit.code))
                seen = len(made)
            k = _struct(tokens, k, unit, made)
        elif text == "typedef":
            end = next((j for j in range(k, len(tokens)) if tokens[j].text == ";"), None)
            if end is None:
                unit.code.wrong('expected a ";"', token.line)
            unit.typenames.add(next(t.text for t in reversed(tokens[k:end]) if t.kind == "name"))
            made.append(token)
            k += 1
        elif text == "numeric_limits" and unit.code.bare and (not k or tokens[k - 1].text != "::"):
            unit.code.wrong(
                f'identifier "{text}" is undefined',
                token.line,
                "Write cuda::std::numeric_limits, behind <cuda/std/limits>.",
            )
        elif text in ("constexpr", "consteval", "constinit"):
            made.append(Token("const", token.line, "name"))
            k += 1
        else:
            made.append(token)
            k += 1
    return made


_STRUCTS = ("struct", "class", "union")


def _angle_end(tokens: list[Token], start: int, code: Code) -> int:
    """Behind the ``>`` that closes the ``<`` at `start`; the tokens stay as they are."""
    if (end := angle_end(tokens, start)) == start:
        code.wrong('expected a ">"', tokens[start].line)
    return end


def _enum(tokens: list[Token], start: int, unit: Unit, made: list[Token]) -> int:
    """Read an enumeration: its numbers, and its name as that of a type; returns where it ends."""
    k, line = start + 1, tokens[start].line
    scoped = tokens[k].text in ("class", "struct")
    k += scoped
    name = tokens[k].text if tokens[k].kind == "name" else ""
    opening = next((j for j in range(k, len(tokens)) if tokens[j].text in ("{", ";", ")", "=")), k)
    if tokens[opening].text != "{":
        made.append(tokens[start])  # `enum Name x`
        return start + 1
    kind = tokens[k + 2 : opening] if name and tokens[k + 1].text == ":" else written(line, "int")
    last = close(tokens, opening, unit.code)
    inside = tokens[opening + 1 : last]
    if scoped:
        own = {part[0].text for part in arguments(inside)}
        inside = [Token(f"{METHOD}{name}_{t.text}", t.line, "name") if t.text in own else t for t in inside]
    if not name:
        made += [tokens[start], *tokens[opening : opening + 1], *inside, tokens[last]]
        return last + 1
    unit.typenames.add(name)
    unit.enums[name] = scoped
    made += [tokens[start], tokens[opening], *inside, tokens[last]]
    made += written(line, "; typedef", kind, name, ";")
    if tokens[last + 1].text != ";":
        made.append(Token(name, line, "name"))
        return last + 1
    return last + 2


_OF_THRUST = frozenset(
    "complex real imag arg abs norm conj proj polar exp log log10 pow sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh".split()
)


def _check_cupy(namespace: str, tokens: list[Token], k: int, unit: Unit) -> None:
    """Refuse what CuPy's headers do not have in a namespace."""
    if unit.code.bare and k < len(tokens) and not (namespace == "thrust" and tokens[k].text in _OF_THRUST):
        unit.code.wrong(f'namespace "{namespace}" has no member "{tokens[k].text}"', tokens[k].line)


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
    "(": "this member", "=": "a struct whose members have values", "{": "a struct within a struct", ":": "a bit field, "
    "or a label in a struct", "*": "a pointer in a struct", "&": "a reference in a struct", "template": "a template in a struct",
    "mutable": "a mutable member of a struct",
}  # fmt: skip


def _struct(tokens: list[Token], start: int, unit: Unit, made: list[Token]) -> int:
    """Read a struct's definition, or its name behind ``struct``; returns where it ends."""
    code, line = unit.code, tokens[start].line
    typedef = tokens[start].text == "typedef"
    word = tokens[start + typedef].text
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
    if following != "{":
        unit.typenames.add(name)
        if following == ";":
            return k + 1  # declared only
        made += written(line, tokens[start : start + typedef], name)
        return k
    last = close(tokens, k, code)
    end = next((j for j in range(last, len(tokens)) if tokens[j].text == ";"), None)
    if end is None or (end == last + 1 and not name):
        code.wrong('expected a ";"', tokens[last].line)
    others = [t.text for t in tokens[last + 1 : end] if t.kind == "name"]
    behind = {t.text for t in tokens[last + 1 : end]}
    if {"__global__", "extern"} & behind or {"(", "{"} <= behind:  # a function, and no variables of the struct
        code.wrong('expected a ";"', tokens[last + 1].line)
    if not name and not typedef and not others:
        code.refuse("a struct without a name", line)
    alias = others[-1] if typedef and others else ""
    name = name or alias or f"unnamed_{word}_{len(unit.structs)}"
    if word == "union":
        unit.unions.add(name)
    unit.structs.add(name)
    unit.typenames |= {name, alias} - {""}
    unit.aligned[name] = aligned
    constants, data, functions = _members(name, tokens[k + 1 : last], unit, word == "class")
    depth = 0
    for token in data:
        depth += (token.text == "[") - (token.text == "]")
        if token.text in _NOT_IN_STRUCTS and not depth:
            code.refuse(_NOT_IN_STRUCTS[token.text], token.line)
    kind = Token(name, line, "name")
    made += [*constants, *written(line, f"typedef struct {name}"), tokens[k], *data, tokens[last], kind]
    made += written(tokens[last].line, ";")
    if typedef and alias != name:
        made += written(line, f"typedef {name}", tokens[last + 1 : end + 1])
    made += _outside(functions, unit)
    if not typedef and end != last + 1:
        made.append(kind)
        return last + 1
    return end + 1


def _members(name: str, tokens: list[Token], unit: Unit, private: bool) -> tuple[list[Token], list[Token], list[Token]]:
    """The parts of a struct: its static constants, its members that are no functions, and its functions as functions of their own.

    A function is given the struct.  `private` says whether members are private until another word is found.
    """
    constants: list[Token] = []
    data: list[Token] = []
    functions: list[Token] = []
    unit.methods.setdefault(name, set())
    hidden = unit.private.setdefault(name, set())
    own: dict[str, str] = {}  # static members
    k = 0
    while k < len(tokens):
        if tokens[k].text in ("public", "private", "protected") and tokens[k + 1].text == ":":
            private = tokens[k].text != "public"
            k += 2
            continue
        start = k
        while k < len(tokens) and tokens[k].text not in ("(", ";"):
            k = close(tokens, k, unit.code) + 1 if tokens[k].text == "[" else k + 1
        words = [t.text for t in tokens[start:k]]
        static = "static" in words
        if static and "=" in words:
            end = next((j for j in range(k, len(tokens)) if tokens[j].text == ";"), len(tokens) - 1)
            at = start + words.index("=") - 1
            own[tokens[at].text] = f"{METHOD}{name}_{tokens[at].text}"
            kept = [t for t in tokens[start : end + 1] if t.text not in _DROPPED]
            constants += [Token("const", t.line, "name") if t.text == "constexpr" else t for t in kept]
            k = end + 1
        elif (
            k == len(tokens) or tokens[k].text == ";" or {"=", "{", ":", "template", "__align__", "alignas"} & {*words}
        ):
            end = next((j for j in range(k, len(tokens)) if tokens[j].text == ";"), len(tokens) - 1)
            data += tokens[start : end + 1]
            if private:
                pairs = itertools.pairwise(tokens[start : end + 1])
                hidden |= {a.text for a, b in pairs if a.kind == "name" and b.text in (",", ";", "[")}
            k = end + 1
        else:
            called = tokens[k - 1].text
            if static:
                own[called] = f"{METHOD}{name}_{called}"
                unit.static.add(own[called])
            if private and called != name:
                hidden.add(called)
            k = _member_function(name, tokens, start, k, unit, functions, static)
    if "friend" in (t.text for t in tokens):
        hidden.clear()
    return _with_static(constants, own), _with_static(data, own), _with_static(functions, own)


def _with_static(tokens: list[Token], own: dict[str, str]) -> list[Token]:
    """Tokens with the names that the static members of a struct have outside of it."""
    before = ["", *(t.text for t in tokens)]
    return [
        Token(own[t.text], t.line, t.kind) if t.text in own and was not in (".", "->", "::") else t
        for t, was in zip(tokens, before, strict=False)
    ]


def _member_function(
    name: str, tokens: list[Token], start: int, opening: int, unit: Unit, made: list[Token], static: bool
) -> int:
    """Add the function of a struct whose parameters open at `opening`; returns where it ends."""
    code, line = unit.code, tokens[start].line
    own = tokens[opening - 1].text
    head = [t for t in tokens[start : opening - 1] if t.text not in (*_DROPPED, "explicit", "constexpr", "friend")]
    friend = any(t.text == "friend" for t in tokens[start:opening])
    constructs = own == name and not head
    if "~" in (t.text for t in head):
        code.refuse("a destructor", line)
    closing = close(tokens, opening, code)
    k, words = closing + 1, []
    while k < len(tokens) and tokens[k].text not in ("{", ";", ":", "="):
        words.append(tokens[k].text)
        k += 1
    if k == len(tokens) or tokens[k].text == ";":
        return k + 1  # defined nowhere: a call finds none, as ptxas finds none
    params = tokens[opening + 1 : closing]
    if tokens[k].text == "=":
        end = next(j for j in range(k, len(tokens)) if tokens[j].text == ";")
        if constructs and tokens[k + 1].text == "default" and not params:
            unit.constructors.add(name)
            made += written(line, f"{name} {CONSTRUCTOR}{name}() {{ {name} {THIS}; return {THIS}; }}")
        return end + 1
    first: list[Token] = []
    if tokens[k].text == ":":
        k = _initial_members(tokens, k, code, first)
    end = close(tokens, k, code)
    inside = _of_this(tokens[k + 1 : end])
    if constructs:
        if any(t.text == "return" for t in inside):
            code.refuse("a return in a constructor", line)
        unit.constructors.add(name)
        made += written(line, f"{name} {CONSTRUCTOR}{name}(", params, f") {{ {name} {THIS};")
        made += written(line, first, inside, f"return {THIS}; }}")
        return end + 1
    if "&" in (t.text for t in head):
        place = [t.text for t in inside][:1] == ["return"] and [t.text for t in inside].count(";") == 1
        if name not in (t.text for t in head) and (not place or static or friend):
            code.refuse("a member function that returns a reference", line, "a function that stores the value")
        if name not in (t.text for t in head):
            unit.places.add(own if own.startswith(OPERATOR) else f"{METHOD}{name}_{own}")
        head = [t for t in head if t.text not in ("&", "const")]
    if friend or static:
        called, this = own, []
        unit.methods[name] |= {own} if static else set()
    else:
        called = own if own.startswith(OPERATOR) else f"{METHOD}{name}_{own}"
        only_reads = "const" in words or _only_reads(tokens[k + 1 : end], unit)
        this = written(line, "const" * only_reads, f"{name}& {THIS}")
        unit.methods[name].add(own)
    if this:
        params = written(line, ",", params) if params and [t.text for t in params] != ["void"] else []
    made += written(line, head, f"{called}(", this, params, ")")
    made += [tokens[k], *inside, tokens[end]]
    return end + 1


def _only_reads(tokens: list[Token], unit: Unit) -> bool:
    """Whether a function of a struct can change nothing, also without ``const``: it may be given a copy."""
    if any(t.text in _CHANGES or t.text == "this" for t in tokens):
        return False
    called = {a.text for a, b in itertools.pairwise(tokens) if a.kind == "name" and b.text == "("}
    return all(n in unit.structs or n.removesuffix("f") in OVERLOADED or n in WORDS or n == "return" for n in called)


def _initial_members(tokens: list[Token], k: int, code: Code, made: list[Token]) -> int:
    """The list of a constructor behind its colon, as assignments; returns where its body opens."""
    while tokens[k].text in (":", ","):
        named, opening = tokens[k + 1], k + 2
        end = close(tokens, opening, code)
        inside = tokens[opening + 1 : end] or written(named.line, "0")
        if len(arguments(inside)) != 1:
            code.refuse(f"several values for the member {named.text} of a struct", named.line)
        made += written(named.line, f"{THIS}.{named.text} = (", inside, ");")
        k = end + 1
    return k


def _of_this(tokens: list[Token]) -> list[Token]:
    """``this`` as the name that a function of a struct has for it."""
    made: list[Token] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.text != "this":
            made.append(token)
            k += 1
            continue
        if k + 1 < len(tokens) and tokens[k + 1].text == "->":
            made += written(token.line, f"{THIS}.")
            k += 2
        elif made and made[-1].text == "*":
            made[-1] = Token(THIS, token.line, "name")
            k += 1
        else:
            made += written(token.line, f"(&{THIS})")
            k += 1
    return made


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
    params, defaults = [], {}
    for part in arguments(tokens[start + 2 : end]):
        words = [t.text for t in part]
        if "template" in words:
            code.refuse("a template of templates", part[0].line)
        if "=" in words:
            at = words.index("=")
            defaults[words[at - 1]] = part[at + 1 :]
            words = words[:at]
        params.append(("typename" if words[0] in ("typename", "class") else words[0], words[-1]))
    if not params:
        code.refuse("a template's specialisation", tokens[start].line)
    k = end + 1
    if k < len(tokens) and tokens[k].text in _STRUCTS:
        name = tokens[k + 1].text
        opening = next((j for j in range(k, len(tokens)) if tokens[j].text in ("{", ";")), k)
        if tokens[k + 2].text == "<":
            code.refuse("a template's specialisation", tokens[k].line)
        if tokens[opening].text == ";":
            return opening + 1  # declared only
        last = close(tokens, opening, code)
        piece = written(tokens[last].line, tokens[k : last + 1], ";")
        unit.struct_templates[name] = Template(name, params, piece, defaults=defaults)
        return last + 2
    while k < len(tokens) and tokens[k].text not in ("{", ";"):
        if tokens[k].text == "(":
            k = close(tokens, k, code)
        k += 1
    if k >= len(tokens) or tokens[k].text == ";":
        return k + 1  # declared only
    last = close(tokens, k, code)
    piece = tokens[end + 1 : last + 1]
    name = _function_name(piece, 0, code)
    types = unit.typenames | {p for kind, p in params if kind == "typename"}
    inner = Unit(code, structs=unit.structs, typenames=types, enums=unit.enums)
    tokens_ = _without_defaults(_outside(piece, inner), unit)
    unit.templates[name] = Template(name, params, tokens_, name in inner.kernels, defaults)
    return last + 1


def body(tokens: list[Token], unit: Unit) -> list[Token]:
    """Rewrite what stands in functions: casts, references, construction, types that C has no name for."""
    code, types = unit.code, WORDS | unit.typenames
    tokens = list(tokens)
    made: list[Token] = []
    depth = k = line = 0
    while k < len(tokens):
        token = tokens[k]
        text, line = token.text, token.line
        after = tokens[k + 1].text if k + 1 < len(tokens) else ""
        before = made[-1].text if made else ""
        depth += (text == "{") - (text == "}")

        if text in _CASTS and after == "<":
            end = angle(tokens, k + 1, code)
            last = close(tokens, end + 1, code)
            kind, inside = body(tokens[k + 2 : end], unit), body(tokens[end + 2 : last], unit)
            if text != "const_cast" and "const" not in (t.text for t in kind) and kind[-1].text == "*":
                inside = written(line, f"{MUTABLE}(", inside, ")")
            made += written(line, "((", kind, ")(", inside, "))")
            k = last + 1
        elif (
            text == "("
            and after in unit.structs
            and [t.text for t in tokens[k + 2 : k + 4]] == [")", "{"]
            and not (made and made[-1].kind == "name" and made[-1].text != "return")
        ):
            code.wrong("expected an expression", line, f"Write {after}{{…}}.")
        elif text == "=" and after == "{" and not _declares(made, types):
            made += written(line, "= (_hf_auto)")
            k += 1
        elif after == "::" and (text in unit.structs or text in unit.enums) and k + 2 < len(tokens):
            member = tokens[k + 2].text
            plain = text in unit.enums and not unit.enums[text]
            tokens[k : k + 3] = written(line, member if plain else f"{METHOD}{text}_{member}")
        elif text in ("alignof", "__alignof__"):
            made += written(line, "_Alignof")
            k += 1
        elif text == "complex" and after == "<":
            end = angle(tokens, k + 1, code)
            inner = "".join(t.text for t in tokens[k + 2 : end])
            if inner not in ("float", "double"):
                code.refuse(f"complex<{inner}>", line)
            tokens[k : end + 1] = written(line, "_hf_c8" if inner == "float" else "_hf_c16")
        elif text in ("thread_block_tile", "tiled_partition") and after == "<":
            end = angle(tokens, k + 1, code)
            size = "".join(t.text for t in tokens[k + 2 : end]).partition(",")[0]
            name = f"_hf_tile_{size}"
            if name not in NAMED:
                code.refuse(f"{text}<{size}>", line, f"{text}<32>, or another power of two")
            tokens[k : end + 1] = written(line, name if text == "thread_block_tile" else f"_hf_tiled_{size}")
        elif text in GROUP_OPERATORS and after == "<" and "cooperative_groups/reduce.h" in code.included:
            end = angle(tokens, k + 1, code)
            kind = body(tokens[k + 2 : end], unit)
            if [t.text for t in tokens[end + 1 : end + 3]] != ["(", ")"]:
                code.refuse(
                    f"this use of {text}<{kind[0].text}>",
                    line,
                    f"{text}<{kind[0].text}>() as the last argument of reduce()",
                )
            made += written(line, f"_hf_group_{text}((", kind, ")0)")
            k = end + 3
        elif text == "numeric_limits" and after == "<":
            end = angle(tokens, k + 1, code)
            kind = body(tokens[k + 2 : end], unit)
            member = tokens[end + 2].text
            made += written(line, f"_hf_limit_{member}((", kind, ")0)")
            k = end + 5
        elif text in unit.structs and after in ("{", "(") and before not in types and before != "struct":
            last = close(tokens, k + 1, code)
            if text in unit.constructors and not (after == "{" and unit.aggregate(text) and last > k + 2):
                made += written(line, f"{CONSTRUCTOR}{text}(", body(tokens[k + 2 : last], unit), ")")
                k = last + 1
                continue
            if after == "(" and last > k + 2:
                code.wrong(
                    f'no instance of constructor "{text}::{text}" matches the argument list',
                    line,
                    f"Write {text}{{…}}.",
                )
            made += written(line, f"({text}){{", body(tokens[k + 2 : last], unit), "}")
            k = last + 1
        elif text == "[" and after == "{":
            end, last = close(tokens, k, code), close(tokens, k + 1, code)
            if end != last + 1:
                code.wrong("expected an expression", line)
            made += written(line, f"[{INDICES}(", body(tokens[k + 2 : last], unit), ")]")
            k = end + 1
        elif text == "return" and after == "{":
            made += written(line, "return (_hf_auto)")
            k += 1
        elif text in types and after == "(" and before not in types and before not in ("sizeof", "*", "struct"):
            last = close(tokens, k + 1, code)
            inside = body(tokens[k + 2 : last], unit)
            if tokens[k + 2].text == "*":
                if last != k + 4 or last + 1 == len(tokens) or tokens[last + 1].text != "[":
                    code.refuse("a pointer to a function", line)
                made += tokens[k : last + 1]
                k = last + 1
                continue
            if text.startswith("_hf_c") and len(arguments(inside)) == 2:
                made += written(line, f"_hf_make{text[5:]}(", inside, ")")
            else:
                made += written(line, f"(({text})(", inside or "0", "))")
            k = last + 1
        elif (
            depth
            and token.kind == "name"
            and after in ("(", "{")
            and text not in types
            and (of := _declaring(made, types))
        ):
            last = close(tokens, k + 1, code)
            following = tokens[last + 1].text if last + 1 < len(tokens) else ""
            if following not in (";", ","):
                made.append(token)
                k += 1
                continue
            inside = body(tokens[k + 2 : last], unit)
            if of in unit.constructors and not (after == "{" and unit.aggregate(of) and last > k + 2):
                made += written(line, f"{text} = {CONSTRUCTOR}{of}(", inside, ")")
            elif of in unit.structs and after == "{":
                made += written(line, f"{text} = {{", inside, "}")
            else:
                made += written(line, f"{text} = (", inside or "0", ")")
            k = last + 1
        elif text == "&" and (before in types or before in ("const", "*")) and _declared(tokens, k):
            if before != "*" and _constant(made) and (not depth or _in_brackets(made)):
                made += written(line, SEEN + after)
            else:
                made += written(line, f"*{REFERENCE}{after}")
            k += 2
        elif text == "&&" and (before in types or before == "const") and _declared(tokens, k):
            code.refuse("a reference to a temporary value (&&)", line, "a parameter by value, or const &")
        elif text == "auto":
            made += written(line, "_hf_auto")
            k += 1
        elif text == "nullptr":
            made += written(line, "0")
            k += 1
        elif text == "[" and after != "[" and (before in _BEFORE_VALUES or not made):
            k = _lambda(tokens, k, unit, made)
        elif text in ("<", ">") and depth and token.kind == "mark" and _instantiates(tokens, k, unit):
            end = angle(tokens, k, code)
            inner = "$".join(" ".join(t.text for t in part) for part in arguments(tokens[k + 1 : end]))
            made[-1] = made[-1]._replace(text=f"{made[-1].text}_hf_of_{_encoded(inner)}", line=line)
            k = end + 1
        else:
            made.append(token)
            k += 1
    return made


_BEFORE_VALUES = frozenset(("=", "(", ",", "return", "{", ";", "}", "&&", "||", "?", ":"))
_CHANGES = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))


def _lambda(tokens: list[Token], start: int, unit: Unit, made: list[Token]) -> int:
    """Take out a lambda, in whose place stands a call that names its number; returns where it ends."""
    code, line = unit.code, tokens[start].line
    k = close(tokens, start, code)
    said = [[t.text for t in part] for part in arguments(tokens[start + 1 : k])]
    if any("=" in words[1:] or "this" in words or "..." in words for words in said):
        code.refuse("this capture of a lambda", line, "the names of variables")
    references = {words[1] for words in said if words[0] == "&" and len(words) > 1}
    copies = {words[0] for words in said if words[0] not in ("&", "=")}
    params: list[Token] = []
    k += 1
    if tokens[k].text == "(":
        end = close(tokens, k, code)
        params = body(tokens[k : end + 1], unit)[1:-1]
        k = end + 1
    if any(t.text == "=" for t in params):
        code.refuse("a lambda's parameter with a default value", line, "a value for it in each call")
    returns: list[Token] = []
    while tokens[k].text != "{":
        if tokens[k].text == "->":
            opening = next(j for j in range(k, len(tokens)) if tokens[j].text == "{")
            returns = body(tokens[k + 1 : opening], unit)
            k = opening
        elif tokens[k].text == "mutable":
            code.refuse("a mutable lambda", line, "a variable that it captures by reference, as in [&n]")
        elif tokens[k].text in ("noexcept", "const"):
            k += 1
        else:
            code.wrong('expected a "{"', tokens[k].line)
    if any(t.text == "&" for t in returns):
        code.refuse("a lambda that returns a reference", line, "a pointer, or a value")
    end = close(tokens, k, code)
    inside = body(tokens[k : end + 1], unit)
    rest = next((words[0] for words in said if words in (["="], ["&"])), "")
    unit.lambdas.append(Lambda(rest, copies, references, params, returns, inside))
    made += written(line, f"{LAMBDA}{len(unit.lambdas) - 1}()")
    return end + 1


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


def _begun(made: list[Token]) -> list[str]:
    """The words of the statement that has begun."""
    k = len(made)
    while k and made[k - 1].text not in (";", "{"):
        if made[k - 1].text == "}":
            depth = 0
            start = k
            while start:
                depth += (made[start - 1].text == "}") - (made[start - 1].text == "{")
                start -= 1
                if not depth:
                    break
            if not start or made[start - 1].text != "=":
                break  # the end of a block, and not of a list of values
            k = start
        k -= 1
    return [token.text for token in made[k:]]


def _declaring(made: list[Token], types: set[str] | frozenset[str]) -> str:
    """The type of what is declared next, in a declaration that has just begun or gone on behind a comma; else nothing."""
    if made and made[-1].text in types:
        return made[-1].text
    if not made or made[-1].text != ",":
        return ""
    words = _begun(made)
    if sum(word in "([" for word in words) != sum(word in ")]" for word in words):
        return ""
    words = words[1:] if words[:1] == ["const"] else words
    return (
        words[0] if words[0] in types and len(words) > 2 and (words[1] in types or words[1][0].isidentifier()) else ""
    )


def _declares(made: list[Token], types: set[str] | frozenset[str]) -> bool:
    """Whether the statement that has begun is a declaration."""
    words = [word for word in _begun(made) if word not in ("const", SHARED, "extern", "typedef")]
    return bool(words) and words[0] in types


def _in_brackets(made: list[Token]) -> bool:
    """Whether what comes next is among the parameters of a function."""
    words = _begun(made)
    return words.count("(") > words.count(")")


def _constant(made: list[Token]) -> bool:
    for token in reversed(made):
        if token.text in ("(", ",", ";", "{", "}"):
            return False
        if token.text == "const":
            return True
    return False
