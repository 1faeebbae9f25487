"""How a result differs from the expected one, in the words of what probably went wrong.

`explain` is asked when the kind, shape and dtype are already right. It looks for a pattern before it gives up and
names the first wrong value: only the border, transposed, permuted, shifted, off by a factor or an offset.
"""

from __future__ import annotations

import numpy as np

from .verdict import refuse

FACTORS: dict[float, str] = {
    1e3: "a thousand times too large: milliseconds where seconds were meant?",
    1e-3: "a thousand times too small: seconds where milliseconds were meant?",
    1e6: "a million times too large: microseconds where seconds were meant?",
    1e-6: "a million times too small: MB where bytes were meant?",
    1e9: "a thousand million times too large: nanoseconds where seconds were meant?",
    1e-9: "a thousand million times too small: GB where bytes were meant?",
    8.0: "eight times too large: bits where bytes were meant?",
    1 / 8: "eight times too small: elements of 8 bytes counted, where bytes were meant?",
    2.0**-30: "as if divided by 2³⁰: GiB where bytes were meant?",
    2.0**-20: "as if divided by 2²⁰: MiB where bytes were meant?",
    1e9 / 2.0**30: "GiB where GB was meant?",
    2.0**30 / 1e9: "2³⁰ where 10⁹ was meant?",
}


_LOST = "NaN means that a number is not known. What depends on it is not known either: let NaN stay NaN."


def close(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """Element by element: equal within ``atol + rtol * |expected|``, NaN equal to NaN."""
    with np.errstate(all="ignore"):
        return np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)


def same(got: object, expected: object, rtol: float, atol: float) -> bool:
    """True if two results have the same shape and close values."""
    a, b = np.asarray(got), np.asarray(expected)
    if a.shape != b.shape or a.dtype.kind not in "biufc" or b.dtype.kind not in "biufc":
        return False
    return bool(close(a, b, rtol, atol).all())


def number(value: object) -> str:
    """A number for a sentence: short, and the same on every machine for all that matters."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{complex(value):.6g}"
    return f"{float(value):.6g}"  # type: ignore[arg-type]


def pair(got: object, expected: object) -> tuple[str, str]:
    """Two numbers in as many digits as it takes to tell them apart."""
    short = number(got), number(expected)
    return short if short[0] != short[1] else (repr(float(got)), repr(float(expected)))  # type: ignore[arg-type]


def explain(got: np.ndarray, expected: np.ndarray, *, rtol: float = 1e-7, atol: float = 0.0) -> None:
    """Refuse `got`, with the most telling reason, if its values differ from `expected`; return if they do not.

    Parameters
    ----------
    got, expected : numpy.ndarray
        Of the same shape.
    rtol, atol : float
        An element is right within ``atol + rtol * |expected|``; NaN is right where NaN is expected.

    Raises
    ------
    Refusal
        With the reason ``"nan"``, ``"border"``, ``"transposed"``, ``"order"``, ``"shifted"``, ``"sign"``, ``"factor"``,
        ``"offset"`` or ``"value"``.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype.kind not in "biufc":
        refuse("dtype", f"the values are no numbers: the dtype is {got.dtype}.")
    wrong = ~close(got, expected, rtol, atol)
    if not wrong.any():
        return
    first = _first(got, expected, wrong)
    if got.dtype.kind in "fc" and expected.dtype.kind in "biufc":
        _nan(got, expected, wrong, first)
    if wrong.size > 1:
        _places(got, expected, wrong, rtol, atol, first)
    if got.dtype.kind in "iufc" and expected.dtype.kind in "biufc":
        _patterns(got.astype(complex if got.dtype.kind == "c" else float), expected, rtol, atol, first)
    refuse("value", first, diagnosed=False)


