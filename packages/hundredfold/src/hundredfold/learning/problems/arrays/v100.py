"""The machine of the published figures: one V100 of a DGX-1, and the host beside it.

The V100's are those of `gpusim.hardware.gpus`, written out because the problems' texts depend on them; a test
holds them together. The host's two CPUs (Xeon E5-2698 v4: 4 channels of DDR4-2400, 20 cores each) are computed from
their data sheet.
"""

from __future__ import annotations

BANDWIDTH = 900e9  # device memory, B/s
FP64 = 7.8e12  # FLOP/s
LINK = 12e9  # PCIe 3 x16 as measured, B/s
LAUNCH = 10e-6  # s, one kernel through CuPy in 2019
CPU_BANDWIDTH = 2 * 76.8e9  # host memory, both sockets, B/s
CPU_FP64 = 1.41e12  # 40 cores x 16 flop x 2.2 GHz, FLOP/s
CPU_CALL = 1e-6  # s, about what one NumPy call costs before it does anything
