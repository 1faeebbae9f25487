"""A source's types, functions and variables, and its kernels as Python functions for the engine."""

from __future__ import annotations

import ast
import copy
import itertools
from functools import partial
from typing import Any

import numpy as np
from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from ..python import source as sources
from . import builtins_threads, captures, cpp_to_c, headers, lambdas, methods, structs, syntax
from .builtins import Builtins
from .c_types import (
    HALVES,
    INT,
    NAMED,
    UCHAR,
    VECTORS,
    VOID,
    Array,
    Carray,
    Closure,
    Group,
    Pointer,
    Scalar,
    Struct,
    of_words,
)
from .cpp_to_c import CONSTRUCTOR, LAMBDA, METHOD, REFERENCE, SEEN, SHARED
from .device_library import Device
from .errors import Code
from .scope import Usage, Variable
from .tokens import Token, arguments, close, joined, split, tokens, written
from .translate import Made, Translation, spread
from .values import Value, load, to


def _spelled(kind: object) -> str:
    """A type as the C that is parsed has it."""
    if isinstance(kind, Scalar) and kind.kind == "c":
        return f"_hf_{kind.char}"
    return kind.name if isinstance(kind, Group | Closure) else str(kind)


def _number(name: str) -> int:
    """Of the lambda that a name stands for."""
    return int(name.removeprefix(LAMBDA))


def parameter_count(function: c_ast.FuncDef) -> int:
    """How many parameters a function has."""
    args = function.decl.type.args
    params = args.params if args is not None else []
    none = (
        len(params) == 1
        and isinstance(params[0], c_ast.Typename)
        and getattr(params[0].type.type, "names", []) == ["void"]
    )
    return 0 if none else len(params)


