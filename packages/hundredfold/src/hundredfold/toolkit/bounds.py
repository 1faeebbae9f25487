"""`limit`: the least time that so many bytes and operations can take on a machine, and what a time says beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kernellens.plot import quantities as text

SLACK = 1.25
"""A time this many times below a *measured* limit is still believed: clocks and neighbours vary, and the rates were taken on
another occasion. A limit from a data sheet is never reached in practice and needs none."""

RECHECK = 4.0
"""A time up to so many times too fast makes us doubt our own rates first: they are measured again before it is called wrong."""

CACHE = 200.0
"""No cache moves bytes so many times faster than the memory behind it (first-level caches of 16 cores come to about 170)."""


@dataclass(frozen=True)
class Limit:
    """The least time of some work on a machine.

    Attributes
    ----------
    seconds : float
        The least time: the larger of `bytes / bandwidth` and `flops / rate`.
    binds : {"memory", "arithmetic"}
        Which of the two that is.
    machine : str
        "this CPU", "this GPU" or the name of a known GPU.
    bandwidth : float
        Bytes per second.
    rate : float or None
        Floating-point operations per second of the asked-for type; None where it is not known.
    bytes, flops : float or None
        The work.
    cache : int
        Bytes of last-level cache: less than twice this may never reach memory, so the bandwidth does not bound it.
    method : str
        Where the rates come from.
    products : bool
        Whether the operations may be those of a matrix product.
    """

    seconds: float
    binds: Literal["memory", "arithmetic"]
    machine: str
    bandwidth: float
    rate: float | None = None
    bytes: float | None = None
    flops: float | None = None
    dtype: str = "float64"
    cache: int = 0
    method: str = ""
    slack: float = 1.0
    products: bool = True

    @property
    def fits_in_cache(self) -> bool:
        """Whether the data may stay in the last-level cache, so that the memory's speed is no limit."""
        return self.bytes is not None and self.bytes < 2 * self.cache

    def share(self, seconds: float) -> float:
        """Return how much of what the machine can do a run of `seconds` reached: 1.0 is the limit."""
        return self.seconds / seconds if seconds > 0 else math.inf

    def impossible(self, seconds: float) -> str | None:
        """Return why work that took `seconds` was not done, or not timed; None where it may be right."""
        arithmetic = self.flops / self.rate if self.flops is not None and self.rate else 0.0
        if seconds * self.slack < arithmetic:
            return f"faster than {self.machine} can calculate: not synchronised, or not done"
        memory = 0.0 if self.bytes is None else self.bytes / self.bandwidth / (CACHE if self.fits_in_cache else 1.0)
        if seconds * self.slack < memory:
            return f"faster than {self.machine} can move the bytes: not synchronised, cached, or not done"
        return None

    def judge(self, seconds: float) -> str:
        """Return a sentence on a time taken by hand: whether it is possible, and how far from the limit.

        Raises
        ------
        ValueError
            If `seconds` is negative or not a number.
        """
        seconds = getattr(seconds, "median", seconds)  # a Measurement
        if not _is_number(seconds) or not seconds >= 0:
            raise ValueError(f"A time in seconds is needed, not {seconds!r}.")
        seconds = float(seconds)
        checked = self.confirmed(seconds)
        least = f"{text.seconds(checked.seconds)} at least"
        reason = checked.impossible(seconds)
        if reason is not None:
            return f"{text.seconds(seconds)} is {reason} ({least})."
        if checked.fits_in_cache and seconds < checked.seconds:
            return f"{text.seconds(seconds)} is possible: the data fits in the cache of {checked.machine}, so its memory is no limit."
        return f"{text.seconds(seconds)} is possible: {checked.share_text(seconds)} of {checked.machine} ({least})."

    def share_text(self, seconds: float) -> str:
        """Return "52 % of the limit"."""
        share = f"{text.share(self.share(seconds))} of the limit"
        return f"{share} (fits in cache)" if self.fits_in_cache and seconds < self.seconds else share

    def confirmed(self, seconds: float) -> Limit:
        """Return this limit, or a lower one where the machine's rates were taken on a bad day.

        Where `seconds` is a little too fast for rates measured here, they are measured again, once, and the better ones kept.
        """
        if self.slack == 1.0 or self.impossible(seconds) is None or seconds * RECHECK < self.seconds:
            return self
        return _here(
            "gpu" if self.machine == "this GPU" else "cpu",
            self.bytes,
            self.flops,
            self.dtype,
            self.products,
            again=True,
        )

    def __str__(self) -> str:
        parts = []
        if self.bytes is not None:
            parts.append(f"{text.size(self.bytes)} at {text.byte_rate(self.bandwidth)}")
        if self.flops is not None and self.rate:
            parts.append(f"{text.flop_rate(self.flops).removesuffix('/s')} at {text.flop_rate(self.rate)}")
        cached = ", but the data may stay in its cache" if self.fits_in_cache and self.binds == "memory" else ""
        return f"{text.seconds(self.seconds)} at least: {self.binds} binds{cached} ({', '.join(parts)}, {self.machine})"

    __repr__ = __str__


