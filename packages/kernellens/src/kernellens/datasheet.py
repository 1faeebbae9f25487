"""The figures of a GPU, as `%gpu` shows them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from gpusim.hardware import gpus
from gpusim.hardware.gpus import GPU
from kernellens.plot import quantities


@dataclass(frozen=True, repr=False)
class Sheet:
    """A GPU's figures, each with its source.

    Attributes
    ----------
    gpu : GPU
    """

    gpu: GPU

    @property
    def figures(self) -> list[tuple[str, str, str]]:
        """Each with its unit and where it comes from."""
        gpu = self.gpu
        shown = [
            ("memory", "memory", quantities.size(gpu.memory)),
            ("memory bandwidth", "bandwidth", quantities.byte_rate(gpu.bandwidth)),
            ("L2 cache", "l2", quantities.size(gpu.l2)),
            ("float64", "fp64", quantities.flop_rate(gpu.fp64)),
            ("float32", "fp32", quantities.flop_rate(gpu.fp32)),
            ("float64 matrix products", "gemm64", quantities.flop_rate(gpu.gemm64)),
            ("link to the host", "link", quantities.byte_rate(gpu.link)),
            ("to launch a kernel", "launch", quantities.seconds(gpu.launch)),
            ("multiprocessors", "sms", quantities.count(gpu.sms)),
            ("compute capability", "cc", f"{gpu.cc[0]}.{gpu.cc[1]}"),
        ]
        return [(label, value, gpu.sources.get(key, "")) for label, key, value in shown]

    def __repr__(self) -> str:
        width = max(len(label) for label, _, _ in self.figures)
        lines = [f"{self.gpu.name} ({self.gpu.full_name})"]
        lines += [f"  {label:<{width}}  {value}" for label, value, _ in self.figures]
        return "\n".join([*lines, self._below()])

    def _repr_html_(self) -> str:
        from .arrays.html import STYLE

        rows = "".join(
            f'<tr><th scope="row" class="hf-left">{escape(label)}</th><td>{escape(value)}</td>'
            f'<td class="hf-left"><span class="hf-note">{escape(source)}</span></td></tr>'
            for label, value, source in self.figures
        )
        return (
            f'<style>{STYLE}</style><div class="hf-account"><div class="hf-scroll"><table class="hf-wide">'
            f"<caption>{escape(self.gpu.name)} ({escape(self.gpu.full_name)})</caption>"
            '<thead><tr><th scope="col" class="hf-left">figure</th><th scope="col">value</th>'
            f'<th scope="col" class="hf-left">source</th></tr></thead><tbody>{rows}</tbody></table></div>'
            f'<p class="hf-note">{escape(self._below())}</p></div>'
        )

    def _below(self) -> str:
        calibration = (self.gpu.calibration or {}).get("source")
        how = f"Estimates are calibrated: {calibration}." if calibration else "Estimates for it are not calibrated."

        others = ", ".join(name for name in gpus.names() if name != self.gpu.name)
        return f"{how} Others: {others}."
