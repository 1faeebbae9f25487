"""Statements of C as statements of Python."""

from __future__ import annotations

import ast

from pycparser import c_ast

from .cxx import REFERENCE, SHARED
from .expressions import Expressions
from .kinds import INT, VOID, Array, Group, Pointer, Scalar
from .scope import Variable
from .values import Value, binary, call, convert, index, literal, load, to


class Statements(Expressions):
    """The part of a function's translation that is about statements and declarations.

    Attributes
    ----------
    returns
        The type that the function returns.
    shared_bytes : int
        Of static shared memory, in this function and those it calls.
    """

    returns: object = VOID
    shared_bytes: int = 0

    def block(self, node: c_ast.Node | None) -> list[ast.stmt]:
        """The statements that a statement becomes, in a scope of their own."""
        self.scope.push()
        try:
            made, _ = self.apart(lambda: self.statement(node))
        finally:
            self.scope.pop()
        return made or [self.stamp(ast.Pass())]

    def statement(self, node: c_ast.Node | None) -> None:
        """Translate one statement, on to the end of those there are."""
        if node is None:
            return
        if node.coord is not None:
            self.line, self.column = node.coord.line, node.coord.column or 0
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is not None:
            method(node)
        else:
            self.run(node)

    def do_Compound(self, node: c_ast.Compound) -> None:
        self.scope.push()
        for inner in node.block_items or ():
            self.statement(inner)
        self.scope.pop()

    def do_EmptyStatement(self, node: c_ast.EmptyStatement) -> None:
        pass

    def do_Pragma(self, node: c_ast.Pragma) -> None:
        pass

    def do_Label(self, node: c_ast.Label) -> None:
        self.refuse("a label", node)

    def do_Typedef(self, node: c_ast.Typedef) -> None:
        self.module.typedefs[node.name] = self.module.resolve(node.type, self)

    def do_DeclList(self, node: c_ast.DeclList) -> None:
        for inner in node.decls:
            self.statement(inner)

    # Declarations

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
            if name not in self.usage.assigned:
                variable.array = made.node
            else:
                self.assign(variable.name, made.node)
        self.scope.declare(name, variable)

    def declare_reference(self, name: str, kind: Pointer, node: c_ast.Decl) -> None:
        if node.init is None:
            self.wrong(f'reference variable "{name}" requires an initializer', node)
        place = self.place(node.init)
        if place.at is None or len(place.at) != 1:
            self.refuse("a reference to a variable", node)
        variable = Variable(Pointer(place.type), self.scope.own(name), reference=True, array=place.node)
        from .expressions import _offset

        self.assign(f"{variable.name}__at", _offset(place.at[0]))
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
        _spread(init, kind.shape, (), given, self)
        import itertools

        for place in itertools.product(*(range(n) for n in kind.shape)):
            node = given.get(place)
            made = self.converted(self.value(node), kind.of, node) if node is not None else literal(kind.of, 0)
            if variable.flat:
                at: ast.expr = index(self.flattened(kind.shape, [literal(INT, k) for k in place]))
            else:
                at = ast.Tuple([ast.Constant(k) for k in place], ast.Load())
            self.emit(ast.Assign([ast.Subscript(load(variable.name), at, ast.Store())], made.node))

    # Control

    def do_If(self, node: c_ast.If) -> None:
        test = self.truth(node.cond)
        if test.const is not None:  # also how `if constexpr` chooses
            self.out += self.block(node.iftrue if test.const else node.iffalse)
            return
        line = self.line, self.column
        body = self.block(node.iftrue)
        other = self.block(node.iffalse) if node.iffalse is not None else []
        self.line, self.column = line
        self.emit(ast.If(test.node, body, other))

    def do_While(self, node: c_ast.While) -> None:
        self.loop(node, None)

    def do_For(self, node: c_ast.For) -> None:
        self.scope.push()
        if isinstance(node.init, c_ast.DeclList):
            self.do_DeclList(node.init)
        elif node.init is not None:
            self.run(node.init)
        self.loop(node, node.next)
        self.scope.pop()

    def loop(self, node: c_ast.Node, step: c_ast.Node | None) -> None:
        line = self.line, self.column
        before, test = self.apart(lambda: self.truth(node.cond)) if node.cond is not None else ([], None)
        always = test is None or (test.const is not None and bool(test.const))
        self.loops.append(lambda: self.apart(lambda: self.run(step))[0] if step is not None else [])
        body = self.block(node.stmt)
        self.loops.pop()
        if not _leaves(body):
            body += self.apart(lambda: self.run(step))[0] if step is not None else []
        self.line, self.column = line
        if before:
            leave = ast.If(ast.UnaryOp(ast.Not(), test.node), [ast.Break()], [])
            made = ast.While(ast.Constant(True), [*before, leave, *body], [])
        else:
            made = ast.While(ast.Constant(True) if always else test.node, body, [])
        if step is not None and not before and _counts(node, step):
            made.counted = True
        self.emit(made)

    def do_DoWhile(self, node: c_ast.DoWhile) -> None:
        line = self.line, self.column

        def ending() -> list[ast.stmt]:
            before, test = self.apart(lambda: self.truth(node.cond))
            if test.const is not None and test.const:
                return before
            leave = ast.If(ast.UnaryOp(ast.Not(), test.node), [ast.Break()], [])
            return [*before, self.stamp(leave)]

        self.loops.append(ending)
        body = self.block(node.stmt)
        self.loops.pop()
        body += [] if _leaves(body) else ending()
        self.line, self.column = line
        made = ast.While(ast.Constant(True), body, [])
        if isinstance(node.cond, c_ast.Constant) and not any(isinstance(n, ast.Continue) for n in ast.walk(made)):
            made.once = node.cond.value == "0"
            if not made.once:
                del made.once
        self.emit(made)

    def do_Break(self, node: c_ast.Break) -> None:
        if not self.loops:
            self.wrong("a break statement may only be used within a loop or switch", node)
        if self.loops[-1] is None:
            self.refuse("a break inside an if of a switch", node)
        self.emit(ast.Break())

    def do_Continue(self, node: c_ast.Continue) -> None:
        around = [each for each in self.loops if each is not None]
        if not around:
            self.wrong("a continue statement may only be used within a loop", node)
        self.out += around[-1]()
        self.emit(ast.Continue())

    def do_Return(self, node: c_ast.Return) -> None:
        if self.returns is VOID:
            if node.expr is not None:
                self.wrong("return value type does not match the function type", node)
            self.emit(ast.Return())
            return
        if node.expr is None:
            self.wrong("missing return value", node)
        made = self.value(node.expr)
        if not isinstance(self.returns, Scalar):
            self.refuse(f"a function that returns {self.returns}", node)
        self.emit(ast.Return(self.converted(made, self.returns, node.expr).node))

    def do_Switch(self, node: c_ast.Switch) -> None:
        """Each case as an if, with the statements it runs into copied behind it."""
        chosen = self.kept(self.whole(node.cond))
        items = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
        if items is None:
            self.refuse("this switch", node)
        labels, bodies = [], []
        for item in items:
            if not isinstance(item, c_ast.Case | c_ast.Default):
                self.refuse("a statement in front of the cases of a switch", item)
            labels.append(item)
            bodies.append(list(item.stmts or ()))
        self.loops.append(None)
        branches: list[tuple[ast.expr | None, list[ast.stmt]]] = []
        for k, label in enumerate(labels):
            run: list[c_ast.Node] = []
            for later in bodies[k:]:
                ended = next((j for j, s in enumerate(_flat(later)) if isinstance(s, c_ast.Break)), None)
                run += _flat(later)[:ended] if ended is not None else _flat(later)
                if ended is not None or (run and isinstance(run[-1], c_ast.Return | c_ast.Continue)):
                    break
            made = self.block(c_ast.Compound(run, label.coord))
            if isinstance(label, c_ast.Case):
                value = self.number(label.expr)
                branches.append((binary("==", chosen, convert(value, chosen.type)).node, made))
            else:
                branches.append((None, made))
        self.loops.pop()
        other = next((made for test, made in branches if test is None), [])
        for test, made in reversed([b for b in branches if b[0] is not None]):
            other = [self.stamp(ast.If(test, made, other))]
        self.out += other

    loops: list


