"""What threads do together: barriers, atomics, shuffles, votes, groups; and bits.  All map to the engine's intrinsics."""

from __future__ import annotations

import ast
from typing import Any

from pycparser import c_ast

from .c_types import DOUBLE, FLOAT, HALF, INT, LLONG, LONG, UINT, ULLONG, ULONG, VOID, Group, promoted
from .values import Value, call, combined, convert, literal, load, to

_ATOMICS = {
    "Add": ("add", (INT, UINT, ULLONG, FLOAT, DOUBLE)), "Sub": ("sub", (INT, UINT)),
    "Exch": ("exch", (INT, UINT, ULLONG, FLOAT)), "Min": ("min", (INT, UINT, ULLONG, LLONG)),
    "Max": ("max", (INT, UINT, ULLONG, LLONG)), "Inc": ("inc", (UINT,)), "Dec": ("dec", (UINT,)),
    "CAS": ("cas", (INT, UINT, ULLONG)), "And": ("and_", (INT, UINT, LLONG, ULLONG)), "Or": ("or_", (INT, UINT, LLONG, ULLONG)),
    "Xor": ("xor", (INT, UINT, LLONG, ULLONG)),
}  # fmt: skip
_PLAIN = {"__syncthreads": "syncthreads", "__threadfence": "threadfence", "__threadfence_block": "threadfence_block",
          "__threadfence_system": "threadfence_system"}  # fmt: skip
_COUNTED = {"__syncthreads_count": "syncthreads_count", "__syncthreads_and": "syncthreads_and",
            "__syncthreads_or": "syncthreads_or"}  # fmt: skip
_SHUFFLES = {"__shfl_sync": "shfl_sync", "__shfl_up_sync": "shfl_up_sync", "__shfl_down_sync": "shfl_down_sync",
             "__shfl_xor_sync": "shfl_xor_sync"}  # fmt: skip
_OLD = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__all", "__any")
_VOTES = {"__ballot_sync": ("ballot_sync", UINT), "__all_sync": ("all_sync", INT), "__any_sync": ("any_sync", INT),
          "__match_any_sync": ("match_any_sync", UINT)}  # fmt: skip
_BITS = {"__popc": (UINT, "popc"), "__popcll": (ULLONG, "popc"), "__clz": (UINT, "clz"), "__clzll": (ULLONG, "clz"),
         "__ffs": (UINT, "ffs"), "__ffsll": (ULLONG, "ffs"), "__brev": (UINT, "brev"), "__brevll": (ULLONG, "brev")}  # fmt: skip
_GROUPS = ("this_grid", "this_thread_block")


def knows(name: str) -> bool:
    """Whether a name is one of these."""
    base = name.removeprefix("atomic").removesuffix("_block").removesuffix("_system")
    return (
        name in _PLAIN or name in _COUNTED or name in _SHUFFLES or name in _VOTES or name in _BITS or name in _OLD
        or name in ("__syncwarp", "__activemask", "__nanosleep") or name in _GROUPS
        or (name.startswith("atomic") and base in _ATOMICS)
    )  # fmt: skip


