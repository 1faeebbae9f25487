"""``query`` and ``eval``: expressions of column names, as cuDF parses them."""

from __future__ import annotations

import ast
import sys
from typing import Any

import numpy as np
import pandas as pd

from .wrap import classes, frame_of

_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
           ast.Mod: "mod", ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}  # fmt: skip
_CALLS = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
          "exp", "log", "sqrt", "abs", "ceil", "floor", "isnull", "isna", "cbrt", "rint"}  # fmt: skip
_PREFIX = "__CUDF_ENVREF__"


def _caller(depth: int) -> tuple[dict, dict]:
    frame = sys._getframe(depth)
    while frame is not None and "/libraries/cudf/" in frame.f_code.co_filename.replace("\\", "/"):
        frame = frame.f_back
    return (frame.f_locals, frame.f_globals) if frame is not None else ({}, {})


def query(self: Any, expr: str, local_dict: Any = None, global_dict: Any = None, **kwargs: Any) -> Any:
    """The rows for which an expression is true."""
    if kwargs.get("inplace") or set(kwargs):
        raise TypeError("DataFrame.query got unexpected keyword arguments")  # fmt: skip
    if self.empty:
        return self.copy()
    if not isinstance(local_dict, dict | None):
        raise TypeError(f"local_dict type: expected dict but found {type(local_dict)}")
    if not isinstance(global_dict, dict | None):
        raise TypeError(f"global_dict type: expected dict but found {type(global_dict)}")
    local, world = _caller(2)
    names = {**world, **(global_dict or {}), **local, **(local_dict or {})}
    mask = Evaluator(self, names, query=True).run(expr)
    return frame_of(self._p[_truth(mask, len(self))])


def _truth(mask: Any, n: int) -> np.ndarray:
    if not isinstance(mask, classes["Series"]):
        raise TypeError("the query expression does not evaluate to a column of bools")  # fmt: skip
    array = mask._storage
    return array._data.astype(bool) & ~array._mask


def evaluate(self: Any, expr: str, inplace: bool = False, **kwargs: Any) -> Any:
    """The value of an expression, or the frame with the columns that its lines assign."""
    if kwargs:
        raise ValueError("Keyword arguments other than `inplace` are not supported")
    lines = [line.strip() for line in expr.split("\n") if line.strip()]
    assigns = [_split(line) for line in lines]
    if len(lines) > 1 and not all(a for a in assigns):
        raise ValueError("Multi-line expressions are only valid if all expressions contain an assignment.")
    if not any(assigns):
        if inplace:
            raise ValueError("Cannot operate inplace if there is no assignment")
        return Evaluator(self, {}, query=False).run(lines[0])
    out = self if inplace else self.copy(deep=False)
    for name, text in assigns:
        out[name] = Evaluator(out, {}, query=False).run(text)
    return None if inplace else out


def _split(line: str) -> tuple[str, str] | None:
    tree = ast.parse(line)
    if isinstance(tree.body[0], ast.Assign):
        left, _, right = line.partition("=")
        return left.strip(), right.strip()
    return None


def _type(value: Any) -> str:
    """The type that libcudf gives an operand: a column's, or int64, float64, bool or text of a number or text of Python."""
    kind = value.dtype if hasattr(value, "dtype") else np.array(value).dtype
    return "text" if getattr(kind, "kind", "O") in "OUT" else str(kind)