class Module:
    """A translation unit.

    Parameters
    ----------
    code : Code
    defines : tuple of str
    atomics : dict, optional
        Types that atomics take beyond CUDA's own.
    place : Source, optional
        Where the code comes from, if it was made from Python.

    Attributes
    ----------
    externals : dict
        Functions that were translated elsewhere, by the names that this code calls.
    """

    builtins = Builtins()

    def __init__(
        self,
        code: Code,
        defines: tuple[str, ...] = (),
        atomics: dict | None = None,
        place: sources.Source | None = None,
    ):
        self.code, self.atomics = code, atomics or {}
        self.place = place or sources.Source(code.shown, code.filename, 1)
        self.externals: dict[str, Made] = {}
        self.unit = cpp_to_c.convert(tokens(code, defines), code)
        self.typedefs: dict[str, Any] = dict(NAMED) | {"_hf_auto": "auto"}
        self.own: set[str] = set()  # types that the source itself names
        self.functions: dict[str, c_ast.FuncDef] = {}
        self.overloads: dict[str, list[str]] = {}  # those that share a name
        self.variables: dict[str, tuple[Any, c_ast.Decl]] = {}
        self.constants: dict[str, Variable] = {}
        self.enums: dict[str, int] = {}
        self.structs: dict[str, Struct] = {name: VECTORS[name] for name in self.unit.vectors}
        self.typedefs |= self.structs | {name: kind for name, kind in HALVES.items() if name in self.unit.typenames}
        self.made: dict[str, Made] = {}
        self.making: list[str] = []
        self.lambdas: dict[str, captures.Captured] = {}
        self.closures: dict[tuple, Closure] = {}
        self.instances: dict[tuple[str, tuple], str] = {}
        self.helper = Translation(self, Usage(c_ast.EmptyStatement()))
        self.read(self.unit.tokens)

    @property
    def kernels(self) -> set[str]:
        return self.unit.kernels

    def read(self, made: list[Token]) -> None:
        """Parse some of the source and take in what it declares."""
        for item in self.parsed(made):
            if isinstance(item, c_ast.FuncDef):
                if name := methods.entered(self, item):
                    self.functions[name] = item
            elif isinstance(item, c_ast.Typedef):
                self.typedefs[item.name] = self.resolve(item.type, self.helper)
                self.own.add(item.name)
            elif isinstance(item, c_ast.Decl):
                self.declare(item)

    def parsed(self, made: list[Token]) -> list[c_ast.Node]:
        """The trees of some of the source."""
        names = {*NAMED, *self.typedefs, *self.unit.typenames}
        known = sorted(name for name in names if name.isidentifier() and name not in cpp_to_c.WORDS)
        prelude = "typedef int bool; " + "".join(f"typedef int {name}; " for name in known)
        tree: Any = None
        try:
            tree = CParser().parse(prelude + joined(made), self.code.filename)
        except ParseError as error:
            self.explain(str(error), made, known)
        return tree.ext[len(known) + 1 :]

    def explain(self, message: str, made: list[Token], known: list[str]) -> None:
        """A parser's complaint as a compiler's."""
        rest = message[len(self.code.filename) :].lstrip(":") if message.startswith(self.code.filename) else message
        parts = rest.split(":", 2)
        line = int(parts[0]) if parts[0].isdigit() else max(len(self.code.lines), 1)
        said = parts[-1].strip()
        if "::" in self.code.line(line):
            self.code.refuse("a name in a namespace or class", line)
        if said.startswith("before: "):
            column = int(parts[1]) if len(parts) > 2 and parts[1].isdigit() else 0
            said = syntax.expected(made, line, column, said[8:], {*known, *cpp_to_c.WORDS})
        elif said == "Invalid expression":
            said = "expected an expression"
        self.code.wrong(said, line)

    def declare(self, item: c_ast.Decl) -> None:
        """A declaration outside of functions."""
        if isinstance(item.type, c_ast.FuncDecl):
            return
        if isinstance(item.type, c_ast.Enum):
            self.enumerate_all(item.type, self.helper)
            return
        line = item.coord.line
        kind = self.resolve(item.type, self.helper, item.init)
        if isinstance(kind, Scalar) and "const" in item.quals and item.init is not None:
            made = self.helper.converted(self.helper.value(item.init), kind, item.init)
            if made.const is not None:
                self.constants[item.name] = Variable(kind, item.name, const=made.const, readonly=True)
                return
        if not isinstance(kind, Scalar | Array | Struct):
            self.code.refuse(f"a variable of type {kind} outside of functions", line)
        if SHARED in item.storage and "extern" not in item.storage:
            self.code.refuse("shared memory outside of functions", line)
        self.variables[item.name] = (kind, item)

    # Types

    def enumerate_all(self, node: c_ast.Enum, f: Translation) -> None:
        value = 0
        for each in node.values.enumerators if node.values is not None else ():
            if each.value is not None:
                value = int(f.number(each.value).const)
            self.enums[each.name] = value
            value += 1
        if node.name:
            self.typedefs[node.name] = INT

    def resolve(self, node: c_ast.Node, f: Translation, init: c_ast.Node | None = None) -> Any:
        """The type that a declaration says."""
        line = node.coord.line if getattr(node, "coord", None) is not None else f.line
        if isinstance(node, c_ast.TypeDecl | c_ast.Typename):
            return self.resolve(node.type, f)
        if isinstance(node, c_ast.IdentifierType):
            words = list(node.names)
            if len(words) == 1 and self.code.bare and words[0] not in self.own:
                if not headers.known(words[0], self.code.included):
                    self.code.wrong(f'identifier "{words[0]}" is undefined', line, headers.instead(words[0]))
            if len(words) == 1 and words[0] in self.typedefs:
                return self.typedefs[words[0]]
            found = of_words(words)
            if found is None:
                self.code.wrong(f'identifier "{" ".join(words)}" is undefined', line)
            return found
        if isinstance(node, c_ast.PtrDecl):
            if isinstance(node.type, c_ast.FuncDecl):
                self.code.refuse("a pointer to a function", line)
            to = self.resolve(node.type, f)
            const = "const" in (getattr(node.type, "quals", None) or ())
            if isinstance(to, Array):
                return Pointer(to.of, const, to.shape)
            return Pointer(UCHAR if to is VOID else to, const)
        if isinstance(node, c_ast.ArrayDecl):
            return self.array_type(node, f, init)
        if isinstance(node, c_ast.Enum):
            self.enumerate_all(node, f)
            return INT
        if isinstance(node, c_ast.Struct):
            return structs.resolved(f, self, node)
        self.code.refuse(f"a {type(node).__name__.lower()}", line)

    def array_type(self, node: c_ast.ArrayDecl, f: Translation, init: Any) -> Array:
        shape, inner = [], node
        while isinstance(inner, c_ast.ArrayDecl):
            if inner.dim is None:
                shape.append(len(init.exprs) if isinstance(init, c_ast.InitList) else 0)
            else:
                made = f.number(inner.dim)
                if made.const is None:
                    f.wrong("expression must have a constant value", inner.dim)
                if made.const < 0:
                    f.wrong("the size of an array must be greater than zero", inner.dim)
                shape.append(int(made.const))
            inner = inner.type
        of = self.resolve(inner, f)
        if isinstance(of, Array):
            return Array(of.of, (*shape, *of.shape))
        if not isinstance(of, Scalar | Struct):
            f.refuse(f"an array of {of}", node)
        return Array(of, tuple(shape))

    # Functions

    def references(self, name: str) -> set[int]:
        """Which parameters of a function are references."""
        if name.startswith(LAMBDA):  # as what is called, by its parameters
            params = arguments(self.unit.lambdas[_number(name)].params)
            return {k for k, part in enumerate(params) if any(t.text.startswith(REFERENCE) for t in part)}
        if name.startswith("."):  # of a struct: the first parameter is the struct
            owned = [each for each in self.functions if each.startswith(METHOD) and each.endswith(f"_{name[1:]}")]
            return set().union(*map(self.references, owned))
        if name in self.overloads:
            return set().union(*map(self._references, self.overloads[name]))
        return self._references(name)

    def _references(self, name: str) -> set[int]:
        base, _ = cpp_to_c.decoded(name)
        if base in self.unit.templates:
            tokens_ = self.unit.templates[base].tokens
            start = next(k for k, t in enumerate(tokens_) if t.text == base)
            inside = tokens_[start + 2 : close(tokens_, start + 1, self.code)]
            words = [[t.text for t in part] for part in arguments(inside)]
            return {k for k, each in enumerate(words) if "&" in each and "const" not in each}
        if name not in self.functions or self.functions[name].decl.type.args is None:
            return set()
        params = self.functions[name].decl.type.args.params
        return {k for k, p in enumerate(params) if (getattr(p, "name", "") or "").startswith(REFERENCE)}

    def usage(self, name: str) -> Usage:
        """How a function uses its names."""
        return Usage(self.functions[name], self.references, self.captured)

    def captured(self, name: str) -> captures.Captured:
        """What a lambda captures, by the name that stands for it."""
        if name not in self.lambdas:
            self.lambdas[name] = captures.of(self, _number(name))
        return self.lambdas[name]

    def defines(self, name: str) -> bool:
        """Whether the source has a function of a name."""
        return name in self.functions or name in self.externals

    def kernel(self, name: str, raw: dict[str, Carray] | None = None) -> Made:
        """A kernel as a Python function; `raw` says which of its parameters are raw arguments of CuPy's kernels."""
        if name not in self.made:
            self.made[name] = Translation(self, self.usage(name), raw or {}).whole_function(
                self.functions[name], name, kernel=True
            )
        return self.made[name]

    def device(self, name: str, f: Translation, node: c_ast.Node | None, raw: dict[str, Carray] | None = None) -> Made:
        """A function that kernels call."""
        if name in self.externals:
            return self.externals[name]
        if name in self.making:
            f.refuse(f"recursion ({name} calls itself)", node, "a loop")
        if name not in self.made:
            self.made[name] = Translation(self, self.usage(name), raw).whole_function(
                self.functions[name], name, kernel=False
            )
        return self.made[name]

    def unused(self, base: str, args: tuple) -> str:
        """The name of the function that is made of another for some arguments: one for each."""
        key = base, args
        if key not in self.instances:
            text = "__".join([base, *("".join(c if c.isalnum() else "_" for c in str(each)) for each in args)])
            taken = {*self.instances.values(), *self.functions}
            tries = (text if k == 1 else f"{text}__{k}" for k in itertools.count(1))
            self.instances[key] = next(each for each in tries if each not in taken)
        return self.instances[key]

    def instantiate(self, name: str, args: list[str], f: Translation, node: c_ast.Node | None) -> str:
        """The name of a template's function for some arguments, made if it is new."""
        template = self.unit.templates[name]
        args = [" ".join(t.text for t in each) for each in cpp_to_c.filled(template, [split(a) for a in args])]
        for own, (of, said) in self.unit.special.items():
            if of == name and [self.spelled(" ".join(t.text for t in split(each))) for each in said] == args:
                return own
        mangled = self.unused(name, tuple(args))
        if mangled not in self.functions:
            if len(args) != len(template.params):
                f.wrong(f'no instance of function template "{name}" matches the argument list', node)
            values = [split(a, 0) for a in args]
            self.read(cpp_to_c.instance(template, values, self.unit, mangled))
            if template.kernel:
                self.unit.kernels.add(mangled)
        return mangled

    def called(self, f: Translation, name: str, given: list[c_ast.Node], node: c_ast.FuncCall) -> Value:
        """A call in a function's body."""
        base, args = cpp_to_c.decoded(name)
        if name.startswith(LAMBDA):
            return lambdas.made(f, name, _number(name), node)
        if (
            name.startswith(CONSTRUCTOR)
            and len(given) == 1
            and str(f.type_of(given[0])) == name.removeprefix(CONSTRUCTOR)
        ):
            return f.value(given[0])  # a copy
        values: dict[str, list[Token]] = {}
        if base in self.unit.templates:
            args = self.deduced(f, base, args, given, node)
            name = self.instantiate(base, args, f, node)
            values = cpp_to_c.template_values(self.unit.templates[base], [split(each) for each in args])
        name = methods.chosen(self, f, name, given, node)
        given = self.completed(f, base, name, given, values)
        if name not in self.functions and name not in self.externals:
            if not self.builtins.knows(name):
                f.wrong(f'identifier "{name}" is undefined', node)
            return self.builtins.call(f, name, given, node)
        if name in self.kernels:
            f.refuse("a launch from a kernel", node)
        made = self.device(name, f, node)
        if shared := self.shared_with(f, made, given):
            name = self.with_references(name, shared)
            made = self.device(name, f, node)
        if len(given) != len(made.params):
            few = "few" if len(given) < len(made.params) else "many"
            f.wrong(f"too {few} arguments in function call", node)
        passed: list[ast.expr] = []
        for each, (param, kind) in zip(given, made.params, strict=True):
            if isinstance(kind, Closure):
                passed += lambdas.passed(f, kind, f.value(each).captured)
                continue
            if isinstance(kind, Group):
                if builtins_threads.group_of(f, each) != kind:
                    f.wrong(
                        f'argument of type "{f.type_of(each)}" is incompatible with parameter of type "{kind}"', node
                    )
                continue
            if isinstance(kind, Carray):
                passed += self.whole_array(f, each, kind, node)
                continue
            if isinstance(kind, Array):
                passed.append(f.value(each).node)
                continue
            if param.startswith(REFERENCE):
                value = f.address(c_ast.UnaryOp("&", each, node.coord), bound=True)
            else:
                value = f.value(each)
            if isinstance(kind, Struct):
                passed += [part.node for part in f.converted(value, kind, each).parts]
            elif isinstance(kind, Pointer):
                if param.startswith(REFERENCE):
                    f.check_bound(value.type, kind, node)
                elif not f.points_as(value.type, kind):
                    f.wrong(f'argument of type "{value.type}" is incompatible with parameter of type "{kind}"', node)
                passed += [value.node, to("i8", value.offset)]
            else:
                passed.append(f.converted(value, kind, each).node)
        passed += [load(f.global_name(each)) for each in made.variables]
        f.called[f"_c_fn_{name}"] = Device(made.python)
        f.shared_bytes += made.shared
        call = ast.Call(load(f"_c_fn_{name}"), passed, [])
        if isinstance(made.returns, Struct):
            return structs.of_call(f, made.returns, call)
        if isinstance(made.returns, Pointer):
            pair = f.temporary(call)
            array, offset = (ast.Subscript(load(pair), ast.Constant(k), ast.Load()) for k in (0, 1))
            return Value(made.returns, load(f.temporary(array)), offset)
        return Value(made.returns, call)

    def shared_with(self, f: Translation, made: Made, given: list[c_ast.Node]) -> tuple[int, ...]:
        """The arguments for references to const that the function may change through another argument."""
        bytes_before = f.shared_bytes
        changed: set[str] = {load(f.global_name(each)).id for each in made.variables}
        seen: dict[int, str] = {}
        for k, (each, (param, kind)) in enumerate(zip(given, made.params, strict=False)):
            if param.startswith(SEEN) and f.refers(each, kind):
                seen[k] = structs.root(f.apart(partial(f.place, each))[1].node)
            elif param.startswith(REFERENCE) and not kind.const:
                changed.add(structs.root(f.apart(partial(f.place, each))[1].node))
            elif isinstance(kind, Pointer | Closure):
                value = f.apart(partial(f.value, each))[1]
                if isinstance(kind, Pointer):
                    changed |= set() if kind.const else {structs.root(value.node)}
                else:
                    captured = f.apart(partial(lambdas.passed, f, kind, value.captured))[1]
                    changed |= {structs.root(one) for one in captured}
        f.shared_bytes = bytes_before
        return tuple(k for k, root in seen.items() if root and root in changed)

    def with_references(self, name: str, places: tuple[int, ...]) -> str:
        """The name of a function of which some parameters are references, and not values, as they are elsewhere."""
        own = self.unused(name, places)
        if own not in self.functions:
            function = copy.deepcopy(self.functions[name])
            function.decl.name = own
            for k in places:
                param = function.decl.type.args.params[k]
                param.name, param.type = REFERENCE + cpp_to_c.bare(param.name), c_ast.PtrDecl([], param.type)
            self.functions[own] = function
        return own

    def completed(
        self, f: Translation, base: str, name: str, given: list[c_ast.Node], values: dict[str, list[Token]]
    ) -> list[c_ast.Node]:
        """The arguments of a call, with those that the function's declaration gives; `values` are those of its template."""
        if name not in self.functions:
            return given
        count = parameter_count(self.functions[name])
        rest = self.unit.defaults.get((base, count), [])
        missing = count - len(given)
        if not 0 < missing <= len(rest):
            return given
        return [*given, *(self.default(f, each, values) for each in rest[len(rest) - missing :])]

    def default(self, f: Translation, made: list[Token], values: dict[str, list[Token]]) -> c_ast.Node:
        """The value of a parameter that is not given, as an expression: its names are those where it is declared."""
        line = made[0].line
        made = [t for token in made for t in values.get(token.text, [token])]
        for token in made:
            found = f.scope.find(token.text)
            if found is not None and f.scope.levels[0].get(token.text) is not found:
                self.code.refuse(
                    f"a default value that names {token.text}, which is another variable where it is used", line
                )
        return self.expression(made)

    def expression(self, made: list[Token]) -> c_ast.Node:
        """Some tokens as an expression."""
        line = made[0].line
        made = written(line, "int _hf_value =", cpp_to_c.body(made, self.unit), ";")
        return self.parsed(made)[0].init

    def whole_array(self, f: Translation, each: c_ast.Node, kind: Carray, node: c_ast.Node) -> list[ast.expr]:
        """An array with its lengths, handed on to a device function."""
        variable = f.scope.find(each.name) if isinstance(each, c_ast.ID) else None
        if variable is None or not isinstance(variable.type, Carray):
            f.refuse("this argument of a device function", node)
        ends = ["", "__size", *(f"__{w}{k}" for w in ("shape", "strides") for k in range(kind.ndim))]
        return [load(f"{variable.name}{end}") for end in ends]

    def deduced(
        self, f: Translation, name: str, args: list[str], given: list[c_ast.Node], node: c_ast.Node
    ) -> list[str]:
        """A template's arguments, from those named and the types of a call's."""
        template = self.unit.templates[name]
        args = self.arguments(args)
        for k, (each, (kind, _)) in enumerate(zip(args, template.params, strict=False)):
            if kind != "typename":
                args[k] = self.constant(f, each, node)
        if len(args) == len(template.params):
            return [self.spelled(a) for a in args]
        known = dict(zip((p for _, p in template.params), args, strict=False))
        start = next(k for k, t in enumerate(template.tokens) if t.text == name)
        inside = template.tokens[start + 2 : close(template.tokens, start + 1, self.code)]
        said = set(known)
        for part, each in zip(arguments(inside), given, strict=False):
            words = [t.text for t in part]
            matched = self.matched(f, part, each)
            for _, param in template.params:
                if param in words and param not in said:
                    one = matched.get(param) or self.of_argument(f, words, each)
                    if known.setdefault(param, one) != one:
                        f.wrong(
                            f'no instance of function template "{name}" matches the argument list\n'
                            f"            {param} would be {known[param]} by one argument and {one} by another",
                            node,
                            f"Write {name}<{one}>(…), or convert one of them.",
                        )
        for _, param in template.params:
            if param not in known and param in template.defaults:
                said = template.defaults[param]
                known[param] = " ".join(known.get(t.text, t.text) for t in said)
        missing = [p for _, p in template.params if p not in known]
        if missing:
            f.wrong(f'no instance of function template "{name}" matches the argument list', node)
        return [self.spelled(known[p]) for _, p in template.params]

    def constant(self, f: Translation, text: str, node: c_ast.Node) -> str:
        """A template's argument that is a number."""
        made = f.apart(lambda: f.number(self.expression(split(text, f.at(node)))))[1]
        if made.const is None or made.type.kind not in "iub":
            f.wrong("expression must be a constant whole number", node)
        return str(int(made.const))

    def of_argument(self, f: Translation, words: list[str], given: c_ast.Node) -> str:
        """The type that a parameter's type stands for, by what is given for it."""
        _, (value, readonly) = f.apart(lambda: (f.value(given), f.readonly(given)))
        pointed = isinstance(value.type, Pointer) and "*" in words
        kind: Any = value.type.to if pointed else value.type
        const = "const" not in words and (value.type.const if pointed else "&" in words and readonly)
        return "const " * const + _spelled(kind)

    def arguments(self, args: list[str]) -> list[str]:
        """A template's arguments, those that are made of templates of structs by their names."""
        made = []
        for each in args:
            before: list[Token] = []
            text = " ".join(t.text for t in cpp_to_c.settled(split(each), self.unit, before))
            if before:
                self.read(cpp_to_c.body(before, self.unit))
            made.append(text)
        return made

    def matched(self, f: Translation, part: list[Token], given: c_ast.Node) -> dict[str, str]:
        """What a parameter ``Pair<T> a`` says of a template's arguments, by what is given for it."""
        words = [t.text for t in part]
        start = next((k for k in range(1, len(words)) if words[k] == "<"), 0)
        if not start or words[start - 1] not in self.unit.struct_templates:
            return {}
        kind = f.type_of(given)
        kind = kind.to if isinstance(kind, Pointer) else kind
        of, args = self.unit.instances.get(str(kind), ("", []))
        end = cpp_to_c.angle(part, start, self.code)
        names = ["".join(t.text for t in each) for each in arguments(part[start + 1 : end])]
        if of != words[start - 1]:
            return {}
        return {name: arg for name, arg in zip(names, args, strict=False) if name.isidentifier()}

    def spelled(self, argument: str) -> str:
        """A template's argument by the type that it means."""
        kind = self.typedefs.get(argument)
        return str(kind) if isinstance(kind, Scalar) and kind.kind != "c" else argument

    # What a program asks of it

    def named(self, expression: str) -> str:
        """The kernel that a C++ name expression means."""
        name, _, rest = expression.replace(" ", "").partition("<")
        name = name.rpartition("::")[2]
        if name not in (self.unit.templates if rest else self.kernels):
            self.code.wrong(f"name expression not found: {expression}", 1)
        if not rest:
            return name
        inside = expression.partition("<")[2].rpartition(">")[0]
        parts = [" ".join(t.text for t in part) for part in arguments(split(inside))]
        parts = [" ".join(t.text for t in cpp_to_c.body(split(each), self.unit)) for each in self.arguments(parts)]
        return self.instantiate(name, [self.spelled(each) for each in parts], self.helper, None)

    def initial(self, name: str) -> np.ndarray:
        """The initial values of a variable outside of functions, in one dimension."""
        kind, item = self.variables[name]
        of, shape = (kind.of, kind.shape) if isinstance(kind, Array) else (kind, ())
        values = np.zeros(shape, of.dtype)
        init, given = item.init, {}
        if init is not None and isinstance(of, Struct):
            self.helper.refuse("an initial value of a struct outside of functions", item)
        if isinstance(init, c_ast.InitList) and shape:
            spread(init, shape, (), given, self.helper)
        elif init is not None:
            given[()] = init.exprs[0] if isinstance(init, c_ast.InitList) else init
        for place, node in given.items():
            made = self.helper.converted(self.helper.value(node), of, node)
            if made.const is None:
                self.helper.refuse("an initial value that is computed", node)
            values[place] = made.const
        return values.reshape(-1)
