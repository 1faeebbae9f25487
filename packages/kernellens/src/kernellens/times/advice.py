"""Which limit binds and what would change it, in one sentence that holds for the numbers at hand."""

from __future__ import annotations

from gpusim.hardware.gpus import GPU
from kernellens.plot import quantities

from .work import Work


def sentence(binds: str, parts: dict[str, float], work: Work, gpu: GPU) -> str:
    """Return the sentence for one kernel or operation."""
    return _WAYS[binds](parts, work, gpu)


SMALL = 1e10
"""Operations of a matrix product that do not fill a GPU: 2.1e9 took an A100 three times what its peak says [cupy pull 3810]."""


def caution(binds: str, work: Work) -> str:
    """Return where an estimate of this kind is known to be far too short, as a sentence; empty where it is not."""
    if binds == "atomics":
        return " Atomics are counted as of 32-bit integers: floats of 16 or 64 bits can take several times as long."
    if 0 < sum(work.products.values()) < SMALL:
        return " So small a matrix product does not fill the GPU and can take several times as long."
    return ""


def _second(binds: str, parts: dict[str, float]) -> str:
    """What would bind next, and from how much less on."""
    rest = {kind: value for kind, value in parts.items() if kind != binds and value > 0}
    if not rest or not parts[binds]:
        return ""
    kind = max(rest, key=rest.__getitem__)
    return f"; {kind} binds next, at {quantities.seconds(rest[kind])}"


def _memory(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    nbytes = work.read + work.written
    again = ""
    if work.moved is not None and nbytes and work.moved > 1.5 * nbytes:
        again = f" ({quantities.ratio(work.moved / nbytes)} of that crosses to the SMs, so let the threads of a warp take neighbours)"
    return (
        f"Memory binds: {quantities.size(nbytes)} must be moved; fewer bytes would help (a narrower dtype, kernels fused so that "
        f"nothing is written only to be read again){again}, more arithmetic costs nothing{_second('memory', parts)}."
    )


def _arithmetic(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    seconds = dict(_pipes(work, gpu))
    kind = max(seconds, key=seconds.__getitem__) if seconds else "float64"
    if kind == "float64" and gpu.fp64 < gpu.fp32 / 8:
        way = f"float64 runs at 1/{round(gpu.fp32 / gpu.fp64)} of float32 on {gpu.name}: use float32 where its digits do, np.float32(…) around constants too"
    elif kind == "float64":
        way = f"float32 would run {quantities.ratio(gpu.fp32 / gpu.fp64)} as fast"
    elif kind == "special":
        way = "fewer roots, divisions and transcendental functions would help, or fastmath=True"
    elif kind == "int32":
        way = "32-bit instead of 64-bit integers and fewer divisions would help"
    elif work.products:
        way = "a narrower dtype would help, nothing else"
    else:
        way = "fewer operations would help"
    return f"Arithmetic binds ({kind}): {way}, fewer bytes would not{_second('arithmetic', parts)}."


def _atomics(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    return (
        f"Atomics bind: {quantities.count(work.contended)} requests meet at one address; add up within each block first "
        f"(shared memory or a shuffle) and send one for each block{_second('atomics', parts)}."
    )


def _launch(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    if work.launches > 1:
        return f"Launching binds: {quantities.count(work.launches)} kernels for little work; fuse them, or do more in each{_second('launch', parts)}."
    return f"Launching binds: there is too little work for a kernel of its own; give it more at once{_second('launch', parts)}."


def _link(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    return f"The link binds: {quantities.size(work.link)} cross between host and device; leave the data on the GPU{_second('link', parts)}."


def _latency(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    return (
        "Latency binds: too few threads are there to have others run while one waits; launch more threads, let each load "
        f"several elements before it uses one, or free registers and shared memory for more blocks{_second('latency', parts)}."
    )


def _shared(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    return f"Shared memory binds: keep more in registers, or pad the tile where banks conflict{_second('shared memory', parts)}."


def _l1(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    each = work.wavefronts / work.requests if work.requests else 0
    return (
        f"The L1 caches bind: a warp's request takes {quantities.number(each)} turns; let neighbouring threads take neighbouring "
        f"elements, or load a tile into shared memory once{_second('L1', parts)}."
    )


def _l2(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    moved = work.read + work.written if work.moved is None else work.moved
    return (
        f"The L2 cache binds: {quantities.size(moved)} cross from it to the SMs; let neighbouring threads take neighbouring "
        f"elements, and keep in shared memory what a block uses twice{_second('L2', parts)}."
    )


def _issue(parts: dict[str, float], work: Work, gpu: GPU) -> str:
    return (
        "Issue binds: the warps have more instructions than the schedulers can start; let each thread do several elements "
        f"so that index arithmetic is shared, and take tests out of inner loops{_second('issue', parts)}."
    )


def _pipes(work: Work, gpu: GPU):
    from .model import rates

    by = rates(gpu)
    for kind, count in work.operations.items():
        if count:
            yield kind, count / by[kind]
    for kind, count in work.products.items():
        if count:
            yield kind, count / (gpu.gemm64 if kind == "float64" else gpu.fp32)


_WAYS = {
    "memory": _memory,
    "arithmetic": _arithmetic,
    "atomics": _atomics,
    "launch": _launch,
    "link": _link,
    "latency": _latency,
    "shared memory": _shared,
    "L1": _l1,
    "L2": _l2,
    "issue": _issue,
}