class Evaluator:
    """Walks an expression's tree."""

    def __init__(self, frame: Any, names: dict, query: bool) -> None:
        self.frame, self.names, self.query = frame, names, query

    def run(self, text: str) -> Any:
        """The value of an expression."""
        text = text.replace("@", _PREFIX)
        quoted = {}
        while text.count("`") >= 2:
            head, name, tail = text.split("`", 2)
            key = f"__CUDF_BACKTICK_{len(quoted)}__"
            quoted[key] = name
            text = head + key + tail
        self.quoted = quoted
        tree = ast.parse(text.strip().replace("\n", " "), mode="eval")
        return self.visit(tree.body)

    def visit(self, node: Any) -> Any:
        """The value of a node."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise TypeError(f"Node {type(node).__name__} is not supported in expressions")  # fmt: skip
        return method(node)

    def _constant(self, node: ast.Constant) -> Any:
        if not self.query and not isinstance(node.value, (int, float, str, bool)):
            raise ValueError(f"Unsupported literal {node.value!r} of type {type(node.value).__name__}")
        return node.value

    def _name(self, node: ast.Name) -> Any:
        name = self.quoted.get(node.id, node.id)
        if name.startswith(_PREFIX):
            name = name[len(_PREFIX) :]
            if name not in self.names:
                raise NameError(f"{name!r} not defined in the calling environment")
            value = self.names[name]
            return value
        columns = self.frame._p.columns
        if name in columns:
            column = self.frame[name]
            if self.query and not (isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufbmM"):
                raise TypeError("query only supports numeric, datetime, timedelta, or bool dtypes.")
            return column
        if name == "index" or name in self.frame._p.index.names:
            level = self.frame._p.index if name == "index" else self.frame._p.index.get_level_values(name)
            return classes["Index"](level).to_series(index=self.frame._p.index)
        if name in ("True", "False"):
            return name == "True"
        raise (NameError if self.query else KeyError)(
            f"name {name!r} is not defined" if self.query else f"Unknown column {name}"
        )

    def _binop(self, node: ast.BinOp) -> Any:
        return self._apply(_BINARY[type(node.op)], self.visit(node.left), self.visit(node.right))

    def _apply(self, op: str, left: Any, right: Any) -> Any:
        import operator

        self._match(left, right)
        return getattr(operator, f"{op}_" if op in ("and", "or") else op)(left, right)

    def _match(self, left: Any, right: Any) -> None:
        """Refuse operands of two types: `eval` is libcudf's (expression_parser.cpp), which converts none; `query` is Numba's."""
        if not self.query and _type(left) != _type(right):
            raise RuntimeError("CUDF failure: An AST expression was provided non-matching operand types.")

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.visit(node.operand)
        if isinstance(node.op, ast.USub):
            self._match(-1, value)  # a product with this whole number, pylibcudf's expressions.pyx says
            return -value
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, (bool, np.bool_)):
            return not value
        return ~value

    def _boolop(self, node: ast.BoolOp) -> Any:
        values = [self.visit(v) for v in node.values]
        out = values[0]
        for value in values[1:]:
            out = out & value if isinstance(node.op, ast.And) else out | value
        return out

    def _compare(self, node: ast.Compare) -> Any:
        left, out = self.visit(node.left), None
        for op, item in zip(node.ops, node.comparators, strict=True):
            right = self.visit(item)
            if isinstance(op, (ast.In, ast.NotIn)):
                found = left.isin(right)
                found = ~found if isinstance(op, ast.NotIn) else found
            else:
                if isinstance(right, (np.datetime64, pd.Timestamp)) or not hasattr(right, "_p"):
                    right = (
                        pd.Timestamp(right)
                        if hasattr(right, "isoformat") and not isinstance(right, pd.Timestamp)
                        else right
                    )
                found = self._apply(_COMPARE[type(op)], left, right)
            out = found if out is None else out & found
            left = right
        return out

    def _list(self, node: Any) -> list:
        return [self.visit(e) for e in node.elts]

    _tuple = _list

    def _attribute(self, node: ast.Attribute) -> Any:
        return getattr(self.visit(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        return self.visit(node.value)[self.visit(node.slice)]

    def _call(self, node: ast.Call) -> Any:
        args = [self.visit(a) for a in node.args]
        if isinstance(node.func, ast.Name) and not node.func.id.startswith(_PREFIX):
            if node.func.id not in _CALLS:
                raise ValueError(f"Unsupported function {node.func.id}.")
            value = args[0]
            if node.func.id in ("isnull", "isna"):
                return value.isna()
            return getattr(np, node.func.id)(value)
        return self.visit(node.func)(*args)
