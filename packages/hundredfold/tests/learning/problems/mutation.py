"""Mutants of right answers: small changes that a learner could make, each of which a check should refuse.

    python packages/hundredfold/tests/learning/problems/mutation.py [PROBLEM …] [--most 60] [--page]

judges the mutants of these problems, or of all, and prints those that were accepted: each is right as well, which `equivalent.py` argues,
or shows a case that the check lacks. The operators are below, one function each. Two were narrowed once, after the mutants of five problems had been
read: arguments of what is commutative stay, and 0 does not become -1. `variable` and those of texts came later, since short answers gave few mutants.
A mutant has a name, which stays the same while the answer's source does: ``ANSWER:FUNCTION:LINE:OPERATOR:NUMBER``.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import inspect
import linecache
import random
import re
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEED = 20261126

Change = Callable[[], None]
"""Changes a tree in place; it is called on a copy."""
OPERATORS: list[Callable[[ast.AST], Iterator[Change]]] = []


def operator(function: Callable[[ast.AST], Iterator[Change]]) -> Callable[[ast.AST], Iterator[Change]]:
    """Make a function an operator: given a node, it yields the ways to change it."""
    OPERATORS.append(function)
    return function


def _set(node: ast.AST, field: str, value: Any) -> Change:
    return lambda: setattr(node, field, value)


def _within(items: list, place: int, *new: Any) -> Change:
    def change() -> None:
        items[place : place + 1] = new

    return change


ARITHMETIC = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult, ast.FloorDiv],
    ast.FloorDiv: [ast.Div],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.BitXor: [ast.BitAnd],
    ast.LShift: [ast.RShift],
    ast.RShift: [ast.LShift],
}
COMPARISONS = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
OTHER_NAME = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
    "argmin": "argmax",
    "argmax": "argmin",
    "any": "all",
    "all": "any",
    "zeros": "empty",
    "zeros_like": "empty_like",
    "sum": "mean",
    "mean": "sum",
    "x": "y",
    "y": "x",
    "blockDim": "gridDim",
    "left": "right",
    "right": "left",
    "head": "tail",
}
"""Of attributes and functions that are called."""


@operator
def arithmetic(node: ast.AST) -> Iterator[Change]:
    """Another operator between two numbers."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        for other in ARITHMETIC.get(type(node.op), []):
            yield _set(node, "op", other())


@operator
def comparison(node: ast.AST) -> Iterator[Change]:
    """A bound that is included or is not, or the opposite."""
    if isinstance(node, ast.Compare):
        for place, op in enumerate(node.ops):
            for other in COMPARISONS.get(type(op), []):
                yield _within(node.ops, place, other())


@operator
def constant(node: ast.AST) -> Iterator[Change]:
    """A number that is one too large or too small, or a truth value that is the other one."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield _set(node, "value", not node.value)
        elif isinstance(node.value, int):
            yield _set(node, "value", node.value + 1)
            if node.value > 0:  # -1 for 0 is the same index of a single axis, and what any other number is for a flag
                yield _set(node, "value", node.value - 1)
        elif isinstance(node.value, float):
            yield _set(node, "value", node.value * 1.1 + 0.1)


@operator
def statement(node: ast.AST) -> Iterator[Change]:
    """A statement that is left out: a barrier, an addition, an assignment to an element, a synchronisation."""
    for field in ("body", "orelse"):
        lines = getattr(node, field, None)
        for place, line in enumerate(lines if isinstance(lines, list) else []):
            called = isinstance(line, ast.Expr) and isinstance(line.value, ast.Call)
            stored = isinstance(line, ast.Assign) and isinstance(line.targets[0], (ast.Subscript, ast.Attribute))
            if called or stored or isinstance(line, ast.AugAssign):
                yield _within(lines, place, *([] if len(lines) > 1 else [ast.Pass()]))


@operator
def guard(node: ast.AST) -> Iterator[Change]:
    """What is under an `if` is done always, or never, or in the opposite case."""
    for field in ("body", "orelse"):
        lines = getattr(node, field, None)
        for place, line in enumerate(lines if isinstance(lines, list) else []):
            if isinstance(line, ast.If):
                yield _within(lines, place, *line.body)
                yield _within(lines, place, *(line.orelse or [ast.Pass()]))
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield _set(node, "test", ast.UnaryOp(ast.Not(), node.test))


@operator
def condition(node: ast.AST) -> Iterator[Change]:
    """`and` for `or`, or one of several conditions left out."""
    if isinstance(node, ast.BoolOp):
        yield _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for place in range(len(node.values)):
            yield _set(node, "values", [*node.values[:place], *node.values[place + 1 :]] * (len(node.values) > 1))


@operator
def sign(node: ast.AST) -> Iterator[Change]:
    """No minus, or no `not`."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, (ast.USub, ast.Not, ast.Invert)):
            yield _set(node, field, value.operand)


