"""Code to link with a kernel: CUDA C++, PTX and the like are not simulated."""

from __future__ import annotations

from gpusim.importing.names import refused_class

_MODULE = "numba.cuda.cudadrv.linkable_code"
_NOTE = "Only kernels and device functions in Python are simulated."


class LinkableCode:
    """Code that a kernel can be linked with."""


def _refused(name: str) -> type:
    return type(name, (refused_class(f"{_MODULE}.{name}", "@cuda.jit(device=True)", _NOTE), LinkableCode), {})


Archive, CUSource, Cubin, Fatbin = _refused("Archive"), _refused("CUSource"), _refused("Cubin"), _refused("Fatbin")
LTOIR, Object, PTXSource = _refused("LTOIR"), _refused("Object"), _refused("PTXSource")
