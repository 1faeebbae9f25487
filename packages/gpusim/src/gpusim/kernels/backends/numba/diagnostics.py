"""What Numba compiles for a CPU but not for a GPU, and its errors in the learner's words."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba.core import errors, ir, types

from ...faults import LoweringFault, UfuncFault, UncompilableError
from ...frontend.python.resolve import Function, is_written
from .access import WRITE_A_LOOP
from .unsupported import Unknown, Unlowered, absent, attribute, named


class TypingError(UncompilableError, errors.TypingError):
    """What Numba refuses: also Numba's own kind of error, for programs that catch that, and shown under its name."""


class Refused(Exception):
    """A refusal on its way through Numba's compiler, which would put words of its own around an error of its own kind."""


class NumbaRuntimeError(UncompilableError, errors.NumbaRuntimeError):
    """What needs memory that Numba's runtime would give, which a kernel does not have."""


class UnsupportedBytecodeError(UncompilableError, errors.UnsupportedBytecodeError):
    """A statement of Python that Numba does not know in a kernel."""


_PLACE = re.compile(r'File "([^"]*)", line (\d+)')
_MISSING = re.compile(
    r"No implementation of function Function\((?:<built-in function |<function |<ufunc '|<class ')?([^\s>']+).*?\) found for "
    r"signature:\s*>>> (.*)"
)
_PLAIN = re.compile(r"Untyped global name '(\w+)':? Cannot determine Numba type of <class 'function'>")
_SAID = re.compile(r"TypingError: (.*)")
_END = re.compile(
    r"^\s*(File \"|During: |There are \d+ candidate|- Of which|raised from|This error may have been)", re.M
)
_FLOAT_INDEX = re.compile(r"^\w+\(array\([^()]*\), (?:\w*Tuple\([^()]*?)?\b(float(?:16|32|64))\b")
_LITERAL = re.compile(r"Literal\[(\w+)\]\(([^()]*)\)")


def explain(functions: dict[str, Function], kernel: Function, error: Exception) -> TypingError | NumbaRuntimeError:
    """Numba's error about the rewritten kernel, told about the kernel as it was written.

    Parameters
    ----------
    functions : dict
        The kernel and the device functions it calls.
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    if not isinstance(error, errors.NumbaError):
        text = " ".join(["its compiler ends in", type(error).__name__, *text.splitlines()[:1]])
    fields = {"kernel": kernel.name, "filename": kernel.filename, "original": text}
    computed = False
    for function, line in _lines(functions, kernel, text):
        fields |= {
            "filename": function.filename,
            "line": line,
            "file_line": function.firstlineno + line - 1,
            "source_line": function.line(line),
        }
        if function is not kernel:
            fields["function"] = function.name
        computed = computed or _computes(function, line)
    said = words(text)
    kind = NumbaRuntimeError if said == WRITE_A_LOOP and not computed else TypingError
    return kind(f"Numba cannot compile this: {said}", **fields)


def _computes(function: Function, line: int) -> bool:
    """Whether a line assigns what it computes: an array that is computed is refused before it is assigned."""
    assigned = (each for each in ast.walk(function.node) if isinstance(each, ast.Assign) and each.lineno == line)
    return any(isinstance(each.value, ast.BinOp | ast.UnaryOp) for each in assigned)


def words(text: str) -> str:
    """The part of Numba's message that its reader can use."""
    said = [words for words in _SAID.findall(text) if not words.startswith(("No implementation", "Failed in"))]
    plain = _PLAIN.search(text)
    if plain and not plain[1].startswith("_hf_"):
        return f"{plain[1]} is a plain Python function, which a kernel cannot call: decorate it with @cuda.jit(device=True)."
    if said:
        return said[-1].strip()
    missing = [match for match in _MISSING.findall(text) if match[0] != "<intrinsic"]
    if missing:
        name, call = missing[-1]
        call = _LITERAL.sub(r"\1 \2", call)
        if name in ("getitem", "setitem") and (of := _FLOAT_INDEX.search(call)):
            return f"an element has a whole number, not a {of[1]}: index with // in place of /, or with int(...)."
        if name in _OPERATORS:
            return f"there is no {_OPERATORS[name]} for {call[len(name) + 1 : -1] if call.startswith(name) else call}."
        return f"there is no {call}."
    if "<intrinsic" in text:
        return "the operation in this line does not take arguments of these types."
    text = re.sub(r"Failed in \w+ mode pipeline \(step: .*\)\s*", "", text)
    end = _END.search(text)
    words = (text[: end.start()] if end else text).strip() or text.strip()
    words = re.sub(r"_hf_(do_|fn_\d+_|_|const_|t)?", "", words)
    return re.sub(r"\s*\n\s*", " ", words)


