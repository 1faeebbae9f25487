"""Judge a function that returns several arrays on the device."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import devices
from ..cases import Case
from ..differences import explain, same
from ..functions import FunctionJudge, Run, _shape
from ..guard import article
from ..problem import Mistake
from ..verdict import Refusal, refuse


class PairJudge(FunctionJudge):
    """Judge a function that returns a tuple of arrays, by cases.

    A mistake is known by all of its arrays together; then each array is told apart by itself, named as the learner knows it.

    Parameters
    ----------
    names : tuple of str
        What the arrays are called, in order.
    cases, drawn, rtol, atol, verified
        As for `FunctionJudge`.
    """

    def __init__(self, names: tuple[str, ...], cases: Sequence[Case], **options: Any) -> None:
        super().__init__(cases, compare=functools.partial(_compare, names, options), **options)


def _compare(names: tuple[str, ...], options: dict[str, Any], run: Run) -> None:
    rtol = options.get("rtol", 1e-7) if run.case.rtol is None else run.case.rtol
    atol = options.get("atol", 0.0) if run.case.atol is None else run.case.atol
    got = _arrays(names, run.got)
    expected = [np.asarray(part) for part in run.expected]
    if not _all_same(got, expected, rtol, atol):
        near = 1e-7 if run.case.atol is None else 10 * run.case.atol
        run.problem.recognise(
            lambda mistake: _mistaken(mistake, run.case),
            lambda theirs: _all_same(got, theirs, 1e-5, near) and not _all_same(expected, theirs, 1e-5, near),
        )
    for name, ours, theirs in zip(names, got, expected, strict=True):
        try:
            if ours.shape != theirs.shape:
                _shape(ours.shape, theirs.shape)
            if ours.dtype != theirs.dtype:
                refuse("dtype", f"the dtype is {ours.dtype}; it should be {theirs.dtype}.")
            explain(ours, theirs, rtol=rtol, atol=atol)
        except Refusal as refusal:
            refusal.why = f"{name}: {refusal.why}"
            raise


def _arrays(names: tuple[str, ...], got: Any) -> list[np.ndarray]:
    wanted = f"({', '.join(names)})"
    if not isinstance(got, (tuple, list)) or len(got) != len(names):
        size = f" with {len(got)} entries" if isinstance(got, (tuple, list)) else ""
        refuse("type", f"it should return a tuple {wanted}; it is {article(got)}{size}.")
    for name, part in zip(names, got, strict=True):
        if isinstance(part, np.ndarray):
            refuse("host", f"{name} is on the host: {article(part)}. It should stay on the device, as a CuPy array.")
        if not devices.is_device(part):
            refuse("type", f"{name} should be a CuPy array; it is {article(part)}.")
    return [devices.to_host(part) for part in got]


def _all_same(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray], rtol: float, atol: float) -> bool:
    return all(same(a, b, rtol, atol) for a, b in zip(ours, theirs, strict=True))


@functools.cache
def _mistaken(mistake: Mistake, case: Case) -> tuple[np.ndarray, ...] | None:
    theirs = mistake.computes(*case.host())
    return None if theirs is None else tuple(map(np.asarray, theirs))