@operator
def keyword(node: ast.AST) -> Iterator[Change]:
    """An argument by name that is left out."""
    if isinstance(node, ast.Call):
        for place in range(len(node.keywords)):
            yield _within(node.keywords, place)


@operator
def axis(node: ast.AST) -> Iterator[Change]:
    """The other axis, or another text: a join's side, an order, a mode."""
    if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
        value = node.value.value
        if node.arg == "axis":
            yield _set(node.value, "value", 1 - value if value in (0, 1) else 0)
        if node.arg == "how":
            yield _set(node.value, "value", "left" if value == "inner" else "inner")


@operator
def cast(node: ast.AST) -> Iterator[Change]:
    """A conversion, a copy or a transposition that is left out."""
    for field, value in ast.iter_fields(node):
        for place, part in enumerate(value if isinstance(value, list) else [value]):
            if (
                isinstance(part, ast.Call)
                and isinstance(part.func, ast.Attribute)
                and part.func.attr
                in ("astype", "copy", "ravel", "fillna", "dropna", "sort_values", "reset_index", "persist")
            ):
                new = part.func.value
            elif isinstance(part, ast.Attribute) and part.attr == "T":
                new = part.value
            elif (
                isinstance(part, ast.Call)
                and isinstance(part.func, ast.Attribute)
                and part.func.attr in ("float64", "float32", "int64", "int32", "ascontiguousarray", "abs", "sqrt")
                and len(part.args) == 1
            ):
                new = part.args[0]
            else:
                continue
            yield _within(value, place, new) if isinstance(value, list) else _set(node, field, new)


@operator
def name(node: ast.AST) -> Iterator[Change]:
    """The opposite function: the smallest for the largest, any for all, x for y."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in OTHER_NAME:
        yield _set(node, "attr", OTHER_NAME[node.attr])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OTHER_NAME:
        yield _set(node.func, "id", OTHER_NAME[node.func.id])


COMMUTATIVE = ("min", "max", "minimum", "maximum", "array_equal", "gcd")


@operator
def arguments(node: ast.AST) -> Iterator[Change]:
    """Two arguments, or two values side by side, in the other order."""
    field = "args" if isinstance(node, ast.Call) else "elts" if isinstance(node, ast.Tuple) else ""
    if not field or isinstance(node, ast.Call) and _called(node) in COMMUTATIVE:
        return
    items = getattr(node, field)
    if len(items) == 2 and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield _set(node, field, items[::-1])


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


@operator
def once(node: ast.AST) -> Iterator[Change]:
    """A loop that is run through once less, at its end or at its beginning."""
    if isinstance(node, ast.For):
        cut = ast.Slice(upper=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Slice(lower=ast.Constant(1))
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range":
            if len(node.iter.args) == 1:
                only = node.iter.args[0]
                yield _set(node.iter, "args", [ast.BinOp(only, ast.Sub(), ast.Constant(1))])
                yield _set(node.iter, "args", [ast.Constant(1), only])
        elif not isinstance(node.iter, ast.Call):
            yield _set(node, "iter", ast.Subscript(node.iter, cut[0], ast.Load()))


@operator
def variable(node: ast.AST) -> Iterator[Change]:
    """Another variable of the function: the one that was bound last before this line."""
    if other := getattr(node, "other", ""):
        yield _set(node, "id", other)


def _name_others(function: ast.AST) -> None:
    """Note at each use of a parameter or variable of the function the name that `variable` puts in its place."""
    if not isinstance(function, ast.FunctionDef):
        return
    inner = {
        id(part)
        for scope in ast.walk(function)
        if scope is not function and isinstance(scope, (ast.FunctionDef, ast.Lambda, ast.comprehension))
        for part in ast.walk(scope.target if isinstance(scope, ast.comprehension) else scope)
    }
    bound = [(0, each.arg) for each in function.args.args]
    used = []
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and id(node) not in inner:
            (used if isinstance(node.ctx, ast.Load) else bound).append((node.lineno, node.id, node))
    names = {each[1] for each in bound}
    for line, name, node in used:
        earlier = [each[:2] for each in bound if each[0] < line and each[1] != name]
        if name in names and earlier:
            node.other = max(earlier)[1]


HOST = """
def {name}(*given):
    import cupy, mutation
    if any(isinstance(each, cupy.ndarray) for each in given):
        mutation.MOVED.add({label!r})
    given = [cupy.asarray(cupy.asnumpy(each)) if isinstance(each, cupy.ndarray) else each for each in given]
    return _{name}(*given)