def _char(kind: object) -> object:
    return getattr(kind, "char", kind)


def _flat(statements: list[c_ast.Node]) -> list[c_ast.Node]:
    if (
        len(statements) >= 1
        and isinstance(statements[0], c_ast.Compound)
        and all(isinstance(s, c_ast.Break) for s in statements[1:])
    ):
        return [*(statements[0].block_items or ()), *statements[1:]]
    return statements


def _spread(init: c_ast.InitList, shape: tuple[int, ...], at: tuple[int, ...], given: dict, f: Statements) -> None:
    exprs = list(init.exprs or ())
    nested = any(isinstance(e, c_ast.InitList) for e in exprs)
    if len(shape) > 1 and not nested:
        import itertools

        places = itertools.product(*(range(n) for n in shape))
        for place, each in zip(places, exprs, strict=False):
            given[at + place] = each
        return
    if len(exprs) > shape[0]:
        f.wrong("too many initializer values", init)
    for k, each in enumerate(exprs):
        if isinstance(each, c_ast.InitList):
            _spread(each, shape[1:], (*at, k), given, f)
        elif isinstance(each, c_ast.NamedInitializer):
            f.refuse("a designated initial value", init)
        else:
            given[(*at, k)] = each


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Break | ast.Continue | ast.Return)


def _counts(node: c_ast.For, step: c_ast.Node) -> bool:
    """Whether a loop only counts: its condition reads variables, of which its step changes one."""
    if node.cond is None:
        return False
    read: set[str] = set()
    plain = True

    class Reads(c_ast.NodeVisitor):
        def visit_ID(self, inner):
            read.add(inner.name)

        def generic_visit(self, inner):
            nonlocal plain
            if isinstance(inner, c_ast.ArrayRef | c_ast.FuncCall | c_ast.Assignment) or (
                isinstance(inner, c_ast.UnaryOp) and inner.op == "*"
            ):
                plain = False
            super().generic_visit(inner)

    Reads().visit(node.cond)
    changed: set[str] = set()

    class Changes(c_ast.NodeVisitor):
        def visit_Assignment(self, inner):
            changed.add(getattr(inner.lvalue, "name", ""))

        def visit_UnaryOp(self, inner):
            changed.add(getattr(inner.expr, "name", ""))

    Changes().visit(step)
    return plain and bool(read & changed)
