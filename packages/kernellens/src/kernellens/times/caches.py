"""What the caches of a GPU keep of what a launch reads again.

L1 is shared by the blocks that are on an SM together: where it holds all that they read, each block moves a sector once;
where it holds what their warps read, each warp does; else each request.  L2 keeps a sector for the next block that reads it
if the blocks between do not use more than it holds.  Both are an all-or-nothing reading of reuse distance [Mattson et al.,
"Evaluation Techniques for Storage Hierarchies", 1970], with full associativity.
"""

from __future__ import annotations

from gpusim.hardware.gpus import GPU

from .work import Work


def from_l2(work: Work, gpu: GPU, blocks: int) -> tuple[float, float]:
    """Return the bytes between L2 and the SMs, and the share of loaded sectors that L1 gives, with so many blocks on an SM."""
    if work.moved is not None or work.reuse is None:
        return (work.read + work.written if work.moved is None else work.moved), 0.0
    reuse = work.reuse
    room = gpu.l1 - blocks * work.sharedmem
    warps = -(-work.block // 32) if work.block else 1
    if blocks * reuse.block <= room:
        loaded = reuse.by_block
    elif blocks * warps * reuse.warp <= room:
        loaded = reuse.by_warp
    else:
        loaded = reuse.by_request
    return loaded + reuse.stored, 1 - loaded / reuse.by_request if reuse.by_request else 0.0


def from_memory(work: Work, gpu: GPU) -> float:
    """Return the bytes between memory and L2: none where all fits, since a loop that measures finds it there."""
    if work.dram is not None:
        return work.dram
    nbytes = work.read + work.written
    if nbytes <= gpu.l2:
        return 0.0
    return nbytes + sum(again for between, again in (work.reuse.again if work.reuse else ()) if between > gpu.l2)