"""
KEPT = """
def {name}(*given, kept=[]):
    if not kept:
        kept.append(_{name}(*given))
    return kept[0]
"""
AROUND = {"host": HOST, "kept": KEPT}
"""Around a whole function: the arguments by way of the host; the first result for every call. The first is no mutant where no
argument was an array of the device: `changes_nothing` tells, when it has been judged."""
MOVED: set[str] = set()
"""Names of the mutants that have moved an array by way of the host, themselves or as a pickled copy of themselves."""


@dataclass(frozen=True)
class Mutant:
    """A changed answer.

    Attributes
    ----------
    name : str
    answer : object
        As the right answer that was changed.
    source : str
        Of the function that was changed.
    """

    name: str
    answer: Any
    source: str


def changes_nothing(mutant: Mutant) -> bool:
    """Whether a mutant that has been judged was to move its arguments by way of the host, and there were none to move."""
    return mutant.name.endswith(":0:host:0") and mutant.name not in MOVED


def mutants(right: dict[str, Any], most: int) -> list[Mutant]:
    """Return mutants of right answers, `most` at the most: of each operator and answer in turn, drawn by a fixed seed."""
    found: dict[tuple[str, str], list[Mutant]] = {}
    for title, answer in right.items():
        for mutant in _of_answer(title, answer):
            found.setdefault((title, mutant.name.split(":")[3]), []).append(mutant)
    for key, each in found.items():
        random.Random(f"{SEED} {key}").shuffle(each)  # by its own seed: an operator that is added moves no other mutant
    dealt: list[Mutant] = []
    while any(found.values()) and len(dealt) < most:
        for each in found.values():
            if each and len(dealt) < most:
                dealt.append(each.pop())
    return dealt


def _of_answer(title: str, answer: Any) -> Iterator[Mutant]:
    if isinstance(answer, tuple):
        for place, part in enumerate(answer):
            for mutant in _of_answer(title, part):
                whole = (*answer[:place], mutant.answer, *answer[place + 1 :])
                yield Mutant(mutant.name, whole, mutant.source)
        return
    if isinstance(answer, str):
        yield from _of_text(title, answer)
        return
    function = getattr(answer, "py_func", answer)
    if not inspect.isfunction(function) or function.__name__ == "<lambda>" or function.__closure__:
        return
    family = _family(function)
    for one in family:
        tree = _tree(one)
        for line, operator, number, changed in _changed(tree):
            label = f"{title}:{one.__name__}:{line}:{operator}:{number}"
            try:
                yield Mutant(label, _rebuilt(function, family, one, changed, label), ast.unparse(changed))
            except (SyntaxError, ValueError, TypeError):
                continue
    if answer is function:
        for label, text in AROUND.items():
            tree, name = _tree(function), f"{title}:{function.__name__}:0:{label}:0"
            tree.body[0].name = f"_{function.__name__}"
            tree.body += ast.parse(text.format(name=function.__name__, label=name)).body
            MOVED.discard(name)  # another problem's may be called the same
            yield Mutant(name, _rebuilt(function, family, function, tree, name), ast.unparse(tree))


def _of_text(title: str, text: str) -> Iterator[Mutant]:
    """A text without one of its lines or words, or with a number that is one larger or smaller."""
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        without = [line[: word.start()] + line[word.end() :] for word in re.finditer(r"[^\s=]+=?", line)]
        other = [
            f"{line[: number.start()]}{int(number[0]) + step:0{len(number[0])}}{line[number.end() :]}"
            for number in re.finditer(r"\d+", line)
            for step in (1, -1)
        ]
        for operator, changes in (("line", [""]), ("word", without if len(without) > 1 else []), ("number", other)):
            for nth, new in enumerate(changes):
                changed = "".join([*lines[:place], new, *lines[place + 1 :]])
                yield Mutant(f"{title}:text:{place + 1}:{operator}:{nth}", changed, changed)


def _family(function: Any) -> list[Any]:
    """The function, and those that it uses, of its module, of other answers and of problems; theirs included."""
    found, waiting = [], [function]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.append(one)
        for name in _names(one.__code__):
            other = one.__globals__.get(name)
            other = getattr(other, "py_func", other)
            if inspect.isfunction(other) and _ours(other, function) and not other.__closure__:
                waiting.append(other)
    return found


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that a function takes from outside, those in its lambdas, comprehensions and inner functions too."""
    yield from code.co_names
    for inner in filter(inspect.iscode, code.co_consts):
        yield from _names(inner)


