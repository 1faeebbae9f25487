"""``min`` and ``max`` of two numbers, as a GPU has them: of a NaN and a number they give the number.

numba-cuda compiles them to ``fmin`` and ``fmax`` (libdevice's ``__nv_fminf`` and so on); Numba on a CPU compares.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


def _make(builtin, name: str):
    @intrinsic
    def extreme(typingctx, a, b):
        if not all(isinstance(types.unliteral(kind), types.Float | types.Integer | types.Boolean) for kind in (a, b)):
            chosen = typingctx.resolve_function_type(builtin, (a, b), {})
            if chosen is None:
                return None
            kind = None
        else:
            chosen = typingctx.resolve_function_type(builtin, (types.unliteral(a), types.unliteral(b)), {})
            kind = chosen.return_type if isinstance(chosen.return_type, types.Float) else None

        def codegen(context, builder, sig, args):
            if kind is None:
                values = [context.cast(builder, v, t, w) for v, t, w in zip(args, sig.args, chosen.args, strict=True)]
                return context.get_function(builtin, chosen)(builder, values)
            values = [context.cast(builder, v, t, kind) for v, t in zip(args, sig.args, strict=True)]
            number = context.get_value_type(kind)
            of_two = ir.FunctionType(number, [number, number])
            function = builder.module.declare_intrinsic(f"llvm.{name}", [number], of_two)
            return builder.call(function, values)

        return chosen.return_type(a, b), codegen

    return extreme


minimum = _make(min, "minnum")
maximum = _make(max, "maxnum")