def call_of(b, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    """A call of one of these functions."""
    if name in _PLAIN:
        b.numbers(f, name, given, 0, node)
        return Value(VOID, call(f"_c_{_PLAIN[name]}"))
    if name in _COUNTED:
        (a,) = b.numbers(f, name, given, 1, node)
        return Value(INT, to("i4", call(f"_c_{_COUNTED[name]}", convert(a, INT).node)))
    if name in _OLD:
        f.wrong(f'identifier "{name}" is undefined', node)
    if name in _SHUFFLES:
        return _shuffle(b, f, name, given, node)
    if name in _VOTES:
        intrinsic, kind = _VOTES[name]
        mask, a = b.numbers(f, name, given, 2, node)
        a = convert(a, INT) if name != "__match_any_sync" else a
        return Value(kind, to(kind.char, call(f"_c_{intrinsic}", convert(mask, UINT).node, a.node)))
    if name in _BITS:
        kind, intrinsic = _BITS[name]
        (a,) = b.numbers(f, name, given, 1, node)
        made = kind if intrinsic == "brev" else INT
        return Value(made, to(made.char, call(f"_c_{intrinsic}", convert(a, kind).node)))
    if name == "__syncwarp":
        mask = convert(f.number(given[0]), UINT) if given else literal(UINT, 0xFFFFFFFF)
        return Value(VOID, call("_c_syncwarp", mask.node))
    if name == "__activemask":
        return Value(UINT, to("u4", call("_c_activemask")))
    if name == "__nanosleep":
        return Value(VOID, call("_c_nanosleep", f.number(given[0]).node))
    if name in _GROUPS:
        f.refuse(f"{name}() that is not put into a variable", node, f"auto g = {name}();")
    return _atomic(b, f, name, given, node)


def _atomic(b, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    base = name.removeprefix("atomic").removesuffix("_block").removesuffix("_system")
    intrinsic, allowed = _ATOMICS[base]
    count = 3 if base == "CAS" else 2
    if len(given) != count:
        f.wrong(f'no instance of overloaded function "{name}" matches the argument list', node)
    place = f.place(c_ast.UnaryOp("*", given[0], node.coord)) if not _addressed(given[0]) else f.place(given[0].expr)
    if place.at is None:
        f.refuse(f"{name} of a variable that no other thread sees", node)
    extra = f.module.atomics  # CuPy's own header has more of them
    chars = {k.char for k in allowed} | (extra.get(base, frozenset()))
    if place.type == HALF and base in ("Add", "CAS", "Exch"):
        f.refuse(f"{name} of {place.type}", node, f"{name} of float or of int")
    if place.type.char not in chars or place.readonly:
        f.wrong(
            f'no instance of overloaded function "{name}" matches the argument list\n'
            f"            argument types are: ({'const ' if place.readonly else ''}{place.type} *, ...)",
            node,
        )
    if place.type in (LONG, ULONG) or (place.type.char == "i8" and base in ("Add", "Exch", "CAS") and not extra):
        f.wrong(f'no instance of overloaded function "{name}" matches the argument list', node)
    values = [f.converted(f.number(v), place.type, node) for v in given[1:]]
    places: Any = place.at
    array, at = place.node, places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())
    if base == "Exch" and place.type == FLOAT:  # the engine exchanges whole numbers: the bits are as good
        view = f.temporary(ast.Call(ast.Attribute(array, "view", ast.Load()), [_numpy("int32")], []))
        bits = ast.Call(ast.Attribute(call("_c_np.float32", values[0].node), "view", ast.Load()), [_numpy("int32")], [])
        old = call("_c_np.int32", call("_c_atomic.exch", load(view), at, bits))
        return Value(FLOAT, ast.Call(ast.Attribute(old, "view", ast.Load()), [_numpy("float32")], []))
    made = call(f"_c_atomic.{intrinsic}", array, at, *(v.node for v in values))
    return Value(place.type, to(place.type.char, made))


def _numpy(name: str) -> ast.expr:
    return ast.Attribute(load("_c_np"), name, ast.Load())


def _addressed(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&"


def _shuffle(b, f, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value:
    if len(given) not in (3, 4):
        f.wrong(f'no instance of overloaded function "{name}" matches the argument list', node)
    mask, a, lane, *rest = b.numbers(f, name, given, len(given), node)
    width = f.kept(convert(rest[0], INT)) if rest else literal(INT, 32)
    return _moved(f, name, convert(mask, UINT), a, convert(lane, INT), width, node)


def _moved(f, name: str, mask: Value, a: Value, lane: Value, width: Value, node: c_ast.Node) -> Value:
    """What another lane has; `width` cuts the warp into parts."""
    lane = convert(lane, INT)
    kind = promoted(a.type)
    if kind.kind == "c":
        f.wrong(f'no instance of overloaded function "{name}" matches the argument list', node)
    intrinsic = f"_c_{_SHUFFLES[name]}"
    if width.const == 32:
        return Value(kind, to(kind.char, call(intrinsic, mask.node, convert(a, kind).node, lane.node)))
    if width.const is not None and width.const not in (1, 2, 4, 8, 16):
        f.wrong(f"{name}: the width must be a power of two, at most 32", node)
    a, lane = f.kept(convert(a, kind)), f.kept(lane)
    own = f.kept(Value(INT, to("i4", load("_c_laneid"))))
    within = combined("-", width, literal(INT, 1))
    inside, first = combined("&", own, within), combined("&", own, combined("^", within, literal(INT, -1)))
    if name == "__shfl_sync":
        source = combined("|", first, combined("&", lane, within))
    else:  # from beyond the part of the warp comes the thread's own value
        if name == "__shfl_up_sync":
            there, test = combined("-", own, lane), combined(">=", inside, lane)
        elif name == "__shfl_down_sync":
            there, test = combined("+", own, lane), combined("<", combined("+", inside, lane), width)
        else:
            there = f.kept(combined("^", own, lane))
            test = combined("<", there, combined("+", first, width))
        source = Value(INT, ast.IfExp(test.node, there.node, own.node))
    return Value(kind, to(kind.char, call("_c_shfl_sync", mask.node, a.node, source.node)))


def group_of(f, node: c_ast.Node) -> Any:
    """The group that an expression is, if it is one."""
    if isinstance(node, c_ast.ID):
        variable = f.scope.find(node.name)
        return variable.type if variable is not None and isinstance(variable.type, Group) else None
    called = node.name.name if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else ""
    if called in _GROUPS:
        return Group("grid_group" if called == "this_grid" else "thread_block")
    if called.startswith("_hf_tiled_"):
        size = int(called.removeprefix("_hf_tiled_"))
        return Group(f"_hf_tile_{size}", size)
    return None


_TILES = {"shfl": "__shfl_sync", "shfl_up": "__shfl_up_sync", "shfl_down": "__shfl_down_sync", "shfl_xor": "__shfl_xor_sync",
          "any": "__any_sync", "all": "__all_sync", "ballot": "__ballot_sync", "match_any": "__match_any_sync",
          "sync": "__syncwarp"}  # fmt: skip


def _tile(b, f, kind: Group, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Value | None:
    """A member of a tile of a warp; None where it is one that other groups have as well."""
    if name in ("size", "num_threads"):
        return literal(UINT, kind.size)
    rank = Value(UINT, to("u4", _flat()))
    if name == "thread_rank":
        return combined("&", rank, literal(UINT, kind.size - 1))
    if name == "meta_group_rank":
        return combined("/", rank, literal(UINT, kind.size))
    if name == "meta_group_size":
        whole = Value(UINT, to("u4", sum_of([_count(), ast.Constant(kind.size - 1)])))
        return combined("/", whole, literal(UINT, kind.size))
    if name not in _TILES:
        return None
    first = f.kept(combined("&", Value(UINT, to("u4", load("_c_laneid"))), literal(UINT, 32 - kind.size)))
    mask = literal(UINT, 0xFFFFFFFF)
    if kind.size < 32:
        mask = f.kept(combined("<<", literal(UINT, (1 << kind.size) - 1), first))
    if name == "sync":
        return Value(VOID, call("_c_syncwarp", mask.node))
    if name.startswith("shfl"):
        if len(given) != 2:
            f.wrong(f"too {'few' if len(given) < 2 else 'many'} arguments in function call: {name}", node)
        a, lane = (f.number(each) for each in given)
        return _moved(f, _TILES[name], mask, a, lane, literal(INT, kind.size), node)
    made, intrinsic = _VOTES[_TILES[name]][1], _VOTES[_TILES[name]][0]
    (a,) = b.numbers(f, name, given, 1, node)
    a = convert(a, INT) if name != "match_any" else a
    told = Value(made, to(made.char, call(f"_c_{intrinsic}", mask.node, a.node)))
    return combined(">>", told, first) if name in ("ballot", "match_any") else told


def reduced(b, f, kind: Any, each: c_ast.Node, op: str, of: Any, node: c_ast.Node) -> Value:
    """The values of a tile's threads, put together by an operator of the type `of`, which must be theirs."""
    made = f.kept(f.number(each))
    if made.type.char == "f2":
        f.refuse("a reduction of halves", node, "a reduction of floats")
    if made.type != of:
        f.wrong(f"reduce() of {made.type} with an operator of {of}: the two must have one type", node)
    if op in "&|^" and of.kind not in "iub":
        f.wrong(f'no operator "{op}" matches "{of}" and "{of}"', node, "The bits of integers can be combined.")
    first = f.kept(combined("&", Value(UINT, to("u4", load("_c_laneid"))), literal(UINT, 32 - kind.size)))
    full = literal(UINT, (1 << kind.size) - 1)
    mask = f.kept(combined("<<", full, first)) if kind.size < 32 else full
    step = kind.size // 2
    while step:
        other = _moved(f, "__shfl_xor_sync", mask, made, literal(INT, step), literal(INT, kind.size), node)
        other = f.kept(other)
        if op in "<>":
            test = combined(op, other, made)
            made = Value(made.type, ast.IfExp(test.node, convert(other, of).node, made.node))
        else:
            made = convert(combined(op, made, other), made.type)
        made = f.kept(made)
        step //= 2
    return made


def _flat() -> ast.expr:
    """The number of a thread in its block."""
    sizes = [_dim("blockDim", k) for k in "xy"]
    inner = sum_of([_dim("threadIdx", "y"), times(sizes[1], _dim("threadIdx", "z"))])
    return sum_of([_dim("threadIdx", "x"), times(sizes[0], inner)])


def _count() -> ast.expr:
    """The threads of a block."""
    return times(_dim("blockDim", "x"), times(_dim("blockDim", "y"), _dim("blockDim", "z")))


def group(b, f, kind: Any, name: str, given: list[c_ast.Node], node: c_ast.Node) -> Any:
    """A member of a cooperative group."""
    if kind.size and (made := _tile(b, f, kind, name, given, node)) is not None:
        return made
    grid = kind.name == "grid_group"
    if name == "sync":
        if grid:
            return Value(VOID, ast.Call(ast.Attribute(call("_c_cg.this_grid"), "sync", ast.Load()), [], []))
        return Value(VOID, call("_c_syncthreads"))
    rank, total = _flat(), _count()
    if name in ("size", "num_threads"):
        if grid:
            total = times(total, times(_dim("gridDim", "x"), times(_dim("gridDim", "y"), _dim("gridDim", "z"))))
        return Value(ULLONG if grid else UINT, to("u8" if grid else "u4", total))
    if name == "thread_rank":
        if grid:
            block = sum_of([_dim("blockIdx", "x"), times(_dim("gridDim", "x"), sum_of([_dim("blockIdx", "y"), times(
                _dim("gridDim", "y"), _dim("blockIdx", "z"))]))])  # fmt: skip
            rank = sum_of([times(block, total), rank])
        return Value(ULLONG if grid else UINT, to("u8" if grid else "u4", rank))
    if name == "is_valid":
        return literal(INT, 1)
    places = {
        "thread_index": "threadIdx",
        "group_index": "blockIdx",
        "dim_threads": "blockDim",
        "group_dim": "blockDim",
    }
    if name in places and not grid and not kind.size:
        return f.value(c_ast.ID(places[name], node.coord))
    f.refuse(f"{kind}.{name}()", node)


def _dim(name: str, axis: str) -> ast.expr:
    return to("i8", ast.Attribute(load(f"_c_{name}"), axis, ast.Load()))


def times(a: ast.expr, b: ast.expr) -> ast.expr:
    """A product, in int64."""
    return ast.BinOp(a, ast.Mult(), b)


def sum_of(parts: list[ast.expr]) -> ast.expr:
    """A sum, in int64."""
    made = parts[0]
    for part in parts[1:]:
        made = ast.BinOp(made, ast.Add(), part)
    return made