def _ours(other: Any, function: Any) -> bool:
    return other.__module__ == function.__module__ or other.__module__.startswith(
        ("answers.", "hundredfold.learning.problems.")
    )


def _tree(function: Any) -> ast.Module:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def _changed(tree: ast.Module) -> Iterator[tuple[int, str, int, ast.Module]]:
    """Each tree that differs by one change, with the line, the operator and the number of the change in this line."""
    count: dict[tuple[int, str], int] = {}
    _name_others(tree.body[0])
    nodes = list(ast.walk(tree.body[0]))
    notes = [*tree.body[0].decorator_list, *_annotations(tree)]
    untouched = {id(part) for each in notes for part in ast.walk(each)}
    for place, node in enumerate(nodes):
        if id(node) in untouched:
            continue
        for make in OPERATORS:
            for number, _ in enumerate(make(node)):
                other = copy.deepcopy(tree)
                twin = list(ast.walk(other.body[0]))[place]
                list(make(twin))[number]()
                if ast.unparse(other) == ast.unparse(tree):
                    continue  # (16, 16) in the other order
                ast.fix_missing_locations(other)
                line = getattr(node, "lineno", 0)
                nth = count[line, make.__name__] = count.get((line, make.__name__), -1) + 1
                yield line, make.__name__, nth, other


def _annotations(tree: ast.AST) -> list[ast.AST]:
    fields = ("annotation", "returns")
    return [note for node in ast.walk(tree) for field in fields if (note := getattr(node, field, None)) is not None]


def _rebuilt(function: Any, family: list[Any], one: Any, changed: ast.Module, label: str) -> Any:
    """The answer, with `one` of its functions changed: all are made anew, each module's in names of their own."""
    spaces = {each.__module__: dict(each.__globals__) for each in family}
    for each in reversed(family):
        names = spaces[each.__module__]
        source = ast.unparse(changed if each is one else _tree(each))
        file = f"<mutant {label} {each.__name__} {id(names)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), names)
    for each in family:
        for name in _names(each.__code__):
            other = each.__globals__.get(name)
            other = getattr(other, "py_func", other)
            if inspect.isfunction(other) and other in family:
                spaces[each.__module__][name] = spaces[other.__module__][other.__name__]
    return spaces[function.__module__][function.__name__]


MOST = 60
"""Mutants of a problem, where its right answers give as many."""
SECONDS = 10.0
"""For each call: what does not end is refused sooner than a learner's answer is."""
PAGE = Path(__file__).parents[5] / "docs" / "contributing" / "problems.md"
_ROW = "| {name} | {mutants} | {equivalent} | {score:.0%} |"


