"""What `compile` returns."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gpusim.hardware import gpus
from gpusim.kernels.sanitizer.findings import Finding
from kernellens.residency import Occupancy, occupancy

from . import cubin

_DOUBLE = re.compile(
    r"^\s*(?:@\S+\s+)?(?:add|sub|mul|fma|mad|div|rcp|sqrt|rsqrt|min|max|neg|abs|setp)\b\S*\.f64\b", re.M
)


class NotCompiledError(RuntimeError):
    """What only the real compiler knows was asked of a kernel that it has not compiled; the message says why."""


@dataclass(repr=False)
class Compiled:
    """A kernel, compiled for a GPU that need not be there.

    What only the compiler knows is None where `available` is False; `missing` says then what would be needed.

    Attributes
    ----------
    kernel : str
    signature : str
        The arguments' types, as Numba's signatures write them.
    gpu : str
        Its name, or the compute capability if that was asked for.
    cc : tuple of int
    available : bool
        Whether the kernel was compiled, so that the figures are there.
    missing : str
        Why it was not, and what to do; empty where it was.
    errors : list of Finding
        Why Numba or the assembler refuses the kernel, of kind ``"uncompilable"``.
    warnings : list of str
        What Numba remarked.
    registers : int or None
        32-bit registers of a thread; what ``kernel.get_regs_per_thread()`` says on such a GPU with the same packages.
    shared : int or None
        Bytes of static shared memory of a block.
    stack : int or None
        Bytes of local memory of a thread: local arrays, and what does not fit into registers.
    spill_stores, spill_loads : int or None
        Bytes that a thread writes to local memory and reads back because registers ran out.
    constant : int or None
        Bytes of constant memory that ``cuda.const`` arrays take.
    ptx, llvm : str or None
    cooperative : bool or None
        Whether its blocks wait for each other, so that all must be on the GPU at once.
    by : str
        Which programs made the figures, with their versions.
    log : str
        What they said.
    """

    kernel: str
    signature: str
    gpu: str
    cc: tuple[int, int]
    available: bool = False
    missing: str = ""
    errors: list[Finding] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    registers: int | None = None
    shared: int | None = None
    stack: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    constant: int | None = None
    ptx: str | None = None
    llvm: str | None = None
    cooperative: bool | None = None
    by: str = ""
    log: str = ""
    blockdim: Any = None
    sharedmem: int = 0
    _entry: str = ""
    _cubin: bytes = b""
    _disassembler: str | None = None

    @property
    def spills(self) -> int | None:
        """Bytes that a thread moves to local memory and back because registers ran out."""
        if self.spill_stores is None or self.spill_loads is None:
            return None
        return self.spill_stores + self.spill_loads

    @property
    def doubles(self) -> int | None:
        """Instructions of the PTX that calculate in float64, conversions aside."""
        return None if self.ptx is None else len(_DOUBLE.findall(self.ptx))

    @property
    def advice(self) -> list[str]:
        """What the figures suggest, a sentence each."""
        return [] if not self.available else [*_advice(self)]

    @functools.cached_property
    def sass(self) -> str | None:
        """The GPU's own instructions; None without the program ``nvdisasm`` (package nvidia-cuda-nvdisasm)."""
        if not self._cubin or self._disassembler is None:
            return None
        return cubin.disassemble(self._cubin, self._entry, self._disassembler).replace(self._entry, self.kernel)

    def occupancy(self, blockdim: int | tuple[int, ...] | None = None, sharedmem: int | None = None) -> Occupancy:
        """Return how many of its blocks fit on a multiprocessor at once.

        Parameters
        ----------
        blockdim : int or tuple of up to 3 int, optional
            Threads of a block; what `compile` was given, if left out.
        sharedmem : int, optional
            Bytes of dynamic shared memory of a block.

        Raises
        ------
        NotCompiledError
            If it was not compiled.
        ValueError
            If no block size is known.
        """
        if self.registers is None or self.shared is None:
            raise NotCompiledError(self._why())
        blockdim = self.blockdim if blockdim is None else blockdim
        if blockdim is None:
            raise ValueError("Occupancy depends on the block: say how many threads it has, as in .occupancy(256).")
        dynamic = self.sharedmem if sharedmem is None else sharedmem
        return occupancy(self.registers, self.shared + dynamic, blockdim, cc=self.cc)

    def _why(self) -> str:
        return self.errors[0].sentence if self.errors else self.missing

    def __repr__(self) -> str:
        capability = f"compute capability {self.cc[0]}.{self.cc[1]}"
        target = capability if self.gpu == capability else f"{self.gpu}, {capability}"
        rows = [f"{self.kernel}({self.signature}) for {target}"]
        rows += [f"{finding.severity}: {finding.kind}: {finding.sentence}" for finding in self.errors]
        if self.available:
            rows += self._figures()
        elif not self.errors:
            rows += ["Its types are right, as far as this CPU's Numba can tell.", self.missing]
        rows += [f"Numba remarks: {warning}" for warning in self.warnings]
        return "\n".join(rows)

    def _figures(self) -> list[str]:
        rows = [
            f"  registers      {self.registers} a thread",
            f"  shared memory  {self.shared} bytes a block"
            + (f" and {self.sharedmem} dynamic" if self.sharedmem else ""),
            f"  local memory   {self.stack} bytes a thread"
            + (
                f", {self.spill_stores} stored and {self.spill_loads} loaded by spills"
                if self.spills
                else ", no spills"
            ),
        ]
        if self.constant:
            rows.append(f"  constants      {self.constant} bytes")
        if self.blockdim is not None:
            rows.append(f"  occupancy      {self.occupancy()!r}")
        return [*rows, f"  by {self.by}", *self.advice]


def _advice(made: Compiled) -> Iterator[str]:
    arrays = re.findall(r"(\w+)\[", made.signature)
    if made.doubles and arrays and not {"float64", "complex128", "record"} & set(arrays):
        yield (
            f"It calculates in float64 ({made.doubles} instruction{'s' * (made.doubles != 1)}) though no array is: a Python float is a float64, so write "
            f"np.float32(0.1) for 0.1 and pass np.float32(a) for a{_rate(made)}."
        )
    if made.spills:
        yield (
            "Registers ran out, and values go to local memory, which is as slow as global memory: keep fewer values at a time, or "
            "allow more registers (max_registers, launch_bounds)."
        )
    elif made.stack:
        yield (
            f"{made.stack} bytes of each thread's local arrays lie in memory, as slow as global memory: only what is indexed by "
            "constants, in loops of constant length, fits into registers."
        )


def _rate(made: Compiled) -> str:
    """How much slower float64 is on the GPU, where its figures are known."""
    gpu = next((each for each in gpus.known() if each.name == made.gpu), None)
    ratio = gpu.fp32 / gpu.fp64 if gpu else 0
    return f"; on {made.gpu} float64 runs at 1/{ratio:.0f} of float32's rate" if ratio >= 1.5 else ""
