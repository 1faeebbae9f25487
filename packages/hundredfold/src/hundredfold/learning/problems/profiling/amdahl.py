"""``profiling.amdahl``: what a program gains by a faster kernel. The times are those of a real report, CloverLeaf on an A100."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

LONGEST, REDUCE, SHORT, COPIES, TOTAL = 267.0, 22.7, 4.7, 9.4, 342.0
"""Milliseconds, from the first kernel's beginning to the last one's end."""
IDLE = TOTAL - LONGEST - REDUCE - SHORT - COPIES
REST = TOTAL - LONGEST

TWICE = TOTAL / (TOTAL - LONGEST / 2)
MOST = TOTAL / REST
GAPS = TOTAL / (TOTAL - IDLE)
NEEDED = LONGEST / (TOTAL / 2 - REST)

AMDAHL = predict(
    "profiling.amdahl",
    "What a faster kernel is worth",
    (
        Quantity("twice", TWICE, "times as fast", f"342 ms become 208.5 ms: {TWICE:.2f}", rtol=0.02),
        Quantity("most", MOST, "times as fast", f"75 ms remain of 342 ms: {MOST:.2f}", rtol=0.02),
        Quantity("gaps", GAPS, "times as fast", f"the device is idle for 38.2 of 342 ms: {GAPS:.2f}", rtol=0.02),
        Quantity(
            "needed",
            NEEDED,
            "times as fast",
            f"171 ms less the other 75 ms leave 96 ms for the kernel, which takes 267: {NEEDED:.2f}",
            rtol=0.02,
        ),
    ),
    lines=5,
    hints=(
        "`twice`: what is left of the 342 ms, if 267 ms become 133.5? A speed-up is the time before over the time after.",
        "`most`: all but the kernel stays.",
        "`gaps`: in how many of the 342 ms does the device do nothing?",
        "`needed`: the program has to take 171 ms. The rest of it takes 75 ms as before.",
    ),
    mistakes={
        "kernel alone": mistake(
            "amdahl", "that is the kernel's own factor; the rest of the program does not get faster.", twice=2.0
        ),
        "share twice": mistake(
            "amdahl",
            "that is 1 and half of the kernel's share. Divide the time before by the time after.",
            twice=1 + LONGEST / TOTAL / 2,
        ),
        "time": mistake("unit", "that is a time in ms; asked for: how many times as fast.", twice=TOTAL - LONGEST / 2),
        "share": mistake(
            "factor", "that is the kernel's share of the time; asked for: how many times as fast.", most=LONGEST / TOTAL
        ),
        "kernels only": mistake(
            "idle-device",
            "that counts kernels only. Copies and the time in which the device is idle remain, too.",
            most=(LONGEST + REDUCE + SHORT) / (REDUCE + SHORT),
        ),
        "copies too": mistake(
            "idle-device",
            "that takes the copies away as well; the device is not idle while it copies.",
            gaps=TOTAL / (TOTAL - IDLE - COPIES),
        ),
        "only the longest": mistake(
            "idle-device",
            "that leaves only the longest kernel. In the other kernels the device is not idle.",
            gaps=TOTAL / LONGEST,
        ),
        "turned round": mistake(
            "operands",
            "that is the time after over the time before. Turn it round.",
            needed=(TOTAL / 2 - REST) / LONGEST,
        ),
        "the same factor": mistake("amdahl", "the kernel alone has to make up for what stays as it is.", needed=2.0),
        "of the kernel": mistake(
            "amdahl", "that is the time which the kernel may still take, in ms.", needed=TOTAL / 2 - REST
        ),
    },
)