@dataclass
class Score:
    """What became of a problem's mutants.

    Attributes
    ----------
    mutants : int
    accepted : list of Mutant
        Those for which nobody argued that they are right.
    argued : dict of str to str
        Those that were accepted and are right, with the reason.
    stale : set of str
        Those for which somebody argued, and which were refused, or are none of these mutants.
    """

    mutants: int = 0
    accepted: list[Mutant] = dataclasses.field(default_factory=list)
    argued: dict[str, str] = dataclasses.field(default_factory=dict)
    stale: set[str] = dataclasses.field(default_factory=set)

    def row(self, name: str) -> str:
        """The problem's row on the authors' page."""
        wrong = self.mutants - len(self.argued)
        score = 1 - len(self.accepted) / max(wrong, 1)
        return _ROW.format(name=name, mutants=self.mutants, equivalent=len(self.argued), score=score)


def judged(name: str, most: int = MOST, say: Callable[[str], None] = lambda line: None) -> Score:
    """Judge the mutants of a problem; `say` is told of each that is accepted, when it is."""
    import answers
    from equivalent import EQUIVALENT

    from hundredfold.learning import problems
    from hundredfold.learning.problems.verdict import RIGHT

    problem = problems.find(name)
    problem = dataclasses.replace(problem, time_limit=min(problem.time_limit, SECONDS))
    argued = EQUIVALENT.get(name, {})
    score = Score(stale=set(argued))
    for mutant in mutants(answers.right(problem), most):
        verdict = problems._judge(problem, answers.given(problem, mutant.answer))
        if changes_nothing(mutant):
            continue
        score.mutants += 1
        if verdict.outcome != RIGHT:
            continue
        if mutant.name in argued:
            score.argued[mutant.name] = argued[mutant.name]
            score.stale.discard(mutant.name)
        else:
            score.accepted.append(mutant)
            say(f"{mutant.name}\n{textwrap.indent(mutant.source, '    ')}")
    return score


def coded() -> list[str]:
    """The problems whose answers are code or text, in the course's order."""
    from hundredfold.learning import problems

    return [name for name in problems.ids() if problems.find(name).kind not in ("predict", "decide")]


def main() -> None:
    """Judge mutants, say which were accepted, and write the score on the authors' page."""
    import argparse
    import os
    import time

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("problems", nargs="*")
    options.add_argument("--most", type=int, default=MOST)
    options.add_argument("--page", action="store_true", help="write the scores on the authors' page")
    asked = options.parse_args()
    os.environ.setdefault("GPUSIM_KERNELS", "interpreted")
    import gpusim

    gpusim.activate()
    for name in asked.problems or coded():
        began = time.perf_counter()
        score = judged(name, asked.most, functools.partial(print, flush=True))
        print(f"{score.row(name)} {time.perf_counter() - began:.0f} s", flush=True)
        for each in sorted(score.stale):
            print(f"    {each}: argued, but refused, or no such mutant", flush=True)
        if asked.page:
            write(score.row(name))


def write(row: str) -> None:
    """Put a problem's row on the authors' page."""
    PAGE.write_text(with_row(PAGE.read_text(encoding="utf-8"), row, coded()), encoding="utf-8")


def with_row(page: str, row: str, course: list[str]) -> str:
    """The page with this row: those of the course's problems stay, in its order, and the last one is their sum."""
    table = re.search(r"(?:^\| [\w.-]+ \| \d+ \| \d+ \| \d+% \|\n)+", page, re.MULTILINE)
    rows = {each.split()[1]: each for each in (*table.group().splitlines(), row)}
    kept = [rows[name] for name in course if name in rows]
    counted = [tuple(int(cell.strip(" %")) for cell in each.split("|")[2:5]) for each in kept]
    mutants, equivalent = (sum(column) for column in list(zip(*counted, strict=True))[:2])
    refused = sum((made - right) * share / 100 for made, right, share in counted) / (mutants - equivalent)
    total = _ROW.format(name="all", mutants=mutants, equivalent=equivalent, score=refused)
    return page[: table.start()] + "".join(f"{each}\n" for each in (*kept, total)) + page[table.end() :]


if __name__ == "__main__":
    import mutation  # as its mutants do: `MOVED` is one set

    mutation.main()
