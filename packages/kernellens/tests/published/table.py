"""The table of published measurements."""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpusim.hardware import gpus

SOURCE = re.compile(r"[\w.-]+/[\w.-]+(:\S.*@[0-9a-f]{8,40}| (issue|pull) \d+(@\w+)?)")
"""``owner/repository:path@commit``, or an issue or pull request."""

GPUS = {
    "V100 (PCIe 16 GB)": "V100",
    "V100 SXM2 16 GB": "V100",
    "V100 32GB": "V100",
    "A100 80 GB": "A100",
    "A100-PCIE-40GB": "A100 40 GB",
    "A100 PCIe 40GB": "A100 40 GB",
    "NVIDIA A100-PCIE-40GB": "A100 40 GB",
    "A10 24GB": "A10",
    "H100-PCIe 80GB": "H100 PCIe",
}
"""What sources call a GPU where `gpus.find` does not know the name.  The V100 of 16 GB as a PCIe card has the SXM2 card's
memory bandwidth and a lower clock, so a bound by the SXM2 card's figures holds for it too."""


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes
    ----------
    id, source, gpu, operation, size, dtype, method : str
        As published.
    bytes, flops : float or None
        That the operation must move and calculate, counted from the source; None where nobody counted.
    seconds : float
    """

    id: str
    source: str
    gpu: str
    operation: str
    size: str
    dtype: str
    bytes: float | None
    flops: float | None
    seconds: float
    method: str

    def __post_init__(self) -> None:
        if not SOURCE.fullmatch(self.source):
            raise ValueError(f"{self.id}: a measurement needs a source that can be looked up, not {self.source!r}.")
        if not (self.seconds > 0 and self.gpu and self.method):
            raise ValueError(f"{self.id}: a measurement has a time, a GPU and a method.")

    @property
    def last(self) -> bool:
        """Whether its source is of the half that is looked at last, by a hash of the source's name; the other is tuned with."""
        name = self.source.split("@")[0]
        return bool(hashlib.sha256(name.encode()).digest()[0] % 2)

    @property
    def known(self) -> gpus.GPU | None:
        """The GPU's published figures; None for several GPUs, and for those that nobody has entered."""
        try:
            return gpus.find(GPUS.get(self.gpu, self.gpu))
        except gpus.UnknownGpuError:
            return None


@cache
def rows(path: Path | None = None) -> tuple[Row, ...]:
    """Read the table.

    Raises
    ------
    ValueError
        If a measurement has no source, no GPU, no method or no time.
    """
    with (path or Path(__file__).with_name("measurements.csv")).open(encoding="utf-8", newline="") as file:
        return tuple(
            Row(**{**row, **{name: float(row[name]) if row[name] else None for name in ("bytes", "flops", "seconds")}})
            for row in csv.DictReader(file)
        )
