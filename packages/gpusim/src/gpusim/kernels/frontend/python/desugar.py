"""What a GPU's compiler takes in a kernel, written with less of Python's syntax: for both backends, before names are resolved.

numba-cuda compiles bytecode, in which ``match`` is a row of comparisons and ``global`` leaves no trace.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)

_LAMBDA = (
    "A lambda in a kernel is simulated only where it is called, or where a variable stands for it, as in f = lambda a: a + 1: give it a name, or "
    "define a function outside of the kernel, with @cuda.jit(device=True), and call that."
)


def desugar(node: ast.FunctionDef, error: Callable[[str, ast.AST], Exception]) -> None:
    """Rewrite the body of a kernel or device function in place.

    Parameters
    ----------
    node : ast.FunctionDef
    error : callable
        Makes the exception for a sentence and a place.

    Raises
    ------
    UncompilableError
        For functions within it, patterns of ``match`` that are no plain values, and assignments to global names.
    """
    rewriter = _Rewriter(node, error)
    node.body = [made for statement in node.body for made in rewriter.statement(statement)]


class _Rewriter(ast.NodeTransformer):
    def __init__(self, node: ast.FunctionDef, error: Callable[[str, ast.AST], Exception]):
        self.error = error
        self.count = 0
        self.stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        made = self.visit(node)
        return made if isinstance(made, list) else [made]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        raise self.error(_LAMBDA, node)

    def visit_For(self, node: ast.For) -> ast.AST:
        if isinstance(node.iter, ast.List):  # Python's own compiler makes a tuple of it
            node.iter = ast.copy_location(ast.Tuple(node.iter.elts, ast.Load()), node.iter)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        for n, (operator, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if isinstance(operator, ast.In | ast.NotIn) and isinstance(operand, ast.List):  # as in a loop
                node.comparators[n] = ast.copy_location(ast.Tuple(operand.elts, ast.Load()), operand)
        return self.generic_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        changed = next((name for name in node.names if name in self.stored), None)
        if changed is not None:
            error: Any = self.error(
                f"A kernel cannot change {changed}, a variable of Python's: pass an array and change its elements.",
                node,
            )
            error.numbas = "UnsupportedBytecodeError"
            raise error
        return ast.copy_location(ast.Pass(), node)

    visit_Nonlocal = visit_Global

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        error: Any = self.error(
            'del cannot be used in a kernel: Numba refuses it ("Illegal IR, del found"). Leave it out.', node
        )
        error.numbas = "TypingError" if any(isinstance(part, ast.Subscript) for part in node.targets) else ""
        raise error

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        self.generic_visit(node)
        before, subject = [], node.subject
        if not isinstance(subject, ast.Name):
            kept = f"_hf_match{self.count}"
            self.count += 1
            before = [at(ast.Assign([ast.Name(kept, ast.Store())], subject), node)]
            subject = ast.Name(kept, ast.Load())
        rest: list[ast.stmt] = []
        for case in reversed(node.cases):
            name, tests = self.pattern(case.pattern, subject)
            if case.guard is not None and name is None:
                tests = [*tests, case.guard]
            body: list[ast.stmt] = case.body
            if case.guard is not None and name is not None:  # the name is set first, and stays so
                body = [at(ast.If(case.guard, body, rest), case.pattern)]
            if name is not None:
                body = [at(ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(subject)), case.pattern), *body]
            if tests:
                test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
                # Both ways may lead on to the cases that follow.
                body = [at(ast.If(test, body, copy.deepcopy(rest)), case.pattern)]
            rest = body
        return [*before, *rest]

    def pattern(self, pattern: ast.pattern, subject: ast.Name) -> tuple[str | None, list[ast.expr]]:
        """The name that a pattern sets, if any, and what must hold."""
        if isinstance(pattern, ast.MatchValue):
            return None, [ast.Compare(copy.deepcopy(subject), [ast.Eq()], [pattern.value])]
        if isinstance(pattern, ast.MatchAs):
            return pattern.name, [] if pattern.pattern is None else self.pattern(pattern.pattern, subject)[1]
        if isinstance(pattern, ast.MatchOr):
            each = [self.pattern(inner, subject) for inner in pattern.patterns]
            if all(name is None for name, _ in each):
                if not all(tests for _, tests in each):  # a wildcard among them
                    return None, []
                return None, [ast.BoolOp(ast.Or(), [tests[0] for _, tests in each])]
        raise self.error("match compares with plain values in a kernel here: use if and elif.", pattern)


def at(made: Node, node: Any) -> Node:
    """Give new nodes the place of the one they stand for, and the function that it was copied from."""
    for inner in ast.walk(made):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
            if hasattr(node, "origin"):
                vars(inner).update(origin=node.origin, origin_line=node.origin_line)
    return made
