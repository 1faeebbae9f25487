"""What Numba compiles for a CPU but not for a GPU, and its errors in the learner's words."""

from __future__ import annotations

import re

from numba.core import errors, ir, types

from ..faults import UncompilableError
from ..resolve import Function

_OWN = re.compile(r"_hf_(do_|fn_\d+_|_|const_)?")
_NOISE = re.compile(
    r"^(Failed in nopython mode pipeline.*|- Resolution failure.*|During: (Pass|typing of|resolving callee).*|"
    r"Rejected as the implementation.*|.*raised from .*|Overload of function.*|With argument\(s\):.*|- Of which.*|"
    r"Overload in function.*|There are \d+ candidate implementations:.*)$",
    re.MULTILINE,
)
_PLACE = re.compile(r'File "([^"]*)", line (\d+)')


def explain(function: Function, error: errors.NumbaError) -> UncompilableError:
    """Numba's error about the rewritten kernel, told about the kernel as it was written."""
    text = _ansi(str(error))
    line = _line(function, text)
    words = _OWN.sub("", _NOISE.sub("", text))
    words = re.sub(r"\n\s*\n+", "\n", words).strip()
    fields = {"kernel": function.name, "filename": function.filename, "original": words}
    if line is not None:
        fields |= {
            "line": line,
            "file_line": function.firstlineno + line - 1,
            "source_line": function.line(line),
        }
    return UncompilableError(_sentence(words), **fields)


def _sentence(words: str) -> str:
    for line in words.splitlines():
        line = line.strip()
        if line and not line.startswith(("File ", "<source", "^", ">>>")):
            rest = words[words.index(line) :]
            return f"Numba cannot compile this kernel: {rest}"
    return f"Numba cannot compile this kernel: {words}"


def _ansi(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _line(function: Function, text: str) -> int | None:
    last = function.firstlineno + len(function.source.splitlines()) - 1
    for filename, number in reversed(_PLACE.findall(text)):
        number = int(number)
        if function.firstlineno <= number <= last and _same(filename, function.filename):
            return number - function.firstlineno + 1
    return None


def _same(shown: str, filename: str) -> bool:
    return filename.endswith(shown.lstrip("./")) or shown.endswith(filename.rsplit("/", 1)[-1])


def check(made) -> None:
    """Refuse what only a CPU has: arrays made in a kernel, lists, sets, dictionaries, text.

    Raises
    ------
    UncompilableError
    """
    for result in made.thread.overloads.values():
        annotation = result.type_annotation
        for name, kind in annotation.typemap.items():
            if isinstance(kind, types.List | types.Set | types.DictType | types.ListType | types.LiteralList):
                raise UncompilableError(
                    f"{_name(name)} is a {kind}: a kernel has no lists, sets or dictionaries. Use a local array "
                    "(cuda.local.array) or a tuple.",
                    kernel=made.function.name,
                    filename=made.function.filename,
                )
        for call, signature in annotation.calltypes.items():
            made_array = isinstance(getattr(signature, "return_type", None), types.Array)
            if not (made_array and isinstance(call, ir.Expr) and call.op == "call"):
                continue
            function = call.func
            callee = annotation.typemap.get(function.name)
            python = getattr(callee, "typing_key", None)
            if getattr(python, "__module__", "") in ("numpy", "numpy._core.multiarray"):
                line = call.loc.line - made.function.firstlineno + 1
                raise UncompilableError(
                    f"np.{getattr(python, '__name__', '?')} makes a new array, which a kernel cannot: a GPU's threads "
                    "have no memory to take it from. Use cuda.local.array or cuda.shared.array, or pass an array in.",
                    kernel=made.function.name,
                    filename=made.function.filename,
                    line=line,
                    file_line=call.loc.line,
                    source_line=made.function.line(line),
                )


def _name(name: str) -> str:
    return "A value" if name.startswith(("$", "_hf_")) else name.split(".")[0]