def _first(got: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> str:
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    a, b = pair(got[where], expected[where])
    if not where:
        return f"it is {a}; expected was {b}."
    share = "its only value is wrong" if wrong.size == 1 else f"{wrong.sum()} of its {wrong.size} values are wrong"
    return f"{share}; the first, at [{', '.join(map(str, where))}], is {a}; expected was {b}."


def _nan(got: np.ndarray, expected: np.ndarray, wrong: np.ndarray, first: str) -> None:
    ours, theirs = np.isnan(expected) if expected.dtype.kind in "fc" else np.zeros(expected.shape, bool), np.isnan(got)
    if not (ours ^ theirs)[wrong].all():
        return
    if (theirs & ~ours).any():
        refuse("nan", f"there is NaN where a number is due: {first}", diagnosed=False)
    refuse("nan", f"NaN went missing: {first}", advice=_LOST, general=True)


def _places(got: np.ndarray, expected: np.ndarray, wrong: np.ndarray, rtol: float, atol: float, first: str) -> None:
    """Right values in the wrong places, or wrong only at the border."""
    inner = tuple(slice(1, -1) for _ in range(wrong.ndim))
    if wrong[inner].size and not wrong[inner].any():
        refuse("border", f"{_side(wrong)}: {first}", diagnosed=False)
    if wrong.ndim == 2 and wrong.shape[0] == wrong.shape[1] and close(got.T, expected, rtol, atol).all():
        refuse("transposed", f"rows and columns are exchanged: {first}")
    for axis in range(wrong.ndim):
        for step in (1, -1):
            if wrong.shape[axis] > 2 and close(np.roll(got, -step, axis), expected, rtol, atol).all():
                refuse(
                    "shifted",
                    f"the values are right but {step:+d} place off along axis {axis}: {first}",
                    diagnosed=False,
                )
    flat = np.sort(got, axis=None), np.sort(expected, axis=None)
    if np.ptp(np.nan_to_num(flat[1].astype(float))) and close(*flat, rtol, atol).all():
        refuse("order", f"the values are right but stand in another order: {first}", diagnosed=False)


def _side(wrong: np.ndarray) -> str:
    """Where on the border the wrong values are."""
    for axis in range(wrong.ndim):
        for end, place in ((0, "first"), (-1, "last")):
            if not np.delete(wrong, end, axis).any():
                if wrong.ndim == 1:
                    return f"only the {place} value is wrong"
                where = f"{place} {('row', 'column')[axis]}" if wrong.ndim == 2 else f"{place} place along axis {axis}"
                return f"all that is wrong is in the {where}"
    return "inside all is right, only the border is wrong"


def _patterns(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float, first: str) -> None:
    """Off by one and the same factor or amount everywhere."""
    expected = expected.astype(got.dtype)
    loose = max(rtol, 1e-6)
    solid = np.abs(expected) > max(atol * 10, 1e-300)
    if solid.any() and np.isfinite(got).any():
        factor = float(np.nanmedian(np.real(got[solid] / expected[solid])))
        # Near 1 it says nothing: "1 times what they should be".
        if (
            np.isfinite(factor)
            and factor
            and abs(factor - 1) > 1e-3
            and close(got, expected * factor, loose, atol * abs(factor)).all()
        ):
            if np.isclose(factor, -1.0, rtol=1e-6):
                refuse("sign", f"the sign is wrong: {first}")
            for known, meaning in FACTORS.items():
                if np.isclose(factor, known, rtol=1e-6, atol=0):
                    refuse("unit", f"{meaning[0].upper()}{meaning[1:]} {_cap(first)}")
            if solid.sum() > 1:
                refuse("factor", f"all values are {factor:.4g} times what they should be: {first}")
    if got.size > 1 and np.isfinite(got).any():
        offset = float(np.nanmedian(np.real(got - expected)))
        if np.isfinite(offset) and close(got, expected + offset, rtol, max(atol, abs(offset) * 1e-3)).all():
            refuse("offset", f"all values are off by {offset:.4g}: {first}", diagnosed=False)


def _cap(text: str) -> str:
    return text[0].upper() + text[1:]