def limit(
    bytes: float | None = None,
    flops: float | None = None,
    machine: str | None = None,
    dtype: str = "float64",
    products: bool = True,
) -> Limit:
    """Return the least time in which so many bytes can be moved and so many operations done.

    Parameters
    ----------
    bytes : float, optional
        Bytes that must pass through memory: each input once, each output once.
    flops : float, optional
        Floating-point operations; a fused multiply-add counts as two.
    machine : str, optional
        Of which machine: None for this one (its GPU where it has one, else its CPU), "cpu" for this CPU, or a known GPU such
        as "V100" (`gpusim.hardware.gpus.names()`). This machine's rates are measured the first time and kept.
    dtype : {"float64", "float32"}
        Of the operations.
    products : bool
        Whether they may be those of matrix products, which tensor cores do: an A100 does 19.5 Tflop/s of these in float64, and 9.7 of
        others. False gives the higher limit of all other work.

    Returns
    -------
    Limit
        `.seconds`, what `.binds`, and `.judge(seconds)` for a time of yours.

    Raises
    ------
    ValueError
        If neither bytes nor flops is given, one is not positive, or the dtype is neither of the two.
    KeyError
        If no such machine is known; the message names the nearest.
    """
    if bytes is None and flops is None:
        raise ValueError(
            "limit needs the bytes to move or the operations to do: limit(bytes=800e6), limit(flops=2e12)."
        )
    dtype = check_work(bytes, flops, dtype)
    if machine is None or str(machine).lower() == "cpu":
        from gpusim import hardware as here

        on_gpu = machine is None and here.mode() == "gpu"
        return _here("gpu" if on_gpu else "cpu", bytes, flops, dtype, products)
    from gpusim.hardware import gpus

    gpu = gpus.find(machine)
    return _limit(gpu, f"the {gpu.name}", bytes, flops, dtype, gpu.l2, gpu.sources["bandwidth"], 1.0, products)


def check_work(nbytes: Any, flops: Any, dtype: Any) -> str:
    """Return the name of the dtype ("float64" or "float32").

    Raises
    ------
    ValueError
        If bytes or flops is no positive number, or the dtype is neither of the two.
    """
    for label, value in (("bytes", nbytes), ("flops", flops)):
        if value is not None and not (_is_number(value) and 0 < value < math.inf):
            raise ValueError(f"{label} must be a positive number, not {value!r}.")
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = ""
    if name not in ("float64", "float32"):
        raise ValueError(f"Arithmetic limits are known for float64 and float32, not {dtype!r}; give bytes alone.")
    return name


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _here(
    kind: str, nbytes: float | None, flops: float | None, dtype: str, products: bool, again: bool = False
) -> Limit:
    from . import calibrate

    if kind == "gpu":
        rates, cache = calibrate.gpu_rates(again), calibrate.gpu_cache()
    else:
        rates, cache = calibrate.cpu_rates(again), calibrate.last_cache()
    return _limit(rates, f"this {kind.upper()}", nbytes, flops, dtype, cache, rates.method, SLACK, products)


def _limit(
    rates, machine: str, nbytes, flops, dtype: str, cache: int, method: str, slack: float, products: bool
) -> Limit:
    # A matrix product may use units that plain arithmetic cannot.
    rate = rates.fp32 if dtype == "float32" else max(rates.fp64 or 0.0, (products and rates.gemm64) or 0.0)
    memory = (nbytes or 0.0) / rates.bandwidth
    arithmetic = flops / rate if flops is not None and rate else 0.0
    return Limit(
        seconds=max(memory, arithmetic),
        binds="arithmetic" if arithmetic > memory else "memory",
        machine=machine,
        bandwidth=rates.bandwidth,
        rate=rate or None,
        bytes=nbytes,
        flops=flops,
        dtype=dtype,
        cache=cache,
        method=method,
        slack=slack,
        products=products,
    )
