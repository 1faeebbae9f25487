"""Signatures as text, as tuples and as such."""

from __future__ import annotations

from typing import Any

from . import types


def is_signature(sig: Any) -> bool:
    """Whether this is a signature, in any form."""
    return isinstance(sig, (str, tuple, types.Signature))


def normalize_signature(sig: Any) -> tuple[tuple, Any]:
    """The types of the arguments, and that of the result or None.

    Raises
    ------
    TypeError
        If it is no signature, or names a type that there is not.
    """
    parsed = sig
    if isinstance(sig, str):
        names = {name: getattr(types, name) for name in types.__all__}
        try:
            parsed = eval(sig, {"__builtins__": {}}, names)
        except Exception as error:
            raise TypeError(
                f"{sig!r} is no signature, such as 'float32(float32, int32)' or 'void(float32[:])'."
            ) from error
    if isinstance(parsed, types.Signature):
        return parsed.args, parsed.return_type
    if isinstance(parsed, types.Type):
        return (parsed,), None
    if isinstance(parsed, tuple) and all(isinstance(each, types.Type) for each in parsed):
        return parsed, None
    raise TypeError(f"invalid signature: {sig!r} (type: {type(sig)!r})")
