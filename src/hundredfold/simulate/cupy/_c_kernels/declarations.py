"""Declarations of C: variables, arrays in shared and local memory, references."""

from __future__ import annotations

import ast
import itertools

from pycparser import c_ast

from .cxx import REFERENCE, SHARED
from .kinds import INT, Array, Group, Pointer, Scalar
from .operators import Operators, offset_of
from .scope import Variable
from .values import Value, call, index, literal, load, to


class Declarations(Operators):
    """The part of a function's translation that is about declarations.

    Attributes
    ----------
    shared_bytes : int
        Of static shared memory, in this function and those it calls.
    """

    shared_bytes: int = 0

    def do_Decl(self, node: c_ast.Decl) -> None:
        if node.name is None:
            if isinstance(node.type, c_ast.Enum):
                self.module.enumerate_all(node.type, self)
                return
            self.refuse("this declaration", node)
        if isinstance(node.type, c_ast.FuncDecl):
            return
        if isinstance(node.type, c_ast.ArrayDecl):
            self.declare_array(node)
            return
        kind = self.module.resolve(node.type, self)
        name = node.name
        if name.startswith(REFERENCE):
            self.declare_reference(name[len(REFERENCE) :], kind, node)
            return
        if kind == "auto" or isinstance(kind, Group):
            self.declare_auto(name, kind, node)
        elif SHARED in node.storage:
            variable = Variable(kind, self.scope.own(name), boxed=True)
            self.allocate(variable.name, "shared", kind, (1,))
            self.scope.declare(name, variable)
        elif isinstance(kind, Pointer):
            self.declare_pointer(name, kind, self.value(node.init) if node.init is not None else None, node)
        elif isinstance(kind, Scalar):
            made = None
            if node.init is not None:
                init = node.init.exprs[0] if isinstance(node.init, c_ast.InitList) else node.init
                made = self.converted(self.value(init), kind, init)
            self.declare_number(name, kind, made, node)
        else:
            self.wrong("incomplete type is not allowed", node)

    def declare_number(self, name: str, kind: Scalar, made: Value | None, node: c_ast.Decl) -> None:
        changed = name in self.usage.assigned | self.usage.moved | self.usage.addressed
        if made is not None and made.const is not None and kind.kind in "iub" and "const" in node.quals and not changed:
            self.scope.declare(name, Variable(kind, name, const=made.const))
            return
        variable = Variable(kind, self.scope.own(name), boxed=name in self.usage.addressed)
        if variable.boxed:
            self.allocate(variable.name, "local", kind, (1,))
            if made is not None:
                target = ast.Subscript(load(variable.name), ast.Constant(0), ast.Store())
                self.emit(ast.Assign([target], made.node))
        else:
            self.assign(variable.name, (made or literal(kind, 0)).node)
        self.scope.declare(name, variable)

    def declare_pointer(self, name: str, kind: Pointer, made: Value | None, node: c_ast.Decl) -> None:
        if made is not None and not isinstance(made.type, Pointer):
            self.refuse("a pointer made of a number", node)
        if made is not None and _char(made.type.to) != _char(kind.to):
            said = f'a value of type "{made.type}" cannot be used to initialize an entity of type "{kind}"'
            self.wrong(said, node)
        if name in self.usage.addressed:
            self.refuse("a pointer to a pointer", node)
        variable = Variable(kind, self.scope.own(name))
        if made is not None:
            self.assign(f"{variable.name}__at", to("i8", made.offset))
            if name not in self.usage.assigned and not self.changes(made.node):
                variable.array = made.node
            else:
                self.assign(variable.name, made.node)
        self.scope.declare(name, variable)

    def changes(self, array: ast.expr) -> bool:
        """Whether a pointer's array is that of another pointer, which may point elsewhere later."""
        named = array.id if isinstance(array, ast.Name) else None
        return any(
            v.name == named and isinstance(v.type, Pointer) and v.array is None
            for level in self.scope.levels
            for v in level.values()
        )

    def declare_reference(self, name: str, kind: Pointer, node: c_ast.Decl) -> None:
        if node.init is None:
            self.wrong(f'reference variable "{name}" requires an initializer', node)
        place = self.place(node.init)
        if place.at is None or len(place.at) != 1:
            self.refuse("a reference to a variable", node)
        variable = Variable(Pointer(place.type), self.scope.own(name), reference=True, array=place.node)
        if self.changes(place.node):
            self.assign(variable.name, place.node)
            variable.array = None
        self.assign(f"{variable.name}__at", offset_of(place.at[0]))
        self.scope.declare(name, variable)

    def declare_auto(self, name: str, kind: object, node: c_ast.Decl) -> None:
        called = node.init.name.name if isinstance(node.init, c_ast.FuncCall) and isinstance(
            node.init.name, c_ast.ID) else ""  # fmt: skip
        if called in ("this_grid", "this_thread_block"):
            group = Group("grid_group" if called == "this_grid" else "thread_block")
            self.scope.declare(name, Variable(group, name))
            return
        if kind != "auto" or node.init is None:
            self.refuse("this use of a type without a name", node)
        made = self.value(node.init)
        if isinstance(made.type, Pointer):
            self.declare_pointer(name, made.type, made, node)
        else:
            self.declare_number(name, made.type, made, node)

    def declare_array(self, node: c_ast.Decl) -> None:
        kind = self.module.resolve(node.type, self, node.init)
        if not isinstance(kind, Array):
            self.refuse(f"an array of {kind}", node)
        name = node.name
        flat = len(kind.shape) == 1 or name in self.usage.partly
        shared = SHARED in node.storage
        variable = Variable(kind, self.scope.own(name), flat=flat)
        if shared and "extern" in node.storage:
            self.allocate(variable.name, "shared", kind.of, (0,))
            kind = Array(kind.of, (0,))
        else:
            count = 1
            for n in kind.shape:
                count *= n
            self.allocate(variable.name, "shared" if shared else "local", kind.of, (count,) if flat else kind.shape)
        self.scope.declare(name, variable)
        if node.init is not None:
            if shared:
                self.wrong("initializer not allowed for __shared__ variable", node)
            self.fill(variable, kind, node.init)

    def allocate(self, name: str, where: str, kind: Scalar, shape: tuple[int, ...]) -> None:
        extents = ast.Constant(shape[0]) if len(shape) == 1 else ast.Tuple([ast.Constant(n) for n in shape], ast.Load())
        of = ast.Attribute(load("_c_np"), "bool_" if kind.kind == "b" else kind.dtype.name, ast.Load())
        if where == "shared":
            count = 1
            for n in shape:
                count *= n
            self.shared_bytes = -(-self.shared_bytes // 16) * 16 + count * kind.size
        self.assign(name, call(f"_c_{where}.array", extents, of))

    def fill(self, variable: Variable, kind: Array, init: c_ast.Node) -> None:
        """Store an array's initial values; those not given are 0."""
        if not isinstance(init, c_ast.InitList):
            self.refuse("this initial value of an array", init)
        given: dict[tuple[int, ...], c_ast.Node] = {}
        spread(init, kind.shape, (), given, self)
        for place in itertools.product(*(range(n) for n in kind.shape)):
            node = given.get(place)
            made = self.converted(self.value(node), kind.of, node) if node is not None else literal(kind.of, 0)
            if variable.flat:
                at: ast.expr = index(self.flattened(kind.shape, [literal(INT, k) for k in place]))
            else:
                at = ast.Tuple([ast.Constant(k) for k in place], ast.Load())
            self.emit(ast.Assign([ast.Subscript(load(variable.name), at, ast.Store())], made.node))


def _char(kind: object) -> object:
    return getattr(kind, "char", kind)


def spread(init: c_ast.InitList, shape: tuple[int, ...], at: tuple[int, ...], given: dict, f: Operators) -> None:
    """Enter an array's initial values by their places."""
    exprs = list(init.exprs or ())
    nested = any(isinstance(e, c_ast.InitList) for e in exprs)
    if len(shape) > 1 and not nested:
        places = itertools.product(*(range(n) for n in shape))
        for place, each in zip(places, exprs, strict=False):
            given[at + place] = each
        return
    if len(exprs) > shape[0]:
        f.wrong("too many initializer values", init)
    for k, each in enumerate(exprs):
        if isinstance(each, c_ast.InitList):
            spread(each, shape[1:], (*at, k), given, f)
        elif isinstance(each, c_ast.NamedInitializer):
            f.refuse("a designated initial value", init)
        else:
            given[(*at, k)] = each