_OPERATORS = {
    "setitem": "assignment to an element",
    "getitem": "indexing",
    "add": "+",
    "iadd": "+",
    "sub": "-",
    "isub": "-",
    "mul": "*",
    "imul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}


def _lines(functions: dict[str, Function], kernel: Function, text: str) -> Iterator[tuple[Function, int]]:
    """The place that an error is about: in the innermost function that it names, if that is one of the kernel's."""
    found = list(_all_lines(functions, text))
    # Numba goes from a device function, where it gave up, outwards to the kernel.
    yield from [place for place in found if place[0] is not kernel][:1] or found[-1:]


def _all_lines(functions: dict[str, Function], text: str) -> Iterator[tuple[Function, int]]:
    for filename, number in _PLACE.findall(text):
        number = int(number)
        for function in functions.values():
            last = function.firstlineno + len(function.source.splitlines()) - 1
            same = os.path.basename(filename) == os.path.basename(function.filename)
            if same and function.firstlineno <= number <= last:
                yield function, number - function.firstlineno + 1
                break


def look(function: Function, kernel: Function, code: ir.FunctionIR) -> None:
    """Refuse a call of what only a CPU has before the types are looked for: to find a call's type, Numba compiles what is called.

    Raises
    ------
    Refused
        With an UncompilableError.
    """
    for block in code.blocks.values():
        for call in block.find_exprs("call"):
            try:
                missing = named(code.infer_constant(call.func))
            except errors.ConstantInferenceError:  # a method, or a function that was chosen
                continue
            if missing:
                raise Refused(_kind(missing)(missing, **_fields(function, kernel, call.loc.line)))


def check(dispatchers: Sequence[tuple], kernel: Function) -> None:
    """Refuse what only a CPU has: arrays made in a kernel, lists, sets, dictionaries, LAPACK.

    Raises
    ------
    UncompilableError
    """
    for function, _, dispatcher in dispatchers:
        written = is_written(function.pyfunc)
        if not written and function.pyfunc is not kernel.pyfunc:
            continue
        for result in dispatcher.overloads.values():
            _check(function, kernel, result.type_annotation, written)


def _check(function: Function, kernel: Function, annotation: Any, written: bool) -> None:
    """Look at the types of one of a kernel's functions."""
    for name, kind in annotation.typemap.items():
        if isinstance(kind, _CONTAINERS):
            raise TypingError(
                f"{_name(name)} is a {kind}: a kernel has no lists, sets or dictionaries. Use a local array "
                "(cuda.local.array) or a tuple.",
                **_fields(function, kernel),
            )
    asked = [(call, signature, absent) for call, signature in annotation.calltypes.items()]
    for block in annotation.blocks.values() if written else ():
        asked += [(each, None, attribute) for each in block.find_exprs("getattr")]
    for call, signature, look in asked:
        missing = look(call, annotation.typemap) if written else None
        if missing is None:
            what = _allocates(call, signature, annotation.typemap)
            if what is None:
                continue
            missing = (
                f"{what} makes a new array, which a kernel cannot: a GPU's threads have no memory to take it from. "
                "Use cuda.local.array or cuda.shared.array, or pass an array in and write a loop."
            )
        raise _kind(missing)(missing, **_fields(function, kernel, call.loc.line))


def _kind(said: str) -> type[UncompilableError]:
    """The class of the error that says so."""
    return LoweringFault if isinstance(said, Unlowered) else UfuncFault if isinstance(said, Unknown) else TypingError


def _fields(function: Function, kernel: Function, file_line: int = 0) -> dict[str, Any]:
    """Where an error is: in one of a kernel's functions, at a line of its file."""
    fields: dict[str, Any] = {"kernel": kernel.name, "filename": function.filename}
    if function.pyfunc is not kernel.pyfunc:
        fields["function"] = function.name
    if file_line:
        line = file_line - function.firstlineno + 1
        fields |= {"line": line, "file_line": file_line, "source_line": function.line(line)}
    return fields


_CONTAINERS = (types.List, types.Set, types.DictType, types.ListType, types.LiteralList)
_VIEWS = ("reshape", "ravel", "view", "transpose", "item")
_LIBRARY = ("dot", "vdot", "matmul")


def _allocates(call: Any, signature: Any, typemap: dict[str, types.Type]) -> str | None:
    """What a call or operation is that needs memory of its own, or a library; None if it needs neither."""
    made_array = isinstance(getattr(signature, "return_type", None), types.Array)
    if not isinstance(call, ir.Expr):
        return None
    if call.op in ("binop", "inplace_binop", "unary"):
        return f"{call.fn.__name__} of arrays" if made_array else None
    if call.op != "call":
        return None
    callee = typemap.get(call.func.name)
    key = getattr(callee, "typing_key", None)
    if isinstance(callee, types.BoundFunction):
        method = str(key).rsplit(".", 1)[-1]
        return f".{method}()" if made_array and method not in _VIEWS else None
    name = getattr(key, "__name__", "")
    numpys = isinstance(key, np.ufunc) or (getattr(key, "__module__", None) or "").split(".")[0] == "numpy"
    if isinstance(key, np.ufunc) and len(call.args) > key.nin:  # into an array that is there
        return None
    if numpys and (made_array or name in _LIBRARY):
        return f"np.{name}"
    return None


def _name(name: str) -> str:
    return "A value" if name.startswith(("$", "_hf_")) else name.split(".")[0]
